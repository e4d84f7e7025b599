//! A notification about another task than the one its webhook was registered for is not believed: an end that nothing
//! else told of is not reported.

use super::not_believed;
use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "push-task-checked", needs: &[Support::Push], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    not_believed(view, tally, "about another task", |notice| !notice.is_own());
}

#[cfg(test)]
mod tests {
    use gauntlet_evidence::JournalEvent;
    use serde_json::json;

    use super::*;
    use crate::testing::{Scene, notified};

    const ID: &str = "push-task-checked";

    fn foreign() -> Scene {
        let mut scene = notified();
        scene.notice("t-1", "agreed", "TASK_STATE_COMPLETED", Some(200));
        for entry in &mut scene.case.evidence.journal {
            if let JournalEvent::WebhookSent(sent) = &mut entry.event {
                sent.object["statusUpdate"]["taskId"] = json!("t-9");
            }
        }
        scene.outcome("d-1", Status::Completed);
        scene
    }

    #[test]
    fn an_end_of_another_task_is_not_reported() {
        let mut scene = foreign();
        assert!(scene.broken(ID).contains("about another task"));
        scene.asked("t-1");
        scene.upheld(ID);
    }

    #[test]
    fn notifications_about_the_task_itself_are_not_judged() {
        let mut scene = notified();
        scene.notice("t-1", "agreed", "TASK_STATE_COMPLETED", Some(200));
        scene.outcome("d-1", Status::Completed);
        scene.open(ID);
    }
}
