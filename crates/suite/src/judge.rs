//! From what was played to what is reported.

use gauntlet_evidence::{
    BaselineEffect, BaselineNote, Evidence, Finding, Hello, Judgement, Level, RuleVerdict, ScenarioReport,
    ScenarioResult, Support,
};
use gauntlet_scenario::{Library, RuleEntry};
use gauntlet_verdict::Case;

use crate::baseline::{Baseline, EXPECTATION};
use crate::feature::Scenario;
use crate::scene::{End, Played, Setting, level_of};
use crate::tell;

/// What findings are held against.
#[derive(Clone, Copy)]
pub(crate) struct Scale<'a> {
    /// The least strict level whose findings count.
    pub(crate) level: Level,
    /// The newest rule set whose findings count.
    pub(crate) ruleset: u32,
    /// Failures that are known.
    pub(crate) baseline: Option<&'a Baseline>,
}

/// Judges all rules on the evidence, and the scenario's own expectations with them.
pub(crate) fn report(
    setting: &Setting,
    scale: Scale<'_>,
    scenario: &Scenario,
    played: &Played,
    unproven: Option<&str>,
) -> ScenarioReport {
    let Setting { library, hello, .. } = setting;
    let mut findings = played.findings.clone();
    let mut judgements = Vec::new();
    let mut notes = Vec::new();
    if let (Some(case), None) = (&played.case, &played.end) {
        judgements = judge(library, case);
        findings.extend(broken(library, scale.ruleset, &judgements));
        findings.extend(unexercised(library, hello, scenario, &judgements));
        if scenario.since() <= scale.ruleset {
            notes =
                scale.baseline.map(|baseline| baseline.notes(&scenario.id, &findings, &judgements)).unwrap_or_default();
        }
        // A driver that hands nothing over looks like an orchestrator that refuses wisely: neither passes unproven.
        if let Some(why) = unproven.filter(|_| !findings.iter().any(|finding| fails(scale.level, &notes, finding))) {
            // Nor does a baseline excuse it.
            notes.retain(|note| note.rule != EXPECTATION);
            findings.push(expectation(scenario, "the driver is proven by a healthy delegation", why));
        }
    }
    let result = match &played.end {
        Some(End::Skipped { reason, unlock }) => ScenarioResult::Skipped { reason: reason.clone(), unlock: *unlock },
        Some(End::Driver(error)) => ScenarioResult::DriverError { message: error.to_string() },
        Some(End::Harness(message)) => ScenarioResult::HarnessError { message: message.clone() },
        Some(End::Setup(message)) => ScenarioResult::SetupError { message: message.clone() },
        Some(End::File(error)) => ScenarioResult::SetupError { message: error.to_string() },
        None if findings.iter().any(|finding| fails(scale.level, &notes, finding)) => ScenarioResult::Failed,
        None if notes.iter().any(|note| note.effect == BaselineEffect::Stale) => ScenarioResult::StaleExpectation,
        None if findings.iter().any(|finding| finding.is_scored(scale.level)) => ScenarioResult::ExpectedFailure,
        None => ScenarioResult::Passed,
    };
    let result = scored(scenario, scale, &findings, result);
    let newer = Some(scenario.since()).filter(|set| *set > scale.ruleset);
    findings.iter_mut().for_each(|finding| finding.newer_ruleset = finding.newer_ruleset.max(newer));
    let quiet = matches!(result, ScenarioResult::Passed | ScenarioResult::Skipped { .. }) && findings.is_empty();
    let shown = played.case.as_ref().filter(|_| !quiet).map(|case| &case.evidence);
    let lines = |tell: fn(&Evidence) -> Vec<String>| shown.map(tell).unwrap_or_default();
    let outcomes = played.case.iter().flat_map(|case| &case.evidence.outcomes).map(tell::outcome).collect();
    ScenarioReport {
        scenario: scenario.id.clone(),
        tags: scenario.tags.clone(),
        defects: played.defects.clone(),
        result,
        excerpt: shown.map(|evidence| tell::excerpt(evidence, &findings)).unwrap_or_default(),
        findings,
        judgements,
        outcomes,
        truth: lines(tell::truth),
        unmatched: lines(tell::unmatched),
        driver_log: played.log.clone(),
        duration_ms: played.duration_ms,
        baseline: notes,
        attempts: None,
    }
}

/// Whether a finding fails its scenario: at the chosen level and rule set, and not excused.
fn fails(level: Level, notes: &[BaselineNote], finding: &Finding) -> bool {
    let excused = || notes.iter().any(|note| note.effect == BaselineEffect::Excused && note.rule == finding.rule);
    finding.is_scored(level) && !excused()
}

/// The result, or that nothing is made of it because the scenario is newer than the rule set.
fn scored(scenario: &Scenario, scale: Scale<'_>, findings: &[Finding], result: ScenarioResult) -> ScenarioResult {
    let ruleset = scenario.since();
    if ruleset <= scale.ruleset || matches!(result, ScenarioResult::Skipped { .. }) {
        return result;
    }
    let found = || findings.iter().find(|finding| finding.is_scored(scale.level));
    let seen = match result.error() {
        Some(message) => message.to_owned(),
        None => found().map(|finding| format!("{}: {}", finding.rule, finding.why)).unwrap_or_default(),
    };
    ScenarioResult::Unscored { ruleset, seen }
}

fn judge(library: &Library, case: &Case) -> Vec<RuleVerdict> {
    gauntlet_verdict::judge(case)
        .into_iter()
        .map(|(rule, judgement)| RuleVerdict {
            rule: rule.to_owned(),
            level: library.rule(rule).map_or(Level::Hardened, rule_level),
            judgement,
        })
        .collect()
}

fn rule_level(entry: &RuleEntry) -> Level {
    entry.level.parse().unwrap_or(Level::Hardened)
}

fn broken(library: &Library, ruleset: u32, judgements: &[RuleVerdict]) -> Vec<Finding> {
    judgements
        .iter()
        .filter_map(|verdict| {
            let Judgement::Broken { why, entries } = &verdict.judgement else { return None };
            let entry = library.rule(&verdict.rule);
            Some(Finding {
                rule: verdict.rule.clone(),
                level: verdict.level,
                why: why.clone(),
                expected: entry.map(|entry| entry.statement.clone()).unwrap_or_default(),
                entries: entries.clone(),
                source: entry.map(|entry| entry.source.clone()).unwrap_or_default(),
                fix: entry.map(|entry| entry.fix.clone()).unwrap_or_default(),
                newer_ruleset: entry.map(|entry| entry.since).filter(|since| *since > ruleset),
            })
        })
        .collect()
}

/// Rules the scenario is tagged with must have been put to the test; otherwise it proves nothing.
fn unexercised(library: &Library, hello: &Hello, scenario: &Scenario, judgements: &[RuleVerdict]) -> Vec<Finding> {
    scenario
        .tagged("rule")
        .filter(|rule| {
            let judged = judgements.iter().find(|verdict| verdict.rule == *rule);
            judged.is_none_or(|verdict| verdict.judgement == Judgement::NotExercised)
        })
        .filter(|rule| library.rule(rule).is_none_or(|entry| lacking(hello, entry).is_none()))
        .map(|rule| {
            let why = format!("the situation that {rule} is about did not arise");
            expectation(scenario, &format!("the scenario exercises {rule}"), &why)
        })
        .collect()
}

/// A finding against the scenario as a whole.
fn expectation(scenario: &Scenario, expected: &str, why: &str) -> Finding {
    Finding {
        rule: EXPECTATION.to_owned(),
        level: level_of(scenario),
        why: why.to_owned(),
        expected: expected.to_owned(),
        entries: Vec::new(),
        source: format!("{}:{}", scenario.id.file, scenario.id.line),
        fix: String::new(),
        newer_ruleset: None,
    }
}

/// The first word a rule needs and the driver does not list.
fn lacking(hello: &Hello, entry: &RuleEntry) -> Option<Support> {
    entry.needs.iter().filter_map(|word| Support::from_word(word)).find(|support| !hello.supports(*support))
}

/// Why a scenario cannot be asked of this driver at all: by binding, by `@needs:` tag, or because none of the rules it
/// is about can be judged.
pub(crate) fn skip(library: &Library, hello: &Hello, scenario: &Scenario) -> Option<End> {
    if let Some(binding) = scenario.bindings.iter().find(|binding| !hello.speaks(**binding)) {
        let reason = format!("the orchestrator does not speak {binding}");
        return Some(End::Skipped { reason, unlock: None });
    }
    let unsupported = |support: Support| End::Skipped {
        reason: format!("the driver does not support {support}"),
        unlock: Some(support),
    };
    // `@needs:deadline|cancel` asks for one of them.
    let unmet = scenario.tagged("needs").find_map(|words| {
        let mut supports = words.split('|').filter_map(Support::from_word).peekable();
        let first = supports.peek().copied()?;
        (!supports.any(|support| hello.supports(support))).then_some(first)
    });
    if let Some(word) = unmet {
        return Some(unsupported(word));
    }
    let rules: Vec<_> = scenario.tagged("rule").filter_map(|rule| library.rule(rule)).collect();
    let lacking: Vec<_> = rules.iter().filter_map(|entry| lacking(hello, entry)).collect();
    if !rules.is_empty() && lacking.len() == rules.len() {
        lacking.first().map(|word| unsupported(*word))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use gauntlet_evidence::ScenarioId;

    use super::*;

    fn scenario(tags: &[&str]) -> Scenario {
        Scenario {
            id: ScenarioId { area: "a".into(), file: "a.feature".into(), line: 1, name: "S".into(), binding: None },
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            steps: Vec::new(),
            bindings: BTreeSet::new(),
            defects: BTreeSet::new(),
        }
    }

    #[test]
    fn a_scenario_of_a_newer_set_is_shown_and_not_scored() {
        let finding = expectation(&scenario(&[]), "it ends", "it did not");
        let judged = |tags: &[&str], ruleset| {
            let scale = Scale { level: Level::Hardened, ruleset, baseline: None };
            scored(&scenario(tags), scale, std::slice::from_ref(&finding), ScenarioResult::Failed)
        };
        assert_eq!(judged(&[], 1), ScenarioResult::Failed);
        assert_eq!(judged(&["since:2"], 2), ScenarioResult::Failed);
        let seen = "expectation: it did not".to_owned();
        assert_eq!(judged(&["since:2"], 1), ScenarioResult::Unscored { ruleset: 2, seen });
    }

    #[test]
    fn a_finding_against_a_newer_rule_does_not_count() {
        let library = Library::embedded().unwrap();
        let rule = library.rules().next().unwrap().id.clone();
        let broken = |ruleset| {
            let verdict = RuleVerdict { rule: rule.clone(), level: Level::Must, judgement: Judgement::broken("x", []) };
            broken(&library, ruleset, &[verdict]).remove(0)
        };
        assert!(broken(1).is_scored(Level::Must));
        // As if it had come in with the set after the one that is chosen.
        assert!(!broken(0).is_scored(Level::Must));
        assert_eq!(broken(0).newer_ruleset, Some(1));
    }
}
