//! The work of a delegation reaches agents once. What was refused before it started did not reach them. Exempt: the same
//! message sent again under its id, work issued afresh because the peer has dropped its task, and work taken elsewhere
//! because the task was rejected, or failed at another peer.

use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "task-dispatched-once", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for delegation in view.delegations() {
        let reached: Vec<_> = view.dispatches(&delegation.id).filter(|x| view.reached(x)).collect();
        let Some(first) = reached.first() else { continue };
        let again: Vec<_> = reached
            .iter()
            .enumerate()
            .skip(1)
            .filter(|(nth, x)| !reached[..*nth].iter().any(|earlier| excused(view, delegation, earlier, x)))
            .map(|(_, x)| *x)
            .collect();
        let Some(second) = again.first() else {
            tally.upheld();
            continue;
        };
        let entries: Vec<u64> = [first].into_iter().chain(&again).map(|x| x.entry.seq).collect();
        let over = |x: &Exchange<'_>| view.interface(x).map_or(String::new(), |(_, used)| format!(" over {}", used.binding));
        let later = second.entry.at_us.saturating_sub(first.entry.at_us) / 1000;
        let why = format!(
            "{}: {} reached agents {} times{}, the second at {}{}, {later} ms after the first",
            first.peer,
            delegation.id,
            entries.len(),
            cite(&entries),
            second.peer,
            over(second)
        );
        tally.broken(why, entries);
    }
}

fn excused(view: &View<'_>, delegation: &Delegation, earlier: &Exchange<'_>, later: &Exchange<'_>) -> bool {
    let id = later.request.message_id().filter(|id| !id.is_empty());
    let retry = earlier.peer == later.peer && id.is_some() && earlier.request.message_id() == id;
    let state = view.began(earlier).map_or("", |(_, task)| task.state());
    let elsewhere = state == "TASK_STATE_REJECTED" || state == "TASK_STATE_FAILED" && earlier.peer != later.peer;
    let dropped = view.belonging(&delegation.id).any(|x| {
        let between = earlier.number < x.number && x.number < later.number;
        between && view.failure(x).is_some_and(|failure| failure.reason == Some("TASK_NOT_FOUND") || failure.code == "-32001")
    });
    retry || elsewhere || dropped
}
