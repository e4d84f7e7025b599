//! The state reported is the one the peer holds at the end; statuses that hide states are judged on whether the caller
//! was told of a failure. Exempt: work that ran out of time, tasks the orchestrator was never told of, peers that do not
//! know or do not tell their truth, and tasks that the peer said had ended otherwise.

use crate::rules::prelude::*;
use crate::view::{agreement, states_told};

pub(super) static RULE: Requirement = Requirement { id: "task-truth-agrees", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (_, outcome) in view.reported() {
        let Some((peer, task)) = view.reported_task(outcome) else { continue };
        match view.agrees(outcome, peer, task) {
            Agreement::Yes => tally.upheld(),
            Agreement::Open => {}
            Agreement::No => {
                let mut told = view
                    .exchanges
                    .iter()
                    .filter(|x| x.peer == peer.name)
                    .flat_map(states_told)
                    .filter(|(_, id, _)| *id == task.id());
                let cancelled = view.cancelled(&peer.name, task.id());
                let said = |state: &str| is_end(state) && agreement(outcome, state, cancelled) == Agreement::Yes;
                if told.any(|(_, _, state)| state != task.state() && said(state)) {
                    continue;
                }
                let entries: Vec<u64> = view
                    .exchanges
                    .iter()
                    .filter(|x| x.peer == peer.name)
                    .flat_map(states_told)
                    .filter(|(_, id, _)| *id == task.id())
                    .map(|(entry, ..)| entry)
                    .last()
                    .into_iter()
                    .collect();
                let why = format!(
                    "{}: task {} is {}, reported as {}{}",
                    peer.name,
                    task.id(),
                    task.state(),
                    outcome.status,
                    cite(&entries)
                );
                tally.broken(why, entries);
            }
        }
    }
}

fn is_end(state: &str) -> bool {
    matches!(state, "TASK_STATE_COMPLETED" | "TASK_STATE_FAILED" | "TASK_STATE_CANCELED" | "TASK_STATE_REJECTED")
}
