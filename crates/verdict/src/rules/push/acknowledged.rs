//! What comes to a webhook with the agreed token is answered 2xx. Judged until the orchestrator could know that the task
//! has ended: afterwards the webhook may be gone. Exempt: notifications that were altered, and those that were not
//! answered at all.

use super::watched;
use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "push-acknowledged", needs: &[Support::Push], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (_, _, peer, task, notices) in watched(view) {
        let asked = view.settled_told(&peer.name, task.id()).unwrap_or(u64::MAX);
        let ends = notices.iter().filter(|notice| notice.settles()).map(|notice| notice.entry.seq).min();
        let over = asked.min(ends.map_or(u64::MAX, |end| end.saturating_add(1)));
        let due = notices.iter().filter(|notice| notice.entry.seq < over);
        for notice in due.filter(|notice| notice.is_unaltered() && notice.is_own() && view.is_authentic(notice)) {
            let Some(status) = notice.status else { continue };
            let entry = notice.entry.seq;
            let why = || format!("{}: an authentic notification{} was answered {status}", peer.name, cite(&[entry]));
            tally.check((200..300).contains(&status), why, [entry]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Scene, notified};

    const ID: &str = "push-acknowledged";

    fn answered(token: &str, status: Option<u16>) -> Scene {
        let mut scene = notified();
        scene.notice("t-1", token, "TASK_STATE_WORKING", status);
        scene.outcome("d-1", Status::Completed);
        scene
    }

    #[test]
    fn authentic_notifications_are_answered_2xx() {
        answered("agreed", Some(204)).upheld(ID);
        for status in [302, 401, 500] {
            assert!(answered("agreed", Some(status)).broken(ID).contains(&format!("was answered {status}")));
        }
    }

    #[test]
    fn forged_and_unanswered_ones_are_not_judged() {
        answered("stolen", Some(401)).open(ID);
        answered("agreed", None).open(ID);
    }

    #[test]
    fn the_end_is_the_last_that_is_judged() {
        let mut scene = answered("agreed", Some(200));
        scene.notice("t-1", "agreed", "TASK_STATE_COMPLETED", Some(200));
        scene.notice("t-1", "agreed", "TASK_STATE_COMPLETED", Some(404));
        scene.upheld(ID);
        let mut scene = answered("agreed", Some(200));
        scene.asked("t-1");
        scene.notice("t-1", "agreed", "TASK_STATE_COMPLETED", Some(404));
        scene.upheld(ID);
    }
}
