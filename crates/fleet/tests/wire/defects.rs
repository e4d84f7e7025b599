//! Defects show on the wire as their files say, and nowhere else.

use gauntlet_evidence::JournalEvent;
use gauntlet_evidence::journal::Ending;
use gauntlet_fleet::Fleet;
use gauntlet_scenario::{Behaviour, PeerSpec};
use gauntlet_wire::{Binding, Operation};
use serde_json::{Value, json};

use crate::client::Client;
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
            JournalEvent::Request(_) => "request",
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
async fn only_the_messages_that_are_meant_are_refused() {
    let when = "{ messageIdPrefix: odd-, text: go }";
    for binding in Binding::ALL {
        let fleet = crate::fleet_when(healthy(), &[("operation-refused", None, Some(when))]).await;
        let client = client(&fleet, binding);
        let message = |id: &str, text: &str| crate::says_with(text, &json!({ "messageId": id }));
        assert!(client.call(Operation::SendMessage, message("odd-1", "go on")).await.is_err());
        for (id, text) in [("even-1", "go on"), ("odd-1", "wait")] {
            assert!(client.call(Operation::SendMessage, message(id, text)).await.is_ok(), "{id} {text} {binding}");
        }
        fleet.stop().await.unwrap();
    }
}

#[tokio::test]
async fn a_call_may_be_understood_otherwise_than_it_came() {
    let sends = |at_once: bool| {
        let mut request = says("go");
        request["configuration"] = json!({ "returnImmediately": at_once });
        request
    };
    for binding in Binding::ALL {
        for (defect, sent, state) in [
            ("blocking-ignored", false, "TASK_STATE_SUBMITTED"),
            ("return-immediately-ignored", true, "TASK_STATE_COMPLETED"),
        ] {
            let fleet = fleet_with(healthy(), &[(defect, None)]).await;
            let answer = client(&fleet, binding).call(Operation::SendMessage, sends(sent)).await.unwrap();
            assert_eq!(answer["task"]["status"]["state"], state, "{binding} {defect}");
            let fault = "patch-request".to_owned();
            assert_eq!(stamped(&fleet), [("request", fault.clone()), ("frame", fault)]);
            let journal = fleet.journal();
            let request = journal.iter().find(|entry| !entry.stamps.is_empty()).unwrap();
            assert_eq!(request.stamps[0].pointers, ["/configuration/returnImmediately"]);
            // What means the same is no misunderstanding.
            client(&fleet, binding).call(Operation::SendMessage, sends(!sent)).await.unwrap();
            assert_eq!(stamped(&fleet).len(), 2);
            fleet.stop().await.unwrap();
        }
    }
}

#[tokio::test]
async fn http_alone_may_answer() {
    for binding in Binding::ALL {
        let fleet = fleet_with(healthy(), &[("http-status", None)]).await;
        assert!(client(&fleet, binding).call(Operation::SendMessage, says("go")).await.is_err());
        let fault = "http-status".to_owned();
        assert_eq!(stamped(&fleet), [("answered", fault.clone()), ("frame", fault)]);
        let answered = fleet.journal().into_iter().find(|entry| !entry.stamps.is_empty()).unwrap();
        assert!(matches!(answered.event, JournalEvent::Answered { status: 503, .. }));
        assert!(state(&fleet).tasks.is_empty());
        fleet.stop().await.unwrap();
    }
    let fleet = fleet_with(PeerSpec::healthy("vendor-a", [Binding::HttpJson]), &[("endpoint-405", None)]).await;
    let url = format!("{}/message:stream", state(&fleet).interfaces[0].url);
    let request = reqwest::Client::new().post(url).header("content-type", "application/json");
    let answer = request.header("a2a-version", "1.0").body(says("go").to_string()).send().await.unwrap();
    assert_eq!((answer.status().as_u16(), answer.headers()["allow"].to_str().unwrap()), (405, "GET"));
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn of_two_interfaces_of_one_binding_only_the_one_that_is_meant_is_dead() {
    for binding in Binding::ALL {
        let missing = Some("{ operation: SendMessage }");
        for (defect, arguments) in [("method-unimplemented", missing), ("interface-refused", None)] {
            let mut spec = PeerSpec::healthy("vendor-a", [binding, binding]);
            spec.interfaces[1].path = "/second".to_owned();
            spec.interfaces[1].own_listener = binding == Binding::Grpc;
            let fleet = crate::fleet_when(spec, &[(defect, arguments, Some("{ interface: 1 }"))]).await;
            let [first, second] = &state(&fleet).interfaces[..] else { panic!("both are in the card") };
            if defect == "interface-refused" {
                let authority = first.url.trim_start_matches("http://");
                let refused = tokio::net::TcpStream::connect(authority).await.unwrap_err();
                assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused, "{binding}");
            } else {
                let first = Client::new(binding, &first.url);
                assert!(first.call(Operation::SendMessage, says("go")).await.is_err(), "{binding}");
                assert_eq!(stamped(&fleet).len(), 2, "{binding}: a head and a body");
            }
            let second = Client::new(binding, &second.url);
            assert!(second.call(Operation::SendMessage, says("go")).await.is_ok(), "{binding} {defect}");
            fleet.stop().await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_stream_may_be_reset_in_the_middle_of_an_item() {
    for binding in Binding::ALL {
        let fleet = fleet_with(chunked(), &[("connection-reset", Some("{ after: 2 }"))]).await;
        let client = client(&fleet, binding);
        let stream = client.stream(Operation::SendStreamingMessage, says("go")).await.unwrap();
        let (items, clean) = stream.drain().await;
        assert_eq!((items.len(), clean), (2, false), "{binding}");
        let task = client.call(Operation::GetTask, json!({ "id": items[0]["task"]["id"] })).await.unwrap();
        assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED");
        let fault = "cut-connection".to_owned();
        assert_eq!(stamped(&fleet), [("frame", fault.clone()), ("ended", fault)], "{binding}");
        let journal = fleet.stop().await.unwrap().journal;
        let by_peer = JournalEvent::Closed { by: gauntlet_evidence::journal::Party::Peer };
        assert!(journal.iter().any(|entry| entry.event == JournalEvent::Ended { how: Ending::Cut }));
        assert!(journal.iter().any(|entry| entry.event == by_peer), "{binding}");
    }
}

/// Everything that an HTTP/1.1 client gets to read after it sent a streaming call, and how reading ended.
async fn raw_stream(fleet: &Fleet) -> (Vec<u8>, std::io::Result<usize>) {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let authority = state(fleet).interfaces[0].url.strip_prefix("http://").unwrap().to_owned();
    let mut socket = tokio::net::TcpStream::connect(&authority).await.unwrap();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendStreamingMessage", "params": says("go") }).to_string();
    let head = format!(
        "POST / HTTP/1.1\r\nhost: {authority}\r\ncontent-type: application/json\r\na2a-version: 1.0\r\n\
         connection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    socket.write_all((head + &body).as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    let ended = socket.read_to_end(&mut bytes).await;
    (bytes, ended)
}

#[tokio::test]
async fn a_reset_is_one() {
    let fleet = fleet_with(PeerSpec::healthy("vendor-a", [Binding::JsonRpc]), &[("connection-reset", None)]).await;
    let (bytes, ended) = raw_stream(&fleet).await;
    assert_eq!(ended.unwrap_err().kind(), std::io::ErrorKind::ConnectionReset);
    assert!(String::from_utf8_lossy(&bytes).contains("TASK_STATE_SUBMITTED"), "what came before it arrived");
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn events_may_be_framed_otherwise_and_say_the_same() {
    use gauntlet_wire::sse;
    let spec = || PeerSpec { interfaces: PeerSpec::healthy("p", [Binding::JsonRpc]).interfaces, ..chunked() };
    let library = gauntlet_scenario::Library::embedded().unwrap();
    let read = |bytes: &[u8]| {
        let mut decoder = sse::Decoder::default();
        let mut events = decoder.push(bytes);
        events.extend(decoder.finish());
        events.iter().map(|event| serde_json::from_str::<Value>(&event.data).unwrap()).collect::<Vec<_>>()
    };
    for defect in library.defects().filter(|defect| defect.id.starts_with("sse-")) {
        let fleet = fleet_with(spec(), &[(&defect.id, None)]).await;
        let (bytes, ended) = raw_stream(&fleet).await;
        ended.unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert!(text.contains("text/event-stream"), "{text}");
        let journal = fleet.stop().await.unwrap().journal;
        let frames = journal.iter().filter_map(|entry| match &entry.event {
            JournalEvent::Frame(frame) => Some(frame),
            _ => None,
        });
        let (raws, objects): (Vec<_>, Vec<_>) =
            frames.map(|frame| (frame.raw.text().unwrap(), frame.object.clone().unwrap())).unzip();
        let said: Vec<Value> = read(raws.concat().as_bytes()).iter_mut().map(|event| event["result"].take()).collect();
        assert_eq!(said, objects, "{}", defect.id);
        assert!(journal.iter().any(|entry| !entry.stamps.is_empty()), "{}", defect.id);
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
