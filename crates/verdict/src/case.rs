//! What rules judge: evidence, and what is known of the peers beforehand.

use std::collections::BTreeMap;

use gauntlet_evidence::{Evidence, Judgement, Support};
use gauntlet_scenario::PeerFacts;

/// One scenario, ready to be judged.
#[derive(Debug, Clone)]
pub struct Case {
    /// What was seen.
    pub evidence: Evidence,
    /// What is true of each peer because of its defects.
    pub facts: BTreeMap<String, PeerFacts>,
}

/// A rule: a pure function over a case.
pub trait Rule: Send + Sync {
    /// Its id, as in rules.yaml.
    fn id(&self) -> &'static str;

    /// What a driver must list in its hello for the rule to be judged, as in rules.yaml.
    fn needs(&self) -> &'static [Support];

    /// What it says of the case. Does not look at [`Rule::needs`]: [`crate::judge`] does.
    fn judge(&self, case: &Case) -> Judgement;
}
