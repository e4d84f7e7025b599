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
        let over =
            |x: &Exchange<'_>| view.interface(x).map_or(String::new(), |(_, used)| format!(" over {}", used.binding));
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
        between && view.unknown_task(x).is_some()
    });
    retry || elsewhere || dropped
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::{Grpc, JsonRpc};
    use serde_json::json;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "task-dispatched-once";

    fn twice(state: &str) -> Scene {
        let mut scene = Scene::new(&[JsonRpc, Grpc]);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.task(x, "t-1", state);
        let x = scene.dispatch(B, Grpc, "d-1");
        scene.completed(x, "t-2");
        scene
    }

    #[test]
    fn the_work_reaches_agents_once() {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.open(ID);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.completed(x, "t-1").upheld(ID);
        let why = twice("TASK_STATE_COMPLETED").broken(ID);
        assert!(
            why.contains("d-1 reached agents 2 times (entries 5, 8), the second at vendor-b over GRPC, 3 ms after"),
            "{why}"
        );
    }

    #[test]
    fn what_was_refused_before_it_started_did_not_reach_anybody() {
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.stream(B, JsonRpc, "d-1");
        scene.refuse(x, "-32601");
        scene.open(ID);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.completed(x, "t-1").upheld(ID);
    }

    #[test]
    fn rejections_retries_and_dropped_tasks_are_exempt() {
        twice("TASK_STATE_REJECTED").upheld(ID);
        twice("TASK_STATE_FAILED").broken(ID);
        let mut scene = Scene::new(&[JsonRpc]);
        for task in ["t-1", "t-2"] {
            let x = scene.dispatch(B, JsonRpc, "d-1");
            scene.sent(x).message.as_mut().unwrap()["message"]["messageId"] = json!("m-1");
            scene.completed(x, task);
        }
        scene.upheld(ID);
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.task(x, "t-1", "TASK_STATE_INPUT_REQUIRED");
        let x = scene.on_task(B, JsonRpc, Operation::GetTask, "t-1");
        scene.refuse_as(x, "404", Some("TASK_NOT_FOUND"));
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.completed(x, "t-2").upheld(ID);
    }

    #[test]
    fn a_direct_message_counts_as_reached() {
        let mut scene = Scene::new(&[JsonRpc]);
        for _ in 0..2 {
            let x = scene.dispatch(B, JsonRpc, "d-1");
            scene.answer(
                x,
                json!({ "message": { "messageId": "r", "role": "ROLE_AGENT", "parts": [{ "text": "hi" }] } }),
            );
        }
        scene.broken(ID);
    }
}
