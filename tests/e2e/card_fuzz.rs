//! `gauntlet card fuzz`: validators of every manner, as shell scripts, in each of the three ways they can be asked.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Ran, folder, gauntlet, gauntlet_in};

/// Answers each line with this, `$id` set and the line in `$line`.
fn persistent(answer: &str) -> String {
    format!(
        r#"while IFS= read -r line; do
    id=${{line#*\"id\":}}; id=${{id%%,*}}
    {answer}
done
"#
    )
}

const ACCEPT: &str = r#"echo "{\"id\":$id,\"valid\":true}""#;
const REJECT: &str = r#"echo "{\"id\":$id,\"valid\":false,\"errors\":[\"skill 7 is odd\"]}""#;

fn fuzz(script: &str, arguments: &[&str]) -> (Ran, TempDir) {
    let folder = folder(&[("validator.sh", script)]);
    let mut all = vec!["card", "fuzz", "--command", "sh validator.sh"];
    all.extend(arguments);
    (gauntlet_in(folder.path(), &all), folder)
}

/// The report that `--report json=report.json` wrote.
fn report(folder: &TempDir) -> Value {
    let text = std::fs::read_to_string(folder.path().join("report.json")).expect("a report");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn one_that_accepts_everything_is_told_what_it_lets_pass() {
    let arguments = ["--persistent", "--count", "60", "--only", "skill-id-unique,interface-url-https"];
    let (ran, _folder) = fuzz(&persistent(ACCEPT), &arguments);
    insta::assert_snapshot!(ran.ends_with(1).stdout);
    let fits = |line: &str| line.chars().count() <= 80 || line.starts_with("  card ");
    assert!(ran.stdout.lines().all(fits), "{}", ran.stdout);
}

#[test]
fn one_that_rejects_everything_is_told_the_smallest_valid_card() {
    let (ran, folder) =
        fuzz(&persistent(REJECT), &["--persistent", "--count", "40", "--out", "found", "--report", "json=report.json"]);
    insta::assert_snapshot!(ran.ends_with(1).stdout);
    let report = report(&folder);
    assert_eq!((&report["falseAccepts"], &report["crashes"]), (&0.into(), &0.into()));
    let card = folder.path().join("found/false-reject-valid.json");
    assert_eq!(std::fs::read(&card).expect("written"), report["found"][0]["card"].to_string().into_bytes());
    gauntlet(&["card", "validate", &card.to_string_lossy()]).ends_with(0);
}

/// Rejects cards that speak gRPC, and knows nothing else.
const NO_GRPC: &str = r#"case "$line" in *GRPC*) echo "{\"id\":$id,\"valid\":false,\"errors\":[\"no gRPC\"]}";;
    *) echo "{\"id\":$id,\"valid\":true}";; esac"#;

#[test]
fn what_is_found_is_made_small_and_stays_what_it_is() {
    let arguments = ["--persistent", "--count", "120", "--report", "json=report.json", "--report", "junit=report.xml"];
    let (ran, folder) = fuzz(&persistent(NO_GRPC), &arguments);
    ran.ends_with(1);
    let report = report(&folder);
    let found = report["found"].as_array().expect("a list");
    let rejects: Vec<&Value> = found.iter().filter(|found| found["kind"] == "false-reject").collect();
    assert!(!rejects.is_empty(), "{report:#}");
    for reject in rejects {
        assert!(reject["card"].to_string().contains("GRPC"), "{reject:#}");
        assert_eq!((&reject["ours"], &reject["theirs"]), (&"valid".into(), &"no gRPC".into()));
        assert!(reject["bytes"].as_u64() < reject["was"].as_u64(), "{reject:#}");
    }
    for accept in found.iter().filter(|found| found["kind"] == "false-accept" && found.get("card").is_some()) {
        let card = crate::support::folder(&[("card.json", &accept["card"].to_string())]);
        let path = card.path().join("card.json").to_string_lossy().into_owned();
        let judged = gauntlet(&["card", "validate", "--format", "json", &path]);
        let judged: Value = serde_json::from_str(&judged.ends_with(1).stdout).expect("a report");
        let error = &judged["findings"].as_array().expect("findings").iter().find(|of| of["severity"] == "error");
        assert_eq!(error.expect("an error")["rule"], accept["rule"], "{accept:#}");
    }
    // Sums are those of the rows.
    let rows = report["rules"].as_array().expect("rows");
    for sum in ["cards", "falseAccepts", "falseRejects", "crashes"] {
        let of_rows: u64 = rows.iter().filter_map(|row| row[sum].as_u64()).sum();
        assert_eq!(report[sum], of_rows, "{sum}");
    }
    let xml = std::fs::read_to_string(folder.path().join("report.xml")).expect("a report");
    assert!(xml.contains("<testsuite name=\"spec\"") && xml.contains("<failure"), "{xml}");
    let again = fuzz(&persistent(NO_GRPC), &arguments).0;
    assert_eq!(again.stdout, ran.stdout, "the same seed comes to the same");
}

#[test]
fn one_that_agrees_is_fine_in_each_of_the_three_ways() {
    // What it says is what gauntlet says.
    let judge = format!("{} card validate", env!("CARGO_BIN_EXE_gauntlet-under-test"));
    let input = format!("exec {judge} - >&2");
    fuzz(&input, &["--count", "30"]).0.ends_with(0);
    let file = format!("exec {judge} \"$1\"");
    let folder = folder(&[("validator.sh", file.as_str())]);
    let by_path = gauntlet_in(folder.path(), &["card", "fuzz", "--count", "30", "--", "sh", "validator.sh", "{}"]);
    assert!(by_path.ends_with(0).stdout.contains("They agree on all 30 cards."), "{}", by_path.stdout);
    // Only the shell is asked, and knows valid from broken by nothing: no broken ones, and it is right.
    let valid = fuzz(&persistent(ACCEPT), &["--persistent", "--invalid", "0", "--count", "50"]).0;
    valid.ends_with(0);
    // Broken beyond what it is asked about.
    let deeper = ["--persistent", "--only", "skill-id-unique", "--layer", "schema", "--count", "20"];
    fuzz(&persistent(ACCEPT), &deeper).0.ends_with(0);
    // Callers skip what they do not know.
    let callers = ["--persistent", "--only", "schema-extra-key", "--for", "consume", "--count", "20"];
    fuzz(&persistent(ACCEPT), &callers).0.ends_with(0);
}

#[test]
fn crashes_are_told_apart_from_verdicts() {
    let odd = r#"case "$line" in *GRPC*) echo 'no module named grpc' >&2; exit 7;; *) echo "{\"id\":$id,\"valid\":true}";; esac"#;
    let arguments = ["--persistent", "--count", "40", "--invalid", "0"];
    let (ran, _folder) = fuzz(&persistent(odd), &arguments);
    let text = &ran.ends_with(1).stdout;
    assert!(text.contains("it ended (exit status: 7) without an answer; it said last: no"), "{text}");
    let (ran, _folder) = fuzz("case $(cat) in *GRPC*) exit 2;; esac", &["--count", "30", "--invalid", "0"]);
    let text = &ran.ends_with(1).stdout;
    assert!(text.contains("it ended with exit status: 2") && text.contains("crash  valid cards"), "{text}");
}

#[test]
fn one_that_says_nothing_of_use_could_not_be_judged() {
    let (ran, _folder) = fuzz("echo cannot import jsonschema >&2; exit 9", &["--persistent"]);
    ran.ends_with(3).names(&["no verdict on any card", "exit status: 9", "cannot import jsonschema"]);
    let (ran, _folder) = fuzz(&persistent("echo ready"), &["--persistent"]);
    ran.ends_with(3).names(&["is not JSON: ready"]);
    let (ran, _folder) = fuzz(&persistent("yes nonsense | tr -d '\\n'"), &["--persistent", "--count", "3"]);
    ran.ends_with(3).names(&["more than", "bytes"]);
    let (ran, _folder) = fuzz("kill -SEGV $$", &[]);
    ran.ends_with(3).names(&["signal: 11"]);
}

#[test]
fn one_that_hangs_is_ended_with_all_it_started() {
    let begun = Instant::now();
    let script = "sleep 600 & echo $! >> pids; wait";
    let (ran, folder) = fuzz(script, &["--timeout", "1", "--count", "2"]);
    ran.ends_with(3).names(&["within 1 s"]);
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    let pids = std::fs::read_to_string(folder.path().join("pids")).expect("it was started");
    assert!(!pids.lines().any(lives), "{pids}");
}

#[test]
fn an_interrupt_ends_the_validator_too() {
    // A pipe that it holds open: opening it to read waits for its begin, reading it to the end for its end.
    let folder = folder(&[("validator.sh", "exec 9> held; echo started >&9; exec sleep 600")]);
    let pipe = folder.path().join("held");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let mut gauntlet = Command::new(env!("CARGO_BIN_EXE_gauntlet-under-test"))
        .args(["card", "fuzz", "--persistent", "--timeout", "600", "--command", "sh validator.sh"])
        .current_dir(folder.path())
        .spawn()
        .expect("the binary starts");
    let mut held = BufReader::new(File::open(&pipe).expect("it is there"));
    held.read_line(&mut String::new()).expect("it was started");
    let begun = Instant::now();
    let interrupted = Command::new("kill").args(["-INT", &gauntlet.id().to_string()]).status();
    assert!(interrupted.expect("kill").success());
    assert_eq!(gauntlet.wait().expect("it ends").code(), Some(130));
    held.read_to_end(&mut Vec::new()).expect("nothing more is said");
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}

/// Whether a process runs. A zombie has ended; whoever adopted it has only not said so yet.
fn lives(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

#[test]
fn wrong_command_lines_say_what_to_do() {
    gauntlet(&["card", "fuzz"]).ends_with(2).names(&["--command"]);
    gauntlet(&["card", "fuzz", "--command", "true", "--", "true"]).ends_with(2).names(&["cannot be used with"]);
    gauntlet(&["card", "fuzz", "--command", "sh 'x"]).ends_with(2).names(&["--command", "unclosed"]);
    gauntlet(&["card", "fuzz", "--command", "true", "--only", "no-such"]).ends_with(2).names(&["no-such"]);
    gauntlet(&["card", "fuzz", "--command", "true", "--report", "xml=a"]).ends_with(2).names(&["junit, json"]);
    gauntlet(&["card", "fuzz", "--command", "true", "--report", "json"]).ends_with(2).names(&["FORMAT=FILE"]);
    gauntlet(&["card", "fuzz", "--command", "no-such-validator"]).ends_with(3).names(&["no-such-validator"]);
}
