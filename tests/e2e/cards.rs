//! `gauntlet card`, from outside.

use std::io::{Read, Write};
use std::net::TcpListener;

use serde_json::Value;

use crate::support::{folder, gauntlet, root};

fn card(name: &str) -> String {
    root().join("scenarios/cards").join(name).to_string_lossy().into_owned()
}

#[test]
fn the_red_card_is_underlined_and_the_green_one_passes() {
    let red = gauntlet(&["card", "validate", &card("returns-red.json")]);
    let text = &red.ends_with(1).stdout;
    for words in
        ["schema ✗ 3", "spec ✗ 1", "no-top-level-url", "/skills/0/inputSchema", "help: add at least one tag", "\"url\""]
    {
        assert!(text.contains(words), "{words} is missing in:\n{text}");
    }
    let green = gauntlet(&["card", "validate", &card("returns-green.json"), &card("everything.json")]);
    assert_eq!(
        green.ends_with(0).stdout.lines().filter(|line| line.contains(", valid (")).count(),
        2,
        "{}",
        green.stdout
    );
    gauntlet(&["card", "validate", "--for", "consume", &card("hybrid.json")]).ends_with(0);
}

#[test]
fn reports_are_for_programs_too() {
    let json = gauntlet(&["card", "validate", "--format", "json", &card("returns-red.json")]);
    let report: Value = serde_json::from_str(&json.ends_with(1).stdout).expect("one report");
    assert_eq!(report["kind"], "card-validation-report");
    let both =
        gauntlet(&["card", "validate", "--format", "json", &card("returns-red.json"), &card("returns-green.json")]);
    let reports: Value = serde_json::from_str(&both.ends_with(1).stdout).expect("a list of reports");
    assert_eq!(reports.as_array().map(Vec::len), Some(2));

    let sarif = gauntlet(&["card", "validate", "--format", "sarif", &card("returns-red.json")]);
    let log: Value = serde_json::from_str(&sarif.ends_with(1).stdout).expect("a log");
    let results = log["runs"][0]["results"].as_array().expect("results");
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
    assert_eq!((&log["version"], results.len()), (&"2.1.0".into(), 4));
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().expect("an index")).expect("small");
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(result["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64().expect("a line") > 0);
    }
}

/// Answers one request after the other with these responses.
fn serving(responses: Vec<String>) -> (String, std::thread::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let origin = format!("http://{}", listener.local_addr().expect("an address"));
    let thread = std::thread::spawn(move || {
        for response in responses {
            let (mut stream, _) = listener.accept().expect("a caller");
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).expect("a request");
                request.push(byte[0]);
            }
            stream.write_all(response.as_bytes()).expect("written");
        }
    });
    (origin, thread)
}

fn response(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
}

#[test]
fn cards_are_fetched_from_agents() {
    let green = std::fs::read_to_string(card("returns-green.json")).expect("the card is there");
    let moved = response("302 Found", "Location: /cards/1\r\n", "");
    let (origin, agent) = serving(vec![moved, response("200 OK", "", &green)]);
    let ran = gauntlet(&["card", "validate", &origin]);
    assert!(
        ran.ends_with(0).stdout.starts_with(&format!("{origin}/cards/1: card of A2A 1.0, valid")),
        "{}",
        ran.stdout
    );
    agent.join().expect("served");

    let (origin, agent) = serving(vec![response("404 Not Found", "", "")]);
    // The other document is judged all the same.
    let ran = gauntlet(&["card", "validate", &origin, &card("returns-red.json")]);
    ran.ends_with(3).names(&["HTTP 404", "/.well-known/agent.json"]);
    assert!(ran.stdout.contains("not valid"), "{}", ran.stdout);
    agent.join().expect("served");

    let (origin, agent) = serving(vec![response("200 OK", "", &" ".repeat(2 << 20))]);
    assert!(gauntlet(&["card", "validate", &origin]).ends_with(1).stdout.contains("json-size"));
    drop(agent);
}

#[test]
fn wrong_command_lines_say_what_to_do() {
    let red = card("returns-red.json");
    gauntlet(&["card", "validate"]).ends_with(2);
    gauntlet(&["card", "validate", "no-such.json"]).ends_with(2).names(&["no-such.json"]);
    gauntlet(&["card", "validate", "--type", "Tusk", &red]).ends_with(2).names(&["did you mean `Task`?"]);
    gauntlet(&["card", "validate", "--schema", &red, &red]).ends_with(2).names(&["no definition `AgentCard`"]);
    gauntlet(&["card", "validate", "--jwks", &red, &red]).ends_with(2).names(&["Key Set"]);
    gauntlet(&["card", "validate", "--needs", "wings", &red]).ends_with(2).names(&["streaming, push, extended-card"]);
    gauntlet(&["card", "validate", "--explain", "skill-id-uniqe"]).ends_with(2).names(&["skill-id-unique"]);
    gauntlet(&["card", "validate", "--migrate", &red]).ends_with(2).names(&["already"]);
    gauntlet(&["card", "generate", "--only", "no-such"]).ends_with(2).names(&["no-such"]);
    gauntlet(&["card", "generate", "--invalid", "2"]).ends_with(2).names(&["from 0 to 1"]);
}

#[test]
fn rules_are_explained() {
    let all = gauntlet(&["card", "validate", "--explain", "all"]);
    let ids: Vec<&str> =
        all.ends_with(0).stdout.lines().filter(|line| line.starts_with("  ")).map(|line| line.trim()).collect();
    assert!(ids.len() > 70, "{}", ids.len());
    for id in ids.iter().filter_map(|line| line.split_whitespace().next()) {
        let page = gauntlet(&["card", "validate", "--explain", id]);
        assert!(page.ends_with(0).stdout.contains("\n  why ") && page.stdout.contains("\n  mend "), "{}", page.stdout);
    }
    let page = gauntlet(&["card", "validate", "--explain", "skill-id-unique"]);
    assert_eq!(gauntlet(&["explain", "skill-id-unique"]).ends_with(0).stdout, page.stdout);
    gauntlet(&["explain", "skill-id-uniqe"]).ends_with(2).names(&["did you mean `skill-id-unique`?"]);
}

#[test]
fn generated_cards_are_the_same_each_time_and_get_their_verdict() {
    let arguments = ["card", "generate", "--count", "60", "--seed", "4", "--version", "mixed"];
    let first = gauntlet(&arguments);
    let lines: Vec<Value> =
        first.ends_with(0).stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((lines.len(), &gauntlet(&arguments).stdout), (60, &first.stdout));
    assert!(lines.iter().any(|line| line["valid"] == true) && lines.iter().any(|line| line["valid"] == false));

    let out = folder(&[]);
    let path = out.path().join("cards").to_string_lossy().into_owned();
    let only = "skill-id-unique,interface-url-https";
    gauntlet(&["card", "generate", "--count", "8", "--only", only, "--format", "dir", "--out", &path]).ends_with(0);
    let verdicts = std::fs::read_to_string(out.path().join("cards/verdicts.ndjson")).expect("verdicts");
    for verdict in verdicts.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")) {
        let file = out.path().join("cards").join(verdict["file"].as_str().expect("a file"));
        let json = gauntlet(&["card", "validate", "--format", "json", &file.to_string_lossy()]);
        let report: Value = serde_json::from_str(&json.ends_with(1).stdout).expect("a report");
        let found =
            report["findings"].as_array().expect("findings").iter().find(|finding| finding["severity"] != "note");
        let found = found.expect("a finding");
        assert_eq!((&found["rule"], &found["path"]), (&verdict["rule"], &verdict["path"]));
    }
}

#[test]
fn an_old_card_is_printed_in_its_new_form() {
    let ran = gauntlet(&["card", "validate", "--migrate", &card("legacy-0.3.json")]);
    let new: Value = serde_json::from_str(&ran.ends_with(0).stdout).expect("a card");
    assert_eq!(new["supportedInterfaces"][1]["url"], "grpc.example.com:8443");
    ran.names(&["stateTransitionHistory", "write 1.0 where the agent serves it"]);
}

/// The bundle that is printed does as a schema for `--schema`, and is the same text each time.
#[test]
fn the_printed_bundle_can_be_given_back() {
    let printed = gauntlet(&["schema", "a2a"]);
    let folder = folder(&[("a2a.json", &printed.ends_with(0).stdout)]);
    let path = folder.path().join("a2a.json").to_string_lossy().into_owned();
    let ran = gauntlet(&["card", "validate", "--format", "json", "--schema", &path, &card("returns-red.json")]);
    let report: Value = serde_json::from_str(&ran.ends_with(1).stdout).expect("a report");
    let paths: Vec<&str> =
        report["schemaErrors"].as_array().expect("errors").iter().filter_map(|error| error["path"].as_str()).collect();
    assert_eq!(paths, ["/url", "/protocolVersion", "/skills/0/inputSchema"]);
}
