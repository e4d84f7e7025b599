//! Tasks of several turns, and everything an agent can say in them.

use gauntlet_wire::{Binding, Operation};
use serde_json::{Value, json};

use crate::client::Client;
use crate::{client, fleet, says_with, state};

async fn send(client: &Client, task: Option<&Value>, members: &Value) -> Value {
    let mut request = says_with("go", members);
    if let Some(task) = task {
        request["message"]["taskId"] = task["id"].clone();
    }
    client.call(Operation::SendMessage, request).await.unwrap()
}

fn status(answer: &Value) -> &str {
    answer["task"]["status"]["state"].as_str().unwrap().trim_start_matches("TASK_STATE_")
}

fn states(items: &[Value]) -> Vec<&str> {
    items
        .iter()
        .filter_map(|item| item.pointer("/statusUpdate/status/state").and_then(Value::as_str))
        .map(|state| state.trim_start_matches("TASK_STATE_"))
        .collect()
}

#[tokio::test]
async fn every_ending_is_told_with_its_words() {
    for (steps, state, words) in [
        ("complete: bye", "COMPLETED", Some("bye")),
        ("fail: no luck", "FAILED", Some("no luck")),
        ("reject: not mine", "REJECTED", Some("not mine")),
        ("cancel", "CANCELED", None),
    ] {
        for binding in Binding::ALL {
            let fleet = fleet(&format!("[working: busy, wait: 5, {steps}]")).await;
            let answer = send(&client(&fleet, binding), None, &json!({})).await;
            assert_eq!(status(&answer), state, "{binding}");
            let text = answer.pointer("/task/status/message/parts/0/text").and_then(Value::as_str);
            assert_eq!(text, words);
            assert_eq!(answer["task"]["history"][1]["parts"][0]["text"], "busy");
            fleet.stop().await.unwrap();
        }
    }
}

#[tokio::test]
async fn artifacts_hold_text_data_and_files() {
    let behaviour = "
- artifact: { name: note, text: hello }
- artifact: { data: { key: value, count: 42 } }
- artifact: { data: null }
- artifact: { file: { name: output.txt, text: héllo }, mediaType: text/plain }
- artifact: { file: { name: output.txt, url: \"https://example.com/output.txt\" }, mediaType: text/plain }
- complete
";
    for binding in Binding::ALL {
        let fleet = fleet(behaviour).await;
        let answer = send(&client(&fleet, binding), None, &json!({})).await;
        let artifacts = answer["task"]["artifacts"].as_array().unwrap();
        assert_eq!(artifacts[0]["name"], "note");
        let parts: Vec<_> = artifacts.iter().map(|artifact| artifact["parts"][0].clone()).collect();
        assert_eq!(
            parts,
            [
                json!({ "text": "hello" }),
                json!({ "data": { "key": "value", "count": 42 } }),
                json!({ "data": null }),
                json!({ "raw": "aMOpbGxv", "filename": "output.txt", "mediaType": "text/plain" }),
                json!({ "url": "https://example.com/output.txt", "filename": "output.txt", "mediaType": "text/plain" }),
            ],
            "{binding}"
        );
        fleet.stop().await.unwrap();
    }
}

#[tokio::test]
async fn an_agent_asks_and_waits_for_authorisation_turn_by_turn() {
    for binding in Binding::ALL {
        let fleet = fleet("[ask: which?, auth: prove it, artifact: { text: a }, complete]").await;
        let client = client(&fleet, binding);
        let asked = send(&client, None, &json!({ "contextId": "of-the-client" })).await;
        assert_eq!((status(&asked), &asked["task"]["contextId"]), ("INPUT_REQUIRED", &json!("of-the-client")));
        let mut told = says_with("4411", &json!({ "taskId": asked["task"]["id"] }));
        let stream = client.stream(Operation::SendStreamingMessage, told.clone()).await.unwrap();
        let (items, clean) = stream.drain().await;
        assert!(clean, "{binding}: a stream ends where the task waits again");
        assert_eq!(items[0]["task"]["status"]["state"], "TASK_STATE_WORKING");
        assert_eq!(states(&items), ["AUTH_REQUIRED"]);
        told["message"]["contextId"] = json!("of-the-client");
        let done = client.call(Operation::SendMessage, told).await.unwrap();
        assert_eq!(status(&done), "COMPLETED");
        let history = done["task"]["history"].as_array().unwrap();
        let texts: Vec<_> = history.iter().map(|message| message["parts"][0]["text"].as_str().unwrap()).collect();
        assert_eq!(texts, ["go", "which?", "4411", "prove it", "4411"]);
        assert!(history.iter().all(|message| message["contextId"] == "of-the-client"));
        fleet.stop().await.unwrap();
    }
}

const BY_PREFIX: &str = "
- when: { messageIdPrefix: done-, turn: any }
  do: [complete: by its prefix]
- when: { messageIdPrefix: ask-, turn: any }
  do: [ask: again?, complete: by itself]
- when: { messageIdPrefix: chat-, turn: later }
  do: [reply: just chatting]
- when: { turn: 4 }
  do: [fail: too long]
- when: { metadata: { mode: strict } }
  do: [reject: by its metadata]
- when: { text: picture }
  do: [complete: by its text]
- do: [reply: anything else]
";

#[tokio::test]
async fn what_is_done_depends_on_text_prefix_metadata_and_turn() {
    for binding in Binding::ALL {
        let fleet = fleet(BY_PREFIX).await;
        let client = client(&fleet, binding);
        let words = |answer: &Value| answer["task"]["status"]["message"]["parts"][0]["text"].clone();
        let id = |id: &str| json!({ "messageId": id });
        let by_metadata = send(&client, None, &json!({ "metadata": { "mode": "strict" } })).await;
        assert_eq!(words(&by_metadata), "by its metadata", "{binding}");
        let by_text = send(&client, None, &json!({ "parts": [{ "text": "a picture of it" }] })).await;
        assert_eq!(words(&by_text), "by its text");
        assert_eq!(words(&send(&client, None, &id("done-1")).await), "by its prefix");
        let other = send(&client, None, &id("chat-1")).await;
        assert_eq!(other["message"]["parts"][0]["text"], "anything else", "a branch for later turns begins nothing");

        let task = send(&client, None, &id("ask-1")).await["task"].clone();
        // The same message id again and again is work again and again.
        assert_eq!(status(&send(&client, Some(&task), &id("ask-1")).await), "INPUT_REQUIRED");
        let chat = send(&client, Some(&task), &id("chat-2")).await;
        assert_eq!(chat["message"]["parts"][0]["text"], "just chatting");
        assert_eq!((&chat["message"]["taskId"], &chat["message"]["contextId"]), (&task["id"], &task["contextId"]));
        assert_eq!(words(&send(&client, Some(&task), &json!({})).await), "too long");

        let task = send(&client, None, &id("ask-1")).await["task"].clone();
        assert_eq!(words(&send(&client, Some(&task), &id("done-1")).await), "by its prefix");
        let task = send(&client, None, &id("ask-1")).await["task"].clone();
        assert_eq!(words(&send(&client, Some(&task), &json!({})).await), "by itself");
        fleet.stop().await.unwrap();
    }
}

#[tokio::test]
async fn a_message_without_a_branch_is_rejected() {
    let fleet = fleet("[{ when: { text: known }, do: [complete] }]").await;
    let answer = send(&client(&fleet, Binding::Grpc), None, &json!({})).await;
    assert_eq!(status(&answer), "REJECTED");
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn a_subscription_to_a_waiting_task_lasts_until_it_ends() {
    for binding in Binding::ALL {
        let fleet = fleet("[ask: one, ask: two, complete]").await;
        let client = client(&fleet, binding);
        let task = send(&client, None, &json!({})).await["task"].clone();
        let mut followed = client.stream(Operation::SubscribeToTask, json!({ "id": task["id"] })).await.unwrap();
        assert_eq!(followed.next().await.unwrap()["task"], task, "{binding}");
        send(&client, Some(&task), &json!({})).await;
        send(&client, Some(&task), &json!({})).await;
        let (items, clean) = followed.drain().await;
        assert!(clean);
        assert_eq!(states(&items), ["WORKING", "INPUT_REQUIRED", "WORKING", "COMPLETED"]);
        fleet.stop().await.unwrap();
    }
}

#[tokio::test]
async fn history_is_as_long_as_asked_for() {
    for binding in Binding::ALL {
        let fleet = fleet("[ask: which?, complete]").await;
        let client = client(&fleet, binding);
        let task = send(&client, None, &json!({})).await["task"].clone();
        let mut request = says_with("4411", &json!({ "taskId": task["id"] }));
        request["configuration"] = json!({ "historyLength": 2 });
        let done = client.call(Operation::SendMessage, request).await.unwrap()["task"].clone();
        let all = state(&fleet).tasks[0].task["history"].clone();
        assert_eq!(all.as_array().unwrap().len(), 3, "{binding}");
        assert_eq!(done["history"], json!([all[1], all[2]]));
        for (length, expected) in [(0, None), (1, Some(json!([all[2]]))), (9, Some(all.clone()))] {
            let got =
                client.call(Operation::GetTask, json!({ "id": task["id"], "historyLength": length })).await.unwrap();
            assert_eq!(got.get("history"), expected.as_ref(), "{length}");
        }
        let unset = client.call(Operation::GetTask, json!({ "id": task["id"] })).await.unwrap();
        assert_eq!(unset["history"], all);
        let negative = client.call(Operation::GetTask, json!({ "id": task["id"], "historyLength": -1 })).await;
        assert!(["-32602", "400", "INVALID_ARGUMENT"].contains(&negative.unwrap_err().code.as_str()));
        let mut streamed = says_with("go", &json!({}));
        streamed["configuration"] = json!({ "historyLength": 0 });
        let mut stream = client.stream(Operation::SendStreamingMessage, streamed).await.unwrap();
        assert_eq!(stream.next().await.unwrap()["task"].get("history"), None);
        fleet.stop().await.unwrap();
    }
}

#[tokio::test]
async fn a_cancel_ends_a_task_that_runs_or_waits_and_whoever_waits_for_it() {
    for binding in Binding::ALL {
        let fleet = fleet("[{ when: { text: ask }, do: [ask: which?, complete] }, { do: [working, hang] }]").await;
        let client = client(&fleet, binding);
        let waiting = send(&client, None, &json!({ "parts": [{ "text": "ask" }] })).await["task"]["id"].clone();
        let cancelled = client.call(Operation::CancelTask, json!({ "id": waiting })).await.unwrap();
        assert_eq!((&cancelled["id"], &cancelled["status"]["state"]), (&waiting, &json!("TASK_STATE_CANCELED")));
        let plain = json!({});
        let (answer, ()) = tokio::join!(send(&client, None, &plain), async {
            let running = loop {
                if let Some(running) = state(&fleet).tasks.get(1) {
                    break running.task["id"].clone();
                }
                tokio::task::yield_now().await;
            };
            client.call(Operation::CancelTask, json!({ "id": running })).await.unwrap();
        });
        assert_eq!(status(&answer), "CANCELED", "{binding}");
        fleet.stop().await.unwrap();
    }
}
