//! What a fault is: stages it may hook and the typed view each stage gives it.

use std::fmt::{self, Debug};
use std::sync::Arc;

use gauntlet_scenario::{Node, Step};
use gauntlet_wire::protojson::member;
use gauntlet_wire::v1::{self, TaskState};
use gauntlet_wire::{A2aError, Binding, Operation};
use prost_reflect::MessageDescriptor;
use serde_json::Value;

/// The stages a peer goes through, in order. A fault states which it hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// The card is about to be served.
    CardRendered,
    /// An interface is about to listen.
    ConnectionAccepted,
    /// The message of a call has been read.
    RequestDecoded,
    /// An operation is about to be carried out.
    OperationAdmitted,
    /// The engine tells its subscribers something.
    EngineEvent,
    /// A response or stream item has its final form and is about to be written.
    FrameEncoded,
    /// The bytes of a response or stream item are about to go out, envelope and framing included.
    BytesWritten,
    /// An event of a task is about to be sent to a webhook.
    WebhookEncoded,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::CardRendered => "card-rendered",
            Self::ConnectionAccepted => "connection-accepted",
            Self::RequestDecoded => "request-decoded",
            Self::OperationAdmitted => "operation-admitted",
            Self::EngineEvent => "engine-event",
            Self::FrameEncoded => "frame-encoded",
            Self::BytesWritten => "bytes-written",
            Self::WebhookEncoded => "webhook-encoded",
        })
    }
}

/// A primitive departure from correct behaviour. Every hook defaults to doing nothing; a hook returns the JSON pointers
/// it changed (an empty list where the whole was replaced), or `None` where it did not bite.
pub trait Fault: Send + Sync + Debug {
    /// [`Stage::CardRendered`]: `card` is the legal card as JSON.
    fn on_card(&self, card: &mut Value) -> Option<Vec<String>> {
        let _ = card;
        None
    }

    /// [`Stage::ConnectionAccepted`]: whether the interface of that binding listens.
    fn on_listen(&self, binding: Binding) -> Option<Listen> {
        let _ = binding;
        None
    }

    /// [`Stage::RequestDecoded`]: what the peer takes the call to say. `message` is the request message as ProtoJSON,
    /// without any envelope; the journal keeps it as it came.
    fn on_request(&self, call: &Call, message: &mut Value) -> Option<Vec<String>> {
        let _ = (call, message);
        None
    }

    /// [`Stage::RequestDecoded`]: what the agent does with the message of the call instead of what it would do.
    fn on_work(&self, call: &Call) -> Option<Arc<[Step]>> {
        let _ = call;
        None
    }

    /// [`Stage::OperationAdmitted`]: whether to answer something else instead of carrying the call out. Nothing of the
    /// call reaches the engine then.
    fn on_operation(&self, call: &Call) -> Option<Instead> {
        let _ = call;
        None
    }

    /// [`Stage::EngineEvent`]: what is told, and how the peer itself takes it.
    fn on_event(&self, event: &mut EventView<'_>) -> Option<EventAction> {
        let _ = event;
        None
    }

    /// [`Stage::FrameEncoded`]: the final form of a response or stream item.
    fn on_frame(&self, frame: &mut FrameView<'_>) -> Option<FrameAction> {
        let _ = frame;
        None
    }

    /// [`Stage::BytesWritten`]: the bytes of a response or stream item, and whether the connection outlives them.
    fn on_bytes(&self, bytes: &mut BytesView<'_>) -> Option<BytesAction> {
        let _ = bytes;
        None
    }

    /// [`Stage::WebhookEncoded`]: what a webhook is sent, how often and when.
    fn on_webhook(&self, webhook: &mut WebhookView<'_>) -> Option<WebhookAction> {
        let _ = webhook;
        None
    }

    /// What it decides alone: two faults that decide the same are not composed but refused.
    fn claims(&self) -> Vec<Claim> {
        Vec::new()
    }
}

/// Something that one fault at a time can decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// Whether an interface listens. Where it does not, nothing else can bite.
    Listening,
    /// How an operation is answered.
    Answer(Operation),
    /// What stands in the card at a JSON pointer and below.
    Card(String),
    /// How artifact updates are told and held.
    ArtifactUpdates,
    /// Where a stream ends.
    StreamEnd,
    /// What is understood of an operation at a JSON pointer of its request and below.
    Request(String),
    /// How the events of a stream are framed.
    EventFraming,
    /// Whether and when notifications are sent.
    Notifications,
    /// What the agent does with messages.
    Work,
}

/// A call of an operation on an interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The binding it came in on.
    pub binding: Binding,
    /// The index of the interface in the list of the peer.
    pub interface: usize,
    /// The operation.
    pub operation: Operation,
    /// Its number among the calls of that operation on that interface, from 1.
    pub nth: u32,
    /// The message it sends, where it sends one and some condition asks for it ([`crate::FaultSet::reads_messages`]).
    pub message: Option<SentMessage>,
    /// Whether it names a task that is there already.
    pub on_task: bool,
    /// The token it brings, where the peer's own token server has issued it.
    pub token: Option<ShownToken>,
    /// The state of the task it is about, where there is one and some condition asks for it
    /// ([`crate::FaultSet::reads_tasks`]).
    pub task: Option<TaskState>,
}

/// An access token as the peer knows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShownToken {
    /// What it was granted for.
    pub scopes: Vec<String>,
    /// Whom it is meant for, where that was asked for.
    pub audience: Option<String>,
    /// Whether it came of a refresh.
    pub refreshed: bool,
    /// How often it has been shown before.
    pub shown_before: u32,
}

/// What conditions ask of a message that is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentMessage {
    /// Its id.
    pub id: String,
    /// Its text parts.
    pub texts: Vec<String>,
    /// Whether the request names a webhook for the task.
    pub names_webhook: bool,
}

impl SentMessage {
    /// The message in the request of a call, as ProtoJSON; `None` where it sends none.
    pub fn of(request: &Value) -> Option<Self> {
        let message = request.get("message")?;
        let id = member(message, "messageId").and_then(Value::as_str).unwrap_or_default().to_owned();
        let parts = message.get("parts").and_then(Value::as_array).into_iter().flatten();
        let texts = parts.filter_map(|part| part.get("text")?.as_str().map(str::to_owned)).collect();
        let configuration = request.get("configuration");
        let webhook = configuration.and_then(|configuration| member(configuration, "taskPushNotificationConfig"));
        Some(Self { id, texts, names_webhook: webhook.is_some_and(|webhook| !webhook.is_null()) })
    }
}

/// How an interface listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listen {
    /// The port is bound but connections are refused.
    Refuse,
}

/// An answer instead of carrying a call out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Instead {
    /// A refusal in the form of the binding.
    Refusal(Refusal),
    /// An error of HTTP alone, whatever the binding: from something in front of the peer, or another server.
    Http {
        /// The status, from 400 to 599.
        status: u16,
        /// Headers beside those of the body, which is plain text. Lower-case names.
        headers: Vec<(String, String)>,
    },
    /// Nothing: the connection is reset, with everything else that is on it.
    Reset,
    /// Access is denied as a healthy peer denies it.
    Denied(Denial),
}

/// Access that is denied (RFC 6750 §3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    /// Whether the caller is known but may not do this: 403 and PERMISSION_DENIED instead of 401 and UNAUTHENTICATED.
    pub forbidden: bool,
    /// For people.
    pub why: String,
    /// The value of the WWW-Authenticate header, where there is one.
    pub challenge: Option<String>,
}

/// A refusal as bindings speak it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// An error of the A2A table, in whatever form the binding gives it.
    A2a(A2aError),
    /// A bare error of the binding, without ErrorInfo.
    Bare {
        /// JSON-RPC error code, gRPC status code, or HTTP status, as the binding has it.
        code: i64,
        /// For people.
        message: String,
    },
    /// The same, with the word when to come back where the binding has a place for it (gRPC: `google.rpc.RetryInfo`).
    Later {
        /// As in [`Self::Bare`].
        code: i64,
        /// For people.
        message: String,
        /// When to come back, in seconds from now.
        seconds: u32,
    },
}

/// An engine event on its way to subscribers.
#[derive(Debug)]
pub struct EventView<'a> {
    /// What subscribers are told.
    pub said: &'a mut v1::StreamResponse,
    /// How the peer itself takes an artifact update; unset means as the unchanged event says.
    pub held: &'a mut Option<Fold>,
    /// Position among the events of the task, from 0.
    pub index: u32,
}

/// What becomes of an engine event.
#[derive(Debug, Clone, PartialEq)]
pub enum EventAction {
    /// It is told, with changes at these pointers.
    Changed(Vec<String>),
    /// It is told, and after it these, which never happened.
    Also(Vec<v1::StreamResponse>),
    /// It is told after the next event of the task instead of before it.
    Later,
}

/// How an artifact update changes the artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fold {
    /// Its parts are added to those already there.
    Append,
    /// Its parts take the place of those already there.
    Replace,
}

/// A response or stream item in its final form.
#[derive(Debug)]
pub struct FrameView<'a> {
    /// The call it answers.
    pub call: &'a Call,
    /// Position within the answer, from 0.
    pub index: u32,
    /// Whether it ends the task or interrupts it: the last of a healthy stream.
    pub last: bool,
    /// The bytes to be.
    pub encoded: Encoded<'a>,
}

/// The final form of a frame.
#[derive(Debug)]
pub enum Encoded<'a> {
    /// JSON-RPC and HTTP+JSON: the A2A object, without the JSON-RPC envelope.
    Json(&'a mut Value),
    /// gRPC: the protobuf bytes and the message they encode.
    Proto(&'a MessageDescriptor, &'a mut Vec<u8>),
}

/// What becomes of a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrameAction {
    /// It is sent, with changes at these pointers.
    Changed(Vec<String>),
    /// It is not sent; later ones are.
    Drop,
    /// It is not sent and the answer ends cleanly here. The task goes on.
    EndBefore,
    /// It is sent and the answer ends cleanly after it. The task goes on.
    EndAfter,
}

/// The bytes of a response or stream item on their way out.
#[derive(Debug)]
pub struct BytesView<'a> {
    /// The call they answer.
    pub call: &'a Call,
    /// What is framed, and how.
    pub framing: WireFraming,
    /// Position within the answer, from 0.
    pub index: u32,
    /// Whether the item ends the task or interrupts it: the last of a healthy stream.
    pub last: bool,
    /// The bytes in the pieces in which they are written; one to begin with.
    pub pieces: &'a mut Vec<Vec<u8>>,
}

/// How bytes are framed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireFraming {
    /// A whole body.
    Body,
    /// A server-sent event.
    Event,
    /// A gRPC message with its length prefix.
    GrpcMessage,
}

/// What becomes of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BytesAction {
    /// They go out as they are now.
    Changed,
    /// They do not go out; later ones do.
    Drop,
    /// They go out as they are now, and then the answer is broken off.
    BreakOff(BreakOff),
}

/// How an answer is broken off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakOff {
    /// The connection is closed without a word (HTTP/1.1), or the stream is reset (HTTP/2).
    Close,
    /// The connection is reset, with everything else that is on it.
    Reset,
}

/// A notification on its way to a webhook. Each of them is shown once, whatever the number of attempts.
#[derive(Debug)]
pub struct WebhookView<'a> {
    /// The task it is about, as the peer held it when that happened.
    pub task: &'a v1::Task,
    /// Position among the notifications of this webhook, from 0.
    pub index: u32,
    /// The StreamResponse as ProtoJSON.
    pub object: &'a mut Value,
    /// Headers, lower-case names.
    pub headers: &'a mut Vec<(String, String)>,
}

/// What becomes of a notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WebhookAction {
    /// It is sent with changes at these pointers; the list is empty where only headers were changed.
    Changed(Vec<String>),
    /// It is not sent; later ones are.
    Drop,
    /// It is sent and then so many times more.
    Repeat(u32),
    /// It and all that follow wait for so many milliseconds.
    Wait(u64),
    /// It waits until so many later ones have had their turn, or nothing more comes.
    Behind(u32),
}

/// What the catalogue knows of a kind of fault.
#[derive(Debug, Clone, Copy)]
pub struct FaultKind {
    /// Its name in defect files.
    pub id: &'static str,
    /// One sentence for people.
    pub summary: &'static str,
    /// The stages it hooks.
    pub stages: &'static [Stage],
    /// Its arguments: name, kind and meaning, for listings.
    pub arguments: &'static [(&'static str, &'static str)],
    /// Reads the arguments.
    pub build: fn(&Node) -> Result<Box<dyn Fault>, gauntlet_scenario::FileError>,
}
