//! Rules as pure functions over evidence, and the oracle of permitted outcomes.
//!
//! - [`rules`], [`judge`]: every rule, one file each; `scenarios/rules.yaml` says what they demand and why.
//! - [`oracle`]: which outcomes the facts about a peer permit for a delegation, and whether the one seen is among them.
//! - [`view`]: readings of the evidence that rules, oracle and steps share: which interface a request came in on, what
//!   an error means, what the peer holds.
//!
//! A false accusation is the worst that can happen here: what the evidence leaves open is `NotExercised`.
//!
//! May depend on: `gauntlet-scenario` (facts, the list of rules), `gauntlet-evidence`, `gauntlet-wire`; never on the fleet.

mod case;
pub mod oracle;
mod rules;
mod tally;
#[cfg(test)]
mod testing;
pub mod view;

use gauntlet_evidence::Judgement;

pub use case::{Case, Rule};
pub use rules::rules;

/// Judges a case by every rule, in the order of [`rules`]. A rule that needs something the driver does not list in its
/// hello is `NotExercised`.
pub fn judge(case: &Case) -> Vec<(&'static str, Judgement)> {
    rules().iter().map(|rule| (rule.id(), judge_by(*rule, case))).collect()
}

fn judge_by(rule: &dyn Rule, case: &Case) -> Judgement {
    if rule.needs().iter().all(|word| case.evidence.hello.supports(*word)) {
        rule.judge(case)
    } else {
        Judgement::NotExercised
    }
}
