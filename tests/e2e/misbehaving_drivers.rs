//! Drivers that crash, hang, flood, answer twice or in rubbish: the run ends, says what happened, and counts it as no
//! verdict on the orchestrator.

use std::path::Path;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::support::{HEALTHY, Ran, folder, gauntlet_in};

/// Says hello, then does `on_delegate` for each delegation with its id in `$id`.
fn driver(on_delegate: &str) -> String {
    format!(
        r#"echo '{{"type":"hello","protocol":1,"name":"odd"}}'
while read -r line; do
    case "$line" in *'"type":"delegate"'*)
        id=$(printf '%s' "$line" | sed 's/.*"type":"delegate","id":"\([^"]*\)".*/\1/')
        {on_delegate}
    esac
done
"#
    )
}

fn run(script: &str) -> (Ran, TempDir) {
    let folder = folder(&[("driver.sh", script), ("a.feature", HEALTHY)]);
    let ran = gauntlet_in(folder.path(), &["run", "a.feature", "--command", "sh driver.sh", "--out", "out"]);
    (ran, folder)
}

/// Could not run, and says why.
#[track_caller]
fn could_not_run(script: &str, words: &[&str]) {
    let (ran, _folder) = run(script);
    ran.ends_with(3);
    let all = format!("{}{}", ran.stdout, ran.stderr);
    let said: String = all.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
    for word in words {
        assert!(said.contains(word), "`{word}` is missing in:\n{all}");
    }
}

#[test]
fn it_exits_at_once() {
    could_not_run("echo no module named a2a >&2; exit 3", &["exit status: 3", "no module named a2a"]);
}

#[test]
fn it_crashes_on_the_first_work() {
    could_not_run(&driver("echo boom >&2; exit 7;;"), &["ended", "exit status: 7"]);
}

#[test]
fn it_answers_in_rubbish() {
    could_not_run(&driver(r#"echo '{"type":"outcome","id":7}';;"#), &["malformed"]);
}

#[test]
fn it_answers_twice() {
    let twice = r#"for i in 1 2; do echo "{\"type\":\"outcome\",\"id\":\"$id\",\"status\":\"completed\"}"; done;;"#;
    could_not_run(&driver(twice), &["second outcome"]);
}

#[test]
fn it_floods_its_output() {
    could_not_run(&driver("yes 'not for you';;"), &["more than"]);
}

#[test]
fn it_hangs() {
    let begun = Instant::now();
    could_not_run(&driver("sleep 600;;"), &["no outcome"]);
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}

#[test]
fn it_speaks_another_protocol() {
    could_not_run(r#"echo '{"type":"hello","protocol":2,"name":"odd"}'; cat"#, &["protocol 2"]);
}

#[test]
fn it_leaves_no_child_behind() {
    let (_, folder) = run(&driver("sleep 600 & echo $! >> pids; sleep 600;;"));
    let pids = std::fs::read_to_string(folder.path().join("pids")).expect("children were started");
    let alive = |pid: &&str| match std::fs::read_to_string(Path::new("/proc").join(pid).join("stat")) {
        // A zombie has ended; whoever adopted it has only not said so yet.
        Ok(stat) => !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z'),
        Err(_) => false,
    };
    assert_eq!(pids.lines().filter(alive).collect::<Vec<_>>(), Vec::<&str>::new());
}

#[test]
fn it_claims_success_without_asking_anybody() {
    let completed = r#"echo "{\"type\":\"outcome\",\"id\":\"$id\",\"status\":\"completed\",\"text\":\"done\"}";;"#;
    let (ran, _folder) = run(&driver(completed));
    assert_ne!(ran.code, Some(0), "{}", ran.stdout);
    assert!(ran.stdout.contains("not proven on JSONRPC"), "{}", ran.stdout);
}
