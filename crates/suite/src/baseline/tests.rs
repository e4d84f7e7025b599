use gauntlet_evidence::Level;
use jiff::civil::date;
use proptest::prelude::*;

use super::write::{scalar, written};
use super::*;

const RULES: [&str; 2] = ["interface-fallback", "task-no-orphans"];

fn baseline(entries: &str) -> Baseline {
    let entries = read::entries("b.yaml", entries, &RULES).unwrap();
    Baseline { entries, today: date(2026, 6, 15) }
}

fn id(name: &str, binding: Binding) -> ScenarioId {
    ScenarioId {
        area: "a".to_owned(),
        file: "a.feature".to_owned(),
        line: 3,
        name: name.to_owned(),
        binding: Some(binding),
    }
}

fn finding(rule: &str) -> Finding {
    Finding {
        rule: rule.to_owned(),
        level: Level::Hardened,
        why: "why: this".to_owned(),
        expected: String::new(),
        entries: Vec::new(),
        source: String::new(),
        fix: String::new(),
        newer_ruleset: None,
    }
}

/// A scenario over JSON-RPC as the suite judges it: the rules that are broken, and those that are upheld.
fn report(baseline: &Baseline, name: &str, broken: &[&str], upheld: &[&str]) -> ScenarioReport {
    let verdict =
        |rule: &&str, judgement: Judgement| RuleVerdict { rule: (*rule).to_owned(), level: Level::Hardened, judgement };
    let mut judgements: Vec<_> = broken.iter().map(|rule| verdict(rule, Judgement::broken("x", []))).collect();
    judgements.extend(upheld.iter().map(|rule| verdict(rule, Judgement::Upheld)));
    let scenario = id(name, Binding::JsonRpc);
    let findings: Vec<Finding> = broken.iter().map(|rule| finding(rule)).collect();
    let notes = baseline.notes(&scenario, &findings, &judgements);
    ScenarioReport {
        result: if findings.is_empty() { ScenarioResult::Passed } else { ScenarioResult::Failed },
        scenario,
        tags: Vec::new(),
        defects: Vec::new(),
        findings,
        judgements,
        outcomes: Vec::new(),
        truth: Vec::new(),
        excerpt: Vec::new(),
        unmatched: Vec::new(),
        driver_log: String::new(),
        duration_ms: 1,
        baseline: notes,
        attempts: None,
    }
}

fn effects(report: &ScenarioReport) -> Vec<BaselineEffect> {
    report.baseline.iter().map(|note| note.effect).collect()
}

#[test]
fn an_entry_for_a_scenario_excuses_there_and_is_stale_where_the_rule_holds() {
    let baseline = baseline("entries: [{ rule: interface-fallback, scenarios: 'a.feature#S', reason: r }]");
    assert_eq!(effects(&report(&baseline, "S", &["interface-fallback"], &[])), [BaselineEffect::Excused]);
    assert_eq!(effects(&report(&baseline, "S", &[], &["interface-fallback"])), [BaselineEffect::Stale]);
    assert_eq!(effects(&report(&baseline, "S", &[], &[])), [], "not exercised");
    assert_eq!(effects(&report(&baseline, "T", &["interface-fallback"], &[])), [], "another scenario");
    assert_eq!(effects(&report(&baseline, "S", &["task-no-orphans"], &[])), [], "another rule");
}

#[test]
fn an_entry_for_a_binding_says_nothing_of_others() {
    let baseline = baseline("entries: [{ rule: interface-fallback@GRPC, reason: r }]");
    let findings = [finding("interface-fallback")];
    assert_eq!(baseline.notes(&id("S", Binding::Grpc), &findings, &[]).len(), 1);
    assert_eq!(baseline.notes(&id("S", Binding::JsonRpc), &findings, &[]).len(), 0);
}

#[test]
fn the_day_an_entry_expires_is_its_last() {
    for (day, effect) in [("2026-06-14", BaselineEffect::Expired), ("2026-06-15", BaselineEffect::Excused)] {
        let baseline = baseline(&format!("entries: [{{ rule: interface-fallback, reason: r, expires: {day} }}]"));
        assert_eq!(effects(&report(&baseline, "S", &["interface-fallback"], &[])), [effect], "{day}");
    }
}

#[test]
fn what_is_flaky_excuses_and_is_never_stale() {
    let baseline = baseline(
        "entries: [{ rule: interface-fallback, scenarios: ['a.feature#S'], reason: r, flaky: true }, \
         { rule: task-no-orphans, reason: r, flaky: true }]",
    );
    assert_eq!(effects(&report(&baseline, "S", &["interface-fallback"], &[])), [BaselineEffect::Excused]);
    let passes = report(&baseline, "S", &[], &RULES);
    assert_eq!(effects(&passes), []);
    assert_eq!(baseline.overall(&[passes], &["a.feature#S".to_owned()].into()), []);
}

#[test]
fn an_entry_for_every_scenario_is_stale_only_when_it_holds_in_all() {
    let baseline = baseline("entries: [{ rule: interface-fallback, reason: r }]");
    let known = BTreeSet::new();
    let broken = report(&baseline, "S", &["interface-fallback"], &[]);
    let upheld = report(&baseline, "T", &[], &["interface-fallback"]);
    let mut error = report(&baseline, "U", &[], &[]);
    error.result = ScenarioResult::DriverError { message: "it crashed".to_owned() };
    assert_eq!(effects(&upheld), [], "the scenario alone does not tell");
    let stale = |reports: &[&ScenarioReport]| {
        let reports: Vec<_> = reports.iter().map(|report| (*report).clone()).collect();
        baseline.overall(&reports, &known).len()
    };
    assert_eq!(stale(&[&upheld]), 1);
    assert_eq!(stale(&[&upheld, &broken]), 0);
    assert_eq!(stale(&[&upheld, &error]), 0, "what could not be judged may break it still");
    assert_eq!(stale(&[&report(&baseline, "S", &[], &[])]), 0, "never exercised");
}

#[test]
fn a_scenario_that_there_is_not_is_told() {
    let baseline = baseline("entries: [{ rule: interface-fallback, scenarios: ['a.feature#Gone'], reason: r }]");
    let notes = baseline.overall(&[], &["a.feature#S".to_owned()].into());
    assert_eq!(notes[0].effect, BaselineEffect::Unmatched);
    assert_eq!(notes[0].place, "b.yaml:1:11");
}

#[test]
fn what_is_written_excuses_what_was_found_and_keeps_what_still_holds() {
    let old = baseline(
        "entries: [{ rule: interface-fallback, scenarios: ['a.feature#S', 'a.feature#T', 'a.feature#Elsewhere'], \
         reason: 'known: here', owner: net, expires: 2026-12-31 }]",
    );
    let reports = [
        report(&old, "S", &["interface-fallback", "task-no-orphans"], &[]),
        report(&old, "T", &[], &["interface-fallback"]),
        report(&old, "#1: \"odd\"", &[EXPECTATION], &[]),
    ];
    let (text, number) = written(Some(&old), &[], Level::Hardened, &reports);
    assert_eq!(number, 3);
    insta::assert_snapshot!(text);
    let new = baseline(&text);
    for report in &reports {
        let notes = new.notes(&report.scenario, &report.findings, &report.judgements);
        assert_eq!(notes.len(), report.findings.len());
        assert!(notes.iter().all(|note| note.effect == BaselineEffect::Excused), "{notes:?}");
    }
}

#[test]
fn findings_below_the_level_are_not_written() {
    let none = baseline("entries: []");
    let (text, number) = written(None, &[], Level::Must, &[report(&none, "S", &["interface-fallback"], &[])]);
    assert_eq!(number, 0);
    assert!(baseline(&text).entries.is_empty());
}

#[test]
fn wrong_files_say_where_and_what_to_do() {
    let wrong = [
        "- rule: interface-fallback",
        "entrys: []",
        "entries:\n  - rule: interface-falback\n    reason: r",
        "entries:\n  - rule: interface-fallback@SOAP\n    reason: r",
        "entries:\n  - rule: interface-fallback",
        "entries:\n  - { rule: interface-fallback, reason: '' }",
        "entries:\n  - { rule: interface-fallback, reason: r, scenarios: [] }",
        "entries:\n  - { rule: interface-fallback, reason: r, scenarios: [Some name] }",
        "entries:\n  - { rule: interface-fallback, reason: r, expires: 31.12.2026 }",
        "entries:\n  - { rule: interface-fallback, reason: r, flaky: yes }",
        "entries:\n  - { rule: interface-fallback, reason: r, until: tomorrow }",
    ];
    let said: Vec<String> =
        wrong.iter().map(|text| read::entries("b.yaml", text, &RULES).unwrap_err().to_string()).collect();
    insta::assert_snapshot!(said.join("\n"));
}

proptest! {
    #[test]
    fn any_text_survives_being_written(text in any::<String>()) {
        let node = gauntlet_scenario::yaml::parse("x", &format!("a: {}\n", scalar(&text))).unwrap();
        prop_assert_eq!(node.get("a").unwrap().text().unwrap(), text);
    }
}
