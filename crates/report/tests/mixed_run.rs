//! What a run with everything in it looks like.

use gauntlet_evidence::RunEvent;
use gauntlet_report::{Format, Terminal, TerminalOptions, ndjson};
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
    assert!(
        text.lines().all(|line| line.chars().count() <= 80 || line.contains("replay") || line.contains("https://")),
        "80 columns suffice"
    );
    assert!(!text.contains('\u{1b}'), "no colour unless asked for");
    insta::assert_snapshot!(text);
}

#[test]
fn a_mixed_run_in_full() {
    insta::assert_snapshot!(rendered(TerminalOptions { verbose: true, ..TerminalOptions::default() }));
}

#[test]
fn findings_below_the_chosen_level_are_warnings() {
    let mut terminal = Terminal::new(TerminalOptions::default());
    let mut events = mixed_run();
    if let RunEvent::Started { level, command, .. } = &mut events[0] {
        *level = gauntlet_evidence::Level::Must;
        *command = "gauntlet run --level must".to_owned();
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

/// What two runs have in common stands side by side; each reason is told once.
#[test]
fn runs_side_by_side() {
    let runs = [mixed_run(), run_with_a_baseline()].concat();
    insta::assert_snapshot!(Format::Comparison.render(&runs));
}

#[test]
fn lines_of_json_read_back() {
    for event in mixed_run() {
        assert_eq!(serde_json::from_str::<RunEvent>(&ndjson(&event)).unwrap(), event);
    }
}

/// A run under a baseline: a known failure, one whose day has passed, one that is no more, and a flaky scenario.
fn run_with_a_baseline() -> Vec<RunEvent> {
    let note = |effect: &str, rule: &str, more: &Value| {
        let mut note = json!({"effect": effect, "rule": rule, "place": "baseline.yaml:4:5",
                              "reason": "the SDK keeps no memory of interfaces"});
        for (key, value) in more.as_object().expect("an object") {
            note[key] = value.clone();
        }
        note
    };
    let finding = json!({"rule": "interface-fallback", "level": "should", "expected": "the next interface is tried",
                         "why": "vendor-b: nothing was asked of JSONRPC <after> entry 3", "source": "spec §5.2"});
    let mut events = mixed_run();
    let end = events.split_off(3);
    if let RunEvent::Started { scenarios, .. } = &mut events[0] {
        *scenarios = 5;
    }
    let stable = "features/modes/modes.feature#Skill-only mode";
    events.extend([
        end[0].clone(),
        finished(
            &scenario("interfaces", 7, "The first interface is dead", "GRPC"),
            &json!({"kind": "expected-failure"}),
            &json!({"findings": [finding], "baseline": [note("excused", "interface-fallback", &json!({"owner": "net"}))]}),
        ),
        finished(
            &scenario("interfaces", 9, "The second interface is dead", "GRPC"),
            &json!({"kind": "failed"}),
            &json!({"findings": [finding],
                    "baseline": [note("expired", "interface-fallback", &json!({"expires": "2026-01-31"}))],
                    "attempts": {"made": 3, "failed": 2}}),
        ),
        finished(
            &scenario("modes", 4, "Skill-only mode", "JSONRPC"),
            &json!({"kind": "stale-expectation"}),
            &json!({"baseline": [note("stale", "mode-declared", &json!({"scenario": stable, "binding": "JSONRPC"}))]}),
        ),
        finished(
            &scenario("modes", 9, "Default modes", "JSONRPC"),
            &json!({"kind": "flaky", "seen": "task-truth-agrees: reported as failed"}),
            &json!({"attempts": {"made": 2, "failed": 1}}),
        ),
        serde_json::from_value(json!({"event": "finished", "durationMs": 1_200, "cutShort": false, "baseline": [
            note("stale", "task-no-orphans", &json!({})),
            note("unmatched", "mode-declared", &json!({"scenario": "features/modes/gone.feature#Gone"})),
        ]}))
        .expect("an event"),
    ]);
    events
}

#[test]
fn a_run_with_a_baseline() {
    let text = Format::Text.render(&run_with_a_baseline());
    assert!(
        text.lines().all(|line| line.chars().count() <= 80 || line.contains("replay") || line.contains("https://")),
        "80 columns suffice"
    );
    insta::assert_snapshot!(text);
}

#[test]
fn junit() {
    let both: Vec<String> =
        [mixed_run(), run_with_a_baseline()].iter().map(|events| Format::Junit.render(events)).collect();
    insta::assert_snapshot!(both.join("\n"));
}

#[test]
fn markdown() {
    let both: Vec<String> =
        [mixed_run(), run_with_a_baseline()].iter().map(|events| Format::Markdown.render(events)).collect();
    insta::assert_snapshot!(both.join("\n"));
}

/// The same, in a folder where a run was remembered: with a finding that is new, one that is gone, one that is known; and
/// with a scenario and a rule of a newer rule set, requests that fitted nothing, and a scenario that took its time.
fn run_after_another() -> Vec<RunEvent> {
    let mut events = mixed_run();
    let mut end = events.pop().expect("the end");
    let change = |event: &mut RunEvent, more: &Value| {
        let mut value = serde_json::to_value(&*event).expect("JSON");
        for (key, more) in more.as_object().expect("an object") {
            value[key] = more.clone();
        }
        *event = serde_json::from_value(value).expect("an event");
    };
    let unmatched =
        "vendor-b: POST /v1/message:send (entry 7): did you mean POST /message:send (SendMessage over HTTP+JSON)?";
    let truth = "vendor-b holds task-39151fa91c28 as COMPLETED: label: damaged";
    change(&mut events[4], &json!({"unmatched": [unmatched], "truth": [truth]}));
    change(&mut events[0], &json!({"scenarios": 9}));
    let newer = json!({"rule": "task-list-pages", "level": "hardened", "expected": "every page is read", "source": "spec §3.1.4",
                       "why": "vendor-a: page 2 was not asked for", "newerRuleset": 2, "fix": "Follow nextPageToken to the end."});
    events.push(finished(
        &scenario("wire", 9, "A list in pages <of \"two\">", "JSONRPC"),
        &json!({"kind": "unscored", "ruleset": 2, "seen": "task-list-pages: vendor-a: page 2 was not asked for"}),
        &json!({"findings": [newer], "durationMs": 7_000}),
    ));
    let id = |name: &str, rule: &str| json!({"scenario": format!("features/capabilities/capabilities.feature#{name}"), "rule": rule});
    let compared = json!({
        "event": "compared",
        "new": [id("Streaming is declared, GRPC lacks it", "version-header-sent")],
        "fixed": [id("Streaming is declared, GRPC lacks it", "task-no-orphans")],
        "known": [id("Streaming is declared, GRPC lacks it", "capability-mismatch-terminal")],
    });
    events.push(serde_json::from_value(compared).expect("an event"));
    change(&mut end, &json!({"cutShort": false}));
    events.push(end);
    events
}

#[test]
fn what_is_new_and_what_is_newer_is_told() {
    let text = Format::Text.render(&run_after_another());
    let long = |line: &str| line.contains("replay") || line.contains("https://");
    assert!(text.lines().all(|line| line.chars().count() <= 80 || long(line)), "80 columns suffice:\n{text}");
    insta::assert_snapshot!(text);
    insta::assert_snapshot!("what_is_new_and_what_is_newer_as_junit", Format::Junit.render(&run_after_another()));
}

#[test]
fn sarif() {
    let text = Format::Sarif.render(&run_after_another());
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let results = document["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), 7, "a result for each rule broken in a scenario");
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().expect("a number")).expect("a place");
        assert_eq!(document["runs"][0]["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
        assert!(result["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64().expect("a line") > 0);
    }
    insta::assert_snapshot!(text);
    let excused = Format::Sarif.render(&run_with_a_baseline());
    assert!(excused.contains("\"justification\": \"the SDK keeps no memory of interfaces\""), "{excused}");
}

#[test]
fn html() {
    let page = Format::Html.render(&run_after_another());
    assert!(!page.contains("<script") && !page.contains("http-equiv=\"refresh\""), "nothing runs");
    assert!(page.contains("A list in pages &lt;of &quot;two&quot;&gt;") && !page.contains("<of"), "{page}");
    for element in ["details", "dl", "table", "ul", "body", "html"] {
        let (open, close) =
            (page.matches(&format!("<{element}")).count(), page.matches(&format!("</{element}>")).count());
        assert_eq!(open, close, "{element} is closed");
    }
    let body = page.split_once("</style>").expect("a head").1;
    insta::assert_snapshot!(body);
}

#[test]
fn a_scenario_that_is_held_shows_where_its_peers_are() {
    let events = mixed_run();
    let held = json!({"event": "held", "scenario": scenario("capabilities", 12, "Streaming is declared, GRPC lacks it", "GRPC"),
        "peers": [{"name": "vendor-b", "baseUrl": "http://127.0.0.1:4000",
                   "cardUrl": "http://127.0.0.1:4000/.well-known/agent-card.json"}],
        "journal": ["  1      0.1 ms  vendor-b  connection 1 opened at 127.0.0.1:4000",
                    "  4     12.1 ms  vendor-b  → SendStreamingMessage over GRPC (dispatch of d-1)"]});
    let mut terminal = Terminal::new(TerminalOptions::default());
    events[..5].iter().for_each(|event| _ = terminal.event(event));
    insta::assert_snapshot!(terminal.event(&serde_json::from_value(held).expect("an event")));
}

#[test]
fn one_document_counts_everything() {
    let document: Value = serde_json::from_str(&Format::Json.render(&run_with_a_baseline())).expect("JSON");
    let counts = json!({"selected": 5, "passed": 1, "failed": 2, "skipped": 0, "errors": 0, "expectedFailures": 1,
                        "unscored": 0, "flaky": 1, "staleEntries": 2});
    assert_eq!(document["counts"], counts);
    assert_eq!(document["scenarios"][0]["id"], "features/interfaces/interfaces.feature#The first interface is dead");
}

#[test]
fn control_characters_of_a_driver_do_not_spoil_the_document() {
    let scenario = scenario("wire", 1, "A\u{1b}[31m red\u{0} name", "GRPC");
    let log = json!({"driverLog": "\u{1b}[1mbold\u{7} ]]> end"});
    let xml = Format::Junit.render(&[finished(&scenario, &json!({"kind": "failed"}), &log)]);
    assert!(xml.contains("end</system-err>"), "{xml}");
    assert!(xml.chars().all(|c| c == '\n' || !c.is_control()), "{xml:?}");
}

#[test]
fn a_run_that_was_killed_still_tells_what_it_found() {
    let mut events = mixed_run();
    events.pop();
    let text = Format::Text.render(&events);
    assert!(text.contains("capability-mismatch-terminal") && text.contains("not run (cut short)"), "{text}");
}
