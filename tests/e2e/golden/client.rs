//! A raw client of all three bindings: it sends what the script says, reads to the end, and looks at task ids only.

use std::io;

use bytes::Bytes;
use gauntlet_wire::{Binding, CARD_PATH, Operation, VERSION_HEADER, jsonrpc, protojson, rest, sse};
use http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, TE};
use http::{Request, Response, request};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// What stands before each message in gRPC: one byte that says whether it is compressed, four for its length.
const PREFIX: usize = 5;

pub(super) struct Client {
    binding: Binding,
    /// Host and port of the interface, and the path of its base.
    authority: String,
    base: String,
    /// Shown with every call.
    token: Option<String>,
}

/// An answer whose head is there.
pub(super) struct Answer {
    binding: Binding,
    operation: Operation,
    response: Response<Incoming>,
    /// Drives the connection, which ends with the answer.
    _connection: JoinSet<()>,
}

/// Nobody listens.
#[derive(Debug)]
pub(super) struct Refused;

impl Client {
    /// Fetches the card and takes the interface of the binding; the first where the card calls none so.
    pub(super) async fn of_peer(base_url: &str, binding: Binding) -> Self {
        let authority = base_url.strip_prefix("http://").expect("an origin").to_owned();
        let client = Self { binding, authority, base: String::new(), token: None };
        let (response, _connection) =
            client.send(Request::get(CARD_PATH), Vec::new()).await.expect("a healthy port listens").expect("a card");
        let card = response.into_body().collect().await.expect("the card is sent").to_bytes();
        let card: Value = serde_json::from_slice(&card).expect("the card is JSON");
        let listed = card["supportedInterfaces"].as_array().expect("the card lists interfaces");
        let interface = listed.iter().find(|one| one["protocolBinding"] == binding.name()).unwrap_or(&listed[0]);
        let url = interface["url"].as_str().expect("an interface has a url");
        let url = url.strip_prefix("http://").unwrap_or(url);
        let (authority, base) = url.split_at(url.find('/').unwrap_or(url.len()));
        Self { binding, authority: authority.to_owned(), base: base.to_owned(), token: None }
    }

    /// Asks a token server by a form, shows the token from now on, and gives the whole answer.
    pub(super) async fn obtain(&mut self, url: &str, form: &str) -> Value {
        let (authority, path) = url.strip_prefix("http://").and_then(|rest| rest.split_once('/')).expect("a url");
        // Token servers speak HTTP/1.1, whatever the peer does.
        let server =
            Self { binding: Binding::JsonRpc, authority: authority.to_owned(), base: String::new(), token: None };
        let request = Request::post(format!("/{path}")).header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        let answered = server.send(request, form.into()).await.expect("a token server listens");
        let (response, _connection) = answered.expect("it answers");
        let answer = response.into_body().collect().await.expect("an answer").to_bytes();
        let answer: Value = serde_json::from_slice(&answer).expect("the answer is JSON");
        self.token = Some(answer["access_token"].as_str().expect("a token").to_owned());
        answer
    }

    /// Calls an operation with a message in ProtoJSON and waits for the head of the answer. `None` where the
    /// connection is broken off before it.
    pub(super) async fn open(&self, operation: Operation, message: &Value) -> Result<Option<Answer>, Refused> {
        let (request, body) = match self.binding {
            Binding::JsonRpc => {
                let body = jsonrpc::request(&json!(1), operation.name(), message.clone()).to_string();
                let path = if self.base.is_empty() { "/" } else { &self.base };
                (Request::post(path).header(CONTENT_TYPE, "application/json"), body.into_bytes())
            }
            Binding::HttpJson => {
                let call = rest::call(operation, message);
                let request =
                    Request::builder().method(call.method).uri(format!("{}{}", self.base, call.path_and_query));
                match call.body {
                    Some(body) => (request.header(CONTENT_TYPE, "application/json"), body.to_string().into_bytes()),
                    None => (request, Vec::new()),
                }
            }
            Binding::Grpc => {
                let message = protojson::json_to_bytes(&operation.request(), message).expect("the script is valid");
                let length = u32::try_from(message.len()).expect("the script is short");
                let request = Request::post(operation.grpc_path());
                let request = request.header(CONTENT_TYPE, "application/grpc").header(TE, "trailers");
                (request, [&[0], length.to_be_bytes().as_slice(), &message].concat())
            }
        };
        let mut request = request.header(VERSION_HEADER, "1.0");
        if let Some(token) = &self.token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        let answered = self.send(request, body).await?;
        let answer =
            |(response, connection)| Answer { binding: self.binding, operation, response, _connection: connection };
        Ok(answered.map(answer))
    }

    /// Sends a request over a connection of its own.
    async fn send(
        &self,
        request: request::Builder,
        body: Vec<u8>,
    ) -> Result<Option<(Response<Incoming>, JoinSet<()>)>, Refused> {
        let stream = match TcpStream::connect(&self.authority).await {
            Ok(stream) => stream,
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => return Err(Refused),
            Err(error) => panic!("{} cannot be reached: {error}", self.authority),
        };
        // HTTP/2 begins with several small writes, which must not wait for each other.
        stream.set_nodelay(true).expect("a TCP option");
        let stream = TokioIo::new(stream);
        let mut request = request.body(Full::new(Bytes::from(body))).expect("a request");
        // A peer that breaks off on purpose is an error to the driver; the journal says so.
        let mut connection = JoinSet::new();
        let response = if self.binding == Binding::Grpc {
            let path = request.uri().clone();
            *request.uri_mut() = format!("http://{}{path}", self.authority).parse().expect("a uri");
            let (mut sender, driver) = http2::handshake(TokioExecutor::new(), stream).await.expect("HTTP/2");
            connection.spawn(async { drop(driver.await) });
            sender.send_request(request).await
        } else {
            request.headers_mut().insert(HOST, self.authority.parse().expect("a host"));
            let (mut sender, driver) = http1::handshake(stream).await.expect("HTTP/1.1");
            connection.spawn(async { drop(driver.await) });
            sender.send_request(request).await
        };
        // The journal says who broke it off.
        Ok(response.ok().map(|response| (response, connection)))
    }
}

impl Answer {
    /// Reads to the end; gives the id of the task it tells of, where it tells of one.
    pub(super) async fn task_id(mut self) -> Option<String> {
        let mut body = Vec::new();
        // Peers may break off on purpose; the journal says so.
        while let Some(Ok(frame)) = self.response.frame().await {
            body.extend(frame.into_data().unwrap_or_default());
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
