//! The reason of a failure that arrives in the history of the task, and nowhere else, is in the report: in its words, its
//! reason, or its history. The reason is the last message of the agent there.

use serde_json::Value;

use crate::rules::prelude::*;
use crate::view::{strings, texts};

pub(super) static RULE: Requirement = Requirement { id: "history-kept", needs: &[Support::History], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (_, outcome) in view.reported() {
        let Some((peer, task)) = view.reported_task(outcome) else { continue };
        let failed = matches!(task.state(), "TASK_STATE_FAILED" | "TASK_STATE_REJECTED");
        if !failed || outcome.status == Status::TimedOut || view.truth_is_hidden(&peer.name) {
            continue;
        }
        let frames = || {
            let exchanges = view.exchanges.iter().filter(|x| x.peer == peer.name).flat_map(|x| &x.frames);
            exchanges.filter_map(|(entry, frame)| Some((entry.seq, frame.object.as_ref()?)))
        };
        let Some((entry, reason)) =
            frames().filter_map(|(entry, object)| last_words(entry, object, task.id())).next_back()
        else {
            continue;
        };
        if frames().flat_map(|(_, object)| said_by_status(object)).any(|said| said == reason) {
            continue;
        }
        let report = serde_json::to_value(outcome).unwrap_or_default();
        let why = || {
            format!(
                "{}: why task {} is {} stood in its history alone{}: {reason:?}; the report does not hold it",
                peer.name,
                task.id(),
                task.state(),
                cite(&[entry])
            )
        };
        tally.check(strings(&report).iter().any(|text| text.contains(reason.trim())), why, [entry]);
    }
}

/// The last words of the agent in the history of a task that a frame tells of.
fn last_words<'a>(entry: u64, object: &'a Value, id: &str) -> Option<(u64, &'a str)> {
    let task = object.get("task").unwrap_or(object);
    if task.get("id")?.as_str()? != id {
        return None;
    }
    let messages = task.get("history")?.as_array()?.iter();
    let agents = messages.filter(|message| message.get("role").and_then(Value::as_str) == Some("ROLE_AGENT"));
    agents.flat_map(texts).last().map(|text| (entry, text))
}

fn said_by_status(object: &Value) -> impl Iterator<Item = &str> {
    let places = ["/task/status/message", "/status/message", "/statusUpdate/status/message"];
    places.into_iter().filter_map(|place| object.pointer(place)).flat_map(texts)
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;
    use serde_json::json;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "history-kept";

    fn failed(status: &Value) -> Scene {
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.hold(x, "t-1", "TASK_STATE_FAILED");
        let history = json!([{ "role": "ROLE_USER", "parts": [{ "text": "do it" }] },
                             { "role": "ROLE_AGENT", "parts": [{ "text": "scanner broken" }] }]);
        scene.answer(x, json!({ "task": { "id": "t-1", "status": status, "history": history } }));
        scene
    }

    #[test]
    fn the_reason_is_in_the_report() {
        let mut scene = failed(&json!({ "state": "TASK_STATE_FAILED" }));
        scene.outcome("d-1", Status::Failed);
        assert!(scene.broken(ID).contains("in its history alone"));
        scene.because("d-1", Status::Failed, "task-failed").detail = Some("the scanner broken".to_owned());
        scene.upheld(ID);
        scene.outcome("d-1", Status::Failed).history = Some(vec![json!({ "parts": [{ "text": "scanner broken" }] })]);
        scene.upheld(ID);
    }

    #[test]
    fn what_the_status_says_as_well_is_not_judged() {
        let status = json!({ "state": "TASK_STATE_FAILED", "message": { "parts": [{ "text": "scanner broken" }] } });
        let mut scene = failed(&status);
        scene.outcome("d-1", Status::Failed);
        scene.open(ID);
    }
}
