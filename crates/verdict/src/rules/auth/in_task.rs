//! A task that asks for credentials surfaces as auth-required, and what it is answered with goes to that task alone: it is
//! not sent with later messages. Exempt: drivers that hide states.

use crate::rules::prelude::*;
use crate::view::{states_told, texts};

pub(super) static RULE: Requirement = Requirement { id: "auth-in-task", needs: &[], judge };

const ASKS: &str = "TASK_STATE_AUTH_REQUIRED";

fn judge(view: &View<'_>, tally: &mut Tally) {
    for delegation in view.delegations() {
        let outcomes = || view.evidence().outcomes.iter().filter(|outcome| outcome.id == delegation.id);
        for (peer, task) in view.held(&delegation.id) {
            let mut told: Vec<(u64, &str)> = view
                .exchanges
                .iter()
                .filter(|x| x.peer == peer.name)
                .flat_map(states_told)
                .filter(|(_, id, _)| *id == task.id())
                .map(|(entry, _, state)| (entry, state))
                .collect();
            told.sort_unstable();
            // Of several turns only the first can be told apart: outcomes have no place among journal entries.
            let first = told.iter().find(|(_, state)| state.ends_with("_REQUIRED"));
            if let (Some((entry, ASKS)), Some(outcome)) = (first, outcomes().next())
                && !matches!(outcome.status, Status::Returned | Status::Raised | Status::TimedOut)
            {
                let why = || {
                    format!(
                        "{}: task {} asks for credentials{}, reported as {}",
                        peer.name,
                        task.id(),
                        cite(&[*entry]),
                        outcome.status
                    )
                };
                tally.check(outcome.status == Status::AuthRequired, why, [*entry]);
            }
            if let Some((asked, _)) = told.iter().find(|(_, state)| *state == ASKS) {
                answers_stay(view, tally, (&peer.name, task.id()), *asked);
            }
        }
    }
}

/// What was sent to a task that asked for credentials is not sent anywhere else later.
fn answers_stay(view: &View<'_>, tally: &mut Tally, (peer, task): (&str, &str), asked: u64) {
    let sends = || view.exchanges.iter().filter(|x| x.request.operation.is_some_and(Operation::sends_message));
    let message = |x: &Exchange<'_>| x.request.message.as_ref().and_then(|request| request.get("message").cloned());
    let answer = sends().find(|x| x.peer == peer && x.request.task_id() == Some(task) && x.entry.seq > asked);
    let Some((answer, said)) = answer.and_then(|x| Some((x, message(x)?))) else { return };
    for later in sends().filter(|x| x.number > answer.number && x.request.task_id() != Some(task)) {
        let Some(content) = message(later) else { continue };
        let entry = later.entry.seq;
        let repeats = texts(&said).any(|text| texts(&content).any(|other| other.contains(text)));
        let why = || {
            format!(
                "{}: what task {task} was answered with{} was sent again{}",
                later.peer,
                cite(&[answer.entry.seq]),
                cite(&[entry])
            )
        };
        tally.check(!repeats, why, [answer.entry.seq, entry]);
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_evidence::RequestClass;
    use gauntlet_wire::Binding::JsonRpc;
    use serde_json::json;

    use super::*;
    use crate::testing::{B, Scene, reported};

    const ID: &str = "auth-in-task";

    #[test]
    fn a_task_that_asks_for_credentials_surfaces() {
        reported(ASKS, Status::AuthRequired).upheld(ID);
        assert!(reported(ASKS, Status::Failed).broken(ID).contains("task t-1 asks for credentials"));
        reported(ASKS, Status::InputRequired).broken(ID);
        reported(ASKS, Status::Raised).open(ID);
        reported("TASK_STATE_INPUT_REQUIRED", Status::Failed).open(ID);
    }

    fn answered(later: &str) -> Scene {
        let mut scene = reported(ASKS, Status::AuthRequired);
        let to_task = json!({ "message": { "taskId": "t-1", "parts": [{ "text": "pass-4411" }] } });
        scene.call(B, JsonRpc, RequestClass::FollowUp(Some("d-1".to_owned())), Operation::SendMessage, to_task);
        let new = json!({ "message": { "parts": [{ "text": later }] } });
        scene.call(B, JsonRpc, RequestClass::Dispatch("d-2".to_owned()), Operation::SendMessage, new);
        scene
    }

    #[test]
    fn the_answer_goes_nowhere_else() {
        answered("more work").upheld(ID);
        assert!(answered("more work, pass-4411").broken(ID).contains("was sent again"));
    }
}
