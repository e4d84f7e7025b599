//! Baselines: failures that are known and excused, so that a suite can be adopted before everything it finds is fixed.
//!
//! - [`read`]: the YAML file, strictly, with places.
//! - [`write`](mod@write): a file from what a run found.
//! - here: what an entry says of a scenario, and of the run.
//!
//! An entry lists a rule, everywhere or in named scenarios. What it lists and fails is excused; what it lists and passes
//! is stale, and has to go before it hides the next failure. Only what was put to the test can be stale: an entry for
//! scenarios when they ran and exercised its rule, an entry for every scenario when every scenario ran. So runs of a part
//! of the suite do no harm.

mod read;
mod write;

use std::collections::BTreeSet;
use std::path::Path;

use gauntlet_evidence::{
    BaselineEffect, BaselineNote, Finding, Judgement, RuleVerdict, ScenarioId, ScenarioReport, ScenarioResult,
};
use gauntlet_scenario::{Library, Place};
use gauntlet_wire::Binding;
use jiff::civil::Date;

use crate::SuiteError;
pub(crate) use write::written;

/// The rule of findings that are nothing but an expectation of their scenario.
pub(crate) const EXPECTATION: &str = "expectation";

/// A baseline as it was read.
#[derive(Debug, Clone)]
pub(crate) struct Baseline {
    entries: Vec<Entry>,
    today: Date,
}

/// One entry.
#[derive(Debug, Clone)]
struct Entry {
    rule: String,
    binding: Option<Binding>,
    /// Stable names of scenarios; empty means every one.
    scenarios: Vec<String>,
    reason: String,
    owner: Option<String>,
    /// The last day on which it excuses.
    expires: Option<Date>,
    /// What it lists fails at times: it excuses, and is never stale.
    flaky: bool,
    place: Place,
}

impl Baseline {
    /// Reads the file.
    pub(crate) fn load(path: &Path, library: &Library) -> Result<Self, SuiteError> {
        let text = std::fs::read_to_string(path).map_err(|source| SuiteError::Io { path: path.to_owned(), source })?;
        let today = jiff::tz::TimeZone::UTC.to_datetime(jiff::Timestamp::now()).date();
        let rules: Vec<&str> = library.rules().map(|rule| rule.id.as_str()).collect();
        Ok(Self { entries: read::entries(&path.display().to_string(), &text, &rules)?, today })
    }

    /// What the entries say of one judged scenario.
    pub(crate) fn notes(&self, id: &ScenarioId, findings: &[Finding], judgements: &[RuleVerdict]) -> Vec<BaselineNote> {
        let stable = id.stable();
        let effect = |entry: &Entry| {
            let broken = findings.iter().any(|finding| finding.rule == entry.rule);
            if broken {
                let expired = entry.expires.is_some_and(|day| day < self.today);
                return Some(if expired { BaselineEffect::Expired } else { BaselineEffect::Excused });
            }
            let stale = !entry.scenarios.is_empty() && !entry.flaky && exercised(&entry.rule, judgements);
            stale.then_some(BaselineEffect::Stale)
        };
        self.entries
            .iter()
            .filter(|entry| entry.covers(id, &stable))
            .filter_map(|entry| {
                let scenario = (!entry.scenarios.is_empty()).then(|| stable.clone());
                Some(entry.note(effect(entry)?, scenario))
            })
            .collect()
    }

    /// What the entries say of a run in which every scenario ran; `known` are the stable names of all of them.
    pub(crate) fn overall(&self, reports: &[ScenarioReport], known: &BTreeSet<String>) -> Vec<BaselineNote> {
        let mut notes = Vec::new();
        for entry in &self.entries {
            let unknown = entry.scenarios.iter().filter(|name| !known.contains(*name));
            notes.extend(unknown.map(|name| entry.note(BaselineEffect::Unmatched, Some(name.clone()))));
            if entry.scenarios.is_empty() && !entry.flaky && entry.is_over(reports) {
                notes.push(entry.note(BaselineEffect::Stale, None));
            }
        }
        notes
    }
}

impl Entry {
    fn covers(&self, id: &ScenarioId, stable: &str) -> bool {
        (self.binding.is_none() || self.binding == id.binding)
            && (self.scenarios.is_empty() || self.scenarios.iter().any(|name| name == stable))
    }

    /// Whether its rule was put to the test and held everywhere. What could not be judged may break it still.
    fn is_over(&self, reports: &[ScenarioReport]) -> bool {
        let covered = || reports.iter().filter(|report| self.covers(&report.scenario, ""));
        let judged = |report: &&ScenarioReport| !matches!(report.result, ScenarioResult::Skipped { .. });
        covered().all(|report| report.result.error().is_none())
            && covered().filter(judged).any(|report| exercised(&self.rule, &report.judgements))
            && !covered().any(|report| report.findings.iter().any(|finding| finding.rule == self.rule))
    }

    fn note(&self, effect: BaselineEffect, scenario: Option<String>) -> BaselineNote {
        BaselineNote {
            effect,
            rule: self.rule.clone(),
            scenario,
            binding: self.binding,
            place: self.place.to_string(),
            reason: self.reason.clone(),
            owner: self.owner.clone(),
            expires: self.expires.map(|day| day.to_string()),
        }
    }
}

/// What a scenario itself expects is put to the test whenever it runs.
fn exercised(rule: &str, judgements: &[RuleVerdict]) -> bool {
    rule == EXPECTATION
        || judgements.iter().any(|verdict| verdict.rule == rule && verdict.judgement != Judgement::NotExercised)
}

#[cfg(test)]
mod tests;
