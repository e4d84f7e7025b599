//! The rules, by what they are about. A rule is one entry in one of these tables: what must hold, why, how to mend it,
//! where it comes from, how it is judged, and the mutations that break it. Validation, `--explain`, the generator and the
//! proof that both agree all read these entries; nothing else knows a rule.

mod card;
mod extension;
mod fleet;
mod interface;
mod legacy;
mod mode;
mod needs;
mod parse;
mod payload;
mod required;
mod schema;
mod secret;
mod security;
mod signature;
mod skill;
mod version;

use std::fmt;

use crate::edition::Editions;
use crate::generate::Break;
use crate::report::{Layer, Severity};
use crate::sink::Teller;
use crate::subject::Subject;

pub(crate) use card::CASE;
pub(crate) use fleet::judge as judge_fleet;
pub(crate) use needs::NEED_RULE;
pub(crate) use parse::{BOM, DEPTH, DUPLICATE, ENCODING, NUMBER, OBJECT, SIZE, SYNTAX};
pub(crate) use payload::ONEOF;
pub(crate) use required::for_field as required_rule;
pub(crate) use schema::{BYTES, ENUM, EXTRA, FILE, KIND, TIME, TYPE, extra_rule};

/// One requirement.
pub struct Rule {
    /// What it is called in reports.
    pub id: &'static str,
    /// The layer it belongs to.
    pub layer: Layer,
    /// How much breaking it weighs at publication.
    pub severity: Severity,
    /// How it is taken by callers.
    pub callers: Callers,
    /// The editions it holds in.
    pub editions: Editions,
    /// What must hold, in one sentence.
    pub statement: &'static str,
    /// What goes wrong otherwise.
    pub why: &'static str,
    /// How to mend it.
    pub fix: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    pub(crate) judge: Judge,
    /// How it can be broken: each of these breaks this rule and no other one.
    pub(crate) breaks: &'static [Break],
}

/// How a broken rule is taken in consume mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Callers {
    /// As by publishers: the document cannot be used.
    Refuse,
    /// It can, and somebody should know.
    Warned,
    /// It does not concern them.
    Ignore,
}

/// How a rule is judged.
pub(crate) enum Judge {
    /// By the reader of JSON.
    Reader,
    /// While the shape of the document is walked.
    Shape,
    /// By looking at the card.
    Card(fn(&Subject<'_>, &mut Teller<'_>)),
    /// By looking at several cards.
    Fleet,
}

impl Rule {
    /// What most rules of a layer have in common.
    const fn of(layer: Layer) -> Self {
        Self {
            id: "",
            layer,
            severity: Severity::Error,
            callers: Callers::Warned,
            editions: Editions::All,
            statement: "",
            why: "",
            fix: "",
            source: "",
            judge: Judge::Shape,
            breaks: &[],
        }
    }

    const PARSE: Self = Self { callers: Callers::Refuse, judge: Judge::Reader, ..Self::of(Layer::Parse) };
    const SCHEMA: Self = Self { callers: Callers::Refuse, ..Self::of(Layer::Schema) };
    const SPEC: Self = Self::of(Layer::Spec);
    const CAPABILITY: Self = Self::of(Layer::Capability);

    /// The rule of this id.
    pub fn find(id: &str) -> Option<&'static Self> {
        Self::all().find(|rule| rule.id == id)
    }

    /// All rules, by layer.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        let tables = [
            parse::RULES,
            schema::RULES,
            required::RULES,
            card::RULES,
            interface::RULES,
            version::RULES,
            skill::RULES,
            mode::MEDIA_TYPES,
            extension::RULES,
            secret::RULES,
            legacy::RULES,
            payload::RULES,
            mode::RULES,
            security::RULES,
            signature::RULES,
            needs::RULES,
            fleet::RULES,
        ];
        tables.into_iter().flatten()
    }

    /// Whether a report lists it among the checks: it says something of its own, beyond JSON and types.
    pub(crate) fn is_check(&self) -> bool {
        match self.layer {
            Layer::Parse | Layer::Capability => false,
            Layer::Schema => schema::is_residue(self),
            Layer::Spec => !matches!(self.judge, Judge::Fleet),
        }
    }

    /// How much breaking it weighs; `None` where it is not judged.
    pub(crate) const fn weight(&self, consume: bool) -> Option<Severity> {
        match (consume, self.callers) {
            (false, _) | (true, Callers::Refuse) => Some(self.severity),
            (true, Callers::Ignore) => None,
            (true, Callers::Warned) => Some(match self.severity {
                Severity::Error => Severity::Warning,
                lesser => lesser,
            }),
        }
    }
}

/// The rule of a table that has this id; that there is one is checked at compile time.
const fn named(rules: &'static [Rule], id: &str) -> &'static Rule {
    let mut index = 0;
    while index < rules.len() {
        if same(rules[index].id.as_bytes(), id.as_bytes()) {
            return &rules[index];
        }
        index += 1;
    }
    panic!("the table has no rule of this id")
}

const fn same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut index = 0;
    while index < one.len() {
        if one[index] != other[index] {
            return false;
        }
        index += 1;
    }
    true
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Rule").field(&self.id).finish()
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Rule {}
