//! From HTTP requests to calls of the engine and back, for all three bindings.
//!
//! [`route`] finds out what a request is, the module of its binding reads it, [`invoke`] carries it out, and [`answer`]
//! writes what comes of it. The bindings differ only in how a request is read and in their [`Framing`].

mod answer;
mod card;
mod framing;
mod grpc;
mod http_json;
mod invoke;
mod jsonrpc;
mod route;
pub(crate) mod token;

use std::sync::Arc;

use bytes::Bytes;
use gauntlet_evidence::journal::Ending;
use gauntlet_evidence::{RequestClass, Stamp};
use gauntlet_faults::{Call, Denial, Instead, Refusal, SentMessage, ShownToken, Stage};
use gauntlet_wire::protojson::member;
use gauntlet_wire::rest::query_parameter;
use gauntlet_wire::{A2aError, Binding, ErrorKind, Operation, ProtocolVersion, VERSION_HEADER};
use http::header::{ALLOW, WWW_AUTHENTICATE};
use http::request::Parts;
use http::{HeaderValue, StatusCode};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use serde_json::Value;
use tokio::time::timeout;

use crate::classify;
use crate::connection::Line;
use crate::journal::{Exchange, Headers, KeptRequest, Object, Reading};
use crate::limits;
use crate::listener::Endpoint;
use crate::peer::{Caller, Peer};
use crate::stamps;
use answer::{Body, Failure, Outgoing};
use framing::Framing;
pub(crate) use grpc::PREFIX as GRPC_PREFIX;
use invoke::Input;
use route::Target;

/// A request with its body.
pub(crate) struct Arrival {
    head: Parts,
    body: Bytes,
    line: Line,
    /// Why there is no whole body, where there is none.
    broken: Option<(StatusCode, &'static str)>,
}

/// A request that some binding understands as far as its envelope.
pub(crate) struct Decoded {
    framing: Framing,
    binding: Binding,
    /// The interfaces it may be meant for: those of the binding at that path.
    interfaces: Vec<usize>,
    /// The operation, or why there is none.
    operation: Result<Operation, Failure>,
    /// The request message as ProtoJSON, as far as it could be read.
    message: Option<Arc<Value>>,
    input: Result<Input, A2aError>,
    /// The envelope itself cannot be read.
    broken: Option<Failure>,
}

/// Answers a request; everything about it is in the journal by the time the answer is written.
pub(crate) async fn answer(endpoint: &Endpoint, line: Line, request: http::Request<Incoming>) -> http::Response<Body> {
    let (head, body) = request.into_parts();
    let (body, broken) = match read(body).await {
        Ok(body) => (body, None),
        Err(broken) => (Bytes::new(), Some(broken)),
    };
    let arrival = Arrival { head, body, line, broken };
    let peer = &endpoint.peer;
    if let Some((status, words)) = arrival.broken {
        let exchange = begin(peer, &arrival, RequestClass::Other, None, Vec::new());
        return answer::plain(exchange, status, Vec::new(), words);
    }
    if let Some(server) = &endpoint.issues_tokens {
        return token::serve(peer, server, &arrival);
    }
    let decoded = match route::route(endpoint, &arrival.head) {
        Target::Card => {
            return card::serve(peer, &arrival, begin(peer, &arrival, RequestClass::Discovery, None, Vec::new()));
        }
        Target::Nothing { class, status, allow, http_json } => {
            let exchange = begin(peer, &arrival, class, None, Vec::new());
            let allow = allow.and_then(|methods| HeaderValue::try_from(methods).ok());
            let headers: Vec<_> = allow.into_iter().map(|methods| (ALLOW, methods)).collect();
            let words = "nothing is served here in that way";
            if !http_json {
                return answer::plain(exchange, status, headers, words);
            }
            let refusal = Refusal::A2a(A2aError::new(ErrorKind::MethodNotFound, words));
            let failure = Failure { refusal, stamps: Vec::new(), status: Some(status), headers };
            return answer::failure(peer, exchange, &Framing::HttpJson { media: framing::JSON }, failure);
        }
        Target::JsonRpc(interfaces) => jsonrpc::decode(&arrival, interfaces),
        Target::HttpJson(interfaces, matched) => http_json::decode(&arrival, interfaces, &matched),
        Target::Grpc(interfaces) => grpc::decode(&arrival, interfaces),
    };
    carry_out(peer, &arrival, decoded).await
}

/// The whole body, or what is wrong with it.
async fn read(body: Incoming) -> Result<Bytes, (StatusCode, &'static str)> {
    match timeout(limits::BODY_TIME, Limited::new(body, limits::BODY).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            Err((StatusCode::PAYLOAD_TOO_LARGE, "the body is longer than 1 MiB"))
        }
        Ok(Err(_)) => Err((StatusCode::BAD_REQUEST, "the body could not be read")),
        Err(_) => Err((StatusCode::REQUEST_TIMEOUT, "the body did not arrive within a minute")),
    }
}

async fn carry_out(peer: &Arc<Peer>, arrival: &Arrival, mut decoded: Decoded) -> http::Response<Body> {
    let class = match &decoded.operation {
        Ok(operation) => peer.shared.expectations.classify(*operation, decoded.message.as_deref(), &peer.engine),
        Err(_) if is_grpc_discovery(arrival) => RequestClass::Discovery,
        Err(_) => RequestClass::Other,
    };
    let delegation = class.delegation().map(str::to_owned);
    let admitted = admit(peer, arrival, &decoded);
    let mut misread = admitted.as_ref().map_or_else(|_| Vec::new(), |(call, _)| misread(peer, call, &mut decoded));
    let instead = admitted.as_ref().ok().and_then(|(call, _)| peer.faults.work(call));
    let instead = instead.map(|(steps, bite)| (steps, stamps::one(bite)));
    misread.extend(instead.iter().map(|(_, stamp)| stamp.clone()));
    let exchange = begin(peer, arrival, class, Some(&decoded), misread.clone());
    let origin = crate::engine::Origin { exchange: exchange.number, delegation, instead };
    let Decoded { framing, input, .. } = decoded;
    let (call, extensions) = match admitted {
        Ok(admitted) => admitted,
        Err(failure) => return answer::failure(peer, exchange, &framing, failure),
    };
    if let Some((instead, bite)) = peer.faults.refuse(&call) {
        let stamps = vec![stamps::one(bite)];
        return match instead {
            Instead::Reset => {
                exchange.end(Ending::Cut, stamps);
                arrival.line.break_off();
                // The connection ends, and this with it.
                std::future::pending().await
            }
            Instead::Http { status, headers } => answer::refused_by_http(exchange, status, headers, stamps),
            Instead::Denied(denial) => {
                let failure = Failure { stamps, ..denied(denial, call.binding) };
                answer::failure(peer, exchange, &framing, failure)
            }
            Instead::Refusal(refusal) => {
                let failure = Failure { refusal, stamps, status: None, headers: Vec::new() };
                answer::failure(peer, exchange, &framing, failure)
            }
        };
    }
    let invoked = match input {
        Ok(input) => invoke::invoke(peer, &call, &input, &framing, origin).await,
        Err(error) => Err(error),
    };
    // What a call that was misread comes to is as a whole the fault's doing.
    let misread: Vec<_> = misread.into_iter().map(|stamp| Stamp { pointers: Vec::new(), ..stamp }).collect();
    match invoked {
        Ok(invoked) => {
            let out = Outgoing { peer: Arc::clone(peer), framing, call, line: arrival.line.clone(), misread };
            answer::success(out, exchange, invoked, extensions)
        }
        Err(error) => answer::failure(peer, exchange, &framing, Failure { stamps: misread, ..error.into() }),
    }
}

/// Lets faults change what the peer takes a call to say.
fn misread(peer: &Peer, call: &Call, decoded: &mut Decoded) -> Vec<Stamp> {
    let Some(message) = decoded.message.as_deref().filter(|_| peer.faults.hooks(Stage::RequestDecoded)) else {
        return Vec::new();
    };
    let mut understood = message.clone();
    let bites = peer.faults.request(call, &mut understood);
    if !bites.is_empty() {
        decoded.input = Ok(Input::Json(Arc::new(understood)));
    }
    stamps::of(bites)
}

/// Whether the caller may call at all; gives the token it brings.
fn identify(peer: &Peer, arrival: &Arrival, binding: Binding) -> Result<Option<ShownToken>, Failure> {
    peer.guard.admit(&arrival.head).map_err(|denial| denied(denial, binding))
}

/// Denied access in the form of a binding.
fn denied(denial: Denial, binding: Binding) -> Failure {
    let (code, status) = match (binding, denial.forbidden) {
        // JSON-RPC has no code for this; its server errors begin here.
        (Binding::JsonRpc, false) => (-32000, StatusCode::UNAUTHORIZED),
        (Binding::JsonRpc, true) => (-32000, StatusCode::FORBIDDEN),
        (Binding::HttpJson, false) => (401, StatusCode::UNAUTHORIZED),
        (Binding::HttpJson, true) => (403, StatusCode::FORBIDDEN),
        (Binding::Grpc, false) => (16, StatusCode::UNAUTHORIZED),
        (Binding::Grpc, true) => (7, StatusCode::FORBIDDEN),
    };
    let challenge = denial.challenge.and_then(|challenge| HeaderValue::try_from(challenge).ok());
    Failure {
        refusal: Refusal::Bare { code, message: denial.why },
        stamps: Vec::new(),
        status: Some(status),
        headers: challenge.map(|challenge| (WWW_AUTHENTICATE, challenge)).into_iter().collect(),
    }
}

/// Everything that is checked before the operation itself is looked at. Gives the call, counted on the interface that
/// is meant, and the extensions in use.
fn admit(peer: &Peer, arrival: &Arrival, decoded: &Decoded) -> Result<(Call, Option<HeaderValue>), Failure> {
    let token = identify(peer, arrival, decoded.binding)?;
    if let Some(failure) = &decoded.broken {
        return Err(failure.clone());
    }
    let version = arrival.version();
    // No version means the last one that had none (specification §3.6.2).
    let asked = version.as_deref().filter(|text| !text.is_empty()).map_or(Ok(ProtocolVersion::V0_3), str::parse);
    if asked != Ok(peer.version) {
        let asked = version.unwrap_or_default();
        let words = format!("this interface speaks {}, the request asked for `{asked}`", peer.version);
        return Err(A2aError::new(ErrorKind::VersionNotSupported, words).with("requestedVersion", asked).into());
    }
    let operation = decoded.operation.clone()?;
    let extensions = match operation {
        // What must be supported may only be said there.
        Operation::GetExtendedAgentCard => None,
        _ => peer.extensions.negotiate(&arrival.head.headers)?,
    };
    let message = decoded.message.as_deref();
    let tenant = tenant(message);
    let mut candidates = decoded.interfaces.iter().filter_map(|&index| Some((index, peer.interfaces.get(index)?)));
    let interface = candidates
        .clone()
        .find(|(_, interface)| interface.tenant.is_some() && interface.tenant == tenant)
        .or_else(|| candidates.find(|(_, interface)| interface.tenant.is_none()));
    match interface {
        Some((index, interface)) => {
            let sent = peer.faults.reads_messages().then(|| SentMessage::of(message?)).flatten();
            let about = || classify::task_id(operation, message).and_then(|id| peer.engine.state_of(id));
            let task = peer.faults.reads_tasks().then(about).flatten();
            let caller = Caller { message: sent, on_task: message.is_some_and(names_task), token, task };
            Ok((interface.call(index, operation, caller), extensions))
        }
        None => {
            let words = format!("there is no tenant `{}` here", tenant.unwrap_or_default());
            Err(A2aError::new(ErrorKind::InvalidParams, words).into())
        }
    }
}

/// Whether a request is about a task that is there already.
fn names_task(request: &Value) -> bool {
    let named = |holder: Option<&Value>, name: &str| {
        let id = holder.and_then(|holder| member(holder, name)).and_then(Value::as_str);
        id.is_some_and(|id| !id.is_empty())
    };
    named(Some(request), "id") || named(Some(request), "taskId") || named(request.get("message"), "taskId")
}

fn tenant(message: Option<&Value>) -> Option<String> {
    message?.get("tenant")?.as_str().filter(|tenant| !tenant.is_empty()).map(str::to_owned)
}

fn is_grpc_discovery(arrival: &Arrival) -> bool {
    let path = arrival.head.uri.path();
    path.starts_with("/grpc.reflection.") || path.starts_with("/grpc.health.")
}

/// `misread` says what faults make of the request; the entry keeps it as it came.
fn begin(
    peer: &Peer,
    arrival: &Arrival,
    class: RequestClass,
    decoded: Option<&Decoded>,
    misread: Vec<Stamp>,
) -> Exchange {
    let head = &arrival.head;
    let request = KeptRequest {
        class,
        binding: decoded.map(|decoded| decoded.binding),
        operation: decoded.and_then(|decoded| decoded.operation.as_ref().ok().copied()),
        version: arrival.version(),
        tenant: decoded.and_then(|decoded| tenant(decoded.message.as_deref())),
        method: head.method.clone(),
        path: head.uri.path_and_query().map_or_else(String::new, ToString::to_string),
        headers: Headers::of(&head.headers),
        message: decoded.map_or(Object::Nothing, Decoded::kept),
        body: arrival.body.as_ref().into(),
        secrets: Arc::clone(&peer.secrets),
    };
    let journal = &peer.shared.journal;
    let place = (arrival.line.number, journal.next_exchange());
    Exchange::begin(journal, &peer.name, place, request, misread)
}

impl Decoded {
    /// The message as the journal keeps it.
    fn kept(&self) -> Object {
        match (&self.message, &self.framing, &self.operation) {
            (None, ..) => Object::Nothing,
            (Some(_), Framing::JsonRpc { .. }, _) => Object::InBytes(Reading::Params),
            (Some(_), Framing::Grpc, Ok(operation)) => Object::InBytes(Reading::GrpcBody(operation.request())),
            // Put together from path, query and body.
            (Some(message), ..) => Object::Known(Arc::clone(message)),
        }
    }
}

impl Arrival {
    /// The protocol version in header, metadata or query.
    fn version(&self) -> Option<String> {
        self.header(VERSION_HEADER)
            .map(str::to_owned)
            .or_else(|| self.head.uri.query().and_then(|query| query_parameter(query, VERSION_HEADER)))
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.head.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The media type of the body, without parameters.
    fn media_type(&self) -> Option<String> {
        self.header("content-type").map(crate::engine::essence)
    }
}

impl From<A2aError> for Failure {
    fn from(error: A2aError) -> Self {
        Self { refusal: Refusal::A2a(error), stamps: Vec::new(), status: None, headers: Vec::new() }
    }
}
