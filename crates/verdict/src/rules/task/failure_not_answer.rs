//! The text of a failed or rejected task is not handed to the caller as an answer.

use serde_json::Value;

use crate::rules::prelude::*;
use crate::view::{artifacts, texts, told_of_failure};

pub(super) static RULE: Requirement = Requirement { id: "task-failure-not-answer", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (_, outcome) in view.reported() {
        let Some((peer, task)) = view.reported_task(outcome) else { continue };
        if !matches!(task.state(), "TASK_STATE_FAILED" | "TASK_STATE_REJECTED") || outcome.status == Status::TimedOut {
            continue;
        }
        let said = words(&task.task);
        let Some(entry) = view.told(&peer.name, task.id()).filter(|_| !said.is_empty()) else { continue };
        if told_of_failure(outcome) {
            tally.upheld();
            continue;
        }
        let returned = outcome.artifacts.iter().flatten().flat_map(texts).chain(outcome.text.as_deref());
        let answer = returned.into_iter().find(|text| said.iter().any(|word| text.contains(word.trim())));
        if let Some(answer) = answer {
            let why = format!(
                "{}: task {} is {}{}, and its text is returned as the answer: {answer:?}",
                peer.name,
                task.id(),
                task.state(),
                cite(&[entry])
            );
            tally.broken(why, [entry]);
        }
    }
}

fn words(task: &Value) -> Vec<&str> {
    task.pointer("/status/message").into_iter().chain(artifacts(task)).flat_map(texts).collect()
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;
    use serde_json::json;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "task-failure-not-answer";

    fn failed(status: Status, text: &str) -> Scene {
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        let task = scene.hold(x, "t-1", "TASK_STATE_FAILED");
        task["status"]["message"] = json!({ "parts": [{ "text": "label: undamaged" }] });
        let task = task.clone();
        scene.answer(x, json!({ "task": task }));
        scene.outcome("d-1", status).text = Some(text.to_owned());
        scene
    }

    #[test]
    fn words_of_a_failed_task_are_no_answer() {
        failed(Status::Failed, "label: undamaged").upheld(ID);
        for status in [Status::Completed, Status::Returned] {
            assert!(failed(status, "The peer says: label: undamaged").broken(ID).contains("returned as the answer"));
        }
    }

    #[test]
    fn an_empty_success_is_judged_elsewhere() {
        failed(Status::Completed, "").open(ID);
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.completed(x, "t-1").outcome("d-1", Status::Completed);
        scene.open(ID);
    }
}
