//! The reference orchestrator obeys every rule, whatever the order in which scenarios run.

use std::sync::atomic::{AtomicUsize, Ordering};

use gauntlet_evidence::Judgement;

use crate::support::{folder, gauntlet, gauntlet_in, reports, word};

/// Everything that a run says of each scenario, without times.
fn verdicts(jobs: &str) -> Vec<String> {
    let folder = folder(&[]);
    let ran = gauntlet_in(folder.path(), &["run", "--jobs", jobs, "--out", "out"]);
    ran.ends_with(0);
    assert!(ran.last_line().contains(" 0 failed, 0 skipped"), "{}", ran.last_line());
    let verdict = |report: gauntlet_evidence::ScenarioReport| {
        let rules: Vec<String> = report
            .judgements
            .iter()
            .filter(|verdict| verdict.judgement != Judgement::NotExercised)
            .map(|verdict| verdict.rule.clone())
            .collect();
        format!("{:?} {} {}", report.scenario, word(&report.result), rules.join(" "))
    };
    reports(&folder.path().join("out")).into_iter().map(verdict).collect()
}

#[test]
fn it_passes_everything_and_the_number_of_jobs_changes_no_verdict() {
    let alone = verdicts("1");
    assert!(alone.len() >= 30);
    assert_eq!(alone, verdicts("8"));
}

#[test]
fn one_binding_can_be_asked_for() {
    let folder = folder(&[]);
    gauntlet_in(folder.path(), &["run", "--binding", "grpc", "--out", "out"]).ends_with(0);
    for report in reports(&folder.path().join("out")) {
        assert!(report.tags.iter().all(|tag| tag != "JSONRPC" && tag != "HTTP+JSON"), "{:?}", report.scenario);
    }
}

#[test]
fn a_finding_replays_by_its_file_and_line() {
    let ran = gauntlet(&["run", "--flaw", "refuse-everything", "--fail-fast", "--jobs", "1"]);
    ran.ends_with(1);
    let replay = ran.stdout.lines().find_map(|line| line.trim().strip_prefix("replay")).expect("a command to replay");
    let arguments: Vec<&str> = replay.split_whitespace().skip(1).collect();
    let again = gauntlet(&arguments);
    again.ends_with(1);
    assert!(again.stdout.contains(" · 1 scenario\n"), "{}", again.stdout);
}

#[test]
fn flaws_are_found() {
    let flaws = gauntlet(&["list", "flaws"]);
    // What goes on below a name is indented.
    let names = flaws.stdout.lines().filter(|line| !line.starts_with(' '));
    let flaws: Vec<&str> = names.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(flaws.len() >= 20, "{flaws:?}");
    // The proof matrix plants all of them; here it is the binary that is put to the test.
    let flaws: Vec<&str> = flaws.into_iter().step_by(9).collect();
    let next = AtomicUsize::new(0);
    let run = || {
        while let Some(flaw) = flaws.get(next.fetch_add(1, Ordering::Relaxed)) {
            let ran = gauntlet(&["run", "--flaw", flaw, "--fail-fast"]);
            assert_eq!(ran.code, Some(1), "{flaw}:\n{}{}", ran.stdout, ran.stderr);
        }
    };
    // Runs mostly wait; the scope ends when all have, and fails if one of them did.
    std::thread::scope(|scope| (0..3).for_each(|_| _ = scope.spawn(run)));
}
