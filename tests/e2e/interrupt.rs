//! Ctrl-C.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use crate::support::{folder, reports};

#[test]
fn an_interrupted_run_ends_cleanly_and_keeps_what_it_has() {
    let folder = folder(&[]);
    let mut gauntlet = Command::new(env!("CARGO_BIN_EXE_gauntlet-under-test"))
        .args(["run", "--jobs", "1", "--out", "out"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(gauntlet.stdout.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("… ") {
        line.clear();
        assert_ne!(stdout.read_line(&mut line).unwrap(), 0, "a quarter is done before the end");
    }
    let interrupted = Command::new("kill").args(["-INT", &gauntlet.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(gauntlet.wait().unwrap().code(), Some(130), "{rest}");
    let last = rest.lines().next_back().unwrap_or_default();
    assert!(last.contains("not run (cut short)"), "{rest}");

    let kept = reports(&folder.path().join("out"));
    assert!(!kept.is_empty());
    for report in kept {
        let stem = report.scenario.file.rsplit('/').next().unwrap().trim_end_matches(".feature").to_owned();
        let evidence = format!("out/{}/{stem}-{}/journal.ndjson", report.scenario.area, report.scenario.line);
        assert!(folder.path().join(&evidence).is_file(), "{evidence}");
    }
}
