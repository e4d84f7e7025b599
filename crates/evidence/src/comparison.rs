//! What a run found, held against what was found before.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::run::{ScenarioReport, ScenarioResult};

/// The rules that scenarios were found to break, by [`crate::ScenarioId::stable`]; a scenario that broke none has an empty
/// set.
pub type Remembered = BTreeMap<String, BTreeSet<String>>;

/// Findings since the run before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// Found now, and not before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub new: Vec<FindingId>,
    /// Found before, and not now, although the scenario was judged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<FindingId>,
    /// Found before and now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<FindingId>,
}

/// A rule broken in a scenario, whatever was seen of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FindingId {
    /// The scenario, by [`crate::ScenarioId::stable`].
    pub scenario: String,
    /// The rule; `expectation` for what the scenario itself expects.
    pub rule: String,
}

impl FindingId {
    /// A short name for people: `task-no-orphans/3f9a2c`. It stays the same from one run to the next.
    pub fn short(&self) -> String {
        short(&self.rule, &self.scenario)
    }
}

/// The short name of a rule broken in a scenario.
pub(crate) fn short(rule: &str, stable: &str) -> String {
    // FNV-1a: the name needs neither secrecy nor more than a few bits, and must never change.
    let hash = stable.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{rule}/{:06x}", hash & 0x00ff_ffff)
}

impl Comparison {
    /// Holds reports against what is remembered. What could not be judged this time counts neither way.
    pub fn of(before: &Remembered, reports: &[ScenarioReport]) -> Self {
        let mut comparison = Self::default();
        for report in reports.iter().filter(|report| is_judged(&report.result)) {
            let scenario = report.scenario.stable();
            let found: BTreeSet<&String> = report.findings.iter().map(|finding| &finding.rule).collect();
            let none = BTreeSet::new();
            let remembered = before.get(&scenario).unwrap_or(&none);
            let id = |rule: &String| FindingId { scenario: scenario.clone(), rule: rule.clone() };
            for rule in &found {
                let list = if remembered.contains(*rule) { &mut comparison.known } else { &mut comparison.new };
                list.push(id(rule));
            }
            comparison.fixed.extend(remembered.iter().filter(|rule| !found.contains(rule)).map(id));
        }
        for list in [&mut comparison.new, &mut comparison.fixed, &mut comparison.known] {
            list.sort();
        }
        comparison
    }
}

/// Takes reports in: what did not run or was not judged keeps its place.
pub fn remember(memory: &mut Remembered, reports: &[ScenarioReport]) {
    for report in reports.iter().filter(|report| is_judged(&report.result)) {
        let rules = report.findings.iter().map(|finding| finding.rule.clone()).collect();
        memory.insert(report.scenario.stable(), rules);
    }
}

fn is_judged(result: &ScenarioResult) -> bool {
    result.error().is_none() && !matches!(result, ScenarioResult::Skipped { .. })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report(name: &str, result: &str, rules: &[&str]) -> ScenarioReport {
        let finding = |rule: &&str| json!({"rule": rule, "level": "must", "why": "seen", "expected": "it holds"});
        let mut report = json!({
            "scenario": {"area": "a", "file": "a.feature", "line": 1, "name": name}, "tags": [], "defects": [],
            "result": {"kind": result, "reason": "", "message": ""}, "findings": rules.iter().map(finding).collect::<Vec<_>>(),
            "judgements": [], "outcomes": [], "excerpt": [], "durationMs": 1,
        });
        report["durationMs"] = 2.into();
        serde_json::from_value(report).expect("a report")
    }

    fn shown(list: &[FindingId]) -> Vec<String> {
        list.iter().map(|id| format!("{} {}", id.scenario, id.rule)).collect()
    }

    #[test]
    fn findings_are_new_fixed_or_known_and_what_was_not_judged_is_neither() {
        let mut memory = Remembered::new();
        let first =
            [report("one", "failed", &["r", "s"]), report("two", "failed", &["r"]), report("three", "passed", &[])];
        remember(&mut memory, &first);
        let second = [
            report("one", "failed", &["s", "t", "t"]),
            report("two", "skipped", &[]),
            report("three", "driver-error", &[]),
            report("four", "failed", &["r"]),
        ];
        let comparison = Comparison::of(&memory, &second);
        assert_eq!(shown(&comparison.new), ["a.feature#four r", "a.feature#one t"]);
        assert_eq!(shown(&comparison.fixed), ["a.feature#one r"]);
        assert_eq!(shown(&comparison.known), ["a.feature#one s"]);
        remember(&mut memory, &second);
        assert_eq!(memory["a.feature#two"].len(), 1, "what was skipped keeps its place");
    }

    #[test]
    fn the_short_name_never_changes() {
        let id = FindingId { scenario: "a.feature#one".to_owned(), rule: "r".to_owned() };
        assert_eq!(id.short(), short("r", "a.feature#one"));
        assert_ne!(id.short(), short("r", "a.feature#two"));
        assert_eq!(id.short().len(), "r/".len() + 6);
    }
}
