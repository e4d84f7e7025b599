//! Folding, with the habits peers have.

use serde_json::json;

use super::*;

fn chunk(text: &str, append: Option<bool>) -> Value {
    let mut update = json!({ "taskId": "t", "contextId": "c",
        "artifact": { "artifactId": "a", "parts": [{ "text": text }] } });
    if let Some(append) = append {
        update["append"] = json!(append);
    }
    json!({ "artifactUpdate": update })
}

fn state(state: &str) -> Value {
    json!({ "statusUpdate": { "taskId": "t", "contextId": "c", "status": { "state": state } } })
}

fn snapshot(state: &str, text: &str) -> v1::Task {
    read_task(&json!({ "id": "t", "status": { "state": state },
        "artifacts": [{ "artifactId": "a", "parts": [{ "text": text }] }] }))
    .unwrap()
}

fn fold(events: &[Value]) -> Fold {
    let mut fold = Fold::default();
    for event in events {
        fold.take(Event::read(event).unwrap());
    }
    fold
}

fn held(fold: &Fold) -> String {
    let parts = fold.task().unwrap().artifacts.iter().flat_map(|artifact| &artifact.parts);
    parts
        .map(|part| match &part.content {
            Some(v1::part::Content::Text(text)) => text.as_str(),
            _ => "",
        })
        .collect()
}

#[test]
fn an_explicit_append_is_obeyed() {
    let grown = fold(&[chunk("one ", None), chunk("two", Some(true))]);
    assert_eq!((held(&grown).as_str(), grown.is_ambiguous()), ("one two", false));
    let replaced = fold(&[chunk("one ", None), chunk("two", Some(false))]);
    assert_eq!((held(&replaced).as_str(), replaced.is_ambiguous()), ("two", false));
}

#[test]
fn an_absent_append_is_resolved_by_the_peers_snapshot() {
    let mut unsaid = fold(&[chunk("one ", None), chunk("two", None), state("TASK_STATE_COMPLETED")]);
    assert!(unsaid.is_ambiguous());
    unsaid.settle_artifacts(snapshot("TASK_STATE_COMPLETED", "two"));
    assert_eq!((held(&unsaid).as_str(), unsaid.is_ambiguous()), ("two", false));
}

#[test]
fn a_chunk_of_an_artifact_that_was_never_begun_is_ambiguous() {
    assert!(fold(&[chunk("two", Some(true))]).is_ambiguous());
}

#[test]
fn items_about_other_tasks_and_after_the_end_change_nothing() {
    let foreign = json!({ "statusUpdate": { "taskId": "u", "contextId": "c",
        "status": { "state": "TASK_STATE_FAILED" } } });
    let fold = fold(&[state("TASK_STATE_WORKING"), foreign, state("TASK_STATE_COMPLETED"), state("TASK_STATE_FAILED")]);
    assert!(fold.is_settled());
    assert_eq!(fold.task().unwrap().status.as_ref().unwrap().state(), TaskState::Completed);
}

#[test]
fn a_task_that_waits_is_settled_but_open() {
    let waiting = fold(&[state("TASK_STATE_INPUT_REQUIRED")]);
    assert!(waiting.is_settled() && !waiting.is_terminal());
    assert_eq!(waiting.open_task(), Some("t"));
    let mut continuing = Fold::continuing(waiting.task().unwrap().clone(), Flaws::default());
    assert!(!continuing.is_settled(), "the state it waited in is over");
    continuing.snapshot(snapshot("TASK_STATE_COMPLETED", "all of it"));
    assert_eq!((held(&continuing).as_str(), continuing.is_ambiguous()), ("all of it", false));
}

#[test]
fn items_that_the_protocol_does_not_know_are_invalid_and_unknown_members_are_skipped() {
    for wrong in [json!({}), json!({ "task": { "id": "" } }), json!({ "other": {} }), json!([]), json!({ "task": 1 })] {
        assert!(matches!(Event::read(&wrong), Err(CallError::Invalid(_))), "{wrong}");
    }
    let mut odd = state("TASK_STATE_WORKING");
    odd["statusUpdate"]["x-vendor"] = json!([1]);
    assert!(Event::read(&odd).is_ok());
}
