//! What a healthy peer answers.

use gauntlet_wire::{Binding, ErrorKind, Operation};
use serde_json::{Value, json};

use crate::client::Refused;
use crate::{client, fleet, healthy, says, says_with, state};

fn states(items: &[Value]) -> Vec<&str> {
    items.iter().filter_map(|item| item.pointer("/statusUpdate/status/state").and_then(Value::as_str)).collect()
}

#[tokio::test]
async fn a_message_is_answered_with_the_finished_task_that_get_then_shows() {
    for binding in Binding::ALL {
        let fleet = crate::fleet_with(healthy(), &[]).await;
        let client = client(&fleet, binding);
        let answer = client.call(Operation::SendMessage, says("go")).await.unwrap();
        let task = &answer["task"];
        assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{binding}");
        assert_eq!(task["artifacts"][0]["parts"], json!([{ "text": "done" }]));
        assert_eq!(task["history"][0]["parts"], json!([{ "text": "go" }]));
        let got = client.call(Operation::GetTask, json!({ "id": task["id"] })).await.unwrap();
        assert_eq!(&got, task);
        let short = client.call(Operation::GetTask, json!({ "id": task["id"], "historyLength": 0 })).await.unwrap();
        assert_eq!(short.get("history"), None);
        assert_eq!(state(&fleet).tasks[0].task, got);
        fleet.stop().await.unwrap();
    }
}

#[tokio::test]
async fn a_stream_tells_the_task_then_every_event_and_closes() {
    for binding in Binding::ALL {
        let fleet = fleet("[working: on it, artifact: { text: abcdef, chunks: 3 }, complete]").await;
        let stream = client(&fleet, binding).stream(Operation::SendStreamingMessage, says("go")).await.unwrap();
        let (items, clean) = stream.drain().await;
        assert!(clean, "{binding}");
        assert_eq!(items[0]["task"]["status"]["state"], "TASK_STATE_SUBMITTED");
        assert_eq!(states(&items), ["TASK_STATE_WORKING", "TASK_STATE_COMPLETED"]);
        let chunks: Vec<_> = items.iter().filter_map(|item| item.get("artifactUpdate")).collect();
        let texts: Vec<_> = chunks.iter().map(|chunk| &chunk["artifact"]["parts"][0]["text"]).collect();
        assert_eq!(texts, ["ab", "cd", "ef"]);
        assert_eq!(chunks[0].get("append"), None);
        assert_eq!((&chunks[2]["append"], &chunks[2]["lastChunk"]), (&json!(true), &json!(true)));
        fleet.stop().await.unwrap();
    }
}

#[tokio::test]
async fn a_reply_is_the_whole_answer() {
    for binding in Binding::ALL {
        let fleet = fleet("[reply: hello]").await;
        let client = client(&fleet, binding);
        let answer = client.call(Operation::SendMessage, says("hi")).await.unwrap();
        assert_eq!(answer["message"]["parts"], json!([{ "text": "hello" }]));
        assert_eq!(answer["message"]["role"], "ROLE_AGENT");
        let stream = client.stream(Operation::SendStreamingMessage, says("hi")).await.unwrap();
        let (items, clean) = stream.drain().await;
        assert!(clean);
        assert_eq!(items.len(), 1);
        assert!(items[0].get("message").is_some());
        assert!(state(&fleet).tasks.is_empty());
        fleet.stop().await.unwrap();
    }
}

#[tokio::test]
async fn errors_carry_their_reason_and_the_code_of_the_binding() {
    for (binding, not_found, invalid, precondition) in [
        (Binding::JsonRpc, "-32001", "-32602", ["-32002", "-32004", "-32009", "-32003"]),
        (Binding::HttpJson, "404", "400", ["400"; 4]),
        (Binding::Grpc, "NOT_FOUND", "INVALID_ARGUMENT", ["FAILED_PRECONDITION"; 4]),
    ] {
        let fleet = fleet("[complete]").await;
        let client = client(&fleet, binding);
        let task = client.call(Operation::SendMessage, says("go")).await.unwrap()["task"].clone();
        let id = json!({ "id": task["id"] });
        let refused = |code: &str, kind| Err::<Value, _>(Refused { code: code.to_owned(), kind: Some(kind) });
        let nowhere = json!({ "id": "nowhere" });
        let get = |message| client.call(Operation::GetTask, message);
        let send = |message| client.call(Operation::SendMessage, message);
        assert_eq!(get(nowhere.clone()).await, refused(not_found, ErrorKind::TaskNotFound));
        assert_eq!(
            client.call(Operation::CancelTask, id.clone()).await,
            refused(precondition[0], ErrorKind::TaskNotCancelable)
        );
        let gone = says_with("more", &json!({ "taskId": task["id"] }));
        assert_eq!(send(gone).await, refused(precondition[1], ErrorKind::UnsupportedOperation));
        assert_eq!(
            send(says_with("more", &json!({ "taskId": "nowhere" }))).await,
            refused(not_found, ErrorKind::TaskNotFound)
        );
        let picture = json!({ "parts": [{ "raw": "AA==", "mediaType": "image/png" }] });
        let unreadable = send(says_with("", &picture)).await.unwrap_err();
        assert_eq!(unreadable.kind, Some(ErrorKind::ContentTypeNotSupported));
        for operation in [Operation::SubscribeToTask, Operation::SendStreamingMessage] {
            let message = if operation.sends_message() {
                says_with("more", &json!({ "taskId": task["id"] }))
            } else {
                id.clone()
            };
            let error = client.stream(operation, message).await.err();
            assert_eq!(error, refused(precondition[1], ErrorKind::UnsupportedOperation).err());
        }
        let empty = send(json!({ "message": { "messageId": "m", "role": "ROLE_USER" } })).await.unwrap_err();
        assert_eq!(empty.code, invalid);
        let push = client.call(Operation::ListTaskPushNotificationConfigs, json!({ "taskId": task["id"] })).await;
        assert_eq!(push, refused(precondition[3], ErrorKind::PushNotificationNotSupported));
        for version in [None, Some(""), Some("0.3"), Some("2.0"), Some("one")] {
            let client = crate::client(&fleet, binding).with_version(version);
            let answer = client.call(Operation::GetTask, id.clone()).await;
            assert_eq!(answer, refused(precondition[2], ErrorKind::VersionNotSupported), "{version:?}");
        }
        let patched = crate::client(&fleet, binding).with_version(Some("1.0.9"));
        assert_eq!(patched.call(Operation::GetTask, id).await.unwrap()["id"], task["id"]);
        fleet.stop().await.unwrap();
    }
}

#[tokio::test]
async fn the_older_error_table_is_spoken_where_asked_for() {
    let spec = gauntlet_scenario::PeerSpec { errors: gauntlet_scenario::ErrorTable::V1_0_0, ..healthy() };
    let fleet = crate::fleet_with(spec, &[]).await;
    let grpc = client(&fleet, Binding::Grpc);
    let task = grpc.call(Operation::SendMessage, says("go")).await.unwrap()["task"].clone();
    let error = grpc.call(Operation::GetExtendedAgentCard, json!({})).await.unwrap_err();
    assert_eq!(error, Refused { code: "UNIMPLEMENTED".to_owned(), kind: Some(ErrorKind::UnsupportedOperation) });
    let rest = client(&fleet, Binding::HttpJson);
    let error = rest.call(Operation::CancelTask, json!({ "id": task["id"] })).await.unwrap_err();
    assert_eq!(error, Refused { code: "409".to_owned(), kind: Some(ErrorKind::TaskNotCancelable) });
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn unknown_fields_of_a_request_are_ignored_and_missing_streaming_is_said() {
    let mut spec = healthy();
    spec.card = json!({ "capabilities": { "streaming": false } });
    let fleet = crate::fleet_with(spec, &[]).await;
    for binding in Binding::ALL {
        let client = client(&fleet, binding);
        let mut request = says("go");
        if binding != Binding::Grpc {
            request["later"] = json!({ "than": "1.0" });
        }
        assert!(client.call(Operation::SendMessage, request).await.is_ok());
        let error = client.stream(Operation::SendStreamingMessage, says("go")).await.err().unwrap();
        assert_eq!(error.kind, Some(ErrorKind::UnsupportedOperation));
    }
    fleet.stop().await.unwrap();
}
