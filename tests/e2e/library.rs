//! The crates as a library, as tests of a client use them; the examples in their documentation, from outside.

use gauntlet_fleet::{Binding, Fleet, Mock, Operation};
use gauntlet_suite::{Delegation, InProcess, Outcome, RunOptions, Selection, Status};
use serde_json::{Value, json};

/// A client of one's own.
async fn ask(url: &str, method: &str, params: Value) -> String {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let request = reqwest::Client::new().post(url).header("Content-Type", "application/json");
    let answer = request.header("A2A-Version", "1.0").body(body).send().await.expect("an answer");
    answer.text().await.expect("a text")
}

#[tokio::test]
async fn a_test_asks_a_defective_peer_what_it_saw() {
    let mock =
        Mock::named("vendor-b").serves([Binding::JsonRpc]).answers("label: damaged", 3).defect("stream-closes-early");
    let fleet = Fleet::builder().peer(mock).seed(3).start().await.expect("the fleet starts");
    let peer = fleet.peer("vendor-b");
    let url = peer.url(Binding::JsonRpc);
    assert!(url.starts_with(peer.base_url()) && peer.card_url().starts_with(peer.base_url()));

    let message = json!({"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": "Classify return 4411"}]});
    let stream = ask(&url, "SendStreamingMessage", json!({"message": message})).await;
    assert!(!stream.contains("TASK_STATE_COMPLETED"), "the stream ended early: {stream}");
    let task = peer.tasks().remove(0);
    assert!(ask(&url, "GetTask", json!({"id": task.id()})).await.contains("TASK_STATE_COMPLETED"));
    ask(&url, "GetTsk", json!({})).await;

    let sent = peer.received(Operation::SendStreamingMessage).saying("return 4411").once();
    assert_eq!(sent.version.as_deref(), Some("1.0"));
    peer.received(Operation::GetTask).about(task.id()).with_header("A2A-Version", "1.0").over(Binding::JsonRpc).once();
    peer.received(Operation::CancelTask).never();
    peer.requests().times(3);
    assert!(peer.journal().iter().any(|entry| !entry.stamps.is_empty()), "the defect showed");
    let unmatched: Vec<String> = peer.unmatched().into_iter().map(|unmatched| unmatched.hint).collect();
    assert_eq!(unmatched, ["no method `GetTsk`; did you mean `GetTask`?"]);
}

#[tokio::test]
async fn fleets_that_ship_and_behaviours_in_yaml_are_started_together() {
    let asks = Mock::named("asks")
        .behaves("[working, {ask: \"Which order?\"}, complete]")
        .defect_with("method-unimplemented", "{operation: GetTask}");
    let fleet = Fleet::builder().fleet("vendor-a").peer(asks).start().await.expect("the fleet starts");
    let message = json!({"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": "Classify return 4411"}]});
    let url = fleet.peer("asks").url(Binding::JsonRpc);
    ask(&url, "SendMessage", json!({"message": message})).await;
    assert_eq!(fleet.peer("asks").tasks()[0].state(), "TASK_STATE_INPUT_REQUIRED");
    assert!(ask(&url, "GetTask", json!({"id": "any"})).await.contains("-32601"));
    fleet.peer("vendor-a").requests().never();
}

/// Asks the interface that the card names first, and says what came of it.
async fn delegate(work: Delegation, fails: bool) -> Outcome {
    let card = reqwest::get(&work.peers[0].card_url).await.expect("a card").text().await.expect("a text");
    let card: Value = serde_json::from_str(&card).expect("JSON");
    let url = card["supportedInterfaces"][0]["url"].as_str().expect("a url");
    let message = json!({"messageId": work.id, "role": "ROLE_USER", "parts": work.message.parts});
    let answer: Value =
        serde_json::from_str(&ask(url, "SendMessage", json!({"message": message})).await).expect("JSON");
    let task = &answer["result"]["task"];
    let done = task["status"]["state"] == "TASK_STATE_COMPLETED";
    let text = task["artifacts"][0]["parts"][0]["text"].as_str().map(str::to_owned);
    // The healthy delegation that every run begins with is no matter of this.
    let lies = fails && work.peers[0].name != "healthy";
    let status = if done && !lies { Status::Completed } else { Status::Failed };
    Outcome { text, ..Outcome::new(work.id, status) }
}

fn options() -> RunOptions {
    let names = vec!["a healthy peer completes work over JSONRPC".to_owned()];
    RunOptions { selection: Selection { names, ..Selection::default() }, ..RunOptions::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_function_is_put_through_the_scenarios() {
    let orchestrator = InProcess::new("my-client", |work| delegate(work, false));
    let verdict = gauntlet_suite::run(orchestrator, options()).await.expect("it runs");
    verdict.assert_fine();
    assert_eq!((verdict.scenarios().count(), verdict.findings().count()), (1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_function_does_wrong_is_shown_by_the_assertion() {
    let orchestrator = InProcess::new("my-client", |work| delegate(work, true));
    let verdict = gauntlet_suite::run(orchestrator, options()).await.expect("it runs");
    assert!(!verdict.is_fine() && verdict.findings().any(|(_, finding)| finding.rule == "task-truth-agrees"));
    let shown = verdict.to_string();
    assert!(shown.starts_with("0 passed, 1 failed, 0 skipped\n"), "{shown}");
    assert!(shown.contains("\ntask-truth-agrees: vendor-a: task ") && shown.contains("features/wire/healthy.feature:"));
}
