//! Where a webhook was registered and no notification that can be believed tells of the end, the peer is asked before the
//! deadline. Exempt: work whose end was told in the answer to the send itself.

use super::watched;
use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "push-lost-recovered", needs: &[Support::Push], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, outcome, peer, task, notices) in watched(view) {
        let believable = notices
            .iter()
            .any(|notice| notice.settles() && notice.is_own() && notice.is_unaltered() && view.is_authentic(notice));
        if believable || !task.is_terminal() {
            continue;
        }
        let asked: Vec<_> = view
            .belonging(&delegation.id)
            .filter(|x| x.peer == peer.name && !x.request.class.is_dispatch() && asks(x))
            .map(|x| x.entry.seq)
            .collect();
        if !asked.is_empty() {
            tally.upheld();
        } else if view.settled_told(&peer.name, task.id()).is_none() && !outcome.status.is_success() {
            let why = format!(
                "{}: no notification told of the end of task {}, and the peer was never asked; reported as {}",
                peer.name,
                task.id(),
                outcome.status
            );
            tally.broken(why, view.told(&peer.name, task.id()));
        }
    }
}

fn asks(exchange: &Exchange<'_>) -> bool {
    matches!(exchange.request.operation, Some(Operation::GetTask | Operation::SubscribeToTask | Operation::ListTasks))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::notified;

    const ID: &str = "push-lost-recovered";

    #[test]
    fn silence_is_broken_by_asking() {
        let mut scene = notified();
        scene.outcome("d-1", Status::TimedOut);
        assert!(scene.broken(ID).contains("never asked"));
        scene.asked("t-1");
        scene.upheld(ID);
    }

    #[test]
    fn forged_notifications_are_as_good_as_none() {
        let mut scene = notified();
        scene.notice("t-1", "stolen", "TASK_STATE_COMPLETED", Some(401));
        scene.outcome("d-1", Status::TimedOut);
        scene.broken(ID);
    }

    #[test]
    fn where_the_end_was_told_nothing_need_be_asked() {
        let mut scene = notified();
        scene.notice("t-1", "agreed", "TASK_STATE_COMPLETED", Some(200));
        scene.outcome("d-1", Status::TimedOut);
        scene.open(ID);
    }
}
