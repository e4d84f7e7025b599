//! Defects show on the wire as their files say, and nowhere else.

use gauntlet_evidence::JournalEvent;
use gauntlet_evidence::journal::Ending;
use gauntlet_fleet::Fleet;
use gauntlet_scenario::{Behaviour, PeerSpec};
use gauntlet_wire::{Binding, Operation};
use serde_json::{Value, json};

use crate::{client, fleet_with, healthy, says, state};

fn chunked() -> PeerSpec {
    let behaviour = "[working, artifact: { text: abcd, chunks: 2 }, complete]";
    PeerSpec { behaviour: Behaviour::parse(behaviour, "test.yaml").unwrap(), ..healthy() }
}

/// `(event, faults)` of every stamped entry.
fn stamped(fleet: &Fleet) -> Vec<(&'static str, String)> {
    let journal = fleet.journal();
    let entries = journal.iter().filter(|entry| !entry.stamps.is_empty());
    let named = entries.map(|entry| {
        let event = match entry.event {
            JournalEvent::Answered { .. } => "answered",
            JournalEvent::Frame(_) => "frame",
            JournalEvent::Ended { .. } => "ended",
            _ => "other",
        };
        (event, entry.stamps.iter().map(|stamp| stamp.fault.as_str()).collect::<Vec<_>>().join(" "))
    });
    named.collect()
}

#[tokio::test]
async fn an_operation_that_is_not_implemented_is_refused_in_the_words_of_the_binding() {
    for (binding, code) in [(Binding::JsonRpc, "-32601"), (Binding::HttpJson, "404"), (Binding::Grpc, "UNIMPLEMENTED")]
    {
        let fleet = fleet_with(healthy(), &[("method-unimplemented", None)]).await;
        let client = client(&fleet, binding);
        let refused = client.stream(Operation::SendStreamingMessage, says("go")).await.err().unwrap();
        assert_eq!(refused.code, code);
        assert!(client.call(Operation::SendMessage, says("go")).await.is_ok());
        let fault = "refuse-operation".to_owned();
        assert_eq!(stamped(&fleet), [("answered", fault.clone()), ("frame", fault)]);
        assert_eq!(state(&fleet).tasks.len(), 1, "what is refused reaches no engine");
        fleet.stop().await.unwrap();
    }
}

#[tokio::test]
async fn a_service_that_is_not_registered_refuses_all_of_grpc_and_nothing_else() {
    let fleet = fleet_with(healthy(), &[("service-unregistered", None)]).await;
    let grpc = client(&fleet, Binding::Grpc);
    assert_eq!(grpc.call(Operation::SendMessage, says("go")).await.unwrap_err().code, "UNIMPLEMENTED");
    assert_eq!(grpc.call(Operation::GetTask, json!({ "id": "x" })).await.unwrap_err().code, "UNIMPLEMENTED");
    assert!(client(&fleet, Binding::JsonRpc).call(Operation::SendMessage, says("go")).await.is_ok());
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn a_refused_interface_is_in_the_card_and_nobody_listens_there() {
    let spec = PeerSpec::healthy("vendor-a", [Binding::Grpc]);
    let fleet = fleet_with(spec, &[("interface-refused", None)]).await;
    let url = state(&fleet).interfaces[0].url.clone();
    let error = tokio::net::TcpStream::connect(&url).await.unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionRefused);
    let card: Value =
        serde_json::from_slice(&reqwest::get(&fleet.addresses()[0].card_url).await.unwrap().bytes().await.unwrap())
            .unwrap();
    assert_eq!(card["supportedInterfaces"][0]["url"], json!(url));
    assert_eq!(stamped(&fleet), [("frame", "refuse-connection".to_owned())]);
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn a_stream_that_closes_early_ends_cleanly_while_the_task_completes() {
    for binding in Binding::ALL {
        let fleet = fleet_with(chunked(), &[("stream-closes-early", Some("{ after: 2 }"))]).await;
        let client = client(&fleet, binding);
        let stream = client.stream(Operation::SendStreamingMessage, says("go")).await.unwrap();
        let (items, clean) = stream.drain().await;
        assert!(clean);
        assert_eq!(items.len(), 2);
        assert_eq!(items[1]["statusUpdate"]["status"]["state"], "TASK_STATE_WORKING");
        let task = client.call(Operation::GetTask, json!({ "id": items[0]["task"]["id"] })).await.unwrap();
        assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED");
        assert_eq!(stamped(&fleet), [("ended", "end-stream".to_owned())], "{binding}");
        let journal = fleet.stop().await.unwrap().journal;
        assert!(journal.iter().any(|entry| entry.event == JournalEvent::Ended { how: Ending::Early }));
    }
}

#[tokio::test]
async fn a_peer_may_hold_another_artifact_than_it_said() {
    for (defect, held) in [("append-defaults-true", "abcd"), ("append-defaults-false", "cd")] {
        let fleet = fleet_with(chunked(), &[(defect, None)]).await;
        let client = client(&fleet, Binding::JsonRpc);
        let stream = client.stream(Operation::SendStreamingMessage, says("go")).await.unwrap();
        let (items, _) = stream.drain().await;
        assert!(items.iter().all(|item| item.pointer("/artifactUpdate/append").is_none()));
        let task = client.call(Operation::GetTask, json!({ "id": items[0]["task"]["id"] })).await.unwrap();
        let parts = task["artifacts"][0]["parts"].as_array().unwrap().iter();
        assert_eq!(parts.filter_map(|part| part["text"].as_str()).collect::<String>(), held);
        assert_eq!(state(&fleet).tasks[0].task, task);
        fleet.stop().await.unwrap();
    }
}

#[tokio::test]
async fn every_answer_may_hold_members_that_nobody_knows() {
    for binding in Binding::ALL {
        let fleet = fleet_with(healthy(), &[("unknown-fields", None)]).await;
        let answer = client(&fleet, binding).call(Operation::SendMessage, says("go")).await.unwrap();
        assert_eq!(answer["task"]["status"]["state"], "TASK_STATE_COMPLETED");
        assert_eq!(stamped(&fleet), [("frame", "add-unknown-fields".to_owned())]);
        fleet.stop().await.unwrap();
    }
}

#[tokio::test]
async fn a_skill_may_take_what_the_defaults_leave_out() {
    let fleet = fleet_with(healthy(), &[("skill-only-input-mode", None)]).await;
    let part = json!({ "parts": [{ "data": { "a": 1 }, "mediaType": "application/vnd.custom+json" }] });
    for binding in Binding::ALL {
        let request = crate::says_with("", &part);
        assert!(client(&fleet, binding).call(Operation::SendMessage, request).await.is_ok());
    }
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn streaming_works_although_the_card_says_no() {
    let fleet = fleet_with(healthy(), &[("stream-undeclared", None)]).await;
    assert_eq!(state(&fleet).card["capabilities"]["streaming"], json!(false));
    for binding in Binding::ALL {
        let stream = client(&fleet, binding).stream(Operation::SendStreamingMessage, says("go")).await.unwrap();
        assert_eq!(stream.drain().await.0.len(), 4);
    }
    fleet.stop().await.unwrap();
}
