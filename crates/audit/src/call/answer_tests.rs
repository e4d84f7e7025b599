//! Answers of each binding, as real servers give them.

use bytes::Bytes;
use gauntlet_wire::Operation;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::json;

use super::*;

fn got(status: u16, media_type: &str, body: &str) -> Got {
    let headers = HeaderMap::from_iter([(http::header::CONTENT_TYPE, HeaderValue::from_str(media_type).unwrap())]);
    Got {
        status: StatusCode::from_u16(status).unwrap(),
        headers,
        body: body.as_bytes().to_vec(),
        trailers: HeaderMap::new(),
    }
}

fn read(binding: Binding, operation: Operation, got: &Got) -> Answer {
    let message = json!({});
    Call {
        binding,
        operation,
        message: &message,
        version: "1.0",
        older: false,
        by_get: false,
        credentials: &[],
        extensions: "",
    }
    .read(got)
}

fn reading(binding: Binding, status: u16, media_type: &str, body: &str) -> Reading {
    read(binding, Operation::GetTask, &got(status, media_type, body)).reading
}

fn not_found(told: bool) -> Reading {
    Reading::Refused { kind: ErrorKind::TaskNotFound, told }
}

#[test]
fn json_rpc_is_told_from_what_stands_before_it() {
    let reading = |status, body: &str| reading(Binding::JsonRpc, status, "application/json", body);
    let error = |code: i64| json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": code, "message": "m" } }).to_string();
    assert_eq!(reading(200, &error(-32001)), not_found(false));
    assert_eq!(reading(400, &error(-32601)), Reading::Unimplemented);
    assert_eq!(reading(200, &error(-1)), Reading::Failed);
    assert_eq!(reading(200, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), Reading::Result);
    assert_eq!(reading(200, "{}"), Reading::Foreign);
    assert_eq!(reading(415, ""), Reading::Foreign);
    assert_eq!(reading(503, ""), Reading::Failed);
    assert_eq!(reading(401, &error(-32001)), Reading::Denied { challenged: false });
    assert_eq!(reading(403, ""), Reading::Denied { challenged: true });
}

#[test]
fn over_http_json_an_address_that_is_not_there_is_told_from_a_task_that_is_not_there() {
    let reading = |status, body: &str| reading(Binding::HttpJson, status, "application/json", body);
    let error = A2aError::new(ErrorKind::TaskNotFound, "gone").to_rest();
    assert_eq!(reading(404, &error.to_string()), not_found(true));
    assert_eq!(reading(404, r#"{"error":{"status":"NOT_FOUND","message":"Task x is gone"}}"#), not_found(false));
    assert_eq!(reading(404, r#"{"error":{"status":"NOT_FOUND","message":"no route"}}"#), Reading::Unimplemented);
    assert_eq!(reading(404, r#"{"detail":"Not Found"}"#), Reading::Unimplemented);
    assert_eq!(reading(405, ""), Reading::Unimplemented);
    assert_eq!(reading(200, "<html>"), Reading::Foreign);
    assert_eq!(reading(200, r#"{"tasks":[]}"#), Reading::Result);
    assert_eq!(reading(502, "<html>"), Reading::Failed);
}

#[test]
fn grpc_ends_in_trailers_or_is_something_else() {
    let ended = |code: &str, details: Option<&str>| {
        let mut got = got(200, "application/grpc", "");
        let told =
            [("grpc-status", Some(code)), ("grpc-message", Some("no%20more")), ("grpc-status-details-bin", details)];
        for (name, value) in told {
            let value = value.map(|value| HeaderValue::from_str(value).unwrap());
            got.trailers.extend(value.map(|value| (HeaderName::from_static(name), value)));
        }
        read(Binding::Grpc, Operation::GetTask, &got)
    };
    let details = LENIENT.encode(A2aError::new(ErrorKind::TaskNotFound, "gone").to_grpc_details());
    assert_eq!(ended("5", Some(details.trim_end_matches('='))).reading, not_found(true));
    assert_eq!(ended("5", None).reading, not_found(false));
    assert_eq!(ended("12", None).reading, Reading::Unimplemented);
    assert_eq!(ended("12", None).words, "UNIMPLEMENTED no more");
    assert_eq!(ended("16", None).reading, Reading::Denied { challenged: true });
    assert_eq!(ended("14", None).reading, Reading::Failed);
    assert_eq!(ended("0", None).reading, Reading::Result);
    assert_eq!(reading(Binding::Grpc, 200, "application/grpc", ""), Reading::Foreign);
    assert_eq!(reading(Binding::Grpc, 200, "text/html", "<html>"), Reading::Foreign);
    assert_eq!(reading(Binding::Grpc, 415, "text/plain", ""), Reading::Foreign);
}

#[test]
fn a_stream_is_known_by_its_first_item() {
    let stream = |body: &str| read(Binding::JsonRpc, Operation::SubscribeToTask, &got(200, EVENT_STREAM, body));
    let item = stream("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"task\":{}}}\n\ndata: {");
    assert_eq!((item.reading, item.streamed), (Reading::Result, true));
    let empty = stream(": ping\n\n");
    assert!(empty.reading == Reading::Failed && empty.is_served(), "{empty:?}");
    let message = json!({});
    let call = |binding, operation| Call {
        binding,
        operation,
        message: &message,
        version: "1.0",
        older: false,
        by_get: false,
        credentials: &[],
        extensions: "",
    };
    let call = call(Binding::Grpc, Operation::SubscribeToTask);
    assert!(!call.is_enough(&HeaderMap::new(), &[0, 0, 0, 0, 2, 1]));
    assert!(call.is_enough(&HeaderMap::new(), &Bytes::from_static(&[0, 0, 0, 0, 1, 1])));
}

#[test]
fn words_of_strangers_are_fit_for_a_terminal() {
    assert_eq!(plain("a\u{1b}[31m\r\nb\u{7}"), "a[31m b");
    assert_eq!(plain(&"x".repeat(500)).chars().count(), WORDS + 1);
}
