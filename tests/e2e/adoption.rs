//! What a pipeline adopts: rule sets, what is new since the last run, findings that can be looked up, peers that stay.

use serde_json::Value;

use crate::support::{folder, gauntlet_in};

/// An expectation that no orchestrator meets: a healthy peer is to be refused.
fn failing(tags: &str, name: &str) -> String {
    format!(
        "Feature: F\n  @JSONRPC {tags}\n  Scenario: {name}\n    Given a peer \"p\" serving JSONRPC\n    \
         When work is delegated to \"p\"\n    Then the delegation is refused before dispatch as mode-unsupported\n"
    )
}

#[test]
fn what_is_newer_than_the_rule_set_is_shown_and_fails_nothing() {
    let folder =
        folder(&[("a.feature", &failing("@since:2", "It is new")), ("b.feature", &failing("@since:x", "Wrong"))]);
    let run = |arguments: &[&str]| gauntlet_in(folder.path(), &[&["run", "a.feature"], arguments].concat());
    let shown = run(&["--report", "json=r.json", "--report", "junit=r.xml"]);
    shown.ends_with(0);
    assert!(shown.stdout.contains("\nNot scored (of a newer rule set)\n"), "{}", shown.stdout);
    assert!(shown.last_line().contains("1 not scored"), "{}", shown.stdout);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("the report is written");
    let json: Value = serde_json::from_str(&read("r.json")).expect("JSON");
    assert_eq!((&json["counts"]["unscored"], &json["ruleset"]), (&1.into(), &1.into()));
    assert_eq!(json["scenarios"][0]["findings"][0]["newerRuleset"], 2);
    assert!(read("r.xml").contains("type=\"not scored\""), "{}", read("r.xml"));
    let scored = run(&["--ruleset", "2"]);
    scored.ends_with(1);
    assert!(scored.stdout.contains("gauntlet run --ruleset 2 --seed 1 a.feature:3"), "{}", scored.stdout);
    run(&["--ruleset", "3"]).ends_with(2).names(&["no rule set 3", "the newest is 2"]);
    run(&["--ruleset", "0"]).ends_with(2);
    gauntlet_in(folder.path(), &["run", "b.feature"]).ends_with(2).names(&["@since:x", "a number"]);
}

#[test]
fn what_is_new_and_what_is_fixed_is_told_in_every_report() {
    let (one, two) = (failing("", "One"), failing("", "Two"));
    let folder = folder(&[("one.feature", &one)]);
    let run = |arguments: &[&str]| gauntlet_in(folder.path(), &[&["run", "."], arguments].concat());
    let first = run(&[]);
    first.ends_with(1);
    assert!(!first.stdout.contains("Since the last run"), "there is none:\n{}", first.stdout);
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    write("two.feature", &two);
    let reports =
        ["--report", "json=r.json", "--report", "junit=r.xml", "--report", "markdown=r.md", "--report", "html=r.html"];
    let second = run(&reports);
    second.ends_with(1);
    assert!(second.stdout.contains("\nSince the last run: 1 new, 0 fixed, 1 known\n"), "{}", second.stdout);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("the report is written");
    let json: Value = serde_json::from_str(&read("r.json")).expect("JSON");
    assert_eq!(json["sinceLastRun"]["new"][0]["scenario"], "two.feature#Two");
    assert_eq!(json["sinceLastRun"]["known"][0]["scenario"], "one.feature#One");
    let id = json["sinceLastRun"]["new"][0]["id"].as_str().expect("an id");
    assert!(read("r.xml").contains(&format!("<property name=\"new finding\" value=\"{id}\"/>")), "{}", read("r.xml"));
    assert!(read("r.md").contains("**1 new**, 0 fixed, 1 known"), "{}", read("r.md"));
    assert!(read("r.html").contains("1 new, 0 fixed, 1 known"), "{}", read("r.html"));
    // What ran in part neither fixes nor forgets the rest.
    write(
        "one.feature",
        &one.replace(
            "the delegation is refused before dispatch as mode-unsupported",
            "the delegation ends as completed",
        ),
    );
    let third = gauntlet_in(folder.path(), &["run", "one.feature"]);
    third.ends_with(0);
    assert!(third.stdout.contains("\nSince the last run: 0 new, 1 fixed, 0 known\n"), "{}", third.stdout);
    assert!(run(&[]).stdout.contains("\nSince the last run: 0 new, 0 fixed, 1 known\n"));
}

#[test]
fn a_finding_is_explained_from_the_last_run_or_from_saved_events() {
    let folder = folder(&[]);
    let explain = |arguments: &[&str]| gauntlet_in(folder.path(), &[&["explain"], arguments].concat());
    explain(&["task-no-orphans/000000"]).ends_with(2).names(&["no run is remembered", "gauntlet run"]);
    let flawed = ["run", "--flaw", "stream-end-is-success", "--filter", "closes early over GRPC and the task fails"];
    let ran = gauntlet_in(folder.path(), &[&flawed[..], &["--out", "out"]].concat());
    ran.ends_with(1);
    let id =
        ran.stdout.lines().find_map(|line| line.trim().strip_prefix("explain   gauntlet explain ")).expect("an id");
    let shown = explain(&[id]);
    let text = &shown.ends_with(0).stdout;
    let long = |line: &str| line.contains("https://") || line.contains(" replay ");
    assert!(text.lines().all(|line| line.chars().count() <= 80 || long(line)), "{text}");
    for word in ["seen", "in", "defects", "outcome", "peers", "journal", "judged", "fix", "source", "replay", "rule"] {
        assert!(text.contains(&format!("\n  {word} ")), "`{word}` is missing in:\n{text}");
    }
    assert!(text.contains("Given a peer \"vendor-b\"") && text.contains("stream-closes-early: "), "{text}");
    let saved = |name: &str| explain(&[name, "--events", "out/events.ndjson"]);
    assert_eq!(&saved(id).ends_with(0).stdout, text);
    let rule = id.split('/').next().expect("a rule");
    assert!(saved(rule).ends_with(0).stdout.contains(id));
    assert!(saved(&format!("vendor-b/{rule}")).ends_with(0).stdout.contains(id), "by peer and rule");
    saved("task-no-orphans/000000").ends_with(2).names(&["has no finding", id]);
    explain(&[id, "--events", "nowhere"]).ends_with(2).names(&["nowhere"]);
}

#[test]
fn requests_that_fit_nothing_are_told_with_what_was_meant() {
    let driver = r#"
import json, sys, urllib.request
for line in sys.stdin:
    ask = json.loads(line)
    if ask["type"] == "start":
        print(json.dumps({"type": "hello", "protocol": 1, "name": "lost", "speaks": {"bindings": ["HTTP+JSON"], "versions": ["1.0"]}}), flush=True)
    elif ask["type"] == "delegate":
        base = ask["peers"][0]["baseUrl"]
        urllib.request.urlopen(ask["peers"][0]["cardUrl"]).read()
        try:
            urllib.request.urlopen(urllib.request.Request(base + "/messages:send", b"{}", {"Content-Type": "application/json"}))
        except Exception as error:
            print(json.dumps({"type": "outcome", "id": ask["id"], "status": "raised", "error": {"type": "HTTPError", "message": str(error)}}), flush=True)
"#;
    let feature = "Feature: F\n  @HTTP+JSON\n  Scenario: Work\n    Given a peer \"p\" serving HTTP+JSON\n    \
                   When work is delegated to \"p\"\n    Then the delegation ends as completed\n";
    let folder = folder(&[("driver.py", driver), ("a.feature", feature)]);
    let ran =
        gauntlet_in(folder.path(), &["run", "a.feature", "--report", "json=r.json", "--", "python3", "driver.py"]);
    let said = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["p: POST /messages:send (entry ", "): did you mean POST /message:send (SendMessage over HTTP+JSON)?"] {
        assert!(said.contains(part), "{}", ran.stdout);
    }
    assert!(ran.stdout.contains("\n   unmatched "), "{}", ran.stdout);
}

#[cfg(unix)]
#[test]
fn debugging_keeps_the_peers_of_the_first_failure_alive() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};

    let folder = folder(&[("a.feature", &(failing("", "One") + &failing("", "Two").replace("Feature: F\n", "")))]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_gauntlet-under-test"))
        .args(["run", "a.feature", "--debug"])
        .current_dir(folder.path())
        .env("NO_COLOR", "1")
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut said = String::new();
    for line in lines.by_ref().map_while(Result::ok) {
        let done = line.contains("Ctrl-C ends them");
        said += &(line + "\n");
        if done {
            break;
        }
    }
    assert!(said.contains("the delegation is refused") && said.contains("\n   journal\n"), "{said}");
    let card = said.split_whitespace().find(|word| word.ends_with("agent-card.json") && word.starts_with("http://127"));
    let address = card.expect("a card url").trim_start_matches("http://").split('/').next().expect("an address");
    let mut peer = std::net::TcpStream::connect(address).expect("the peer is alive");
    std::io::Write::write_all(
        &mut peer,
        b"GET /.well-known/agent-card.json HTTP/1.1\r\nHost: p\r\nConnection: close\r\n\r\n",
    )
    .expect("it takes a request");
    let mut answer = String::new();
    peer.read_to_string(&mut answer).expect("it answers");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(interrupt.success());
    let rest: String = lines.map_while(Result::ok).map(|line| line + "\n").collect();
    assert_eq!(child.wait().expect("it ends").code(), Some(1), "{rest}");
    assert!(rest.contains("1 failed") && rest.contains("1 not run (cut short)"), "{rest}");
}
