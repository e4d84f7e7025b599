//! Whole delegations against small scripted peers over the two HTTP bindings.

use std::sync::atomic::{AtomicUsize, Ordering};

use gauntlet_evidence::contract::{Need, PeerAddress};
use gauntlet_wire::{A2aError, ErrorKind, Operation, jsonrpc, rest, sse};
use serde_json::json;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use super::*;
use crate::flaws;
use crate::select::tests::{card_json, delegation};

/// What a scripted peer says to an operation.
enum Answer {
    One(Value),
    Stream(Vec<Value>),
    Error(ErrorKind),
    /// A status without a body of the binding.
    Http(u16),
}

/// Turns A2A requests of both HTTP bindings into calls of a script, and its answers back.
struct Agent<F>(F);

impl<F: Fn(Operation, &Value) -> Answer + Send + Sync> Respond for Agent<F> {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let body = (!request.body.is_empty()).then(|| serde_json::from_slice(&request.body).unwrap());
        let streamed = |events: Vec<Value>| {
            let body: Vec<u8> = events.iter().flat_map(|event| sse::event(&event.to_string())).collect();
            ResponseTemplate::new(200).set_body_raw(body, "text/event-stream")
        };
        if let Some(below) = request.url.path().strip_prefix("/rest") {
            let matched = rest::route(request.method.as_str(), below).unwrap();
            let message = matched.message(request.url.query(), body).unwrap();
            return match (self.0)(matched.operation, &message) {
                Answer::One(result) => ResponseTemplate::new(200).set_body_json(result),
                Answer::Stream(events) => streamed(events),
                Answer::Error(kind) => {
                    let error = A2aError::new(kind, "refused").to_rest();
                    ResponseTemplate::new(kind.http_status()).set_body_json(error)
                }
                Answer::Http(status) => ResponseTemplate::new(status),
            };
        }
        let call = jsonrpc::parse(&request.body).unwrap();
        match (self.0)(call.method.parse().unwrap(), &call.params.unwrap_or_default()) {
            Answer::One(result) => ResponseTemplate::new(200).set_body_json(jsonrpc::success(&call.id, result)),
            Answer::Stream(events) => {
                streamed(events.into_iter().map(|event| jsonrpc::success(&call.id, event)).collect())
            }
            Answer::Error(kind) => {
                let error = A2aError::new(kind, "refused").to_jsonrpc();
                ResponseTemplate::new(200).set_body_json(jsonrpc::failure(&call.id, error))
            }
            Answer::Http(status) => ResponseTemplate::new(status),
        }
    }
}

/// A peer with that card and script on JSON-RPC (first) and HTTP+JSON.
async fn peer(changes: Value, script: impl Fn(Operation, &Value) -> Answer + Send + Sync + 'static) -> MockServer {
    let server = MockServer::start().await;
    let interfaces = json!([
        { "url": format!("{}/rpc", server.uri()), "protocolBinding": "JSONRPC", "protocolVersion": "1.0.1", "tenant": "acme" },
        { "url": format!("{}/rest", server.uri()), "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0" },
    ]);
    let mut card = card_json(&server.uri(), &json!({ "supportedInterfaces": interfaces }));
    for (key, value) in changes.as_object().into_iter().flatten() {
        card[key] = value.clone();
    }
    let found = Mock::given(method("GET")).and(path("/.well-known/agent-card.json"));
    found.respond_with(ResponseTemplate::new(200).set_body_json(card)).mount(&server).await;
    Mock::given(wiremock::matchers::any()).respond_with(Agent(script)).with_priority(9).mount(&server).await;
    server
}

fn address(name: &str, server: &MockServer) -> PeerAddress {
    PeerAddress {
        name: name.to_owned(),
        base_url: server.uri(),
        card_url: format!("{}/.well-known/agent-card.json", server.uri()),
    }
}

fn work(server: &MockServer, streaming: Need) -> Delegation {
    let mut work = delegation();
    work.peers = vec![address("vendor-a", server)];
    work.needs.streaming = streaming;
    work
}

async fn orchestrator(flaw: Option<&str>) -> Box<dyn Orchestrator> {
    let flaw = flaw.map(|id| flaws::find(id).unwrap());
    ReferenceFactory::new(flaw).create().await.unwrap()
}

fn task(state: &str, artifact: Option<&str>) -> Value {
    let mut task = json!({ "id": "t", "contextId": "c", "status": { "state": state,
        "message": { "messageId": "m", "role": "ROLE_AGENT", "parts": [{ "text": "words" }] } } });
    if let Some(text) = artifact {
        task["artifacts"] = json!([{ "artifactId": "a", "parts": [{ "text": text }] }]);
    }
    task
}

const WORKING: &str = "TASK_STATE_WORKING";
const COMPLETED: &str = "TASK_STATE_COMPLETED";

/// Operations the peer was asked for, without the card.
async fn calls(server: &MockServer) -> Vec<String> {
    let requests = server.received_requests().await.unwrap();
    let operations = requests.iter().filter(|request| !request.url.path().starts_with("/.well-known"));
    operations
        .map(|request| match request.url.path().strip_prefix("/rest") {
            Some(below) => rest::route(request.method.as_str(), below).unwrap().operation.name().to_owned(),
            None => jsonrpc::parse(&request.body).unwrap().method,
        })
        .collect()
}

fn code(outcome: &Outcome) -> &str {
    outcome.reason.as_ref().map_or("", |reason| reason.code.as_str())
}

#[tokio::test]
async fn work_is_sent_polled_for_and_answered_with_version_and_tenant_on_every_call() {
    let polls = AtomicUsize::new(0);
    let server = peer(json!({}), move |operation, _| match operation {
        Operation::SendMessage => Answer::One(json!({ "task": task(WORKING, None) })),
        _ if polls.fetch_add(1, Ordering::Relaxed) == 0 => Answer::One(task(WORKING, None)),
        _ => Answer::One(task(COMPLETED, Some("label"))),
    })
    .await;
    let outcome = orchestrator(None).await.delegate(&work(&server, Need::Unused)).await.unwrap();
    assert_eq!((outcome.status, outcome.text.as_deref()), (Status::Completed, Some("label")));
    assert_eq!((outcome.binding, outcome.task_id.as_deref()), (Some(Binding::JsonRpc), Some("t")));
    assert_eq!(outcome.artifacts.unwrap()[0]["artifactId"], "a");
    assert_eq!(calls(&server).await, ["SendMessage", "GetTask", "GetTask"]);
    for request in &server.received_requests().await.unwrap()[1..] {
        assert_eq!(request.headers["a2a-version"], "1.0");
        assert_eq!(jsonrpc::parse(&request.body).unwrap().params.unwrap()["tenant"], "acme");
    }
}

#[tokio::test]
async fn a_direct_message_is_a_complete_answer() {
    let server = peer(json!({}), |_, _| {
        Answer::One(json!({ "message": { "messageId": "m", "role": "ROLE_AGENT", "parts": [{ "text": "hello" }] } }))
    })
    .await;
    let outcome = orchestrator(None).await.delegate(&work(&server, Need::Unused)).await.unwrap();
    assert_eq!((outcome.status, outcome.text.as_deref()), (Status::Completed, Some("hello")));
    assert_eq!(calls(&server).await, ["SendMessage"]);
}

#[tokio::test]
async fn an_interface_that_refuses_is_left_for_the_next_one_for_the_whole_session() {
    let refused = AtomicUsize::new(0);
    let server = peer(json!({}), move |_, message| {
        if message["tenant"] == "acme" {
            refused.fetch_add(1, Ordering::Relaxed);
            return Answer::Http(415);
        }
        Answer::One(json!({ "task": task(COMPLETED, Some("label")) }))
    })
    .await;
    let mut reference = orchestrator(None).await;
    for _ in 0..2 {
        let outcome = reference.delegate(&work(&server, Need::Unused)).await.unwrap();
        assert_eq!((outcome.status, outcome.binding), (Status::Completed, Some(Binding::HttpJson)));
    }
    assert_eq!(calls(&server).await.len(), 3, "one refused, two accepted");
    reference.reset("s-1").await.unwrap();
    reference.delegate(&work(&server, Need::Unused)).await.unwrap();
    assert_eq!(calls(&server).await.len(), 5, "a new session finds out anew");
}

#[tokio::test]
async fn required_streaming_that_nobody_serves_is_refused_before_dispatch_and_only_that() {
    let server = peer(json!({}), |operation, _| match operation {
        Operation::SendStreamingMessage => Answer::Error(ErrorKind::MethodNotFound),
        _ => Answer::One(json!({ "task": task(COMPLETED, Some("label")) })),
    })
    .await;
    let mut reference = orchestrator(None).await;
    for _ in 0..2 {
        let outcome = reference.delegate(&work(&server, Need::Required)).await.unwrap();
        let reason = outcome.reason.clone().unwrap();
        assert_eq!(
            (outcome.status, code(&outcome), outcome.transient),
            (Status::Refused, "capability-mismatch", Some(false))
        );
        assert_eq!((reason.capability.as_deref(), reason.binding), (Some("streaming"), Some(Binding::HttpJson)));
    }
    assert_eq!(calls(&server).await, ["SendStreamingMessage"; 2], "one probe for each interface, once");
    for request in server.received_requests().await.unwrap() {
        assert!(!String::from_utf8_lossy(&request.body).contains("d-1:m"), "the work itself was never sent");
    }
    let outcome = reference.delegate(&work(&server, Need::Unused)).await.unwrap();
    assert_eq!(outcome.status, Status::Completed);
    let preferred = reference.delegate(&work(&server, Need::Preferred)).await.unwrap();
    assert_eq!((preferred.status, preferred.binding), (Status::Completed, Some(Binding::JsonRpc)));
}

#[tokio::test]
async fn a_probe_that_shows_more_than_the_card_is_used_and_warned_of_and_leaves_nothing_open() {
    let server = peer(json!({ "capabilities": { "streaming": false } }), |operation, message| match operation {
        Operation::CancelTask => Answer::One(task("TASK_STATE_CANCELED", None)),
        _ if message.to_string().contains("d-1:m") => {
            Answer::Stream(vec![json!({ "task": task(COMPLETED, Some("x")) })])
        }
        _ => Answer::Stream(vec![json!({ "task": task(WORKING, None) })]),
    })
    .await;
    let mut reference = orchestrator(None).await;
    let outcome = reference.delegate(&work(&server, Need::Required)).await.unwrap();
    assert_eq!((outcome.status, outcome.warnings[0].code.as_str()), (Status::Completed, "capability-discrepancy"));
    assert_eq!(outcome.effective_capabilities, Some(json!({ "streaming": true })));
    assert_eq!(calls(&server).await, ["SendStreamingMessage", "CancelTask", "SendStreamingMessage"]);
}

#[tokio::test]
async fn a_stream_that_ends_early_is_resolved_by_the_peer() {
    let script = |operation, _: &Value| match operation {
        Operation::GetTask => Answer::One(task(COMPLETED, Some("label"))),
        _ => Answer::Stream(vec![json!({ "task": task(WORKING, None) })]),
    };
    let server = peer(json!({}), script).await;
    let outcome = orchestrator(None).await.delegate(&work(&server, Need::Preferred)).await.unwrap();
    assert_eq!((outcome.status, outcome.text.as_deref()), (Status::Completed, Some("label")));
    assert_eq!(calls(&server).await, ["SendStreamingMessage", "GetTask"]);

    let mut flawed = orchestrator(Some("stream-end-is-failure")).await;
    let outcome = flawed.delegate(&work(&server, Need::Preferred)).await.unwrap();
    assert_eq!(outcome.status, Status::Failed);
}

#[tokio::test]
async fn chunks_that_leave_append_unsaid_are_settled_by_the_snapshot() {
    let chunk = |text: &str| {
        let artifact = json!({ "artifactId": "a", "parts": [{ "text": text }] });
        json!({ "artifactUpdate": { "taskId": "t", "contextId": "c", "artifact": artifact } })
    };
    let events = vec![
        json!({ "task": task(WORKING, None) }),
        chunk("one "),
        chunk("two"),
        json!({ "statusUpdate": { "taskId": "t", "contextId": "c", "status": { "state": COMPLETED } } }),
    ];
    let server = peer(json!({}), move |operation, _| match operation {
        Operation::GetTask => Answer::One(task(COMPLETED, Some("two"))),
        _ => Answer::Stream(events.clone()),
    })
    .await;
    let outcome = orchestrator(None).await.delegate(&work(&server, Need::Preferred)).await.unwrap();
    assert_eq!(outcome.text.as_deref(), Some("two"));
    let mut guesses = orchestrator(Some("guess-append-append")).await;
    let outcome = guesses.delegate(&work(&server, Need::Preferred)).await.unwrap();
    assert_eq!(outcome.text.as_deref(), Some("one two"));
}

#[tokio::test]
async fn a_task_that_never_ends_is_cancelled_once_before_the_deadline() {
    let server = peer(json!({}), |operation, _| match operation {
        Operation::SendMessage => Answer::One(json!({ "task": task(WORKING, None) })),
        _ => Answer::One(task(WORKING, None)),
    })
    .await;
    let mut endless = work(&server, Need::Unused);
    endless.deadline_ms = 400;
    let began = std::time::Instant::now();
    let outcome = orchestrator(None).await.delegate(&endless).await.unwrap();
    assert!(began.elapsed() < Duration::from_millis(400), "{:?}", began.elapsed());
    assert_eq!((outcome.status, code(&outcome), outcome.task_id.as_deref()), (Status::TimedOut, "deadline", Some("t")));
    let cancels = calls(&server).await.into_iter().filter(|call| call == "CancelTask").count();
    assert_eq!(cancels, 1);
}

#[tokio::test]
async fn the_words_of_a_failure_are_its_reason_and_no_answer() {
    for (state, status, because) in [
        ("TASK_STATE_FAILED", Status::Failed, "task-failed"),
        ("TASK_STATE_REJECTED", Status::Rejected, "task-rejected"),
        ("TASK_STATE_CANCELED", Status::Canceled, "task-canceled"),
    ] {
        let server = peer(json!({}), move |_, _| Answer::One(json!({ "task": task(state, None) }))).await;
        let outcome = orchestrator(None).await.delegate(&work(&server, Need::Unused)).await.unwrap();
        assert_eq!((outcome.status, outcome.text.as_deref(), code(&outcome)), (status, None, because));
        assert_eq!(outcome.reason.unwrap().detail.as_deref(), Some("words"));
    }
}

#[tokio::test]
async fn a_question_is_passed_on_and_its_answer_continues_the_task() {
    let server = peer(json!({}), |_, message| match message.pointer("/message/taskId") {
        None => Answer::One(json!({ "task": task("TASK_STATE_INPUT_REQUIRED", None) })),
        Some(id) if id == "t" && message.pointer("/message/contextId").is_some_and(|context| context == "c") => {
            Answer::One(json!({ "task": task(COMPLETED, Some("label")) }))
        }
        Some(_) => Answer::Error(ErrorKind::TaskNotFound),
    })
    .await;
    let mut reference = orchestrator(None).await;
    let asked = reference.delegate(&work(&server, Need::Unused)).await.unwrap();
    assert_eq!((asked.status, asked.text.as_deref()), (Status::InputRequired, Some("words")));
    let answer = Continue { id: "d-1".to_owned(), parts: vec![json!({ "text": "4411" })] };
    let outcome = reference.proceed(&answer).await.unwrap();
    assert_eq!((outcome.status, outcome.text.as_deref()), (Status::Completed, Some("label")));
    assert!(matches!(reference.proceed(&answer).await, Err(DriverError::Unsupported(_))), "nothing waits any more");
}

#[tokio::test]
async fn work_whose_task_was_dropped_is_issued_once_more_without_the_dead_id() {
    let asked = AtomicUsize::new(0);
    let server = peer(json!({}), move |_, message| match message.pointer("/message/taskId") {
        Some(_) => Answer::Error(ErrorKind::TaskNotFound),
        None if asked.fetch_add(1, Ordering::Relaxed) == 0 => {
            Answer::One(json!({ "task": task("TASK_STATE_INPUT_REQUIRED", None) }))
        }
        None => {
            let texts = message["message"]["parts"].as_array().unwrap().len();
            Answer::One(json!({ "task": task(COMPLETED, Some(&format!("{texts} parts"))) }))
        }
    })
    .await;
    let mut reference = orchestrator(None).await;
    reference.delegate(&work(&server, Need::Unused)).await.unwrap();
    let answer = Continue { id: "d-1".to_owned(), parts: vec![json!({ "text": "4411" })] };
    let outcome = reference.proceed(&answer).await.unwrap();
    assert_eq!((outcome.status, outcome.text.as_deref()), (Status::Completed, Some("2 parts")));
}

#[tokio::test]
async fn a_token_goes_to_its_own_peer_only_and_only_where_it_is_asked_for() {
    let done = |_, _: &Value| Answer::One(json!({ "task": task(COMPLETED, Some("label")) }));
    let secured = json!({
        "securitySchemes": { "token": { "httpAuthSecurityScheme": { "scheme": "bearer" } } },
        "securityRequirements": [{ "schemes": { "token": { "list": [] } } }],
    });
    let asks = peer(secured.clone(), done).await;
    let open = peer(json!({}), done).await;
    let other = peer(secured, done).await;
    let mut reference = orchestrator(None).await;
    for (name, server) in [("vendor-a", &asks), ("vendor-b", &open), ("vendor-c", &other)] {
        let mut work = work(server, Need::Unused);
        work.peers[0].name = name.to_owned();
        let token = || vec![json!({ "scheme": "bearer", "token": "secret" })];
        work.credentials = [("vendor-a".to_owned(), token()), ("vendor-b".to_owned(), token())].into();
        reference.delegate(&work).await.unwrap();
    }
    let sent = async |server: &MockServer| {
        let requests = server.received_requests().await.unwrap();
        requests.iter().filter(|request| request.headers.contains_key("authorization")).count()
    };
    assert_eq!((sent(&asks).await, sent(&open).await, sent(&other).await), (1, 0, 0));
}

#[tokio::test]
async fn the_next_peer_takes_what_the_first_cannot() {
    let done = |_, _: &Value| Answer::One(json!({ "task": task(COMPLETED, Some("label")) }));
    let broken = MockServer::start().await;
    Mock::given(wiremock::matchers::any())
        .respond_with(ResponseTemplate::new(200).set_body_string("{"))
        .mount(&broken)
        .await;
    let works = peer(json!({}), done).await;
    let mut both = work(&broken, Need::Unused);
    let alone = orchestrator(None).await.delegate(&both).await.unwrap();
    assert_eq!((alone.status, code(&alone)), (Status::Refused, "card-illegal"));
    assert_eq!(alone.reason.unwrap().layer.as_deref(), Some("parse"));
    both.peers.push(address("vendor-b", &works));
    let outcome = orchestrator(None).await.delegate(&both).await.unwrap();
    assert_eq!((outcome.status, outcome.peer.as_deref()), (Status::Completed, Some("vendor-b")));
}

#[tokio::test]
async fn the_older_card_path_is_asked_only_when_nothing_is_at_the_new_one() {
    let server = MockServer::start().await;
    let card = card_json(&server.uri(), &json!({}));
    let old = Mock::given(method("GET")).and(path("/.well-known/agent.json"));
    old.respond_with(ResponseTemplate::new(200).set_body_json(card)).mount(&server).await;
    let mut refused = work(&server, Need::Unused);
    refused.skill = Some("nobody has this".to_owned());
    let outcome = orchestrator(None).await.delegate(&refused).await.unwrap();
    assert_eq!(code(&outcome), "skill-unknown", "the card was found");
    let paths: Vec<_> = server.received_requests().await.unwrap().iter().map(|one| one.url.path().to_owned()).collect();
    assert_eq!(paths, ["/.well-known/agent-card.json", "/.well-known/agent.json"]);
}
