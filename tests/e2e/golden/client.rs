//! A raw client of all three bindings: it sends what the script says, reads to the end, and looks at task ids only.

use std::time::Duration;

use gauntlet_wire::{Binding, CARD_PATH, Operation, VERSION_HEADER, jsonrpc, protojson, rest, sse};
use reqwest::Method;
use serde_json::{Value, json};

/// Longer than any of this takes; a test that reaches it has failed.
const PATIENCE: Duration = Duration::from_secs(60);
/// What stands before each message in gRPC: one byte that says whether it is compressed, four for its length.
const PREFIX: usize = 5;

pub(super) struct Client {
    binding: Binding,
    http: reqwest::Client,
    /// Of the interface, as the card has it.
    url: String,
}

/// An answer whose head is there.
pub(super) struct Answer {
    binding: Binding,
    operation: Operation,
    response: reqwest::Response,
}

impl Client {
    /// Fetches the card and takes its first interface, whatever the card says of its binding.
    pub(super) async fn of_peer(base_url: &str, binding: Binding) -> Self {
        let builder = reqwest::Client::builder().no_proxy().timeout(PATIENCE);
        let builder = if binding == Binding::Grpc { builder.http2_prior_knowledge() } else { builder };
        let http = builder.build().expect("a client");
        let card = http.get(format!("{base_url}{CARD_PATH}")).send().await.expect("the card is served");
        let card = card.bytes().await.expect("the card is sent");
        let card: Value = serde_json::from_slice(&card).expect("the card is JSON");
        let url = card.pointer("/supportedInterfaces/0/url").and_then(Value::as_str).expect("the card has a url");
        Self { binding, http, url: url.to_owned() }
    }

    /// Calls an operation with a message in ProtoJSON and waits for the head of the answer. `None` where nobody
    /// listens.
    pub(super) async fn open(&self, operation: Operation, message: &Value) -> Option<Answer> {
        let json = |request: reqwest::RequestBuilder, body: &Value| {
            request.header("content-type", "application/json").body(body.to_string())
        };
        let request = match self.binding {
            Binding::JsonRpc => {
                json(self.http.post(&self.url), &jsonrpc::request(&json!(1), operation.name(), message.clone()))
            }
            Binding::HttpJson => {
                let call = rest::call(operation, message);
                let method = Method::from_bytes(call.method.as_bytes()).expect("a method");
                let request = self.http.request(method, format!("{}{}", self.url, call.path_and_query));
                call.body.iter().fold(request, json)
            }
            Binding::Grpc => {
                let message = protojson::json_to_bytes(&operation.request(), message).expect("the script is valid");
                let length = u32::try_from(message.len()).expect("the script is short");
                let body = [&[0], length.to_be_bytes().as_slice(), &message].concat();
                let request = self.http.post(format!("http://{}{}", self.url, operation.grpc_path()));
                request.header("content-type", "application/grpc").header("te", "trailers").body(body)
            }
        };
        match request.header(VERSION_HEADER, "1.0").send().await {
            Ok(response) => Some(Answer { binding: self.binding, operation, response }),
            Err(error) if error.is_connect() => None,
            Err(error) => panic!("{operation} over {} got no answer: {error:?}", self.binding),
        }
    }
}

impl Answer {
    /// Reads to the end; gives the id of the task it tells of, where it tells of one.
    pub(super) async fn task_id(mut self) -> Option<String> {
        let mut body = Vec::new();
        loop {
            match self.response.chunk().await {
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) => break,
                Err(error) if error.is_timeout() => panic!("{} does not end: {error:?}", self.operation),
                // Peers may break off on purpose; the journal says so.
                Err(_) => break,
            }
        }
        let first = match self.binding {
            Binding::Grpc => protojson::bytes_to_json(&self.operation.response(), first_message(&body)?).ok()?,
            Binding::JsonRpc | Binding::HttpJson => match sse::Decoder::default().push(&body).into_iter().next() {
                Some(event) => serde_json::from_str(&event.data).ok()?,
                None => serde_json::from_slice(&body).ok()?,
            },
        };
        let id = first.pointer("/result/task/id").or_else(|| first.pointer("/task/id"));
        id.and_then(Value::as_str).map(str::to_owned)
    }
}

fn first_message(body: &[u8]) -> Option<&[u8]> {
    let (prefix, rest) = body.split_at_checked(PREFIX)?;
    let length = u32::from_be_bytes(prefix[1..].try_into().ok()?);
    rest.get(..usize::try_from(length).ok()?)
}
