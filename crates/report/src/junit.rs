//! JUnit XML: one suite an area, one case a scenario. Names hold no lines and no times, so that a build server knows a case
//! again from one run to the next.

use std::collections::BTreeMap;
use std::time::Duration;

use gauntlet_evidence::{BaselineEffect, BaselineNote, ScenarioReport, ScenarioResult};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestRerun, TestSuite};

use crate::digest::Digest;
use crate::findings::{broken_rules, detail, excused, fails};

/// The document. An area is a suite; beside them stands the healthy delegation of each binding, as `proof`, and where
/// entries of the baseline are stale, `baseline`.
pub(crate) fn junit(run: &Digest) -> String {
    let mut document = Report::new(if run.name().is_empty() { "gauntlet".to_owned() } else { run.name() });
    document.set_time(Duration::from_millis(run.duration_ms));
    if !run.proven.is_empty() || run.failure.is_some() {
        let mut suite = TestSuite::new("proof");
        if let Some(failure) = &run.failure {
            let mut case = TestCase::new("run", unsuccessful(NonSuccessKind::Error, "could-not-run", failure, failure));
            case.set_classname("proof");
            suite.add_test_case(case);
        }
        for (binding, result) in &run.proven {
            let status = match result {
                Ok(_) => TestCaseStatus::success(),
                Err(failure) => unsuccessful(NonSuccessKind::Error, "unproven", failure, failure),
            };
            let mut case = TestCase::new(format!("healthy delegation over {binding}"), status);
            case.set_classname("proof");
            case.set_time(Duration::from_millis(result.as_ref().copied().unwrap_or_default()));
            suite.add_test_case(case);
        }
        document.add_test_suite(suite);
    }
    let mut areas: BTreeMap<&str, Vec<&ScenarioReport>> = BTreeMap::new();
    for report in &run.reports {
        areas.entry(&report.scenario.area).or_default().push(report);
    }
    for (area, reports) in areas {
        let mut suite = TestSuite::new(area);
        suite.set_time(Duration::from_millis(reports.iter().map(|report| report.duration_ms).sum()));
        for (index, report) in reports.iter().enumerate() {
            // Two files of one area may hold a scenario of the same name.
            let alike = |other: &&&ScenarioReport| other.scenario.name == report.scenario.name;
            let before = reports[..index].iter().filter(alike).count();
            let name = match before {
                0 => report.scenario.name.clone(),
                before => format!("{} ({})", report.scenario.name, before + 1),
            };
            suite.add_test_case(case(run, report, name));
        }
        document.add_test_suite(suite);
    }
    let stale: Vec<&BaselineNote> = run.baseline.iter().filter(|note| note.effect == BaselineEffect::Stale).collect();
    if !stale.is_empty() {
        let mut suite = TestSuite::new("baseline");
        for note in stale {
            let message = format!("{}: nothing breaks {} any more", note.place, note.listed());
            let status = unsuccessful(NonSuccessKind::Failure, "stale-expectation", &message, &message);
            let mut case = TestCase::new(note.listed(), status);
            case.set_classname("baseline");
            suite.add_test_case(case);
        }
        document.add_test_suite(suite);
    }
    if let Some(comparison) = &run.comparison {
        let mut suite = TestSuite::new("since the last run");
        let lists = [("new", &comparison.new), ("fixed", &comparison.fixed), ("known", &comparison.known)];
        for (word, ids) in lists {
            suite.add_property((word, ids.len().to_string().as_str()));
            suite.add_properties(ids.iter().map(|id| (format!("{word} finding"), id.short())));
        }
        document.add_test_suite(suite);
    }
    // What goes in is text alone, and strings take any amount of it.
    document.to_string().unwrap_or_default()
}

fn case(run: &Digest, report: &ScenarioReport, name: String) -> TestCase {
    let mut case = TestCase::new(name, status(run, report));
    case.set_classname(report.scenario.area.as_str());
    case.set_time(Duration::from_millis(report.duration_ms));
    // Members that GitLab, Jenkins and others turn into links.
    case.extra.insert("file".into(), report.scenario.file.as_str().into());
    case.extra.insert("line".into(), report.scenario.line.to_string().into());
    let mut rules: Vec<&str> = Vec::new();
    for finding in &report.findings {
        if !rules.contains(&finding.rule.as_str()) {
            rules.push(&finding.rule);
            let word = if run.is_new(report, &finding.rule) { "new finding" } else { "finding" };
            case.add_property((word.to_owned(), report.scenario.finding(&finding.rule)));
        }
    }
    let warnings: Vec<String> = report
        .findings
        .iter()
        .filter(|finding| !finding.is_scored(run.level))
        .map(|finding| match finding.newer_ruleset {
            Some(set) => format!("not scored (rule set {set}): {}: {}", finding.rule, finding.why),
            None => format!("warning ({}): {}: {}", finding.level, finding.rule, finding.why),
        })
        .collect();
    if !warnings.is_empty() {
        case.set_system_out(warnings.join("\n"));
    }
    if !report.driver_log.is_empty() {
        case.set_system_err(report.driver_log.as_str());
    }
    case
}

fn status(run: &Digest, report: &ScenarioReport) -> TestCaseStatus {
    let text = || detail(run, report);
    match &report.result {
        ScenarioResult::Passed => TestCaseStatus::success(),
        ScenarioResult::Failed => {
            let failing = report.findings.iter().find(|finding| fails(run, report, finding));
            let (rule, message) = match failing {
                Some(finding) => (finding.rule.clone(), format!("{}: {}", finding.rule, finding.why)),
                None => (broken_rules(report), "the scenario failed".to_owned()),
            };
            unsuccessful(NonSuccessKind::Failure, &rule, &message, &text())
        }
        ScenarioResult::StaleExpectation => {
            let stale: Vec<String> = report
                .baseline
                .iter()
                .filter(|note| note.effect == BaselineEffect::Stale)
                .map(|note| format!("{}: {} is upheld here", note.place, note.listed()))
                .collect();
            unsuccessful(NonSuccessKind::Failure, "stale-expectation", &stale.join("; "), &text())
        }
        ScenarioResult::ExpectedFailure => {
            let mut status = TestCaseStatus::skipped();
            status.set_type("expected failure").set_message(excused(report).join("; "));
            status
        }
        ScenarioResult::Flaky { seen } => {
            let mut status = TestCaseStatus::success();
            let mut rerun = TestRerun::new(NonSuccessKind::Failure);
            rerun.set_type("flaky").set_message(seen.as_str()).set_description(text());
            status.add_rerun(rerun);
            status
        }
        ScenarioResult::Unscored { ruleset, seen } => {
            let mut status = TestCaseStatus::skipped();
            status.set_type("not scored").set_message(format!("it came in with rule set {ruleset}; seen: {seen}"));
            status
        }
        ScenarioResult::Skipped { reason, .. } => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(reason.as_str());
            status
        }
        ScenarioResult::DriverError { message } => unsuccessful(NonSuccessKind::Error, "driver", message, &text()),
        ScenarioResult::SetupError { message } => unsuccessful(NonSuccessKind::Error, "setup", message, &text()),
        ScenarioResult::HarnessError { message } => unsuccessful(NonSuccessKind::Error, "harness", message, &text()),
    }
}

fn unsuccessful(kind: NonSuccessKind, type_: &str, message: &str, text: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(type_).set_message(message).set_description(text);
    status
}
