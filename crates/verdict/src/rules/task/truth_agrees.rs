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

#[cfg(test)]
mod tests {
    use gauntlet_evidence::journal::Ending;
    use gauntlet_wire::Binding::JsonRpc;
    use serde_json::json;

    use super::*;
    use crate::testing::{B, Scene, reported};

    const ID: &str = "task-truth-agrees";

    #[test]
    fn the_state_held_is_the_state_reported() {
        for (state, status) in [
            ("COMPLETED", Status::Completed),
            ("COMPLETED", Status::Returned),
            ("FAILED", Status::Failed),
            ("FAILED", Status::Raised),
            ("REJECTED", Status::Rejected),
            ("CANCELED", Status::Canceled),
            ("INPUT_REQUIRED", Status::InputRequired),
        ] {
            reported(&format!("TASK_STATE_{state}"), status).upheld(ID);
        }
        for (state, status) in [
            ("COMPLETED", Status::Failed),
            ("COMPLETED", Status::Refused),
            ("FAILED", Status::Completed),
            ("FAILED", Status::Returned),
            ("REJECTED", Status::Failed),
            ("INPUT_REQUIRED", Status::Completed),
            ("WORKING", Status::Completed),
        ] {
            let why = reported(&format!("TASK_STATE_{state}"), status).broken(ID);
            assert!(why.contains(&format!("task t-1 is TASK_STATE_{state}, reported as {status}")), "{why}");
        }
    }

    #[test]
    fn what_the_orchestrator_cannot_know_is_exempt() {
        reported("TASK_STATE_COMPLETED", Status::TimedOut).open(ID);
        let mut scene = reported("TASK_STATE_COMPLETED", Status::Failed);
        scene.fact(&[], Fact::ResponseInvalid).open(ID);
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.hold(x, "t-1", "TASK_STATE_COMPLETED");
        scene.end(x, Ending::Cut).outcome("d-1", Status::Failed);
        scene.open(ID);
    }

    #[test]
    fn a_peer_that_said_otherwise_is_believed() {
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.hold(x, "t-1", "TASK_STATE_COMPLETED");
        scene.answer(x, json!({ "task": { "id": "t-1", "status": { "state": "TASK_STATE_FAILED" } } }));
        scene.outcome("d-1", Status::Failed);
        scene.open(ID);
    }

    #[test]
    fn a_task_it_cancelled_may_be_reported_by_the_reason() {
        let mut scene = reported("TASK_STATE_CANCELED", Status::Failed);
        scene.broken(ID);
        scene.on_task(B, JsonRpc, Operation::CancelTask, "t-1");
        scene.upheld(ID);
    }
}
