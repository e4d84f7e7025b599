//! Reports for build servers, made by a run or from its events.

use serde_json::Value;

use crate::support::{folder, gauntlet_in};

const RUN: [&str; 5] = ["run", "--flaw", "stream-end-is-success", "--filter", "stream closes early"];

#[test]
fn a_run_writes_what_is_made_from_its_events_as_well() {
    let folder = folder(&[]);
    let written = ["--report", "junit=r/j.xml", "--report", "json=r.json", "--report", "markdown=r.md"];
    let kept = ["--report", "text=r.txt", "--report", "ndjson=e.ndjson", "--out", "out"];
    let ran = gauntlet_in(folder.path(), &[&RUN[..], &written, &kept].concat());
    ran.ends_with(1);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("the report is written");
    assert_eq!(read("e.ndjson"), read("out/events.ndjson"));
    let side_by_side = gauntlet_in(folder.path(), &["report", "comparison", "e.ndjson", "out/events.ndjson"]);
    side_by_side.ends_with(0);
    let rows: Vec<&str> = side_by_side.stdout.lines().filter(|line| line.starts_with("| [task-stream-close")).collect();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].matches("**✗**").count(), 2, "{}", side_by_side.stdout);
    gauntlet_in(folder.path(), &["report", "json", "e.ndjson", "e.ndjson"]).ends_with(2).names(&["comparison"]);
    gauntlet_in(folder.path(), &["report", "comparison", "e.ndjson"]).ends_with(2).names(&["several runs"]);
    gauntlet_in(folder.path(), &["run", "--report", "comparison=c.md"]).ends_with(2).names(&["several runs", "ndjson"]);
    for (format, file) in [("junit", "r/j.xml"), ("json", "r.json"), ("markdown", "r.md"), ("text", "r.txt")] {
        let again = gauntlet_in(folder.path(), &["report", format, "e.ndjson"]);
        again.ends_with(0);
        assert_eq!(again.stdout, read(file), "{format}");
        gauntlet_in(folder.path(), &["report", &format!("{format}=again"), "e.ndjson"]).ends_with(0);
        assert_eq!(read("again"), read(file), "{format}");
    }
    assert_eq!(read("r.txt"), ran.stdout);

    let json: Value = serde_json::from_str(&read("r.json")).expect("JSON");
    let failed = json["counts"]["failed"].as_u64().expect("a number");
    assert!(failed >= 6);
    let junit = read("r/j.xml");
    assert!(junit.contains(&format!("failures=\"{failed}\"")), "{junit}");
    assert_eq!(junit.matches("<failure ").count() as u64, failed);
    assert!(junit.contains("classname=\"lifecycle\""), "{junit}");
    assert!(junit.contains("name=\"The stream closes early over GRPC and the task fails\""), "{junit}");
}

#[test]
fn a_run_that_cannot_be_made_is_an_error_in_every_report() {
    let folder = folder(&[]);
    let reports = ["--report", "junit=j.xml", "--report", "markdown=r.md", "--report", "json=r.json"];
    let ran = gauntlet_in(folder.path(), &[&["run"][..], &reports, &["--", "no-such-driver-anywhere"]].concat());
    ran.ends_with(3);
    for file in ["j.xml", "r.md", "r.json"] {
        let text = std::fs::read_to_string(folder.path().join(file)).unwrap();
        assert!(text.contains("no-such-driver-anywhere"), "{text}");
    }
    assert!(std::fs::read_to_string(folder.path().join("j.xml")).unwrap().contains("errors=\"1\""));
}

#[test]
fn wrong_events_say_where() {
    let folder = folder(&[("bad.ndjson", "{\"event\":\"nonsense\"}\n"), ("none.ndjson", "")]);
    gauntlet_in(folder.path(), &["report", "junit", "bad.ndjson"]).ends_with(2).names(&["bad.ndjson:1", "nonsense"]);
    gauntlet_in(folder.path(), &["report", "junit", "none.ndjson"]).ends_with(2).names(&["no events"]);
    gauntlet_in(folder.path(), &["report", "junit", "nowhere"]).ends_with(2).names(&["nowhere"]);
    gauntlet_in(folder.path(), &["report", "xml", "none.ndjson"]).ends_with(2).names(&["xml", "junit"]);
}

#[test]
fn a_report_that_cannot_be_written_is_told_before_anything_runs() {
    let folder = folder(&[("file", "")]);
    let ran = gauntlet_in(folder.path(), &["run", "--report", "junit=file/below.xml"]);
    ran.ends_with(2).names(&["file/below.xml"]);
    assert_eq!(ran.stdout, "");
}
