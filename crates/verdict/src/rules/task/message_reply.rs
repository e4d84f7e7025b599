//! A message that answers the work directly is the whole answer: the caller gets it, and no task is asked for. Exempt:
//! work that ran out of time.

use crate::rules::prelude::*;
use crate::view::{contains_in_order, reply, texts};

pub(super) static RULE: Requirement = Requirement { id: "task-message-reply", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, outcome) in view.reported() {
        let replied = view.dispatches(&delegation.id).find_map(|x| Some((x, reply(x)?)));
        let Some((x, (entry, message))) = replied else { continue };
        if view.truth_is_hidden(x.peer) || view.held(&delegation.id).next().is_some() {
            continue;
        }
        let polls: Vec<u64> = view
            .operations()
            .filter(|y| y.peer == x.peer && y.entry.seq > entry)
            .filter(|y| {
                matches!(
                    y.request.operation,
                    Some(Operation::GetTask | Operation::SubscribeToTask | Operation::ListTasks)
                )
            })
            .filter(|y| y.request.task_id().is_none_or(|id| view.told(x.peer, id).is_none()))
            .map(|y| y.entry.seq)
            .collect();
        if !polls.is_empty() {
            let why = format!(
                "{}: a message was the answer{}, yet a task was asked for{}",
                x.peer,
                cite(&[entry]),
                cite(&polls)
            );
            tally.broken(why, polls.into_iter().chain([entry]));
            continue;
        }
        let text = outcome.text.as_deref();
        let kept = text.is_none_or(|text| contains_in_order(text, texts(message)));
        if outcome.status.is_success() {
            let why = || format!("{}: the message that was the answer{} is not in the report", x.peer, cite(&[entry]));
            tally.check(kept, why, [entry]);
        } else if outcome.status != Status::TimedOut {
            let why = format!("{}: a message was the answer{}, reported as {}", x.peer, cite(&[entry]), outcome.status);
            tally.broken(why, [entry]);
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;
    use serde_json::json;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "task-message-reply";

    fn replied(status: Status, text: Option<&str>) -> Scene {
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.answer(
            x,
            json!({ "message": { "messageId": "r", "role": "ROLE_AGENT", "parts": [{ "text": "It is 7." }] } }),
        );
        scene.outcome("d-1", status).text = text.map(str::to_owned);
        scene
    }

    #[test]
    fn the_message_is_the_answer() {
        replied(Status::Completed, Some("It is 7.")).upheld(ID);
        replied(Status::Returned, None).upheld(ID);
        assert!(replied(Status::Failed, None).broken(ID).contains("reported as failed"));
        assert!(replied(Status::Completed, Some("")).broken(ID).contains("is not in the report"));
    }

    #[test]
    fn no_task_is_asked_for() {
        let mut scene = replied(Status::Completed, None);
        scene.on_task(B, JsonRpc, Operation::GetTask, "r");
        assert!(scene.broken(ID).contains("yet a task was asked for"));
    }

    #[test]
    fn tasks_and_lack_of_time_are_not_judged() {
        replied(Status::TimedOut, None).open(ID);
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.completed(x, "t-1").outcome("d-1", Status::Failed);
        scene.open(ID);
    }
}
