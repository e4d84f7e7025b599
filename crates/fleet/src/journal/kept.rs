//! Entries in the form the journal holds them: what went over the wire, and how it is to be read. Keeping costs a peer
//! little more than the bytes; making them readable is left to whoever reads the journal.

use std::sync::Arc;

use bytes::Bytes;
use gauntlet_evidence::journal::{Ending, Frame, Raw, WireError};
use gauntlet_evidence::{JournalEntry, JournalEvent, Request, RequestClass, Stamp};
use gauntlet_wire::{Binding, Operation, jsonrpc, protojson, sse};
use http::{HeaderMap, StatusCode};
use prost_reflect::MessageDescriptor;
use serde_json::Value;

use super::raw;
use crate::check;

/// One entry.
pub(super) struct Kept {
    pub(super) seq: u64,
    pub(super) at_us: u64,
    pub(super) peer: Arc<str>,
    pub(super) connection: u64,
    pub(super) exchange: Option<u64>,
    pub(super) what: What,
    pub(super) stamps: Vec<Stamp>,
}

/// What happened.
pub(crate) enum What {
    Request(Box<KeptRequest>),
    Answered(StatusCode, Headers),
    Frame(Box<KeptFrame>),
    Ended(Ending),
    /// Too rare to be kept in another form.
    Event(Box<JournalEvent>),
}

/// A request as it came.
pub(crate) struct KeptRequest {
    pub(crate) class: RequestClass,
    pub(crate) binding: Option<Binding>,
    pub(crate) operation: Option<Operation>,
    pub(crate) version: Option<String>,
    pub(crate) tenant: Option<String>,
    pub(crate) method: http::Method,
    pub(crate) path: String,
    pub(crate) headers: Headers,
    pub(crate) message: Object,
    /// A copy: the original is a slice of a much larger buffer.
    pub(crate) body: Box<[u8]>,
    /// Names of headers and query parameters that hold credentials at this peer.
    pub(crate) secrets: Arc<[String]>,
}

/// A body, or one item of a stream.
pub(crate) struct KeptFrame {
    pub(crate) index: u32,
    pub(crate) object: Object,
    pub(crate) error: Option<WireError>,
    pub(crate) raw: Bytes,
    /// The fleet vouches that the object is one of these, unless a fault has touched it.
    pub(crate) vouched: Option<MessageDescriptor>,
}

/// An A2A object without its envelope.
pub(crate) enum Object {
    /// There is none, or it could not be read.
    Nothing,
    /// Not to be had from the bytes that were sent.
    Known(Arc<Value>),
    InBytes(Reading),
}

/// Where in the bytes an object stands.
#[derive(Debug, Clone)]
pub(crate) enum Reading {
    /// They are its ProtoJSON.
    Json,
    /// The result of a JSON-RPC answer.
    Result,
    /// The parameters of a JSON-RPC call.
    Params,
    /// The same in a server-sent event.
    EventJson,
    EventResult,
    /// They are protobuf.
    Proto(MessageDescriptor),
    /// They are the body of a gRPC call.
    GrpcBody(MessageDescriptor),
}

/// Header fields in one piece: a line each.
pub(crate) struct Headers(Box<str>);

impl Kept {
    /// The entry as it is read.
    pub(super) fn entry(&self) -> JournalEntry {
        let event = match &self.what {
            What::Request(request) => JournalEvent::Request(Box::new(request.read())),
            What::Answered(status, headers) => {
                JournalEvent::Answered { status: status.as_u16(), headers: headers.pairs() }
            }
            What::Frame(frame) => JournalEvent::Frame(Box::new(frame.read())),
            What::Ended(how) => JournalEvent::Ended { how: how.clone() },
            What::Event(event) => JournalEvent::clone(event),
        };
        JournalEntry {
            seq: self.seq,
            at_us: self.at_us,
            peer: self.peer.to_string(),
            connection: self.connection,
            exchange: self.exchange,
            event,
            stamps: self.stamps.clone(),
        }
    }

    /// What is wrong with what the fleet vouches for, where something is: a bug of the mock.
    pub(super) fn breach(&self) -> Option<String> {
        if !self.stamps.is_empty() {
            return None;
        }
        match &self.what {
            What::Frame(frame) => {
                let descriptor = frame.vouched.as_ref()?;
                // Bytes that found no room in the journal cannot be read again.
                let object = frame.object.read(&frame.raw).filter(|_| !frame.raw.is_empty())?;
                check::breach(&self.peer, descriptor, &object)
            }
            What::Event(event) => match &**event {
                JournalEvent::WebhookSent(sent) => {
                    check::breach(&self.peer, &gauntlet_wire::message("StreamResponse")?, &sent.object)
                }
                _ => None,
            },
            What::Request(_) | What::Answered(..) | What::Ended(_) => None,
        }
    }
}

impl What {
    /// The bytes that count against the limit.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Request(request) => request.body.len(),
            Self::Frame(frame) => frame.raw.len(),
            Self::Event(event) => match &**event {
                JournalEvent::WebhookSent(request) => match &request.body {
                    Raw::Empty => 0,
                    Raw::Text(text) => text.len(),
                    Raw::Binary { base64 } => base64.len(),
                },
                _ => 0,
            },
            Self::Answered(..) | Self::Ended(_) => 0,
        }
    }

    /// Leaves the bytes out.
    pub(super) fn shed(&mut self) {
        match self {
            Self::Request(request) => request.body = Box::default(),
            Self::Frame(frame) => frame.raw = Bytes::new(),
            Self::Event(event) => {
                if let JournalEvent::WebhookSent(request) = &mut **event {
                    request.body = Raw::Empty;
                }
            }
            Self::Answered(..) | Self::Ended(_) => {}
        }
    }
}

impl KeptRequest {
    fn read(&self) -> Request {
        Request {
            class: self.class.clone(),
            binding: self.binding,
            operation: self.operation,
            version: self.version.clone(),
            tenant: self.tenant.clone(),
            method: self.method.to_string(),
            path: self.path.clone(),
            headers: self.headers.pairs(),
            message: self.message.read(&self.body),
            body: raw(&self.body),
            secrets: self.secrets.to_vec(),
        }
    }
}

impl KeptFrame {
    fn read(&self) -> Frame {
        Frame { index: self.index, object: self.object.read(&self.raw), error: self.error.clone(), raw: raw(&self.raw) }
    }
}

impl Object {
    /// As ProtoJSON.
    fn read(&self, bytes: &[u8]) -> Option<Value> {
        match self {
            Self::Nothing => None,
            Self::Known(value) => Some(Value::clone(value)),
            Self::InBytes(reading) => reading.read(bytes),
        }
    }
}

impl Reading {
    fn read(&self, bytes: &[u8]) -> Option<Value> {
        match self {
            Self::Json => serde_json::from_slice(bytes).ok(),
            Self::Result => jsonrpc::parse_response(bytes).ok()?.result.ok(),
            Self::Params => Some(jsonrpc::parse(bytes).ok()?.params.unwrap_or_else(|| serde_json::json!({}))),
            Self::EventJson => Self::Json.read(event(bytes)?.as_bytes()),
            Self::EventResult => Self::Result.read(event(bytes)?.as_bytes()),
            Self::Proto(descriptor) => protojson::bytes_to_json(descriptor, bytes).ok(),
            Self::GrpcBody(descriptor) => {
                Self::Proto(descriptor.clone()).read(bytes.get(crate::binding::GRPC_PREFIX..)?)
            }
        }
    }
}

/// The data of the one event there is.
fn event(bytes: &[u8]) -> Option<String> {
    sse::Decoder::default().push(bytes).pop().map(|event| event.data)
}

impl Headers {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let size = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 2).sum();
        let mut lines = String::with_capacity(size);
        for (name, value) in headers {
            lines.push_str(name.as_str());
            lines.push(':');
            lines.push_str(&String::from_utf8_lossy(value.as_bytes()));
            lines.push('\n');
        }
        Self(lines.into_boxed_str())
    }

    /// Names in lower case, and values.
    fn pairs(&self) -> Vec<(String, String)> {
        // Neither a name nor a value holds the end of a line, and a name holds no colon: HTTP forbids it.
        let pairs = self.0.lines().filter_map(|line| line.split_once(':'));
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }
}
