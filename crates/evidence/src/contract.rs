//! Driver protocol 1: one JSON object a line, to and from the orchestrator under test.
//!
//! Both sides ignore members they do not know. In an outcome only `id` and `status` are required.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use gauntlet_wire::Binding;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The number of this protocol.
pub const PROTOCOL: u32 = 1;

/// What goes to the driver.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum ToDriver {
    /// Opens the conversation; the driver may answer with a hello.
    Start(Start),
    /// Hands over work.
    Delegate(Box<Delegation>),
    /// Answers a task that waits for input or credentials.
    Continue(Continue),
    /// Asks that a delegation be given up.
    Cancel(Cancel),
    /// Asks that everything remembered be forgotten.
    Reset(Reset),
}

/// What comes from the driver.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum FromDriver {
    /// Who the orchestrator is and what it can do.
    Hello(Hello),
    /// How a delegation ended, or that it waits.
    Outcome(Box<Outcome>),
    /// A reset is through.
    ResetDone(Reset),
}

/// Opens the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Start {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// Seed of the run, for drivers that draw lots.
    pub seed: u64,
}

/// Who the orchestrator is and what its driver can do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Hello {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// Name of the orchestrator.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Bindings and protocol versions it speaks.
    pub speaks: Speaks,
    /// How many delegations it takes at once.
    pub concurrency: u32,
    /// Kinds of message parts it can send.
    pub part_kinds: BTreeSet<PartKind>,
    /// Where it receives push notifications.
    pub webhook: Option<Webhook>,
    /// What of a delegation it honours: the names of [`Support`]; unknown words are kept and mean nothing.
    pub supports: BTreeSet<String>,
}

impl Default for Hello {
    /// What is assumed of a driver that says no hello: JSONRPC, 1.0, text, one at a time, nothing else.
    fn default() -> Self {
        Self {
            protocol: PROTOCOL,
            name: "unnamed orchestrator".to_owned(),
            version: String::new(),
            speaks: Speaks::default(),
            concurrency: 1,
            part_kinds: BTreeSet::from([PartKind::Text]),
            webhook: None,
            supports: BTreeSet::new(),
        }
    }
}

impl Hello {
    /// Whether the driver says it honours `support`.
    pub fn supports(&self, support: Support) -> bool {
        self.supports.contains(support.word())
    }

    /// Whether the orchestrator speaks `binding`.
    pub fn speaks(&self, binding: Binding) -> bool {
        self.speaks.bindings.contains(&binding)
    }
}

/// Bindings and versions an orchestrator speaks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Speaks {
    /// In no order of preference: the peer's card orders them.
    pub bindings: Vec<Binding>,
    /// As Major.Minor.
    pub versions: Vec<String>,
}

impl Default for Speaks {
    fn default() -> Self {
        Self { bindings: vec![Binding::JsonRpc], versions: vec!["1.0".to_owned()] }
    }
}

/// A kind of message part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PartKind {
    /// `text`.
    Text,
    /// `data`.
    Data,
    /// `raw` or `url`.
    File,
}

/// Where an orchestrator receives push notifications.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Webhook {
    /// Absolute URL.
    pub url: String,
}

macro_rules! supports {
    ($($(#[$doc:meta])* $variant:ident = $word:literal,)+) => {
        /// Something a scenario may rely on and a driver may lack. What is not listed is skipped, never passed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Support {
            $($(#[$doc])* #[serde(rename = $word)] $variant,)+
        }

        impl Support {
            /// Every word.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The word in a hello.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// The support with that word.
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

supports! {
    /// Follows tasks by streaming when asked to.
    Streaming = "streaming",
    /// Registers and receives push notifications.
    Push = "push",
    /// Takes `continue`.
    MultiTurn = "multi-turn",
    /// Takes `cancel`.
    Cancel = "cancel",
    /// Takes `reset`, and remembers between resets.
    Reset = "reset",
    /// Obtains OAuth tokens.
    OAuth2 = "oauth2",
    /// Tries a peer out with synthetic messages before it hands over work.
    Probe = "probe",
    /// Fills `reason`.
    Reasons = "reasons",
    /// Fills `artifacts`.
    Artifacts = "artifacts",
    /// Fills `history`.
    History = "history",
    /// Verifies card signatures.
    Signatures = "signatures",
    /// Chooses among several peers.
    MultiPeer = "multi-peer",
    /// Honours `skill`.
    Skill = "skill",
    /// Honours `registry`.
    Registry = "registry",
    /// Honours `needs`.
    Needs = "needs",
    /// Honours `policy`.
    Policy = "policy",
    /// Keeps principals apart.
    Principal = "principal",
    /// Checks media types against the card.
    Modes = "modes",
    /// Honours `deadlineMs`.
    Deadline = "deadline",
    /// Follows a card to interfaces of another origin.
    CrossOrigin = "cross-origin",
}

impl fmt::Display for Support {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// Work handed to the orchestrator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Delegation {
    /// Names the delegation in every later line.
    pub id: String,
    /// Delegations of one session share the orchestrator's memory.
    pub session: String,
    /// On whose behalf.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// A word found in the content and nowhere else: requests that carry it hand over this work.
    pub marker: String,
    /// Whom it may be delegated to, in order of preference.
    pub peers: Vec<PeerAddress>,
    /// How to choose among them.
    #[serde(default)]
    pub select: Select,
    /// The content.
    pub message: Content,
    /// The skill of the peer to be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// Media types the caller can take.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted_output_modes: Vec<String>,
    /// Capabilities the work depends on.
    #[serde(default)]
    pub needs: Needs,
    /// The only bindings that may be used; unset means any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_bindings: Option<Vec<Binding>>,
    /// Credentials by peer name, as objects.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub credentials: BTreeMap<String, Vec<Value>>,
    /// What the caller demands or waives.
    #[serde(default)]
    pub policy: Policy,
    /// Milliseconds after which the caller gives up.
    pub deadline_ms: u64,
}

/// A peer as the orchestrator is told of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PeerAddress {
    /// Its name in this run.
    pub name: String,
    /// Its origin.
    pub base_url: String,
    /// Its card.
    pub card_url: String,
}

/// How to choose among several peers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Select {
    /// The first that can do the work.
    #[default]
    OneInOrder,
}

/// Message content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Content {
    /// Parts as ProtoJSON.
    pub parts: Vec<Value>,
}

/// Capabilities the work depends on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Needs {
    /// Following the task by stream.
    pub streaming: Need,
    /// Push notifications.
    pub push: Need,
}

/// How much the work depends on a capability.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Need {
    /// Without it the work must not be handed over.
    Required,
    /// Used where it is there.
    Preferred,
    /// Not used.
    #[default]
    Unused,
}

/// What the caller demands or waives.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Policy {
    /// Cards must carry a signature that verifies.
    pub require_signatures: bool,
    /// Keys to verify with.
    pub jwks: Option<Value>,
    /// The caller accepts that capabilities are found out by handing over the work.
    pub send_and_see: bool,
}

/// Answers a task that waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Continue {
    /// The delegation.
    pub id: String,
    /// Parts as ProtoJSON.
    pub parts: Vec<Value>,
}

/// Gives a delegation up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cancel {
    /// The delegation.
    pub id: String,
}

/// Forgets a session; the answer repeats it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reset {
    /// The session.
    pub session: String,
}

/// How a delegation ended, or that it waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// The delegation.
    pub id: String,
    /// How it ended.
    pub status: Status,
    /// The answer, or words about the failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The peer that was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer: Option<String>,
    /// The binding that was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binding: Option<Binding>,
    /// The task at the peer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// Why it was refused or failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Whether the orchestrator thinks that trying again would help.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transient: Option<bool>,
    /// Artifacts as ProtoJSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifacts: Option<Vec<Value>>,
    /// Messages as ProtoJSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<Vec<Value>>,
    /// Oddities noticed on the way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// What the orchestrator now believes of the peer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective_capabilities: Option<Value>,
    /// The exception, where the framework raised one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Raised>,
}

impl Outcome {
    /// An outcome with nothing but its status.
    pub fn new(id: impl Into<String>, status: Status) -> Self {
        Self {
            id: id.into(),
            status,
            text: None,
            peer: None,
            binding: None,
            task_id: None,
            reason: None,
            transient: None,
            artifacts: None,
            history: None,
            warnings: Vec::new(),
            effective_capabilities: None,
            error: None,
        }
    }
}

/// How a delegation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The peer completed the work.
    Completed,
    /// The orchestrator did not hand the work over.
    Refused,
    /// The work failed.
    Failed,
    /// The peer rejected the work.
    Rejected,
    /// The task was cancelled.
    Canceled,
    /// The task waits for input.
    InputRequired,
    /// The task waits for credentials.
    AuthRequired,
    /// The deadline passed.
    TimedOut,
    /// The framework returned something and hides the state.
    Returned,
    /// The framework raised an error and hides the state.
    Raised,
}

impl Status {
    /// The word in an outcome.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::Rejected => "rejected",
            Self::Canceled => "canceled",
            Self::InputRequired => "input-required",
            Self::AuthRequired => "auth-required",
            Self::TimedOut => "timed-out",
            Self::Returned => "returned",
            Self::Raised => "raised",
        }
    }

    /// Whether the caller was told that it has an answer.
    pub const fn is_success(self) -> bool {
        matches!(self, Self::Completed | Self::Returned)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// A typed reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Reason {
    /// Such as `capability-mismatch`, `mode-unsupported`, `interface-mismatch`, `no-shared-interface`.
    pub code: String,
    /// The layer that failed: parse, schema, spec, capability or traffic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// Such as `streaming`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capability: Option<String>,
    /// The binding it was wanted on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<Binding>,
    /// For people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// An oddity noticed on the way.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Warning {
    /// Such as `capability-discrepancy`.
    pub code: String,
    /// For people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// An exception.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Raised {
    /// Its class.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its message.
    pub message: String,
}
