//! What is wrong with a card, and at which layer.

use std::fmt;

/// The layer a card failed at. Later layers are only asked when the earlier ones passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// The bytes are no JSON object.
    Parse,
    /// A member has the wrong JSON type.
    Schema,
    /// Something the specification requires is missing or empty.
    Spec,
}

impl Layer {
    /// The word in reports and reasons.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Parse => "parse",
            Self::Schema => "schema",
            Self::Spec => "spec",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// The first thing found wrong with a card.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{layer} ({rule}) at `{pointer}`: {message}")]
pub struct CardProblem {
    /// The layer that failed.
    pub layer: Layer,
    /// The check within the layer: `json`, `object`, `type`, `value`, `required`.
    pub rule: &'static str,
    /// JSON pointer to the place; empty for the whole document.
    pub pointer: String,
    /// What was found and what was expected.
    pub message: String,
}
