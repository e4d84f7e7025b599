//! Which scenarios run, how often, and what drives them.

use gauntlet_evidence::Attempts;

use crate::documents::blocks;
use crate::support::{folder, gauntlet, gauntlet_in, reports, word};

#[test]
fn scenarios_are_picked_by_name() {
    let names = |arguments: &[&str]| {
        let ran = gauntlet(&[&["list", "scenarios"], arguments].concat());
        ran.ends_with(0);
        ran.stdout.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let early = names(&["--filter", "CLOSES EARLY"]);
    assert!(early.len() >= 6 && early.iter().all(|line| line.contains("closes early")), "{early:#?}");
    let grpc = names(&["--filter", "*closes early over GRPC*"]);
    assert!(grpc.len() >= 2 && grpc.len() < early.len(), "{grpc:#?}");
    assert!(names(&["--filter", "closes early", "--filter", "healthy"]).len() > early.len());
    gauntlet(&["run", "--filter", "no such scenario"]).ends_with(4).names(&["nothing"]);
}

#[test]
fn what_failed_last_runs_again_until_it_is_fine() {
    let folder = folder(&[]);
    let flawed = ["run", "--flaw", "stream-end-is-success", "--filter", "closes early over GRPC"];
    let run = |arguments: &[&str]| gauntlet_in(folder.path(), arguments);
    run(&["run", "--last-failed"]).ends_with(2).names(&["no run is remembered"]);
    run(&flawed).ends_with(1);
    let again = run(&["run", "--last-failed", "--out", "out"]);
    again.ends_with(0);
    let ran = reports(&folder.path().join("out"));
    assert!(
        ran.len() >= 2 && ran.iter().all(|report| report.scenario.name.contains("closes early over GRPC")),
        "{ran:#?}"
    );
    run(&["run", "--last-failed"]).ends_with(4).names(&["every scenario was fine"]);
}

#[test]
fn what_failed_last_is_found_in_the_paths_of_that_run() {
    let feature = "Feature: F\n  @JSONRPC\n  Scenario: Work\n    Given a peer \"p\" serving JSONRPC\n    \
                   When work is delegated to \"p\"\n    Then the delegation is refused before dispatch as mode-unsupported\n";
    let folder = folder(&[("mine/a.feature", feature)]);
    gauntlet_in(folder.path(), &["run", "mine"]).ends_with(1);
    let again = gauntlet_in(folder.path(), &["run", "--last-failed"]);
    again.ends_with(1);
    assert!(again.stdout.contains("· 1 scenario\n"), "{}", again.stdout);
}

const FEATURE: &str = "Feature: F\n  @JSONRPC\n  Scenario: It completes\n    Given a peer \"p\" serving JSONRPC\n    \
                       When work is delegated to \"p\"\n    Then the delegation ends as completed\n";

/// The driver of the README, which says of every second delegation that it failed.
fn flaky_driver() -> String {
    let at_times = "            outcome = delegate(request)
            import os
            counter = os.environ['COUNTER']
            times = len(open(counter).read()) if os.path.exists(counter) else 0
            open(counter, 'a').write('.')
            if times % 2:
                outcome = {'status': 'failed'}
";
    blocks("README.md", "python")[0].replace("            outcome = delegate(request)\n", at_times)
}

#[test]
fn environment_and_folder_reach_the_driver() {
    let driver = "import os; open('said.txt', 'w').write(os.environ['WORD'])";
    let folder = folder(&[("below/driver.py", driver), ("a.feature", FEATURE)]);
    let arguments = ["run", "a.feature", "--env", "WORD=hello", "--cwd", "below", "--", "python3", "driver.py"];
    gauntlet_in(folder.path(), &arguments).ends_with(3);
    assert_eq!(std::fs::read_to_string(folder.path().join("below/said.txt")).expect("it was here"), "hello");
    gauntlet(&["run", "--cwd", "."]).ends_with(2).names(&["--command"]);
    gauntlet(&["run", "--env", "WORD", "--command", "true"]).ends_with(2).names(&["NAME=VALUE"]);
}

#[test]
fn repeats_show_what_does_not_always_end_alike() {
    let folder = folder(&[("driver.py", &flaky_driver()), ("a.feature", FEATURE)]);
    let run = |more: &[&str]| {
        _ = std::fs::remove_file(folder.path().join("n"));
        let counter = format!("COUNTER={}", folder.path().join("n").display());
        let fixed = ["run", "a.feature", "--env", &counter, "--command", "python3 driver.py", "--out", "out"];
        let ran = gauntlet_in(folder.path(), &[&fixed, more].concat());
        (ran, reports(&folder.path().join("out")).remove(0))
    };
    // The healthy delegation is the first, and completes; then comes the first attempt.
    let (ran, once) = run(&[]);
    ran.ends_with(1);
    assert_eq!((word(&once.result), once.attempts), ("failed", None));
    let (ran, four) = run(&["--repeat", "4"]);
    ran.ends_with(1);
    assert_eq!((word(&four.result), four.attempts), ("failed", Some(Attempts { made: 4, failed: 2 })));
    assert!(ran.stdout.contains("2 of 4 attempts"), "{}", ran.stdout);
    let (ran, retried) = run(&["--retries", "2"]);
    ran.ends_with(0);
    assert_eq!((word(&retried.result), retried.attempts), ("flaky", Some(Attempts { made: 2, failed: 1 })));
    assert!(ran.last_line().starts_with("0 passed, 0 failed, 0 skipped, 1 flaky"), "{}", ran.last_line());
    gauntlet(&["run", "--repeat", "2", "--retries", "1"]).ends_with(2).names(&["--retries"]);
}
