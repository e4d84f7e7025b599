//! The cards in `scenarios/cards`, and what is said of them.
//!
//! `verdicts.json` beside the cards says what is found in each for publication. Those in `rules/`, one for each rule, are
//! the simplest card there is with one thing wrong; `GAUNTLET_WRITE_CARDS=1` writes them anew.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use gauntlet_card::{Draw, Edition, Layer, Mutation, Options, Purpose, Rule, Severity, migrate, validate};
use serde_json::{Value, json};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/cards")
}

fn read(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn found(bytes: &[u8], options: &Options) -> Value {
    let report = validate(bytes, options);
    let finding = |finding: &gauntlet_card::Finding| {
        json!({
            "layer": finding.layer.word(), "rule": finding.rule, "severity": finding.severity.word(), "path": finding.pointer,
        })
    };
    json!({
        "edition": report.edition.map(Edition::word),
        "valid": report.is_valid(),
        "findings": report.findings.iter().map(finding).collect::<Vec<_>>(),
    })
}

/// One line for each document, so that verdicts read well side by side.
fn verdicts(of: &BTreeMap<String, Value>) -> String {
    let lines: Vec<String> = of.iter().map(|(name, verdict)| format!("  {}: {verdict}", json!(name))).collect();
    format!("{{\n{}\n}}\n", lines.join(",\n"))
}

fn held(path: &Path, content: &[u8]) {
    if std::env::var_os("GAUNTLET_WRITE_CARDS").is_some() {
        std::fs::write(path, content).expect("written");
    }
    let there = std::fs::read(path).unwrap_or_default();
    assert!(there == content, "{} is not what it should be; GAUNTLET_WRITE_CARDS=1 writes it", path.display());
}

#[test]
fn cards_get_the_verdicts_beside_them() {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder()).expect("the folder is there") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        if name.ends_with(".json") && name != "verdicts.json" {
            all.insert(name.clone(), found(&read(&name), &Options::default()));
        }
    }
    assert!(all.len() > 6);
    held(&folder().join("verdicts.json"), verdicts(&all).as_bytes());
}

#[test]
fn there_is_a_card_for_each_rule() {
    let mut all = BTreeMap::new();
    let mut seen = BTreeSet::new();
    // A megabyte of blanks shows nothing.
    for mutation in Mutation::all().filter(|mutation| mutation.rule.id != "json-size" && seen.insert(mutation.rule.id))
    {
        let legacy = !mutation.editions().contain(Some(Edition::V1_0));
        let edition = if legacy { Edition::V0_3 } else { Edition::V1_0 };
        let mut draw = Draw::given(&[]);
        let card = gauntlet_card::generate_card(edition, &mut draw);
        let (bytes, pointer) = mutation.apply(card, legacy, &mut draw);
        // Documents are read by people; those that are no plain JSON have to stay what they are.
        let plain = mutation.rule.layer != Layer::Parse;
        let bytes = match serde_json::from_slice::<Value>(&bytes) {
            Ok(document) if plain => format!("{document:#}\n").into_bytes(),
            _ => bytes,
        };
        let verdict = found(&bytes, &Options::default());
        let expected = json!({
            "layer": mutation.rule.layer.word(), "rule": mutation.rule.id, "severity": mutation.rule.severity.word(),
            "path": pointer,
        });
        assert_eq!(verdict["findings"], json!([expected]), "{}", mutation.name());
        let name = format!("{}.json", mutation.rule.id);
        held(&folder().join("rules").join(&name), &bytes);
        all.insert(name, verdict);
    }
    held(&folder().join("rules/verdicts.json"), verdicts(&all).as_bytes());
    let files = std::fs::read_dir(folder().join("rules")).expect("the folder is there").count();
    assert_eq!(files, all.len() + 1, "no card of a rule that is gone is left");
}

/// The red card of the field record, with its reds on their paths.
#[test]
fn the_red_card_is_red_where_it_should_be() {
    let report = validate(&read("returns-red.json"), &Options::default());
    let errors = |layer| {
        let of = report.findings.iter().filter(move |finding| finding.layer == layer);
        of.map(|finding| (finding.pointer.as_str(), finding.rule)).collect::<Vec<_>>()
    };
    assert_eq!(
        errors(Layer::Schema),
        [
            ("/url", "no-top-level-url"),
            ("/protocolVersion", "no-legacy-keys"),
            ("/skills/0/inputSchema", "no-input-schema"),
        ]
    );
    assert_eq!(errors(Layer::Spec), [("/skills/0/tags", "skills-tags-nonempty")]);
    let json = report.to_json("agent-card.json");
    assert_eq!(json["kind"], "card-validation-report");
    assert_eq!(json["schema"]["pointer"], "#/$defs/AgentCard");
    assert_eq!((&json["parse"], &json["schemaPass"], &json["next"]), (&json!(true), &json!(false), &json!("fix-card")));
    assert_eq!(json["schemaErrors"][0], json!({ "path": "/url", "keyword": "additionalProperties" }));
    let checks = json["specChecks"].as_array().expect("a list");
    for (id, pass) in [("required-name", true), ("skills-tags-nonempty", false), ("no-top-level-url", false)] {
        assert!(checks.contains(&json!({ "id": id, "pass": pass })), "{id}");
    }
    assert_eq!(json["capability"]["streaming"], true);
    // A caller can use all of it but the skill.
    let consumed = validate(&read("returns-red.json"), &Options::new(Purpose::Consume));
    let errors: Vec<&str> =
        consumed.findings.iter().filter(|of| of.severity == Severity::Error).map(|of| of.rule).collect();
    assert_eq!(errors, ["skills-tags-nonempty"]);
}

#[test]
fn nothing_is_said_of_layers_that_are_deeper_than_was_asked() {
    let layers = |deepest| {
        let options = Options { deepest, ..Options::default() };
        let report = validate(&read("returns-red.json"), &options);
        report.findings.iter().map(|finding| finding.layer).collect::<BTreeSet<_>>()
    };
    assert_eq!(layers(Layer::Schema), [Layer::Schema].into());
    assert_eq!(layers(Layer::Capability), [Layer::Schema, Layer::Spec].into());
}

#[test]
fn a_card_of_0_3_has_a_form_in_1_0() {
    let migrated = migrate(&read("legacy-0.3.json"), &Options::default()).unwrap();
    let report = validate(migrated.card.to_string().as_bytes(), &Options::default());
    let errors: Vec<_> = report.findings.iter().filter(|of| of.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{:#}", migrated.card);
    insta::assert_snapshot!(format!("{:#}\n\n{}", migrated.card, migrated.notes.join("\n")));
    assert!(migrate(&read("returns-green.json"), &Options::default()).is_err());
}

/// Whatever 0.3 says validly, its 1.0 form says validly too.
#[test]
fn every_valid_card_of_0_3_stays_valid() {
    for index in 0..300 {
        let mut draw = Draw::seeded(9, index);
        let old = gauntlet_card::generate_card(Edition::V0_3, &mut draw);
        let migrated = migrate(old.to_string().as_bytes(), &Options::default()).unwrap();
        let report = validate(migrated.card.to_string().as_bytes(), &Options::default());
        let error = report.first_error();
        assert!(error.is_none(), "{error:#?}\n{old:#}\n{:#}", migrated.card);
    }
}

#[test]
fn several_cards_are_held_against_each_other() {
    let green = String::from_utf8(read("returns-green.json")).expect("text");
    let newer = green.replace("1.0.3", "1.1.0").replace(
        "\"JSONRPC\",\n      \"protocolVersion\": \"1.0\"",
        "\"JSONRPC\",\n      \"protocolVersion\": \"0.3\"",
    );
    let scheme = |url: &str| {
        let flow = json!({ "flows": { "clientCredentials": { "tokenUrl": url, "scopes": {} } } });
        let mut card: Value = serde_json::from_str(&green).expect("a card");
        card["name"] = url.into();
        card["skills"][0]["id"] = url.into();
        card["securitySchemes"] = json!({ "oauth2": { "oauth2SecurityScheme": flow } });
        card.to_string()
    };
    let (one, other) = (scheme("https://one.example.com"), scheme("https://other.example.com"));
    let documents = [("a", green.as_str()), ("b", &green), ("c", &newer), ("d", &one), ("e", &other)];
    let documents: Vec<(&str, &[u8])> = documents.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    let reports = gauntlet_card::validate_all(&documents, &Options::default());
    let rules: Vec<Vec<&str>> =
        reports.iter().map(|report| report.findings.iter().map(|of| of.rule).collect()).collect();
    assert_eq!(rules[0], [""; 0]);
    assert_eq!(rules[1], ["fleet-agent-name", "fleet-skill-id"]);
    assert_eq!(rules[2], ["fleet-version-drift", "fleet-version-drift", "fleet-skill-id"]);
    assert_eq!(rules[3], [""; 0]);
    assert_eq!(rules[4], ["fleet-scheme-meaning"]);
    assert!(Rule::all().filter(|rule| rule.id.starts_with("fleet-")).count() == 4);
}

#[test]
fn payloads_are_judged_by_their_own_definition() {
    let judge = |kind: &str, document: Value| {
        let report = validate(document.to_string().as_bytes(), &Options { kind: kind.into(), ..Options::default() });
        let found = report.findings.iter().map(|of| (of.rule, of.pointer.clone())).collect::<Vec<_>>();
        (report.edition, found)
    };
    let task = json!({
        "id": "t", "contextId": "c", "status": { "state": "TASK_STATE_COMPLETED", "timestamp": "2026-11-10T12:00:00Z" },
        "artifacts": [{ "artifactId": "a", "parts": [{ "data": null }, { "raw": "AAE=", "mediaType": "image/png" }] }],
    });
    assert_eq!(judge("Task", task.clone()), (None, vec![]));
    let mut wrong = task.clone();
    wrong["status"]["state"] = "completed".into();
    wrong["status"]["timestamp"] = "yesterday".into();
    wrong["artifacts"][0]["parts"][1]["raw"] = "no base64!".into();
    wrong["artifacts"][0]["parts"][1]["text"] = "".into();
    wrong["artifacts"][0].as_object_mut().expect("an object").remove("artifactId");
    wrong["kind"] = "task".into();
    let (_, found) = judge("Task", wrong);
    let expected = [
        ("schema-enum", "/status/state"),
        ("schema-time", "/status/timestamp"),
        ("schema-bytes", "/artifacts/0/parts/1/raw"),
        ("schema-extra-key", "/kind"),
        ("required", "/artifacts/0/artifactId"),
        ("oneof-single", "/artifacts/0/parts/1/text"),
    ];
    assert_eq!(found, expected.map(|(rule, pointer)| (rule, pointer.to_owned())));
    assert_eq!(judge("AgentCard", task).1, [("document-kind", String::new())]);
    assert_eq!(
        judge("ListTasksResponse", json!({ "tasks": [], "nextPageToken": "", "pageSize": "x", "totalSize": 1.5 }))
            .1
            .len(),
        2
    );
}

#[test]
fn what_a_caller_needs_is_checked_against_the_flags() {
    use gauntlet_card::Need;
    let needs = |needs: &[Need]| {
        let options = Options { needs: needs.to_vec(), ..Options::default() };
        let report = validate(&read("everything.json"), &options);
        (report.is_valid(), report.to_json("x")["capability"].clone(), report.to_json("x")["next"].clone())
    };
    assert!(needs(&[Need::Streaming, Need::ExtendedCard]).0);
    let (valid, capability, next) = needs(&[Need::Push]);
    assert!(!valid);
    assert_eq!(
        (&capability["clientWillPush"], &capability["ok"], next),
        (&json!(true), &json!(false), json!("choose-another-operation"))
    );
}
