//! What `gauntlet init` writes works as it is, and `gauntlet.toml` says how it is run.

use std::path::Path;
use std::process::Command;

use crate::support::{folder, gauntlet_in, python, reports, root, word};

/// Writes a driver, runs it against healthy peers as the printed command says, and tells how long it is.
fn judge(lang: &str) -> usize {
    let folder = folder(&[]);
    let told = gauntlet_in(folder.path(), &["init", "--lang", lang, "mine"]);
    told.ends_with(0);
    let next =
        told.stdout.lines().find_map(|line| line.trim().strip_prefix("cd mine && gauntlet ")).expect("a command");
    let arguments: Vec<&str> = next.split(' ').collect();
    let mine = folder.path().join("mine");
    let ran = gauntlet_in(&mine, &[&arguments[..], &["--out", "out", "--level", "must"]].concat());
    ran.ends_with(0);
    let passed = reports(&mine.join("out")).iter().filter(|report| word(&report.result) == "passed").count();
    assert!(passed >= 1, "{passed} passed:\n{}", ran.stdout);

    let again = gauntlet_in(folder.path(), &["init", "--lang", lang, "mine"]);
    again.ends_with(2).names(&["is there already"]);
    let first = told.stdout.lines().next().expect("a file");
    std::fs::read_to_string(folder.path().join(first)).expect("it was written").lines().count()
}

fn there_is(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    assert!(found || std::env::var_os("REQUIRE_INTEROP").is_none(), "there is no {program}");
    found
}

#[test]
fn the_python_driver_works_as_it_is() {
    if there_is("python3") {
        assert!(judge("python") < 40);
    }
}

#[test]
fn the_javascript_driver_works_as_it_is() {
    if there_is("node") {
        assert!(judge("js") < 40);
    }
}

/// It is built with crates from the registry: only where these may be fetched.
#[test]
fn the_rust_driver_works_as_it_is() {
    if std::env::var_os("REQUIRE_INTEROP").is_some() {
        judge("rust");
    }
}

/// The drivers of the project, and the files of each that are written.
const FRAMEWORKS: [(&str, &str, &[&str]); 5] = [
    ("python-a2a-sdk", "python-a2a-sdk", &["driver.py", "requirements.txt", "baseline.yaml"]),
    ("google-adk", "google-adk", &["driver.py", "requirements.txt", "baseline.yaml"]),
    ("agent-framework", "agent-framework", &["driver.py", "requirements.txt", "baseline.yaml"]),
    ("js-a2a-sdk", "js-a2a-sdk", &["driver.mjs", "package.json", "package-lock.json", "baseline.yaml"]),
    ("rust", "rust-a2a-client", &["src/main.rs", "Cargo.lock", "baseline.yaml"]),
];

#[test]
fn a_framework_gets_the_driver_of_the_project() {
    for (framework, driver, files) in FRAMEWORKS {
        let folder = folder(&[]);
        let told = gauntlet_in(folder.path(), &["init", "--framework", framework, "mine"]);
        told.ends_with(0);
        assert!(told.stdout.contains("cd mine && gauntlet run\n"), "{}", told.stdout);
        for file in files {
            let (written, original) = (folder.path().join("mine").join(file), root().join("drivers").join(driver));
            let read = |path: &Path| std::fs::read_to_string(path).expect("the file is there");
            assert_eq!(read(&written), read(&original.join(file)), "{framework}: {file}");
        }
        gauntlet_in(folder.path(), &["init", "--framework", framework, "mine"]).ends_with(2).names(&["already"]);
        // Where one file is in the way, none is written.
        std::fs::create_dir(folder.path().join("other")).expect("a folder");
        std::fs::write(folder.path().join("other/gauntlet.toml"), "mine").expect("a file");
        gauntlet_in(folder.path(), &["init", "--framework", framework, "other"]).ends_with(2);
        assert_eq!(std::fs::read_dir(folder.path().join("other")).expect("the folder").count(), 1);
    }
}

#[test]
fn the_driver_of_a_framework_works_as_it_is() {
    let Some(python) = python().or_skip() else { return };
    let folder = folder(&[]);
    gauntlet_in(folder.path(), &["init", "--framework", "python-a2a-sdk", "."]).ends_with(0);
    gauntlet_in(folder.path(), &["run", "--filter", "healthy", "--", &python, "driver.py"]).ends_with(0);
}

#[test]
fn an_unknown_framework_is_told_with_the_nearest() {
    let folder = folder(&[]);
    let told = gauntlet_in(folder.path(), &["init", "--framework", "google-adks", "mine"]);
    told.ends_with(2).names(&["google-adks", "similar", "google-adk"]);
    gauntlet_in(folder.path(), &["init", "mine"]).ends_with(2).names(&["--lang"]);
    gauntlet_in(folder.path(), &["init", "--lang", "js", "--framework", "rust", "mine"]).ends_with(2);
    assert!(!folder.path().join("mine").exists());
}

const FAILS: &str = "Feature: F\n  @JSONRPC\n  Scenario: S\n    Given a peer \"p\" serving JSONRPC\n    \
                     When work is delegated to \"p\"\n    Then the delegation ends as rejected\n";

#[test]
fn a_profile_says_what_flags_leave_open() {
    let profiles = "[profile.default]\ncommand = \"no-such-driver\"\n\
                    [profile.ci]\nbaseline = \"b.yaml\"\nreport = [\"junit=r/j.xml\"]\n";
    let baseline = "entries: [{ rule: expectation, reason: known }]";
    let folder = folder(&[
        ("gauntlet.toml", profiles),
        ("b.yaml", baseline),
        ("a.feature", FAILS),
        ("none.yaml", "entries: []"),
    ]);
    let run = |arguments: &[&str]| gauntlet_in(folder.path(), &[&["run", "a.feature"], arguments].concat());
    run(&[]).ends_with(3).names(&["no-such-driver"]);
    run(&["--flaw", "no-probe"]).ends_with(1);
    run(&["--profile", "ci"]).ends_with(0);
    assert!(folder.path().join("r/j.xml").exists());
    run(&["--profile", "ci", "--baseline", "none.yaml"]).ends_with(1);
    run(&["--profile", "ic"]).ends_with(2).names(&["there is no profile `ic`", "did you mean `ci`?"]);
}

#[test]
fn a_wrong_profile_says_where() {
    let folder = folder(&[("gauntlet.toml", "[profile.ci]\nlevle = \"must\"\n")]);
    gauntlet_in(folder.path(), &["run"]).ends_with(2).names(&["gauntlet.toml:2:1", "levle", "level"]);
    gauntlet_in(crate::support::folder(&[]).path(), &["run", "--profile", "ci"]).ends_with(2).names(&["gauntlet.toml"]);
}
