//! ListTasks: order, pages, filters, and what of each task is shown.

use gauntlet_fleet::Fleet;
use gauntlet_wire::{Binding, ErrorKind, Operation};
use serde_json::{Value, json};

use crate::client::Client;
use crate::{client, fleet, says, says_with, state};

async fn list(client: &Client, request: Value) -> Value {
    client.call(Operation::ListTasks, request).await.unwrap()
}

fn ids(page: &Value) -> Vec<&str> {
    page["tasks"].as_array().into_iter().flatten().map(|task| task["id"].as_str().unwrap()).collect()
}

/// The ids of the peer's tasks, in order of creation.
fn held(fleet: &Fleet) -> Vec<String> {
    state(fleet).tasks.iter().map(|held| held.id().to_owned()).collect()
}

async fn send(client: &Client, members: &Value) {
    client.call(Operation::SendMessage, says_with("go", members)).await.unwrap();
}

#[tokio::test]
async fn an_empty_list_says_so_in_full() {
    let fleet = fleet("[complete]").await;
    for binding in [Binding::JsonRpc, Binding::HttpJson] {
        let page = list(&client(&fleet, binding), json!({})).await;
        assert_eq!(page, json!({ "tasks": [], "nextPageToken": "", "pageSize": 50, "totalSize": 0 }), "{binding}");
    }
    assert_eq!(list(&client(&fleet, Binding::Grpc), json!({})).await, json!({ "pageSize": 50 }));
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn pages_hold_the_newest_status_first_and_fit_together_while_tasks_move() {
    for binding in Binding::ALL {
        let fleet = fleet("[ask: which?, complete]").await;
        let client = client(&fleet, binding);
        for _ in 0..5 {
            send(&client, &json!({})).await;
        }
        let held = held(&fleet);
        let first = list(&client, json!({ "pageSize": 2 })).await;
        assert_eq!(ids(&first), [&held[4], &held[3]], "{binding}");
        assert_eq!((&first["pageSize"], &first["totalSize"]), (&json!(2), &json!(5)));
        // One that was listed and one that was not move to the front.
        for id in [&held[4], &held[0]] {
            send(&client, &json!({ "taskId": id })).await;
        }
        let second = list(&client, json!({ "pageSize": 2, "pageToken": first["nextPageToken"] })).await;
        assert_eq!(ids(&second), [&held[2], &held[1]]);
        assert_eq!(second["nextPageToken"].as_str().unwrap_or_default(), "");
        assert_eq!(ids(&list(&client, json!({ "pageSize": 3 })).await), [&held[0], &held[4], &held[3]]);
        fleet.stop().await.unwrap();
    }
}

#[tokio::test]
async fn filters_narrow_the_list() {
    for binding in Binding::ALL {
        let fleet = fleet("[{ when: { text: ask }, do: [ask: which?, complete] }, { do: [complete] }]").await;
        let client = client(&fleet, binding);
        send(&client, &json!({ "contextId": "c-1" })).await;
        send(&client, &json!({ "contextId": "c-2" })).await;
        send(&client, &json!({ "contextId": "c-1", "parts": [{ "text": "ask" }] })).await;
        let held = held(&fleet);
        let found =
            async |request| ids(&list(&client, request).await).into_iter().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(found(json!({ "contextId": "c-1" })).await, [&*held[2], &*held[0]], "{binding}");
        assert_eq!(found(json!({ "contextId": "c-1", "status": "TASK_STATE_COMPLETED" })).await, [&*held[0]]);
        assert_eq!(found(json!({ "status": "TASK_STATE_INPUT_REQUIRED" })).await, [&*held[2]]);
        assert!(found(json!({ "contextId": "c-3" })).await.is_empty());
        let second = client.call(Operation::GetTask, json!({ "id": held[1] })).await.unwrap();
        let since = json!({ "statusTimestampAfter": second["status"]["timestamp"] });
        assert_eq!(found(since).await, [&*held[2]]);
        fleet.stop().await.unwrap();
    }
}

#[tokio::test]
async fn artifacts_are_shown_when_asked_for_and_history_as_far_as_asked_for() {
    for binding in Binding::ALL {
        let fleet = fleet("[artifact: { text: a }, ask: which?, complete]").await;
        let client = client(&fleet, binding);
        send(&client, &json!({})).await;
        send(&client, &json!({ "taskId": held(&fleet)[0] })).await;
        let task = async |request| list(&client, request).await["tasks"][0].clone();
        let plain = task(json!({})).await;
        assert_eq!(plain.get("artifacts"), None, "{binding}");
        assert_eq!(plain["history"].as_array().unwrap().len(), 3);
        assert_eq!(task(json!({ "includeArtifacts": true })).await["artifacts"][0]["parts"][0]["text"], "a");
        assert_eq!(task(json!({ "historyLength": 0 })).await.get("history"), None);
        assert_eq!(task(json!({ "historyLength": 1 })).await["history"], json!([plain["history"][2]]));
        fleet.stop().await.unwrap();
    }
}

#[tokio::test]
async fn requests_that_make_no_sense_are_refused() {
    for binding in Binding::ALL {
        let fleet = fleet("[complete]").await;
        let client = client(&fleet, binding);
        client.call(Operation::SendMessage, says("go")).await.unwrap();
        for request in [
            json!({ "pageSize": 0 }),
            json!({ "pageSize": 101 }),
            json!({ "pageSize": -1 }),
            json!({ "pageToken": "made-up" }),
            json!({ "pageToken": "1.2.3.4" }),
            json!({ "historyLength": -1 }),
        ] {
            let refused = client.call(Operation::ListTasks, request.clone()).await.unwrap_err();
            assert!(["-32602", "400", "INVALID_ARGUMENT"].contains(&refused.code.as_str()), "{binding} {request}");
            assert!(matches!(refused.kind, None | Some(ErrorKind::InvalidParams)));
        }
        assert!(client.call(Operation::ListTasks, json!({ "pageSize": 100 })).await.is_ok());
        fleet.stop().await.unwrap();
    }
}
