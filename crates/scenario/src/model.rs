//! The typed form of fleet and defect files: what the other crates work with.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use gauntlet_wire::v1::TaskState;
use gauntlet_wire::{Binding, Operation, ProtocolVersion};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::node::{Node, Place};
use crate::token_server::TokenServerSpec;

/// A fleet file: peers that are started together.
#[derive(Debug, Clone)]
pub struct FleetFile {
    /// The file's stem: the name under which scenarios and `serve` know it.
    pub id: String,
    /// One line on what it is for.
    pub title: String,
    /// The peers, in the order of the file.
    pub peers: Vec<PeerSpec>,
}

/// One peer, before its defects are resolved.
#[derive(Debug, Clone)]
pub struct PeerSpec {
    /// Its name within the fleet.
    pub name: String,
    /// The protocol version it speaks, as Major.Minor.
    pub protocol: String,
    /// Its interfaces in the order its card lists them.
    pub interfaces: Vec<InterfaceSpec>,
    /// Merged over a legal card (RFC 7396: an object merges, null removes, anything else replaces).
    pub card: Value,
    /// Merged over the card for callers that ask for the extended one; without it there is none.
    pub extended_card: Option<Value>,
    /// The credentials it takes, by the name of a security scheme of its card; for a scheme that is not named here it
    /// takes any.
    pub accepts: IndexMap<String, Vec<String>>,
    /// Issues the tokens that it takes. The card then demands them, unless `card` says otherwise.
    pub token_server: Option<TokenServerSpec>,
    /// Skills as card objects; missing required members are filled in. Empty means one plain skill.
    pub skills: Vec<Value>,
    /// What the agent does with messages.
    pub behaviour: Behaviour,
    /// Defects in the order they were named.
    pub defects: Vec<DefectUse>,
    /// Which error table it speaks.
    pub errors: ErrorTable,
}

impl PeerSpec {
    /// A healthy peer: says it works, returns one text artifact in one chunk, completes.
    pub fn healthy(name: impl Into<String>, bindings: impl IntoIterator<Item = Binding>) -> Self {
        Self {
            name: name.into(),
            protocol: "1.0".to_owned(),
            interfaces: bindings.into_iter().map(InterfaceSpec::new).collect(),
            card: Value::Object(serde_json::Map::new()),
            extended_card: None,
            accepts: IndexMap::new(),
            token_server: None,
            skills: Vec::new(),
            behaviour: Behaviour::default(),
            defects: Vec::new(),
            errors: ErrorTable::default(),
        }
    }
}

/// One interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterfaceSpec {
    /// Its binding.
    pub binding: Binding,
    /// Path below the origin, such as `/rpc`; empty for the root. Ignored for gRPC.
    pub path: String,
    /// Its tenant.
    pub tenant: Option<String>,
    /// A fixed port instead of any free one. Interfaces without one share the peer's own listener.
    pub port: Option<u16>,
    /// A listener of its own instead of the peer's: another origin than the card's.
    pub own_listener: bool,
}

impl InterfaceSpec {
    /// At the root of the peer's own listener.
    pub const fn new(binding: Binding) -> Self {
        Self { binding, path: String::new(), tenant: None, port: None, own_listener: false }
    }
}

/// Which error table a peer speaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ErrorTable {
    /// That of specification 1.0.1.
    #[default]
    V1_0_1,
    /// That of specification 1.0.0.
    V1_0_0,
}

/// What an agent does: the first branch whose conditions a message meets.
#[derive(Debug, Clone, PartialEq)]
pub struct Behaviour {
    /// In order; the last one usually has no condition.
    pub branches: Vec<Branch>,
}

impl Default for Behaviour {
    fn default() -> Self {
        let artifact = ArtifactStep { text: Some("done".to_owned()), ..ArtifactStep::default() };
        Self::steps(vec![Step::Working(None), Step::Artifact(artifact), Step::Complete(None)])
    }
}

impl Behaviour {
    /// The same steps for every message.
    pub fn steps(steps: Vec<Step>) -> Self {
        Self { branches: vec![Branch { when: MessageMatch::default(), steps: steps.into() }] }
    }

    /// Every step of every branch.
    pub fn all_steps(&self) -> impl Iterator<Item = &Step> {
        self.branches.iter().flat_map(|branch| &*branch.steps)
    }
}

/// Steps for the messages that meet some conditions.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// All must hold; none means always.
    pub when: MessageMatch,
    /// What happens. A task that waits (`ask`, `auth`) goes on with the next step when it is answered.
    pub steps: Arc<[Step]>,
}

/// Conditions on a message.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MessageMatch {
    /// Which message of a task it is.
    pub turn: Turn,
    /// A text part contains this.
    pub text: Option<String>,
    /// A text part contains this word, whole, in upper or lower case: `ask` does not stand in `task`.
    pub word: Option<String>,
    /// The message id begins with this.
    pub message_id_prefix: Option<String>,
    /// These members stand in the message's metadata.
    pub metadata: IndexMap<String, Value>,
}

/// The place of a message among those that the user sends to one task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Turn {
    /// The one that begins it.
    #[default]
    First,
    /// The nth, from 2. What is left of the steps before is dropped.
    Nth(u32),
    /// Any but the first.
    Later,
    /// Any.
    Any,
}

impl Turn {
    /// Whether the nth message, from 1, has that place.
    pub const fn is(self, nth: u32) -> bool {
        match self {
            Self::First => nth == 1,
            Self::Nth(turn) => nth == turn,
            Self::Later => nth > 1,
            Self::Any => true,
        }
    }
}

/// One thing an agent does.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Status WORKING, with words or without.
    Working(Option<String>),
    /// Produces an artifact.
    Artifact(ArtifactStep),
    /// INPUT_REQUIRED with a question; goes on when answered.
    Ask(String),
    /// AUTH_REQUIRED with words; goes on when answered.
    Auth(String),
    /// COMPLETED.
    Complete(Option<String>),
    /// FAILED with words.
    Fail(String),
    /// REJECTED with words.
    Reject(String),
    /// CANCELED without being asked.
    Cancel,
    /// Answers with a message instead of a task; must be the only step.
    Reply(String),
    /// Does nothing until the task is cancelled: a task that never ends by itself.
    Hang,
    /// Lets this many milliseconds of the fleet's clock pass.
    Wait(u64),
}

/// An artifact to be produced.
#[derive(Debug, Clone, PartialEq)]
pub struct ArtifactStep {
    /// Its name.
    pub name: Option<String>,
    /// Text content, cut into chunks at character borders of about equal length.
    pub text: Option<String>,
    /// Data content, sent whole.
    pub data: Option<Value>,
    /// File content.
    pub file: Option<FileContent>,
    /// Media type of the part.
    pub media_type: Option<String>,
    /// In how many events it is streamed; at least 1.
    pub chunks: u32,
}

impl Default for ArtifactStep {
    fn default() -> Self {
        Self { name: None, text: None, data: None, file: None, media_type: None, chunks: 1 }
    }
}

/// File content of an artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileContent {
    /// File name.
    pub name: String,
    /// Its bytes, as text.
    pub text: Option<String>,
    /// Or where it is.
    pub url: Option<String>,
}

/// A defect switched on for a peer.
#[derive(Debug, Clone)]
pub struct DefectUse {
    /// The defect.
    pub id: String,
    /// Its arguments, as written.
    pub arguments: Vec<(String, Node)>,
    /// When it bites.
    pub when: When,
    /// Where it was switched on.
    pub place: Place,
}

/// When a fault bites; every condition given must hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct When {
    /// Only on these bindings; empty means all.
    pub bindings: BTreeSet<Binding>,
    /// Only on these interfaces: positions in the list of the peer, from 1; empty means all.
    pub interfaces: BTreeSet<u32>,
    /// Only on these operations; empty means all.
    pub operations: BTreeSet<Operation>,
    /// Only on the nth call of the operation on the interface, from 1.
    pub nth: Option<u32>,
    /// Only on the first n calls.
    pub first: Option<u32>,
    /// Only after n events or frames of the call.
    pub after_events: Option<u32>,
    /// With this probability, from 0 to 1, drawn from the run's seed.
    pub probability: Option<f64>,
    /// Only on calls that send a message whose id begins with this.
    pub message_id_prefix: Option<String>,
    /// Only on calls that send a message of which a text part contains this.
    pub text: Option<String>,
    /// Only on calls that send a message and name a webhook for its task; or only on those that name none.
    pub names_webhook: Option<bool>,
    /// Only on calls about a task that the peer holds in one of these states; empty means all calls.
    pub task_states: BTreeSet<TaskState>,
}

impl When {
    /// Whether what a call says decides.
    pub const fn reads_messages(&self) -> bool {
        self.message_id_prefix.is_some() || self.text.is_some() || self.names_webhook.is_some()
    }

    /// Whether the task that a call is about decides.
    pub fn reads_tasks(&self) -> bool {
        !self.task_states.is_empty()
    }
}

/// A defect file.
#[derive(Debug, Clone)]
pub struct Defect {
    /// Its id: the file's stem.
    pub id: String,
    /// One line for people.
    pub title: String,
    /// The folder it stands in, such as `binding`.
    pub area: String,
    /// Where it was seen: `(kind, reference)`, such as `("thread", "owner/repo#1")`.
    pub seen_in: Vec<(String, String)>,
    /// Its parameters.
    pub parameters: IndexMap<String, Parameter>,
    /// Where it can occur.
    pub applies: Applies,
    /// The faults it is made of, with placeholders.
    pub faults: Vec<FaultCall>,
    /// What is true of a peer that has it, with placeholders.
    pub facts: Vec<Node>,
    /// Rules that a scenario with it can exercise.
    pub exercises: Vec<String>,
    /// The file it was read from.
    pub place: Place,
}

/// A parameter of a defect.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// `operation`, `binding`, `integer`, `number`, `boolean`, `string`, `pointer`, `json`.
    pub kind: String,
    /// Used where no argument is given; without one the argument is required.
    pub default: Option<Node>,
}

/// Where a defect can occur.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Applies {
    /// Bindings; empty means all.
    pub bindings: Vec<Binding>,
    /// The interfaces on which it bites unless its use names others: positions in the list of the peer, from 1; empty
    /// means all.
    pub interfaces: BTreeSet<u32>,
    /// Protocol versions; empty means all.
    pub versions: Vec<String>,
    /// What the behaviour must do for the defect to show: `ask`, `artifact`, `auth`.
    pub needs_behaviour: Vec<String>,
    /// Whether it shows only where the peer has a token server.
    pub needs_token_server: bool,
}

impl Applies {
    /// The bindings it can occur on.
    pub fn bindings(&self) -> Vec<Binding> {
        if self.bindings.is_empty() { Binding::ALL.to_vec() } else { self.bindings.clone() }
    }

    /// The protocol versions it can occur in: where none is named, the one that peers speak.
    pub fn versions(&self) -> Vec<String> {
        if self.versions.is_empty() { vec![ProtocolVersion::V1_0.to_string()] } else { self.versions.clone() }
    }
}

/// A fault named in a defect, with its arguments.
#[derive(Debug, Clone)]
pub struct FaultCall {
    /// The fault primitive; this crate does not know which exist.
    pub name: String,
    /// Its arguments, checked by the fault catalogue.
    pub arguments: Node,
    /// When it bites.
    pub when: When,
    /// Where it is named.
    pub place: Place,
}

/// A defect resolved against its arguments: no placeholders are left.
#[derive(Debug, Clone)]
pub struct AppliedDefect {
    /// The defect.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its faults; the use's `when` is merged into each.
    pub faults: Vec<FaultCall>,
    /// Its facts, each with the interfaces it holds on.
    pub facts: Vec<ScopedFact>,
    /// Rules that it can exercise.
    pub exercises: Vec<String>,
    /// Where it was switched on.
    pub place: Place,
}

/// A fact and the interfaces it holds on.
#[derive(Debug, Clone, PartialEq)]
pub struct ScopedFact {
    /// Their bindings; empty means all.
    pub bindings: BTreeSet<Binding>,
    /// Their positions in the list of the peer, from 1; empty means all.
    pub interfaces: BTreeSet<u32>,
    /// The fact.
    pub fact: Fact,
}

/// Something that is true of a peer because of its defects. A closed set: the oracle knows every one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fact {
    /// The operation is answered as if it did not exist.
    LacksOperation(Operation),
    /// Nothing can be done over the interface.
    InterfaceUnusable {
        /// Such as `refused`, `service-unregistered`, `wrong-binding`.
        cause: String,
    },
    /// The card is not legal.
    CardIllegal {
        /// parse, schema or spec.
        layer: String,
        /// The rule of the card that is broken.
        rule: String,
    },
    /// Some media types are accepted only by a skill.
    ModeOnlySkill,
    /// Streams end before a terminal event, while the task goes on.
    StreamEndsEarly,
    /// Streaming works although the card says it does not.
    StreamsUndeclared,
    /// No notification arrives that can be relied on and comes in time.
    PushLost,
    /// How a task that asked can be gone on with.
    Resume(Resume),
    /// Chunks do not say whether they append; only the peer's snapshot tells.
    ArtifactAmbiguous,
    /// The reason of a failure stands in the history only.
    HistoryOnly,
    /// Calls need credentials.
    Auth {
        /// The scheme.
        scheme: String,
        /// The scopes.
        #[serde(default)]
        scopes: Vec<String>,
        /// The audience.
        #[serde(default)]
        audience: Option<String>,
    },
    /// Answers come late.
    Slow,
    /// Responses break the schema.
    ResponseInvalid,
    /// The peer does not know its own truth.
    TruthUnknown,
}

/// How a task that asked can be gone on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Resume {
    /// With the same task id.
    Same,
    /// Only by issuing the work again.
    Fresh,
    /// Not at all.
    Never,
}

/// The facts of one peer, united over its defects.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PeerFacts(pub Vec<ScopedFact>);

impl PeerFacts {
    /// The facts that hold on an interface: its binding, and its index in the list of the peer.
    pub fn on(&self, binding: Binding, index: usize) -> impl Iterator<Item = &Fact> {
        let place = u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1);
        self.0
            .iter()
            .filter(move |scoped| scoped.bindings.is_empty() || scoped.bindings.contains(&binding))
            .filter(move |scoped| scoped.interfaces.is_empty() || scoped.interfaces.contains(&place))
            .map(|scoped| &scoped.fact)
    }
}

/// What rules.yaml says of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleEntry {
    /// Its id.
    pub id: String,
    /// must, should or hardened.
    pub level: String,
    /// What an orchestrator must do, one sentence.
    pub statement: String,
    /// Where it comes from.
    pub source: String,
    /// Words a driver must list in `supports` for the rule to be judged.
    pub needs: Vec<String>,
    /// Judged on every scenario.
    pub standing: bool,
    /// The rule set that it came in with.
    pub since: u32,
    /// What to change in an orchestrator that breaks it, for people; may be empty.
    pub fix: String,
}

impl fmt::Display for RuleEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.id, self.level, self.statement)
    }
}
