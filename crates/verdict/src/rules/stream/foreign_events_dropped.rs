//! Events about another task, in a stream that began with the one that is reported, change nothing in the report: neither its state nor its content.
//! Exempt: work that ran out of time, and peers that do not tell their truth.

use crate::rules::prelude::*;
use crate::view::{agreement, ids_told, texts};

pub(super) static RULE: Requirement = Requirement { id: "stream-foreign-events-dropped", needs: &[], judge };

/// What an event about another task says.
#[derive(Default)]
struct Foreign<'a> {
    entries: Vec<u64>,
    states: Vec<&'a str>,
    texts: Vec<&'a str>,
}

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, outcome) in view.reported().filter(|(_, outcome)| outcome.status != Status::TimedOut) {
        let Some((peer, task)) = view.reported_task(outcome) else { continue };
        if view.truth_is_hidden(&peer.name) {
            continue;
        }
        let mut foreign = Foreign::default();
        let own =
            |x: &&Exchange<'_>| x.peer == peer.name && ids_told(x).next().is_some_and(|(_, first)| first == task.id());
        for x in view.belonging(&delegation.id).filter(own) {
            gather(x, task.id(), &mut foreign);
        }
        if foreign.entries.is_empty() {
            continue;
        }
        let cancelled = view.cancelled(&peer.name, task.id());
        let state = foreign.states.iter().find(|state| agreement(outcome, state, cancelled) == Agreement::Yes);
        let believed = agreement(outcome, task.state(), cancelled) == Agreement::No && state.is_some();
        let returned: Vec<&str> =
            outcome.artifacts.iter().flatten().flat_map(texts).chain(outcome.text.as_deref()).collect();
        let taken = foreign.texts.iter().find(|text| returned.iter().any(|returned| returned.contains(text.trim())));
        let what = match taken {
            Some(text) => format!("what was returned holds its {text:?}"),
            None => format!("reported as {}", outcome.status),
        };
        let why = || {
            let about =
                format!("events about another task{} were sent with task {}", cite(&foreign.entries), task.id());
            format!("{}: {about}, which is {}; {what}", peer.name, task.state())
        };
        tally.check(!believed && taken.is_none(), why, foreign.entries.iter().copied());
    }
}

fn gather<'a>(x: &Exchange<'a>, own: &str, foreign: &mut Foreign<'a>) {
    for (entry, frame) in &x.frames {
        let update = frame
            .object
            .as_ref()
            .and_then(|object| object.get("statusUpdate").or_else(|| object.get("artifactUpdate")));
        let Some(update) = update else { continue };
        let about = update.get("taskId").and_then(|id| id.as_str()).unwrap_or_default();
        if about == own || about.is_empty() {
            continue;
        }
        foreign.entries.push(entry.seq);
        foreign.states.extend(update.pointer("/status/state").and_then(|state| state.as_str()));
        foreign.texts.extend(update.get("artifact").into_iter().flat_map(texts));
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;
    use serde_json::json;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "stream-foreign-events-dropped";

    fn streamed(task: &str) -> Scene {
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.stream(B, JsonRpc, "d-1");
        let held = scene.hold(x, "t-1", "TASK_STATE_COMPLETED").clone();
        scene.answer(x, json!({ "task": { "id": "t-1", "status": { "state": "TASK_STATE_WORKING" } } }));
        scene.answer(x, json!({ "statusUpdate": { "taskId": task, "status": { "state": "TASK_STATE_FAILED" } } }));
        let artifact = json!({ "artifactId": "a", "parts": [{ "text": "not yours" }] });
        scene.answer(x, json!({ "artifactUpdate": { "taskId": task, "artifact": artifact } }));
        scene.answer(x, json!({ "task": held }));
        scene
    }

    #[test]
    fn what_others_do_changes_nothing() {
        let mut scene = streamed("t-other");
        scene.outcome("d-1", Status::Completed).text = Some("label: damaged".to_owned());
        scene.upheld(ID);
        scene.outcome("d-1", Status::Failed);
        assert!(scene.broken(ID).contains("reported as failed"));
        scene.outcome("d-1", Status::Completed).text = Some("label: damaged, not yours".to_owned());
        assert!(scene.broken(ID).contains("holds its \"not yours\""));
    }

    #[test]
    fn streams_about_one_task_are_not_judged() {
        let mut scene = streamed("t-1");
        scene.outcome("d-1", Status::Failed);
        scene.open(ID);
    }
}
