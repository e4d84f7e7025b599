//! Mutations: each makes one valid card break one rule, and knows where.

use serde_json::Value;

use super::{Draw, Specimen};
use crate::edition::Editions;
use crate::rules::Rule;

/// How a rule can be broken, as its table says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Break {
    /// What is done, in a word or two.
    pub(crate) name: &'static str,
    /// Which cards it can be done to.
    pub(crate) editions: Editions,
    pub(crate) apply: Apply,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Apply {
    /// To the document; returns the pointer of the finding.
    Edit(fn(&mut Specimen<'_, '_>) -> String),
    /// To its bytes.
    Bytes(fn(Vec<u8>, &mut Draw<'_>) -> (Vec<u8>, String)),
}

impl Break {
    /// To the document, whatever its edition.
    pub(crate) const fn edit(name: &'static str, edit: fn(&mut Specimen<'_, '_>) -> String) -> Self {
        Self { name, editions: Editions::All, apply: Apply::Edit(edit) }
    }

    /// To documents of 1.0.
    pub(crate) const fn current(name: &'static str, edit: fn(&mut Specimen<'_, '_>) -> String) -> Self {
        Self { name, editions: Editions::Current, apply: Apply::Edit(edit) }
    }

    /// To documents before 1.0.
    pub(crate) const fn legacy(name: &'static str, edit: fn(&mut Specimen<'_, '_>) -> String) -> Self {
        Self { name, editions: Editions::Legacy, apply: Apply::Edit(edit) }
    }

    /// To the bytes of documents.
    pub(crate) const fn bytes(name: &'static str, edit: fn(Vec<u8>, &mut Draw<'_>) -> (Vec<u8>, String)) -> Self {
        Self { name, editions: Editions::All, apply: Apply::Bytes(edit) }
    }
}

/// A named way to break exactly one rule.
#[derive(Debug, Clone, Copy)]
pub struct Mutation {
    /// The rule it breaks.
    pub rule: &'static Rule,
    pub(crate) how: &'static Break,
}

impl Mutation {
    /// All of them; for every rule that one card can break, at least one.
    pub fn all() -> impl Iterator<Item = Self> {
        Rule::all().flat_map(|rule| rule.breaks.iter().map(move |how| Self { rule, how }))
    }

    /// What it is called: `skill-id-unique/copied`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.rule.id, self.how.name)
    }

    /// The cards it applies to.
    pub const fn editions(&self) -> Editions {
        self.how.editions
    }

    /// Breaks a valid card. Returns the bytes of the broken document and the JSON pointer of what is wrong with it.
    /// `legacy` says that the card is of an edition before 1.0.
    pub fn apply(&self, mut card: Value, legacy: bool, draw: &mut Draw<'_>) -> (Vec<u8>, String) {
        match self.how.apply {
            Apply::Edit(edit) => {
                let pointer = edit(&mut Specimen { card: &mut card, draw, legacy });
                (card.to_string().into_bytes(), pointer)
            }
            Apply::Bytes(edit) => edit(card.to_string().into_bytes(), draw),
        }
    }
}
