//! Many streams at once on one peer of `gauntlet serve`. Prints what the process that serves them took of memory.
//! 1,000 unless `GAUNTLET_STREAMS` says another number; `docs/performance.md` has figures of 10,000.

#![expect(clippy::print_stdout, reason = "figures are told to who runs it")]
#![expect(clippy::unwrap_used, reason = "in a test, a panic with its place is the report")]

use std::process::Child;
use std::time::Instant;

use bytes::{Bytes, BytesMut};
use gauntlet_wire::{Operation, protojson};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::serve::Served;
use crate::support::folder;

fn number() -> usize {
    std::env::var("GAUNTLET_STREAMS").map_or(1_000, |number| number.parse().expect("GAUNTLET_STREAMS is a number"))
}

/// gRPC clients put many streams on one connection.
const CONNECTIONS: usize = 4;

/// Descriptors that a process needs besides those of its streams.
const OTHERS: u64 = 200;

/// A peer with that behaviour.
fn peer(behaviour: &str) -> String {
    format!(
        "title: A peer whose tasks wait\n\
         peers:\n\
         \x20 - name: waiting\n\
         \x20   interfaces: [{{ binding: JSONRPC, path: /rpc }}, GRPC]\n\
         \x20   card: {{ capabilities: {{ streaming: true }} }}\n\
         \x20   behaviour: {behaviour}\n"
    )
}

/// How many streams there can be where each takes a descriptor on both sides. What is started from here inherits the
/// limit.
fn streams_of_their_own() -> usize {
    let limit = getrlimit(Resource::Nofile);
    if setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).is_err() {
        println!("the soft limit of descriptors cannot be raised to the hard one");
    }
    let descriptors = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let streams = number().min(usize::try_from(descriptors.saturating_sub(OTHERS)).unwrap_or(usize::MAX));
    if streams < number() {
        println!("only {streams} streams: this process may open no more than {descriptors} descriptors");
    }
    streams
}

/// What a process has of memory in MiB: now, and at the most.
fn memory(process: &Child) -> [u64; 2] {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    ["VmRSS:", "VmHWM:"].map(|label| {
        let line = status.lines().find_map(|line| line.strip_prefix(label)).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
    })
}

/// What it takes to serve many streams.
struct Measured {
    served: Served,
    what: &'static str,
    begun: Instant,
    before: u64,
}

impl Measured {
    fn new(served: Served, what: &'static str) -> Self {
        let [before, _] = memory(&served.process);
        Self { served, what, begun: Instant::now(), before }
    }

    fn all_open(&self, streams: usize) {
        let (what, [now, _]) = (self.what, memory(&self.served.process));
        println!("{streams} {what}: open after {:?}, {} MiB, {now} MiB with them", self.begun.elapsed(), self.before);
    }

    fn all_ended(self) {
        let [_, most] = memory(&self.served.process);
        println!("{}: ended after {:?}, {most} MiB at the most", self.what, self.begun.elapsed());
        let (status, rest) = self.served.end("-INT");
        assert_eq!(status.code(), Some(0), "{rest}");
    }
}

/// gRPC as far as it goes without a library: one request, all bytes of the answer.
#[derive(Clone)]
struct Grpc {
    send: SendRequest<Full<Bytes>>,
    authority: String,
}

impl Grpc {
    async fn connect(authority: &str) -> Self {
        let stream = TcpStream::connect(authority).await.unwrap();
        // Or the body of a request waits until its headers are acknowledged.
        stream.set_nodelay(true).unwrap();
        let (send, connection) = handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        Self { send, authority: authority.to_owned() }
    }

    async fn call(&mut self, operation: Operation, message: &Value) -> hyper::body::Incoming {
        let message = protojson::json_to_bytes(&operation.request(), message).unwrap();
        let mut body = vec![0];
        body.extend(u32::try_from(message.len()).unwrap().to_be_bytes());
        body.extend(message);
        let request = http::Request::post(format!("http://{}{}", self.authority, operation.grpc_path()))
            .header("content-type", "application/grpc")
            .header("a2a-version", "1.0")
            .body(Full::new(Bytes::from(body)));
        self.send.ready().await.unwrap();
        self.send.send_request(request.unwrap()).await.unwrap().into_body()
    }
}

/// The messages in the body of a gRPC answer.
fn messages(operation: Operation, mut body: &[u8]) -> Vec<Value> {
    let mut messages = Vec::new();
    while let Some((prefix, rest)) = body.split_first_chunk::<5>() {
        let length = u32::from_be_bytes(prefix[1..].try_into().unwrap()) as usize;
        messages.push(protojson::bytes_to_json(&operation.response(), &rest[..length]).unwrap());
        body = &rest[length..];
    }
    messages
}

/// What an item of a stream tells, without what is of its task alone.
fn gist(item: &Value) -> String {
    let state = item.pointer("/task/status/state").or_else(|| item.pointer("/statusUpdate/status/state"));
    let text = item.pointer("/artifactUpdate/artifact/parts/0/text");
    state.or(text).and_then(Value::as_str).unwrap_or_else(|| panic!("{item}")).to_owned()
}

const ANSWERED: [&str; 5] = ["TASK_STATE_WORKING", "the", " an", "swer", "TASK_STATE_COMPLETED"];

fn says(text: &str, task: Option<&str>) -> Value {
    json!({ "message": { "messageId": text, "role": "ROLE_USER", "parts": [{ "text": text }], "taskId": task } })
}

#[tokio::test(flavor = "multi_thread")]
async fn many_follow_one_task_over_grpc() {
    let answers = "[working: on it, ask: which?, artifact: { name: answer, text: the answer, chunks: 3 }, complete]";
    let folder = folder(&[("fleet.yaml", &peer(answers))]);
    let mut served = Served::start_in(folder, &["fleet.yaml"]);
    let authority = served.told("GRPC");
    served.drain();
    let measured = Measured::new(served, "gRPC streams that follow one task");
    let mut grpc = Grpc::connect(&authority).await;
    let begun = grpc.call(Operation::SendMessage, &says("go", None)).await.collect().await.unwrap().to_bytes();
    let id = messages(Operation::SendMessage, &begun)[0]["task"]["id"].as_str().unwrap().to_owned();

    let (joined, mut all_joined) = mpsc::channel::<()>(1);
    let mut streams = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let grpc = Grpc::connect(&authority).await;
        for _ in 0..number() / CONNECTIONS {
            let (mut grpc, id, joined) = (grpc.clone(), id.clone(), joined.clone());
            streams.spawn(async move {
                let mut body = grpc.call(Operation::SubscribeToTask, &json!({ "id": id })).await;
                let (mut heard, mut joined, mut status) = (BytesMut::new(), Some(joined), None);
                while let Some(frame) = body.frame().await {
                    match frame.unwrap().into_data() {
                        Ok(data) => heard.extend_from_slice(&data),
                        Err(trailers) => status = trailers.into_trailers().unwrap().get("grpc-status").cloned(),
                    }
                    drop(joined.take());
                }
                assert_eq!(status.expect("the stream is cut off"), "0");
                heard.freeze()
            });
        }
    }
    drop(joined);
    assert!(all_joined.recv().await.is_none());
    measured.all_open(number());
    grpc.call(Operation::SendMessage, &says("this", Some(&id))).await.collect().await.unwrap();
    let mut heard = streams.join_all().await;
    assert_eq!(heard.len(), number());
    // Every one of them hears the very same bytes.
    heard.dedup();
    assert_eq!(heard.len(), 1);
    let told: Vec<String> = messages(Operation::SubscribeToTask, &heard[0]).iter().map(gist).collect();
    assert_eq!(told[0], "TASK_STATE_INPUT_REQUIRED");
    assert_eq!(told[1..], ANSWERED);
    measured.all_ended();
}

#[tokio::test(flavor = "multi_thread")]
async fn many_tasks_are_streamed_over_json_rpc_and_cancelled() {
    let streams = streams_of_their_own();
    let folder = folder(&[("fleet.yaml", &peer("[working: on it, hang]"))]);
    let mut served = Served::start_in(folder, &["fleet.yaml"]);
    let (url, grpc) = (served.told("JSONRPC"), served.told("GRPC"));
    served.drain();
    let measured = Measured::new(served, "JSON-RPC streams of a task each");
    let authority = url.trim_start_matches("http://").split('/').next().unwrap();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendStreamingMessage", "params": says("go", None) });
    let body = body.to_string();
    let request = format!(
        "POST /rpc HTTP/1.1\r\nhost: {authority}\r\nconnection: close\r\na2a-version: 1.0\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let request: std::sync::Arc<str> = request.into();
    let (working, mut all_work) = mpsc::unbounded_channel();
    let mut open = JoinSet::new();
    for _ in 0..streams {
        let mut stream = TcpStream::connect(authority).await.unwrap();
        let (request, working) = (std::sync::Arc::clone(&request), working.clone());
        open.spawn(async move {
            stream.write_all(request.as_bytes()).await.unwrap();
            let mut lines = BufReader::with_capacity(1024, stream);
            let mut told = Vec::new();
            while told.len() < 2 {
                let mut line = String::new();
                assert_ne!(lines.read_line(&mut line).await.unwrap(), 0, "the stream is cut off after {told:?}");
                told.extend(line.strip_prefix("data: ").map(|data| serde_json::from_str::<Value>(data).unwrap()));
            }
            working.send(told[0].pointer("/result/task/id").unwrap().clone()).unwrap();
            drop(working);
            let mut rest = String::new();
            lines.read_to_string(&mut rest).await.unwrap();
            assert!(rest.ends_with("\r\n0\r\n\r\n"), "the stream is cut off: {rest}");
            let data = rest.lines().filter_map(|line| line.strip_prefix("data: "));
            told.extend(data.map(|data| serde_json::from_str::<Value>(data).unwrap()));
            told.iter().map(|item| gist(&item["result"])).collect::<Vec<_>>()
        });
    }
    drop(working);
    let mut tasks = Vec::new();
    while let Some(id) = all_work.recv().await {
        tasks.push(id);
    }
    assert_eq!(tasks.len(), streams);
    measured.all_open(streams);
    let grpc = Grpc::connect(&grpc).await;
    let mut cancels = JoinSet::new();
    for id in tasks {
        let mut grpc = grpc.clone();
        cancels.spawn(async move { grpc.call(Operation::CancelTask, &json!({ "id": id })).await.collect().await });
    }
    assert!(cancels.join_all().await.iter().all(Result::is_ok));
    let heard = open.join_all().await;
    assert_eq!(heard.len(), streams);
    for told in heard {
        assert_eq!(told, ["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "TASK_STATE_CANCELED"]);
    }
    measured.all_ended();
}
