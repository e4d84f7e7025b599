//! Clients that send what no client should, or stop in the middle. They get an answer or lose their connection; others
//! on the same peer are served as if nothing were.

use std::time::Duration;

use gauntlet_evidence::JournalEvent;
use gauntlet_fleet::Fleet;
use gauntlet_wire::{Binding, Operation};
use serde_json::{Value, json};

use crate::raw::{
    END_HEADERS, END_STREAM, HEADERS, PING, POST, PREFACE, RST_STREAM, Raw, SETTINGS, announced, frame, goaway,
};
use crate::{client, fleet, says, state};

const PROTOCOL_ERROR: u32 = 1;
const FRAME_SIZE_ERROR: u32 = 6;

fn authority(fleet: &Fleet) -> String {
    fleet.addresses()[0].base_url.replace("http://", "")
}

/// The path of the interface of that binding, without a trailing slash.
fn base(fleet: &Fleet, binding: Binding) -> String {
    let interfaces = state(fleet).interfaces;
    let url = &interfaces.iter().find(|interface| interface.binding == binding).unwrap().url;
    url.trim_start_matches("http://").trim_start_matches(&authority(fleet)).trim_end_matches('/').to_owned()
}

/// Does what clients do, on each binding.
async fn is_served(fleet: &Fleet) {
    for binding in Binding::ALL {
        let client = client(fleet, binding);
        let sent = client.call(Operation::SendMessage, says("go")).await.unwrap();
        assert_eq!(sent["task"]["status"]["state"], "TASK_STATE_COMPLETED", "{binding}");
        let (items, clean) = client.stream(Operation::SendStreamingMessage, says("go")).await.unwrap().drain().await;
        assert_eq!((items.len(), clean), (3, true), "{binding}");
    }
}

async fn working() -> Fleet {
    fleet("[working, complete]").await
}

/// A whole HTTP/1 request after which the connection closes.
fn post(path: &str, media_type: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let mut request = format!(
        "POST {path} HTTP/1.1\r\nhost: peer\r\nconnection: close\r\na2a-version: 1.0\r\ncontent-type: {media_type}\r\n\
         content-length: {length}\r\n\r\n"
    )
    .into_bytes();
    request.extend(body);
    request
}

/// Of an HTTP/1 answer its status, its head in lower case, and its body.
#[track_caller]
fn answered(heard: &[u8]) -> (u16, String, String) {
    let text = String::from_utf8(heard.to_vec()).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no HTTP/1 answer: {text:?}"));
    (head.split(' ').nth(1).unwrap().parse().unwrap(), head.to_lowercase(), body.to_owned())
}

/// What one client hears that sends this.
async fn hears(fleet: &Fleet, bytes: &[u8]) -> Vec<u8> {
    Raw::with(&authority(fleet), bytes).await.until_hung_up().await
}

/// Requests that never come to their end.
fn unfinished(rpc: &str) -> Vec<Vec<u8>> {
    let half_a_body = format!(
        "POST {rpc}/ HTTP/1.1\r\nhost: peer\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{{\"jsonrpc\""
    );
    vec![
        Vec::new(),
        b"GET /.well-kn".to_vec(),
        b"GET / HTTP/1.1\r\nhost: peer\r\nx-half".to_vec(),
        half_a_body.into_bytes(),
        PREFACE[..10].to_vec(),
        PREFACE.to_vec(),
        // Headers to be continued.
        [PREFACE, &frame(HEADERS, 0, 1, POST)].concat(),
    ]
}

/// An HTTP/2 request whose body does not come.
fn without_body() -> Vec<u8> {
    [PREFACE, &frame(HEADERS, END_HEADERS, 1, POST)].concat()
}

#[tokio::test]
async fn half_requests_hold_up_neither_others_nor_the_end() {
    let fleet = working().await;
    let mut open = Vec::new();
    for _ in 0..20 {
        for bytes in unfinished(&base(&fleet, Binding::JsonRpc)).into_iter().chain([without_body()]) {
            open.push(Raw::with(&authority(&fleet), &bytes).await);
        }
        is_served(&fleet).await;
    }
    let stopped = tokio::time::timeout(Duration::from_secs(10), fleet.stop()).await.expect("it ends in time");
    let journal = stopped.unwrap().journal;
    let count = |wanted: fn(&JournalEvent) -> bool| journal.iter().filter(|entry| wanted(&entry.event)).count();
    let opened = count(|event| matches!(event, JournalEvent::Opened { .. }));
    assert!(opened >= open.len());
    assert_eq!(opened, count(|event| matches!(event, JournalEvent::Closed { .. })));
    for mut raw in open {
        raw.until_hung_up().await;
    }
}

#[tokio::test(start_paused = true)]
async fn who_never_finishes_a_request_is_hung_up_on() {
    let fleet = working().await;
    for bytes in unfinished(&base(&fleet, Binding::JsonRpc)) {
        let heard = hears(&fleet, &bytes).await;
        if bytes.ends_with(b"{\"jsonrpc\"") {
            assert_eq!(answered(&heard).0, 408);
        } else {
            assert!(!heard.starts_with(b"HTTP/1.1 2"), "{}", String::from_utf8_lossy(&heard));
        }
    }
    // An HTTP/2 connection outlives its streams.
    Raw::with(&authority(&fleet), &without_body()).await.until_frame(HEADERS).await;
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn what_is_no_http_gets_400() {
    let fleet = working().await;
    let rpc = base(&fleet, Binding::JsonRpc);
    for bytes in [
        &b"\x00\xff\x16\x03\x01 garbage \r\n\r\n"[..],
        b"GET /\x01 HTTP/1.1\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        format!("POST {rpc}/ HTTP/1.1\r\nhost: peer\r\ncontent-length: many\r\n\r\n").as_bytes(),
        b"PRI * HTTP/2.0\r\n\r\nSM-but-not-quite\r\n\r\n",
    ] {
        assert_eq!(answered(&hears(&fleet, bytes).await).0, 400, "{}", String::from_utf8_lossy(bytes));
    }
    is_served(&fleet).await;
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn floods_of_headers_are_refused() {
    let fleet = working().await;
    let header = "x-flood: 1\r\n";
    let many = format!("GET / HTTP/1.1\r\nhost: peer\r\n{}\r\n", header.repeat(10_000));
    let long = format!("GET / HTTP/1.1\r\nhost: peer\r\nx-flood: {}\r\n\r\n", "x".repeat(10 << 20));
    for bytes in [&many, &long] {
        let heard = Raw::connect(&authority(&fleet)).await.flood(bytes.as_bytes()).await;
        // Hanging up on a client that still sends may cost it the answer.
        assert!(heard.is_empty() || answered(&heard).0 == 431, "{}", String::from_utf8_lossy(&heard));
    }
    // As many bytes as are read, and no end to them: nothing is on its way when the answer comes.
    let endless = format!("GET / HTTP/1.1\r\nx-flood: {}", "x".repeat(64 << 10));
    let heard = hears(&fleet, &endless.as_bytes()[..64 << 10]).await;
    assert_eq!(answered(&heard).0, 431);

    // HTTP/2: a literal field that is not indexed, and continued without end.
    let field = b"\x00\x07x-flood\x7f\x81\x7e";
    let field = [&field[..], &[b'x'; 16_000 - 12]].concat();
    let continuation = frame(9, 0, 1, &field);
    let continued = |times| [PREFACE, &frame(HEADERS, 0, 1, POST), &continuation.repeat(times)].concat();
    Raw::connect(&authority(&fleet)).await.flood(&continued(700)).await;
    assert!(goaway(&hears(&fleet, &continued(7)).await).is_some());
    is_served(&fleet).await;
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn broken_http2_ends_its_own_connection_only() {
    let fleet = working().await;
    let beside = client(&fleet, Binding::Grpc);
    let frames = |frames: &[u8]| [PREFACE, frames].concat();
    // Length, type and flags as text would have them: longer than frames may be.
    assert_eq!(goaway(&hears(&fleet, &frames(b"GET / HTTP/1.1\r\n\r\n")).await), Some(FRAME_SIZE_ERROR));
    let oversized = announced(1 << 20, HEADERS, END_HEADERS, 1, POST);
    assert_eq!(goaway(&hears(&fleet, &frames(&oversized)).await), Some(FRAME_SIZE_ERROR));
    let on_even_stream = frame(HEADERS, END_HEADERS | END_STREAM, 2, POST);
    assert_eq!(goaway(&hears(&fleet, &frames(&on_even_stream)).await), Some(PROTOCOL_ERROR));
    beside.call(Operation::SendMessage, says("go")).await.unwrap();

    // Floods of what costs the sender little.
    let resets = |count: u32| {
        let streams = (0..count).map(|index| 2 * index + 1);
        let pair = |id| [frame(HEADERS, END_HEADERS, id, POST), frame(RST_STREAM, 0, id, &8u32.to_be_bytes())];
        frames(&streams.flat_map(pair).flatten().collect::<Vec<_>>())
    };
    let pings = frames(&frame(PING, 0, 0, &[0; 8]).repeat(20_000));
    let settings = frames(&frame(SETTINGS, 0, 0, &[]).repeat(20_000));
    for flood in [resets(20_000), pings, settings] {
        let flooding = Raw::connect(&authority(&fleet)).await.flood(&flood);
        tokio::join!(flooding, is_served(&fleet));
    }
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn a_path_may_hold_any_bytes() {
    let fleet = working().await;
    let rest = base(&fleet, Binding::HttpJson);
    for path in ["/tasks/%ff%fe", "/tasks/%00", "/tasks/%", "/tasks/%e2%82"] {
        let request = format!("GET {rest}{path} HTTP/1.1\r\nhost: p\r\nconnection: close\r\na2a-version: 1.0\r\n\r\n");
        let (status, _, body) = answered(&hears(&fleet, request.as_bytes()).await);
        assert!(status == 400 || status == 404, "{path}: {status}");
        assert_eq!(serde_json::from_str::<Value>(&body).unwrap()["error"]["code"], status, "{path}");
    }
    let raw = [b"GET /tasks/\xff\xfe\x80", &b" HTTP/1.1\r\nhost: p\r\nconnection: close\r\n\r\n"[..]].concat();
    let status = answered(&hears(&fleet, &raw).await).0;
    assert!((400..500).contains(&status), "{status}");
    is_served(&fleet).await;
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn grpc_frames_that_promise_too_much_are_refused() {
    let fleet = working().await;
    let path = Operation::SendMessage.grpc_path();
    let four_gib = &b"\0\xff\xff\xff\xff"[..];
    let compressed = &b"\x01\0\0\0\x03abc"[..];
    for (body, code) in [(four_gib, 3), (compressed, 12), (&b""[..], 3), (b"\0\0", 3)] {
        let (status, head, _) = answered(&hears(&fleet, &post(&path, "application/grpc", body)).await);
        assert_eq!(status, 200);
        assert!(head.contains(&format!("grpc-status: {code}\r\n")), "{body:?}: {head}");
    }
    is_served(&fleet).await;
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn json_of_any_depth_is_refused_or_read() {
    let fleet = working().await;
    let (rpc, rest) = (base(&fleet, Binding::JsonRpc), base(&fleet, Binding::HttpJson));
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let envelope =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{{"metadata":{{"x":{deep}}}}}}}"#);
    for body in [&deep, &envelope] {
        let (_, _, body) =
            answered(&hears(&fleet, &post(&format!("{rpc}/"), "application/json", body.as_bytes())).await);
        assert_eq!(serde_json::from_str::<Value>(&body).unwrap()["error"]["code"], json!(-32700), "{body}");
    }
    let message = format!("{rest}/message:send");
    let (status, ..) = answered(&hears(&fleet, &post(&message, "application/a2a+json", deep.as_bytes())).await);
    assert_eq!(status, 400);
    is_served(&fleet).await;
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn bodies_beyond_the_limit_get_413() {
    let fleet = working().await;
    for (path, media_type) in [
        (format!("{}/", base(&fleet, Binding::JsonRpc)), "application/json"),
        (format!("{}/message:send", base(&fleet, Binding::HttpJson)), "application/a2a+json"),
        (Operation::SendMessage.grpc_path(), "application/grpc"),
    ] {
        let request = post(&path, media_type, &[b' '; 2 << 20]);
        // One byte more than is read: nothing is on its way when the answer comes.
        let head = request.len() - (2 << 20);
        let heard = hears(&fleet, &request[..=head + (1 << 20)]).await;
        assert_eq!(answered(&heard).0, 413, "{path}");
        let heard = Raw::connect(&authority(&fleet)).await.flood(&request).await;
        assert!(heard.is_empty() || answered(&heard).0 == 413, "{path}");
    }
    is_served(&fleet).await;
    fleet.stop().await.unwrap();
}
