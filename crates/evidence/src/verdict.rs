//! Findings and the judgements of rules.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How binding a rule is. Ordered from the least strict to the strictest set that includes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The specification demands it.
    Must,
    /// The specification recommends it.
    Should,
    /// Field experience demands it; stricter than the specification.
    Hardened,
}

impl Level {
    /// All levels.
    pub const ALL: [Self; 3] = [Self::Must, Self::Should, Self::Hardened];

    /// The word in tags, files and flags.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Must => "must",
            Self::Should => "should",
            Self::Hardened => "hardened",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|level| level.word() == text)
            .ok_or_else(|| format!("`{text}` is not a level: use must, should or hardened"))
    }
}

/// What a rule says of one body of evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum Judgement {
    /// The situation arose and the orchestrator did right.
    Upheld,
    /// The situation arose and the orchestrator did wrong.
    Broken {
        /// What it did, with names, numbers and journal entries, for people.
        why: String,
        /// The journal entries that show it.
        entries: Vec<u64>,
    },
    /// The situation did not arise, or cannot be judged on this driver.
    NotExercised,
}

impl Judgement {
    /// Broken, with reasons.
    pub fn broken(why: impl Into<String>, entries: impl IntoIterator<Item = u64>) -> Self {
        Self::Broken { why: why.into(), entries: entries.into_iter().collect() }
    }
}

/// The judgement of one rule on one scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleVerdict {
    /// The rule.
    pub rule: String,
    /// Its level.
    pub level: Level,
    /// What it says.
    #[serde(flatten)]
    pub judgement: Judgement,
}

/// A rule broken, or a scenario's own expectation not met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The rule; for a bare expectation, `expectation`.
    pub rule: String,
    /// Its level.
    pub level: Level,
    /// What was seen, for people.
    pub why: String,
    /// What was expected, in the words of the step or the rule's statement.
    pub expected: String,
    /// The journal entries that show it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<u64>,
    /// Where the requirement comes from.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// What to change, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fix: String,
    /// The rule set that it came in with, where the run goes by an older one: then it is shown and not scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newer_ruleset: Option<u32>,
}

impl Finding {
    /// Whether it fails a run of this level, unless something excuses it.
    pub fn is_scored(&self, level: Level) -> bool {
        self.level <= level && self.newer_ruleset.is_none()
    }
}
