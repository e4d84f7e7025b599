//! A stream that ends before the task does is followed by GetTask or SubscribeToTask, and what is reported agrees with
//! what the peer holds. Exempt: streams the orchestrator left, streams that told of no task, tasks it cancelled, and work
//! that ran out of time.

use crate::rules::prelude::*;
use crate::view::{ended_by_peer, ids_told, last_entry, reply, states_told};

pub(super) static RULE: Requirement = Requirement { id: "task-stream-close-resolved", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, outcome) in view.reported().filter(|(_, outcome)| outcome.status != Status::TimedOut) {
        let Some((peer, task)) = view.reported_task(outcome) else { continue };
        let early = view.belonging(&delegation.id).find(|x| x.peer == peer.name && ends_early(view, x, task.id()));
        let Some(early) = early.filter(|_| !view.cancelled(&peer.name, task.id())) else { continue };
        let end = last_entry(early);
        let looked = [Operation::GetTask, Operation::SubscribeToTask]
            .into_iter()
            .flat_map(|operation| view.on_task(operation, &peer.name, task.id()))
            .any(|x| x.number != early.number && (x.entry.seq > end || last_entry(x) > end));
        if !looked {
            let why = format!(
                "{}: the stream ended{} before task {} did, no GetTask or SubscribeToTask followed; reported as {}",
                peer.name,
                cite(&[end]),
                task.id(),
                outcome.status
            );
            tally.broken(why, [early.entry.seq, end]);
            continue;
        }
        match view.agrees(outcome, peer, task) {
            Agreement::Yes => tally.upheld(),
            Agreement::Open => {}
            Agreement::No => {
                let why = format!(
                    "{}: the stream ended{} before task {} did; it is {}, reported as {}",
                    peer.name,
                    cite(&[end]),
                    task.id(),
                    task.state(),
                    outcome.status
                );
                tally.broken(why, [early.entry.seq, end]);
            }
        }
    }
}

fn ends_early(view: &View<'_>, x: &Exchange<'_>, task: &str) -> bool {
    x.request.operation.is_some_and(Operation::is_streaming)
        && ended_by_peer(x)
        && view.failure(x).is_none()
        && reply(x).is_none()
        && ids_told(x).any(|(_, id)| id == task)
        && !states_told(x).any(|(_, _, state)| rests(state))
}

/// Whether a stream may end in that state.
fn rests(state: &str) -> bool {
    !matches!(state, "TASK_STATE_SUBMITTED" | "TASK_STATE_WORKING" | "TASK_STATE_UNSPECIFIED")
}
