//! Proof that the suite finds what is there and nothing else: each planted flaw breaks exactly the rules it says.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gauntlet_evidence::run::ScenarioResult;
use gauntlet_evidence::{Judgement, RunEvent, ScenarioReport};
use gauntlet_reference::{Flaw, ReferenceFactory, flaws};
use gauntlet_scenario::Library;
use gauntlet_suite::RunOptions;

async fn run(flaw: Option<&'static Flaw>) -> Vec<ScenarioReport> {
    let mut reports = Vec::new();
    let mut sink = |event: RunEvent| {
        if let RunEvent::ScenarioFinished(report) = event {
            reports.push(*report);
        }
    };
    // Runs mostly wait, and several scenarios at once cost little more than one. With sixteen, beside the other tests, a
    // flaw was once seen to break a rule more than it says.
    let options = RunOptions { jobs: 8, ..RunOptions::default() };
    let factory = Arc::new(ReferenceFactory::new(flaw));
    gauntlet_suite::run_watched(factory, options, &mut sink).await.expect("the suite runs");
    for report in &reports {
        let runs = matches!(report.result, ScenarioResult::Passed | ScenarioResult::Failed);
        assert!(runs, "{:?} under {:?}: {:?}", report.scenario, flaw.map(|flaw| flaw.id), report.result);
    }
    reports
}

fn broken(reports: &[ScenarioReport]) -> BTreeSet<&str> {
    let judgements = reports.iter().flat_map(|report| &report.judgements);
    judgements
        .filter(|verdict| matches!(verdict.judgement, Judgement::Broken { .. }))
        .map(|verdict| verdict.rule.as_str())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_flaw_breaks_exactly_the_rules_it_says() {
    let mut wrong: BTreeMap<&str, String> = BTreeMap::new();
    for flaw in flaws::all() {
        let reports = run(Some(flaw)).await;
        let (said, seen) = (flaw.breaks.iter().copied().collect::<BTreeSet<_>>(), broken(&reports));
        if said != seen {
            let missing: Vec<_> = said.difference(&seen).collect();
            let beyond: Vec<_> = seen.difference(&said).collect();
            wrong.insert(flaw.id, format!("not broken: {missing:?}, broken beyond: {beyond:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_rule_is_broken_by_some_flaw() {
    let library = Library::embedded().expect("the files that ship are right");
    let rules: BTreeSet<&str> = library.rules().map(|rule| rule.id.as_str()).collect();
    let proven: BTreeSet<&str> = flaws::all().iter().flat_map(|flaw| flaw.breaks.iter().copied()).collect();
    assert_eq!(rules, proven);
}

#[tokio::test(flavor = "multi_thread")]
async fn refusing_everything_fails_every_control() {
    let flaw = flaws::find("refuse-everything").expect("the flaw is planted");
    let reports = run(Some(flaw)).await;
    let controls: Vec<_> = reports
        .iter()
        .filter(|report| report.tags.iter().any(|tag| tag == "control" || tag.starts_with("control:")))
        .collect();
    assert!(controls.len() >= 7, "{} controls", controls.len());
    let passed: Vec<_> = controls
        .iter()
        .filter(|report| report.result != ScenarioResult::Failed)
        .map(|report| &report.scenario)
        .collect();
    assert!(passed.is_empty(), "controls that an orchestrator passes by refusing: {passed:#?}");
}
