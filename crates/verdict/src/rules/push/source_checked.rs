//! A notification that does not show the token or the credentials that were agreed for its webhook is not believed: an
//! end that nothing else told of is not reported. Webhooks for which nothing was agreed are not judged.

use super::not_believed;
use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "push-source-checked", needs: &[Support::Push], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    not_believed(view, tally, "without the agreed token", |notice| !view.is_authentic(notice));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Scene, notified};

    const ID: &str = "push-source-checked";

    fn forged(status: Status) -> Scene {
        let mut scene = notified();
        scene.notice("t-1", "stolen", "TASK_STATE_COMPLETED", Some(200));
        scene.outcome("d-1", status);
        scene
    }

    #[test]
    fn an_end_that_only_a_forger_told_of_is_not_reported() {
        assert!(forged(Status::Completed).broken(ID).contains("without the agreed token"));
        forged(Status::TimedOut).open(ID);
    }

    #[test]
    fn whoever_asks_is_right() {
        let mut scene = forged(Status::Completed);
        scene.asked("t-1");
        scene.upheld(ID);
        scene.without(Support::Push).open(ID);
    }

    #[test]
    fn authentic_notifications_may_be_believed() {
        let mut scene = forged(Status::Completed);
        scene.notice("t-1", "agreed", "TASK_STATE_COMPLETED", Some(200));
        scene.upheld(ID);
    }
}
