//! What a stream says of a task after it has said how the task ended changes nothing: the report is the first end that
//! was told, or the one that the peer holds. Exempt: work that ran out of time, and statuses that hide states where they
//! fit any of the two.

use crate::rules::prelude::*;
use crate::view::{agreement, states_told};

pub(super) static RULE: Requirement = Requirement { id: "stream-status-once", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, outcome) in view.reported().filter(|(_, outcome)| outcome.status != Status::TimedOut) {
        let Some((peer, task)) = view.reported_task(outcome) else { continue };
        let replayed = view
            .belonging(&delegation.id)
            .filter(|x| x.peer == peer.name && x.request.operation.is_some_and(Operation::is_streaming))
            .find_map(|x| after_the_end(x, task.id()));
        let Some((end, later, state)) = replayed else { continue };
        let cancelled = view.cancelled(&peer.name, task.id());
        let fits = |state: &str| agreement(outcome, state, cancelled);
        let why = || {
            format!(
                "{}: task {} had ended as {state}{}, more was said of it{}; reported as {}",
                peer.name,
                task.id(),
                cite(&[end]),
                cite(&[later]),
                outcome.status
            )
        };
        match (fits(state), fits(task.state())) {
            (Agreement::Yes, _) | (_, Agreement::Yes) => tally.upheld(),
            (Agreement::Open, _) | (_, Agreement::Open) => {}
            (Agreement::No, Agreement::No) => tally.broken(why(), [end, later]),
        }
    }
}

/// The entry and state of the first end that a stream tells of a task, and the entry of what it says after.
fn after_the_end<'a>(x: &Exchange<'a>, task: &str) -> Option<(u64, u64, &'a str)> {
    let mut told = states_told(x).filter(|(_, id, _)| *id == task);
    let (end, _, state) = told.find(|(.., state)| is_end(state))?;
    let later = told.next().map(|(entry, ..)| entry).or_else(|| {
        let artifacts = x.frames.iter().filter(|(entry, frame)| {
            entry.seq > end && frame.object.as_ref().is_some_and(|object| object.get("artifactUpdate").is_some())
        });
        artifacts.map(|(entry, _)| entry.seq).next()
    })?;
    Some((end, later, state))
}

fn is_end(state: &str) -> bool {
    matches!(state, "TASK_STATE_COMPLETED" | "TASK_STATE_FAILED" | "TASK_STATE_CANCELED" | "TASK_STATE_REJECTED")
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;
    use serde_json::json;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "stream-status-once";

    fn streamed(states: &[&str], status: Status) -> Scene {
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.stream(B, JsonRpc, "d-1");
        scene.hold(x, "t-1", states[0]);
        for state in states {
            scene.answer(x, json!({ "statusUpdate": { "taskId": "t-1", "status": { "state": state } } }));
        }
        scene.outcome("d-1", status);
        scene
    }

    #[test]
    fn the_first_end_counts() {
        let twice = ["TASK_STATE_COMPLETED", "TASK_STATE_FAILED"];
        streamed(&twice, Status::Completed).upheld(ID);
        assert!(streamed(&twice, Status::Failed).broken(ID).contains("had ended as TASK_STATE_COMPLETED"));
        streamed(&["TASK_STATE_FAILED", "TASK_STATE_WORKING"], Status::Completed).broken(ID);
    }

    #[test]
    fn streams_that_end_with_the_task_are_not_judged() {
        streamed(&["TASK_STATE_COMPLETED"], Status::Failed).open(ID);
        streamed(&["TASK_STATE_COMPLETED", "TASK_STATE_WORKING"], Status::TimedOut).open(ID);
    }
}
