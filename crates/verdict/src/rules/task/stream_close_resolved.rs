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

#[cfg(test)]
mod tests {
    use gauntlet_evidence::journal::Ending;
    use gauntlet_wire::Binding::JsonRpc;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "task-stream-close-resolved";

    fn early(status: Status) -> Scene {
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.stream(B, JsonRpc, "d-1");
        scene.early(x, "t-1", "TASK_STATE_COMPLETED").outcome("d-1", status);
        scene
    }

    #[test]
    fn the_end_of_a_stream_is_looked_into() {
        for status in [Status::Completed, Status::Failed] {
            assert!(early(status).broken(ID).contains("no GetTask or SubscribeToTask followed"));
        }
        for operation in [Operation::GetTask, Operation::SubscribeToTask] {
            let mut scene = early(Status::Completed);
            scene.on_task(B, JsonRpc, operation, "t-1");
            scene.upheld(ID);
        }
        let mut scene = early(Status::Failed);
        scene.on_task(B, JsonRpc, Operation::GetTask, "t-1");
        assert!(scene.broken(ID).contains("it is TASK_STATE_COMPLETED, reported as failed"));
    }

    #[test]
    fn a_look_at_another_task_does_not_count() {
        let mut scene = early(Status::Completed);
        scene.on_task(B, JsonRpc, Operation::GetTask, "t-2");
        scene.broken(ID);
    }

    #[test]
    fn full_streams_lack_of_time_cancels_and_streams_it_left_are_not_judged() {
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.stream(B, JsonRpc, "d-1");
        scene.completed(x, "t-1").outcome("d-1", Status::Completed);
        scene.open(ID);
        early(Status::TimedOut).open(ID);
        let mut scene = early(Status::Canceled);
        scene.on_task(B, JsonRpc, Operation::CancelTask, "t-1");
        scene.open(ID);
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.stream(B, JsonRpc, "d-1");
        scene.early(x, "t-1", "TASK_STATE_COMPLETED").end(x, Ending::Abandoned).outcome("d-1", Status::Completed);
        scene.open(ID);
    }
}
