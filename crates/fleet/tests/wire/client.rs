//! A raw client for each binding: as little as it takes to send what a test says and see what comes back.

use std::time::Duration;

use bytes::{Buf, BufMut, Bytes};
use futures::StreamExt;
use gauntlet_wire::error::grpc_code_name;
use gauntlet_wire::{A2aError, Binding, ErrorKind, Operation, jsonrpc, protojson, rest, sse};
use serde_json::{Value, json};
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::transport::Channel;

/// Longer than any of this takes; a test that reaches it has failed.
const PATIENCE: Duration = Duration::from_secs(10);

/// An error as a client sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The binding's own code.
    pub(crate) code: String,
    /// What it means, if anything is said about it.
    pub(crate) kind: Option<ErrorKind>,
}

pub(crate) struct Client {
    pub(crate) binding: Binding,
    url: String,
    version: Option<String>,
    headers: Vec<(&'static str, String)>,
    http: reqwest::Client,
}

/// An open stream; ends at the first item that is an error.
pub(crate) struct Items(futures::stream::BoxStream<'static, Result<Value, String>>);

impl Items {
    pub(crate) async fn next(&mut self) -> Option<Value> {
        let next = tokio::time::timeout(PATIENCE, self.0.next()).await.expect("the stream says nothing");
        next.map(|item| item.expect("the stream was broken off"))
    }

    /// Everything until the stream ends, and whether it ended cleanly.
    pub(crate) async fn drain(mut self) -> (Vec<Value>, bool) {
        let mut items = Vec::new();
        while let Some(item) = tokio::time::timeout(PATIENCE, self.0.next()).await.expect("the stream does not end") {
            match item {
                Ok(item) => items.push(item),
                Err(_) => return (items, false),
            }
        }
        (items, true)
    }
}

impl Client {
    pub(crate) fn new(binding: Binding, url: &str) -> Self {
        Self {
            binding,
            url: url.to_owned(),
            version: Some("1.0".to_owned()),
            headers: Vec::new(),
            http: reqwest::Client::new(),
        }
    }

    pub(crate) fn with_version(mut self, version: Option<&str>) -> Self {
        self.version = version.map(str::to_owned);
        self
    }

    /// Headers or metadata to be sent with everything.
    pub(crate) fn with_headers(mut self, headers: &[(&'static str, &str)]) -> Self {
        self.headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        self
    }

    /// A unary call.
    pub(crate) async fn call(&self, operation: Operation, message: Value) -> Result<Value, Refused> {
        tokio::time::timeout(PATIENCE, self.call_patiently(operation, message)).await.expect("no answer")
    }

    async fn call_patiently(&self, operation: Operation, message: Value) -> Result<Value, Refused> {
        match self.binding {
            Binding::Grpc => {
                let mut grpc = self.grpc().await;
                let answer = grpc.unary(self.request(operation, &message), path(operation), Raw).await;
                let bytes = answer.map_err(|status| refused_grpc(&status))?.into_inner();
                Ok(protojson::bytes_to_json(&operation.response(), &bytes).unwrap())
            }
            Binding::JsonRpc | Binding::HttpJson => {
                let response = self.send(operation, &message).await;
                let (status, body) = (response.status(), response.bytes().await.unwrap());
                self.read(status.as_u16(), &body)
            }
        }
    }

    /// A streaming call.
    pub(crate) async fn stream(&self, operation: Operation, message: Value) -> Result<Items, Refused> {
        match self.binding {
            Binding::Grpc => {
                let mut grpc = self.grpc().await;
                let answer = grpc.server_streaming(self.request(operation, &message), path(operation), Raw).await;
                let stream = answer.map_err(|status| refused_grpc(&status))?.into_inner();
                let items = stream.map(move |item| {
                    let bytes = item.map_err(|status| status.to_string())?;
                    Ok(protojson::bytes_to_json(&operation.response(), &bytes).unwrap())
                });
                Ok(Items(items.boxed()))
            }
            Binding::JsonRpc | Binding::HttpJson => {
                let response = self.send(operation, &message).await;
                let media_type = response.headers()["content-type"].to_str().unwrap().to_owned();
                if media_type != "text/event-stream" {
                    let (status, body) = (response.status(), response.bytes().await.unwrap());
                    return Err(self.read(status.as_u16(), &body).unwrap_err());
                }
                let is_json_rpc = self.binding == Binding::JsonRpc;
                let mut decoder = sse::Decoder::default();
                let items = response.bytes_stream().flat_map(move |chunk| {
                    let events = match chunk {
                        Ok(bytes) => decoder.push(&bytes).into_iter().map(|event| Ok(event.data)).collect(),
                        Err(error) => vec![Err(error.to_string())],
                    };
                    futures::stream::iter(events)
                });
                let items = items.map(move |data| {
                    let json: Value = serde_json::from_str(&data?).unwrap();
                    Ok(if is_json_rpc { json["result"].clone() } else { json })
                });
                Ok(Items(items.boxed()))
            }
        }
    }

    /// An HTTP request with this body, to look at the answer's head.
    pub(crate) async fn send(&self, operation: Operation, message: &Value) -> reqwest::Response {
        let request = if self.binding == Binding::JsonRpc {
            let body = jsonrpc::request(&json!("call-1"), operation.name(), message.clone());
            self.http.post(&self.url).body(body.to_string()).header("content-type", "application/json")
        } else {
            let call = rest::call(operation, message);
            let method = reqwest::Method::from_bytes(call.method.as_bytes()).unwrap();
            let request = self.http.request(method, format!("{}{}", self.url, call.path_and_query));
            match call.body {
                Some(body) => request.body(body.to_string()).header("content-type", "application/json"),
                None => request,
            }
        };
        let request = match &self.version {
            Some(version) => request.header("A2A-Version", version),
            None => request,
        };
        let request = self.headers.iter().fold(request, |request, (name, value)| request.header(*name, value));
        request.send().await.unwrap()
    }

    fn read(&self, status: u16, body: &[u8]) -> Result<Value, Refused> {
        // HTTP alone has answered.
        if status >= 500 && serde_json::from_slice::<Value>(body).is_err() {
            return Err(Refused { code: status.to_string(), kind: None });
        }
        if self.binding == Binding::JsonRpc {
            let reply = jsonrpc::parse_response(body).unwrap();
            assert!(reply.result.is_err() || reply.id == json!("call-1"));
            return reply.result.map_err(|error| Refused {
                code: error.code.to_string(),
                kind: A2aError::kind_of(Binding::JsonRpc, error.code, error.data.as_ref()),
            });
        }
        let json: Value = serde_json::from_slice(body).unwrap();
        if status < 300 {
            return Ok(json);
        }
        assert_eq!(json["error"]["code"], json!(status));
        let details = json.pointer("/error/details");
        Err(Refused {
            code: status.to_string(),
            kind: A2aError::kind_of(Binding::HttpJson, i64::from(status), details),
        })
    }

    async fn grpc(&self) -> tonic::client::Grpc<Channel> {
        let channel = Channel::from_shared(format!("http://{}", self.url)).unwrap().connect().await.unwrap();
        let mut grpc = tonic::client::Grpc::new(channel);
        grpc.ready().await.unwrap();
        grpc
    }

    fn request(&self, operation: Operation, message: &Value) -> tonic::Request<Bytes> {
        let bytes = protojson::json_to_bytes(&operation.request(), message).unwrap();
        let mut request = tonic::Request::new(Bytes::from(bytes));
        if let Some(version) = &self.version {
            request.metadata_mut().insert("a2a-version", version.parse().unwrap());
        }
        for (name, value) in &self.headers {
            request.metadata_mut().insert(*name, value.parse().unwrap());
        }
        request
    }
}

fn path(operation: Operation) -> http::uri::PathAndQuery {
    operation.grpc_path().parse().unwrap()
}

fn refused_grpc(status: &tonic::Status) -> Refused {
    let code = status.code() as i32;
    Refused { code: grpc_code_name(code).to_owned(), kind: A2aError::kind_of_grpc(code, status.details()) }
}

/// Messages as bytes.
struct Raw;

impl Codec for Raw {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Raw {
    type Item = Bytes;
    type Error = tonic::Status;

    fn encode(&mut self, item: Bytes, into: &mut EncodeBuf<'_>) -> Result<(), tonic::Status> {
        into.put(item);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Bytes;
    type Error = tonic::Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, tonic::Status> {
        Ok(Some(from.copy_to_bytes(from.remaining())))
    }
}
