//! What keeps a caller from using a card.

use crate::report::{Layer, Report};

/// The first error of a card, as a caller takes it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{layer} ({rule}) at `{pointer}`: {message}")]
pub struct CardProblem {
    /// The layer that failed.
    pub layer: Layer,
    /// The id of the rule that is broken.
    pub rule: &'static str,
    /// JSON pointer to the place; empty for the whole document.
    pub pointer: String,
    /// What was found and what was expected.
    pub message: String,
}

impl CardProblem {
    /// The first error of a report that makes the card illegal. What capabilities and security schemes amount to is for
    /// the caller to weigh: a card may be used without what it gets wrong there.
    pub(crate) fn of(report: &Report) -> Option<Self> {
        report.first_error().filter(|error| error.layer < Layer::Capability).map(|error| Self {
            layer: error.layer,
            rule: error.rule,
            pointer: error.pointer.clone(),
            message: error.message.clone(),
        })
    }
}
