//! What is asked of a validation.

use std::fmt;
use std::str::FromStr;

use crate::edition::Edition;
use crate::report::Layer;
use crate::signature::Jwks;

/// Whom a document is judged for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Purpose {
    /// Before it is published: extra keys are errors, https is demanded.
    #[default]
    Publish,
    /// As a caller takes it: extra keys are tolerated (specification §5.7), null is absent, and only what makes the card
    /// unusable is an error.
    Consume,
}

impl Purpose {
    /// The word on the command line and in reports.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Publish => "publish",
            Self::Consume => "consume",
        }
    }
}

/// An optional operation that a caller is going to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Need {
    /// Streams.
    Streaming,
    /// Push notifications.
    Push,
    /// The extended card.
    ExtendedCard,
}

impl Need {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Streaming, Self::Push, Self::ExtendedCard];

    /// The word on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Streaming => "streaming",
            Self::Push => "push",
            Self::ExtendedCard => "extended-card",
        }
    }

    /// The member of the capabilities that says so.
    pub(crate) const fn member(self) -> &'static str {
        match self {
            Self::Streaming => "streaming",
            Self::Push => "pushNotifications",
            Self::ExtendedCard => "extendedAgentCard",
        }
    }

    /// The member of the report that says that the client will.
    pub(crate) const fn client_word(self) -> &'static str {
        match self {
            Self::Streaming => "clientWillStream",
            Self::Push => "clientWillPush",
            Self::ExtendedCard => "clientWillFetchExtendedCard",
        }
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl FromStr for Need {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.map(Self::word).join(", ");
        Self::ALL.into_iter().find(|need| need.word() == text).ok_or_else(|| format!("use {known}"))
    }
}

/// What is asked of [`validate`](crate::validate).
#[derive(Debug, Clone)]
pub struct Options {
    /// For publishers or for callers.
    pub purpose: Purpose,
    /// The definition to hold the document against: `AgentCard`, or a payload such as `Task` or `Message`.
    pub kind: String,
    /// Judge a card by this edition, whatever it looks like.
    pub edition: Option<Edition>,
    /// The deepest layer that is judged; of those below it nothing is said.
    pub deepest: Layer,
    /// The largest document that is read, in bytes.
    pub max_bytes: usize,
    /// How deep lists and objects may nest. At most [`Options::DEEPEST`].
    pub max_depth: usize,
    /// How many findings are told.
    pub max_findings: usize,
    /// Optional operations that the caller is going to use: that the card allows them is checked.
    pub needs: Vec<Need>,
    /// Keys that signatures are verified with; without them only their shape is checked.
    pub jwks: Option<Jwks>,
    /// A JSON Schema that stands in for the built-in one in layer schema.
    #[cfg(feature = "json-schema")]
    pub schema: Option<crate::SchemaFile>,
}

impl Options {
    /// No reader nests deeper: documents are walked by recursion.
    pub const DEEPEST: usize = 128;

    /// For a purpose, with everything else as usual.
    pub fn new(purpose: Purpose) -> Self {
        Self {
            purpose,
            kind: "AgentCard".to_owned(),
            edition: None,
            deepest: Layer::Capability,
            max_bytes: 1 << 20,
            max_depth: Self::DEEPEST,
            max_findings: 200,
            needs: Vec::new(),
            jwks: None,
            #[cfg(feature = "json-schema")]
            schema: None,
        }
    }

    /// Whether the document is judged as callers take it.
    pub(crate) fn consume(&self) -> bool {
        self.purpose == Purpose::Consume
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new(Purpose::default())
    }
}
