//! What a baseline had to say: the list of failures that are known and excused.

use gauntlet_wire::Binding;
use serde::{Deserialize, Serialize};

/// An entry of a baseline that had a say in a scenario, or in the run as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BaselineNote {
    /// What the entry did.
    pub effect: BaselineEffect,
    /// The rule it lists; `expectation` for what a scenario itself expects.
    pub rule: String,
    /// The scenario it lists, by [`crate::run::ScenarioId::stable`]; unset where it lists the rule everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario: Option<String>,
    /// The binding it is confined to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binding: Option<Binding>,
    /// Where it stands, as `file:line:column`.
    pub place: String,
    /// Why the failure is excused, in the words of the file.
    pub reason: String,
    /// Who takes care of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The last day on which it excuses, as `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
}

impl BaselineNote {
    /// The rule and the binding, as the file writes them: `rule@BINDING`.
    pub fn listed(&self) -> String {
        match self.binding {
            Some(binding) => format!("{}@{binding}", self.rule),
            None => self.rule.clone(),
        }
    }
}

/// What an entry of a baseline did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BaselineEffect {
    /// It lists a failure, and there was one.
    Excused,
    /// It lists a failure, and there was none: it has to go.
    Stale,
    /// It would excuse a failure, had its day not passed.
    Expired,
    /// It names a scenario that there is not.
    Unmatched,
}
