//! Who a driver is, and what it can do.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Binding, PROTOCOL};

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
    /// Obtains OAuth tokens; a driver that does not is given them.
    OAuth2 = "oauth2",
    /// Shows bearer tokens that it is given.
    Bearer = "bearer",
    /// Takes API keys among the credentials.
    ApiKey = "api-key",
    /// Takes a name and a password among the credentials.
    Basic = "basic",
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
    /// Fetches the extended card where a card declares one, and goes by it.
    ExtendedCard = "extended-card",
}

impl fmt::Display for Support {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}
