//! From what was played to what is reported.

use std::collections::BTreeSet;

use gauntlet_evidence::{
    BaselineEffect, BaselineNote, Finding, Hello, JournalEvent, Judgement, Level, Outcome, RuleVerdict, ScenarioReport,
    ScenarioResult, Support,
};
use gauntlet_scenario::{Library, RuleEntry};
use gauntlet_verdict::Case;

use crate::baseline::{Baseline, EXPECTATION};
use crate::feature::Scenario;
use crate::scene::{End, Played, Setting, level_of};

/// How many journal lines a report shows.
const EXCERPT: usize = 14;

/// Judges all rules on the evidence, and the scenario's own expectations with them.
pub(crate) fn report(
    setting: &Setting,
    (level, baseline): (Level, Option<&Baseline>),
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
        findings.extend(broken(library, &judgements));
        findings.extend(unexercised(library, hello, scenario, &judgements));
        notes = baseline.map(|baseline| baseline.notes(&scenario.id, &findings, &judgements)).unwrap_or_default();
        // A driver that hands nothing over looks like an orchestrator that refuses wisely: neither passes unproven.
        if let Some(why) = unproven.filter(|_| !findings.iter().any(|finding| fails(level, &notes, finding))) {
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
        None if findings.iter().any(|finding| fails(level, &notes, finding)) => ScenarioResult::Failed,
        None if notes.iter().any(|note| note.effect == BaselineEffect::Stale) => ScenarioResult::StaleExpectation,
        None if findings.iter().any(|finding| finding.level <= level) => ScenarioResult::ExpectedFailure,
        None => ScenarioResult::Passed,
    };
    let quiet = matches!(result, ScenarioResult::Passed | ScenarioResult::Skipped { .. }) && findings.is_empty();
    let excerpt = match &played.case {
        Some(case) if !quiet => excerpt(case, &findings),
        _ => Vec::new(),
    };
    let outcomes = played.case.iter().flat_map(|case| &case.evidence.outcomes).map(outcome_line).collect();
    ScenarioReport {
        scenario: scenario.id.clone(),
        tags: scenario.tags.clone(),
        defects: played.defects.clone(),
        result,
        findings,
        judgements,
        outcomes,
        excerpt,
        driver_log: played.log.clone(),
        duration_ms: played.duration_ms,
        baseline: notes,
        attempts: None,
    }
}

/// Whether a finding fails its scenario: at the chosen level, and not excused.
fn fails(level: Level, notes: &[BaselineNote], finding: &Finding) -> bool {
    let excused = || notes.iter().any(|note| note.effect == BaselineEffect::Excused && note.rule == finding.rule);
    finding.level <= level && !excused()
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

fn broken(library: &Library, judgements: &[RuleVerdict]) -> Vec<Finding> {
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

/// The cited entries; where nothing is cited, the requests.
fn excerpt(case: &Case, findings: &[Finding]) -> Vec<String> {
    let cited: BTreeSet<u64> = findings.iter().flat_map(|finding| finding.entries.iter().copied()).collect();
    let entries = case.evidence.journal.iter().filter(|entry| {
        if cited.is_empty() {
            matches!(entry.event, JournalEvent::Request(_) | JournalEvent::Frame(_))
        } else {
            cited.contains(&entry.seq)
        }
    });
    entries.take(EXCERPT).map(ToString::to_string).collect()
}

fn outcome_line(outcome: &Outcome) -> String {
    let mut line = format!("{} {}", outcome.id, outcome.status);
    if let Some(peer) = &outcome.peer {
        line.push_str(&format!(" by {peer}"));
    }
    if let Some(binding) = outcome.binding {
        line.push_str(&format!(" over {binding}"));
    }
    if let Some(reason) = &outcome.reason {
        line.push_str(&format!(" ({})", reason.code));
    }
    let words = outcome
        .text
        .clone()
        .or_else(|| outcome.error.as_ref().map(|error| format!("{}: {}", error.kind, error.message)));
    if let Some(words) = words {
        line.push_str(&format!(": {words}"));
    }
    line
}
