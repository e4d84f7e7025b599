//! An answer that is none (no task and no message, a task without an id, another task than was asked for) is no success,
//! the call is not repeated, and the report calls it an invalid answer. Exempt: tasks whose end was told all the same,
//! and work that ran out of time.

use serde_json::Value;

use crate::rules::prelude::*;
use crate::view::states_told;

pub(super) static RULE: Requirement = Requirement { id: "response-invalid-typed", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, outcome) in view.reported().filter(|(_, outcome)| outcome.status != Status::TimedOut) {
        let mut answers = view.belonging(&delegation.id).filter_map(|x| Some((x, invalid(x)?)));
        let Some((x, (entry, why))) = answers.next() else { continue };
        let about = format!("{}: {} answered with {why}{}", x.peer, operation(x), cite(&[entry]));
        let again: Vec<u64> = view
            .operations()
            .filter(|later| later.entry.seq > entry && later.peer == x.peer && later.number != x.number)
            .filter(|later| later.request.operation == x.request.operation)
            .filter(|later| later.request.task_id() == x.request.task_id())
            .filter(|later| view.delegation_of(later).is_some_and(|known| known.id == delegation.id))
            .map(|later| later.entry.seq)
            .collect();
        if !again.is_empty() {
            tally
                .broken(format!("{about}, and was called again{}", cite(&again)), again.iter().copied().chain([entry]));
            continue;
        }
        let ends = |(.., state): (u64, &str, &str)| state.ends_with("COMPLETED");
        if view.belonging(&delegation.id).filter(|x| invalid(x).is_none()).flat_map(states_told).any(ends) {
            continue;
        }
        if outcome.status.is_success() {
            tally.broken(format!("{about}, reported as {}", outcome.status), [entry]);
            continue;
        }
        let code = outcome.reason.as_ref().map_or("no reason", |reason| reason.code.as_str());
        let typed = !view.supports(Support::Reasons) || code == "invalid-agent-response";
        tally.check(typed, || format!("{about}, reported as {code}"), [entry]);
    }
}

fn operation(x: &Exchange<'_>) -> &'static str {
    x.request.operation.map_or("a call", Operation::name)
}

/// What is wrong with an answer, and the entry that carries it.
fn invalid(x: &Exchange<'_>) -> Option<(u64, &'static str)> {
    let operation = x.request.operation?;
    let asked = x.request.task_id();
    x.frames.iter().find_map(|(entry, frame)| {
        let object = frame.object.as_ref()?;
        let id = |task: &'_ Value| task.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        let why = match operation {
            Operation::SendMessage | Operation::SendStreamingMessage | Operation::SubscribeToTask => {
                let members = ["task", "message", "statusUpdate", "artifactUpdate"];
                match object.get("task") {
                    Some(task) if id(task).is_empty() => "a task without an id",
                    None if !members.iter().any(|member| object.get(member).is_some()) => "nothing that A2A knows",
                    _ => return None,
                }
            }
            Operation::GetTask | Operation::CancelTask => match id(object) {
                id if id.is_empty() => "a task without an id",
                id if Some(id.as_str()) != asked => "another task",
                _ => return None,
            },
            _ => return None,
        };
        Some((entry.seq, why))
    })
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;
    use serde_json::json;

    use super::*;
    use crate::testing::{B, Scene, reported};

    const ID: &str = "response-invalid-typed";

    fn answered(answer: Value) -> Scene {
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.answer(x, answer);
        scene
    }

    #[test]
    fn what_is_no_answer_is_no_success_and_typed() {
        for answer in [json!({}), json!({ "task": { "status": { "state": "TASK_STATE_COMPLETED" } } })] {
            let mut scene = answered(answer);
            scene.outcome("d-1", Status::Completed);
            assert!(scene.broken(ID).contains("reported as completed"));
            scene.because("d-1", Status::Failed, "task-failed");
            scene.broken(ID);
            scene.because("d-1", Status::Failed, "invalid-agent-response");
            scene.upheld(ID);
            scene.dispatch(B, JsonRpc, "d-1");
            assert!(scene.broken(ID).contains("called again"));
        }
    }

    #[test]
    fn another_task_is_no_answer() {
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.task(x, "t-1", "TASK_STATE_WORKING");
        let y = scene.on_task(B, JsonRpc, Operation::GetTask, "t-1");
        scene.answer(y, json!({ "id": "t-9", "status": { "state": "TASK_STATE_COMPLETED" } }));
        scene.outcome("d-1", Status::Completed);
        assert!(scene.broken(ID).contains("answered with another task"));
    }

    #[test]
    fn right_answers_are_not_judged() {
        reported("TASK_STATE_COMPLETED", Status::Failed).open(ID);
    }
}
