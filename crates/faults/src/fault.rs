//! What a fault is: stages it may hook and the typed view each stage gives it.

use std::fmt::{self, Debug};

use gauntlet_scenario::Node;
use gauntlet_wire::{A2aError, Binding, Operation, v1};
use prost_reflect::MessageDescriptor;
use serde_json::Value;

/// The stages a peer goes through, in order. A fault states which it hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// The card is about to be served.
    CardRendered,
    /// An interface is about to listen.
    ConnectionAccepted,
    /// An operation is about to be carried out.
    OperationAdmitted,
    /// The engine tells its subscribers something.
    EngineEvent,
    /// A response or stream item has its final form and is about to be written.
    FrameEncoded,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::CardRendered => "card-rendered",
            Self::ConnectionAccepted => "connection-accepted",
            Self::OperationAdmitted => "operation-admitted",
            Self::EngineEvent => "engine-event",
            Self::FrameEncoded => "frame-encoded",
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

    /// [`Stage::OperationAdmitted`]: whether to answer with a refusal instead of carrying the call out. Nothing of the
    /// call reaches the engine then.
    fn on_operation(&self, call: &Call) -> Option<Refusal> {
        let _ = call;
        None
    }

    /// [`Stage::EngineEvent`]: what is told, and how the peer itself takes it.
    fn on_event(&self, event: &mut EventView<'_>) -> Option<Vec<String>> {
        let _ = event;
        None
    }

    /// [`Stage::FrameEncoded`]: the final form of a response or stream item.
    fn on_frame(&self, frame: &mut FrameView<'_>) -> Option<FrameAction> {
        let _ = frame;
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
}

/// A call of an operation on an interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The binding it came in on.
    pub binding: Binding,
    /// The operation.
    pub operation: Operation,
    /// Its number among the calls of that operation on that interface, from 1.
    pub nth: u32,
}

/// How an interface listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listen {
    /// The port is bound but connections are refused.
    Refuse,
}

/// An answer instead of carrying a call out.
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
