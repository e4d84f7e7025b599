//! What a run with everything in it looks like.

use gauntlet_evidence::RunEvent;
use gauntlet_report::{Terminal, TerminalOptions, ndjson};
use serde_json::{Value, json};

fn scenario(area: &str, line: usize, name: &str, binding: &str) -> Value {
    json!({"area": area, "file": format!("features/{area}/{area}.feature"), "line": line, "name": name, "binding": binding})
}

fn finished(scenario: &Value, result: &Value, more: &Value) -> RunEvent {
    let mut report = json!({
        "event": "scenario-finished", "scenario": scenario, "tags": [], "defects": [], "result": result,
        "findings": [], "judgements": [], "outcomes": [], "excerpt": [], "durationMs": 41,
    });
    for (key, value) in more.as_object().expect("an object") {
        report[key] = value.clone();
    }
    serde_json::from_value(report).expect("a report")
}

fn repeated(scenario: &Value, binding: &str, entries: [u64; 2]) -> RunEvent {
    let why = format!(
        "vendor-b: 2 dispatches over {binding} (entries {}, {}), the second {} ms after UNIMPLEMENTED",
        entries[0],
        entries[1],
        entries[1] * 3
    );
    finished(
        scenario,
        &json!({"kind": "failed"}),
        &json!({
            "defects": ["method-unimplemented"],
            "findings": [
                {"rule": "capability-mismatch-terminal", "level": "hardened", "why": why, "entries": entries, "source": "closure",
                 "expected": "UNIMPLEMENTED is final for that operation on that interface: zero repeats"},
                {"rule": "version-header-sent", "level": "must", "why": format!("vendor-b: entry {} has no A2A-Version", entries[0]), "entries": [entries[0]],
                 "source": "spec §3.6.1", "expected": "every operation carries A2A-Version 1.0"},
                {"rule": "expectation", "level": "hardened", "expected": "the caller is told of a failure",
                 "why": "reported as completed"},
            ],
            "judgements": [
                {"rule": "capability-mismatch-terminal", "level": "hardened", "verdict": "broken", "why": why, "entries": entries},
                {"rule": "version-header-sent", "level": "must", "verdict": "broken", "why": "…", "entries": [4]},
                {"rule": "wire-request-valid", "level": "must", "verdict": "upheld"},
            ],
            "outcomes": ["d-1 failed: UNIMPLEMENTED"],
            "excerpt": [
                format!("{:>3}     12.1 ms  vendor-b  → SendStreamingMessage over GRPC (dispatch of d-1)", entries[0]),
                format!(
                    "{:>3}     43.4 ms  vendor-b  → SendStreamingMessage over GRPC (dispatch of d-1)  [method-unimplemented: refuse-operation]",
                    entries[1]
                ),
                " 40     90.0 ms  vendor-b  connection 1 closed by orchestrator",
            ],
            "driverLog": "one\ntwo\nthree\nfour\nfive\nsix\nTraceback (most recent call last): the end",
        }),
    )
}

fn mixed_run() -> Vec<RunEvent> {
    let event = |value: Value| serde_json::from_value::<RunEvent>(value).expect("an event");
    let upheld = json!({"judgements": [
        {"rule": "wire-request-valid", "level": "must", "verdict": "upheld"},
        {"rule": "interface-fallback", "level": "should", "verdict": "not-exercised"},
        {"rule": "capability-flag-respected", "level": "should", "verdict": "upheld"},
    ]});
    let lacks = json!({"kind": "skipped", "reason": "the driver does not support probe", "unlock": "probe"});
    let unspoken = json!({"kind": "skipped", "reason": "the orchestrator does not speak HTTP+JSON"});
    vec![
        event(
            json!({"event": "started", "gauntlet": "0.1.0", "orchestrator": {"name": "acme-router", "version": "2.1",
            "speaks": {"bindings": ["JSONRPC", "GRPC"], "versions": ["1.0"]}}, "seed": 7, "level": "hardened", "scenarios": 9}),
        ),
        event(json!({"event": "proven", "binding": "JSONRPC", "roundTripMs": 12})),
        event(json!({"event": "proven", "binding": "GRPC", "failure": "d-0 failed: no route to vendor-a"})),
        finished(&scenario("wire", 3, "A healthy peer", "JSONRPC"), &json!({"kind": "passed"}), &upheld),
        repeated(&scenario("capabilities", 12, "Streaming is declared, GRPC lacks it", "GRPC"), "GRPC", [4, 9]),
        repeated(
            &scenario("capabilities", 13, "Streaming is declared, JSONRPC lacks it", "JSONRPC"),
            "JSONRPC",
            [6, 7],
        ),
        finished(&scenario("capabilities", 30, "A probe closes the gap", "GRPC"), &lacks, &json!({})),
        finished(&scenario("capabilities", 31, "A probe is synthetic", "GRPC"), &lacks, &json!({})),
        finished(&scenario("modes", 4, "Skill-only mode", "HTTP+JSON"), &unspoken, &json!({})),
        finished(
            &scenario("lifecycle", 8, "A stream ends early", "GRPC"),
            &json!({"kind": "driver-error", "message": "the driver ended (exit status: 1) without an outcome for d-3"}),
            &json!({"driverLog": "KeyError: 'vendor-a'"}),
        ),
        finished(
            &scenario("lifecycle", 9, "A stream ends early, twice", "GRPC"),
            &json!({"kind": "harness-error", "message": "vendor-a: frame 12 does not validate"}),
            &json!({}),
        ),
        event(json!({"event": "finished", "durationMs": 8_230, "cutShort": true})),
    ]
}

fn rendered(options: TerminalOptions) -> String {
    let mut terminal = Terminal::new(options);
    mixed_run().iter().map(|event| terminal.event(event)).collect()
}

#[test]
fn a_mixed_run() {
    let text = rendered(TerminalOptions::default());
    assert!(text.lines().all(|line| line.chars().count() <= 80 || line.contains("replay")), "80 columns suffice");
    assert!(!text.contains('\u{1b}'), "no colour unless asked for");
    insta::assert_snapshot!(text);
}

#[test]
fn a_mixed_run_in_full() {
    insta::assert_snapshot!(rendered(TerminalOptions { verbose: true, ..TerminalOptions::default() }));
}

#[test]
fn findings_below_the_chosen_level_are_warnings() {
    let mut terminal =
        Terminal::new(TerminalOptions { command: "gauntlet run --level must".into(), ..TerminalOptions::default() });
    let mut events = mixed_run();
    if let RunEvent::Started { level, .. } = &mut events[0] {
        *level = gauntlet_evidence::Level::Must;
    }
    let text: String = events.iter().map(|event| terminal.event(event)).collect();
    let findings = text.find("\nFindings").unwrap();
    let warnings = text.find("\nWarnings").unwrap();
    let place = |rule: &str| text.find(rule).map(|_| text.rfind(&format!(". {rule}")).unwrap()).unwrap();
    assert!((findings..warnings).contains(&place("version-header-sent")));
    assert!(place("capability-mismatch-terminal") > warnings);
    assert!(text.contains("gauntlet run --level must --seed 7 features/capabilities/capabilities.feature:12"));
}

#[test]
fn colour_changes_nothing_but_colour() {
    let colored = rendered(TerminalOptions { color: true, ..TerminalOptions::default() });
    let mut bare = String::new();
    let mut rest = colored.as_str();
    while let Some((before, escape)) = rest.split_once('\u{1b}') {
        bare.push_str(before);
        rest = escape.split_once('m').unwrap().1;
    }
    bare.push_str(rest);
    assert_eq!(bare, rendered(TerminalOptions::default()));
}

#[test]
fn lines_of_json_read_back() {
    for event in mixed_run() {
        assert_eq!(serde_json::from_str::<RunEvent>(&ndjson(&event)).unwrap(), event);
    }
}
