//! A baseline excuses what it lists, says when it is out of date, and can be written from what a run finds.

use std::path::Path;

use gauntlet_evidence::BaselineEffect;

use crate::support::{Ran, folder, gauntlet_in, reports, word};

const FLAW: [&str; 3] = ["run", "--flaw", "stream-end-is-success"];
/// Scenarios that the flaw breaks, on every binding.
const EARLY: [&str; 2] = ["--filter", "stream closes early"];
/// Some of them.
const PART: [&str; 2] = ["--filter", "stream closes early over GRPC"];
const COMPLETES: &str = "features/lifecycle/streams.feature#The stream closes early over GRPC while the task completes";

fn run(folder: &Path, arguments: &[&[&str]]) -> Ran {
    gauntlet_in(folder, &arguments.concat())
}

#[test]
fn what_is_written_excuses_the_same_run_and_is_stale_when_all_is_well() {
    let folder = folder(&[]);
    let folder = folder.path();
    run(folder, &[&FLAW, &EARLY, &["--write-baseline", "b.yaml"]]).ends_with(0);
    run(folder, &[&FLAW, &EARLY]).ends_with(1);
    let known = run(folder, &[&FLAW, &EARLY, &["--baseline", "b.yaml", "--out", "out"]]);
    known.ends_with(0);
    assert!(
        known.last_line().contains(" 0 failed") && known.last_line().contains(" expected failure"),
        "{}",
        known.stdout
    );
    let expected =
        reports(&folder.join("out")).iter().filter(|report| word(&report.result) == "expected-failure").count();
    assert!(expected >= 6, "{expected} expected failures");

    let well = run(folder, &[&["run", "--baseline", "b.yaml"], &EARLY]);
    well.ends_with(1);
    assert!(well.stdout.contains("Stale baseline entries") && well.stdout.contains("b.yaml:4:5"), "{}", well.stdout);

    // Written again, it is empty, and fine from then on.
    run(folder, &[&["run", "--write-baseline", "b.yaml"], &EARLY]).ends_with(0);
    run(folder, &[&["run", "--baseline", "b.yaml"], &EARLY]).ends_with(0);
}

#[test]
fn a_part_of_the_suite_does_not_make_an_entry_for_every_scenario_stale() {
    let everywhere = "entries: [{ rule: task-stream-close-resolved, reason: known }]";
    let folder = folder(&[("b.yaml", everywhere)]);
    run(folder.path(), &[&["run", "--baseline", "b.yaml"], &PART]).ends_with(0);
    let whole = run(folder.path(), &[&["run", "--baseline", "b.yaml"]]);
    whole.ends_with(1);
    assert!(whole.stdout.contains("b.yaml:1:11  task-stream-close-resolved"), "{}", whole.stdout);
}

#[test]
fn an_entry_excuses_its_rule_on_its_binding_until_its_day() {
    let entry = |more: &str| {
        format!(
            "entries: [{{ reason: known, {more} }}, {{ rule: expectation, reason: r }}, {{ rule: artifact-equals-peer, reason: r }}, {{ rule: task-truth-agrees, reason: r }}]"
        )
    };
    for (more, code) in [
        ("rule: task-stream-close-resolved", 0),
        ("rule: task-stream-close-resolved@GRPC", 0),
        ("rule: task-stream-close-resolved@JSONRPC", 1),
        ("rule: task-stream-close-resolved, expires: 2999-12-31", 0),
        ("rule: task-stream-close-resolved, expires: 2001-12-31", 1),
        ("rule: task-no-orphans", 1),
    ] {
        let folder = folder(&[("b.yaml", &entry(more))]);
        let ran = run(folder.path(), &[&FLAW, &PART, &["--baseline", "b.yaml"]]);
        assert_eq!(ran.code, Some(code), "{more}:\n{}", ran.stdout);
        assert_eq!(
            ran.stdout.contains("b.yaml:1:11 excused it until 2001-12-31"),
            more.contains("2001"),
            "{}",
            ran.stdout
        );
    }
}

#[test]
fn what_is_flaky_may_pass() {
    let entry = format!("entries:\n  - rule: task-truth-agrees\n    scenarios: {COMPLETES}\n    reason: at times\n");
    let folder = folder(&[("b.yaml", &entry), ("flaky.yaml", &format!("{entry}    flaky: true\n"))]);
    run(folder.path(), &[&["run", "--baseline", "b.yaml", "--out", "out"], &PART]).ends_with(1);
    let stale: Vec<_> =
        reports(&folder.path().join("out")).into_iter().filter(|report| !report.baseline.is_empty()).collect();
    assert_eq!(stale.len(), 1);
    assert_eq!(stale[0].scenario.stable(), COMPLETES);
    assert_eq!(word(&stale[0].result), "stale-expectation");
    assert_eq!(stale[0].baseline[0].effect, BaselineEffect::Stale);
    run(folder.path(), &[&["run", "--baseline", "flaky.yaml"], &PART]).ends_with(0);
}

#[test]
fn reasons_survive_being_written_again() {
    let ours = format!(
        "entries:\n  - rule: task-stream-close-resolved\n    scenarios: {COMPLETES}\n    reason: Known since May\n    owner: net\n"
    );
    let folder = folder(&[("b.yaml", &ours)]);
    run(folder.path(), &[&FLAW, &EARLY, &["--write-baseline", "b.yaml"]]).ends_with(0);
    let text = std::fs::read_to_string(folder.path().join("b.yaml")).unwrap();
    assert!(text.contains("Known since May") && text.contains("owner: net") && text.contains("over JSONRPC"), "{text}");
    assert_eq!(text.matches(COMPLETES).count(), 2, "once by our entry, once by another rule:\n{text}");
    run(folder.path(), &[&FLAW, &EARLY, &["--baseline", "b.yaml"]]).ends_with(0);
}

#[test]
fn a_driver_that_fails_the_healthy_delegation_is_not_excused() {
    let driver = r#"sh -c 'while read -r line; do case "$line" in *delegate*) id=${line#*\"id\":\"}; echo "{\"type\":\"outcome\",\"id\":\"${id%%\"*}\",\"status\":\"refused\"}";; esac; done'"#;
    let folder = folder(&[]);
    let ran =
        run(folder.path(), &[&["run", "--binding", "JSONRPC", "--command", driver, "--write-baseline", "b.yaml"]]);
    ran.ends_with(1).names(&["b.yaml is not written", "unproven"]);
    assert!(!folder.path().join("b.yaml").exists());
}

#[test]
fn a_wrong_baseline_says_where() {
    let folder = folder(&[("b.yaml", "entries:\n  - rule: task-no-orphan\n    reason: r\n")]);
    let ran = run(folder.path(), &[&["run", "--baseline", "b.yaml"]]);
    ran.ends_with(2).names(&["b.yaml:2:11", "task-no-orphan", "task-no-orphans"]);
    run(folder.path(), &[&["run", "--baseline", "nowhere.yaml"]]).ends_with(2).names(&["nowhere.yaml"]);
}
