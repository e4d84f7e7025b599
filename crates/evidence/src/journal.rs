//! What a fleet saw and said, in order.

use gauntlet_wire::protojson::member;
use gauntlet_wire::{Binding, Operation};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One thing that happened at a peer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JournalEntry {
    /// Position in the fleet's journal, from 1. Findings cite it.
    pub seq: u64,
    /// Microseconds since the fleet started, by the fleet's clock.
    pub at_us: u64,
    /// The peer.
    pub peer: String,
    /// The connection, numbered across the fleet from 1; 0 for what the peer sends of its own accord.
    pub connection: u64,
    /// The request and everything that answers it share a number, counted across the fleet from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<u64>,
    /// What happened.
    #[serde(flatten)]
    pub event: JournalEvent,
    /// What faults changed here. An entry without stamps is what a healthy peer would have said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stamps: Vec<Stamp>,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum JournalEvent {
    /// A connection was accepted.
    Opened {
        /// Local address it came in on, `host:port`.
        listener: String,
    },
    /// A request arrived.
    Request(Box<Request>),
    /// The head of the answer was sent.
    Answered {
        /// HTTP status.
        status: u16,
        /// Response headers, lower-case names.
        headers: Vec<(String, String)>,
    },
    /// A body, or one item of a stream, was sent.
    Frame(Box<Frame>),
    /// The answer ended.
    Ended {
        /// How.
        how: Ending,
    },
    /// The connection closed.
    Closed {
        /// Who closed it.
        by: Party,
    },
    /// An event of a task goes to a webhook. Each attempt is an exchange of its own.
    WebhookSent(Box<WebhookRequest>),
    /// What became of the attempt.
    WebhookAnswered {
        /// HTTP status, where there was an answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
        /// Why there was none, for people.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<String>,
    },
    /// A webhook is not told something, or anything: a fault keeps it back, or the fleet sends nothing there.
    WebhookWithheld {
        /// The task it was registered for.
        task_id: String,
        /// The configuration.
        config_id: String,
        /// Where it would have gone.
        url: String,
        /// Position of what is kept back among the events of the configuration, from 0; unset where that is all of them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        index: Option<u32>,
        /// Why not, for people.
        why: String,
    },
}

/// An event on its way to a webhook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookRequest {
    /// The task it is about.
    pub task_id: String,
    /// The push notification configuration that asked for it.
    pub config_id: String,
    /// Where it goes.
    pub url: String,
    /// Position among the events this configuration is told of, from 0.
    pub index: u32,
    /// Which attempt, from 1.
    pub attempt: u32,
    /// Headers, lower-case names.
    pub headers: Vec<(String, String)>,
    /// The StreamResponse as ProtoJSON.
    pub object: Value,
    /// The body as sent.
    #[serde(default, skip_serializing_if = "Raw::is_empty")]
    pub body: Raw,
}

/// A request as it arrived.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// What it is for.
    pub class: RequestClass,
    /// The binding it was made in, where it can be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binding: Option<Binding>,
    /// The operation, where it can be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<Operation>,
    /// Protocol version as sent in header, metadata or query.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Tenant as sent in path, query or body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// HTTP method.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Headers or metadata in order of arrival, lower-case names.
    pub headers: Vec<(String, String)>,
    /// The request message of the operation as ProtoJSON (no JSON-RPC envelope), as far as it could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Value>,
    /// The body as it came.
    #[serde(default, skip_serializing_if = "Raw::is_empty")]
    pub body: Raw,
    /// Names of headers and query parameters that hold credentials at this peer, beside those that always do: masked
    /// when the entry is saved, and of no use afterwards.
    #[serde(skip)]
    pub secrets: Vec<String>,
}

impl Request {
    /// The first header of that (lower-case) name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The task id the request names, in the message or as its target.
    pub fn task_id(&self) -> Option<&str> {
        let request = self.message.as_ref()?;
        let id = match self.operation? {
            operation if operation.sends_message() => return self.of_message("taskId"),
            Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask => request.get("id"),
            _ => member(request, "taskId"),
        };
        id.and_then(Value::as_str).filter(|id| !id.is_empty())
    }

    /// The context id of the message the request sends.
    pub fn context_id(&self) -> Option<&str> {
        self.of_message("contextId")
    }

    /// The id of the message the request sends.
    pub fn message_id(&self) -> Option<&str> {
        self.of_message("messageId")
    }

    fn of_message(&self, name: &str) -> Option<&str> {
        let id = member(self.message.as_ref()?.get("message")?, name)?.as_str();
        id.filter(|id| !id.is_empty())
    }
}

/// What a request is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequestClass {
    /// Card, registry, token, reflection, health.
    Discovery,
    /// A message that continues no dispatched task and carries none of the delegated content.
    Probe,
    /// A message that hands over work: the delegation's id.
    Dispatch(String),
    /// Anything on a task: the delegation whose dispatch began it, where one did.
    FollowUp(Option<String>),
    /// Nothing A2A knows.
    Other,
}

impl RequestClass {
    /// The delegation the request belongs to.
    pub fn delegation(&self) -> Option<&str> {
        match self {
            Self::Dispatch(id) | Self::FollowUp(Some(id)) => Some(id),
            _ => None,
        }
    }

    /// Whether work was handed over.
    pub const fn is_dispatch(&self) -> bool {
        matches!(self, Self::Dispatch(_))
    }
}

/// A body, or one item of a stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Frame {
    /// Position within the answer, from 0.
    pub index: u32,
    /// The A2A object without its envelope, as ProtoJSON: a response message, a stream item, a card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<Value>,
    /// The error, where the frame is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<WireError>,
    /// The bytes as sent (gRPC: the message without its length prefix).
    #[serde(default, skip_serializing_if = "Raw::is_empty")]
    pub raw: Raw,
}

/// An error as it was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WireError {
    /// The binding's own code: `-32601`, `UNIMPLEMENTED`, `404`.
    pub code: String,
    /// For people.
    pub message: String,
    /// The ErrorInfo reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// How an answer ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// In full.
    Complete,
    /// Cleanly, but before all was said: a fault ended it.
    Early,
    /// The peer broke it off.
    Cut,
    /// The orchestrator went away.
    Abandoned,
}

/// A side of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Party {
    /// The mock.
    Peer,
    /// The system under test.
    Orchestrator,
}

/// What a fault changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// The fault primitive.
    pub fault: String,
    /// The defect it belongs to.
    pub defect: String,
    /// JSON pointers into the frame or card; empty where the whole was replaced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pointers: Vec<String>,
}

/// Bytes that are usually text: a JSON string where they are UTF-8, `{"base64": …}` where not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Raw {
    /// No bytes.
    #[default]
    Empty,
    /// UTF-8.
    Text(String),
    /// Anything else, base64 (standard alphabet).
    Binary {
        /// The encoded bytes.
        base64: String,
    },
}

impl Raw {
    /// Whether there are no bytes.
    pub const fn is_empty(&self) -> bool {
        matches!(self, Self::Empty)
    }

    /// The text, where the bytes are UTF-8.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Empty => Some(""),
            Self::Text(text) => Some(text),
            Self::Binary { .. } => None,
        }
    }
}
