//! What helps to write files and commands: steps, explanations, schemas, completions, the manual.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::gauntlet;

#[test]
fn every_step_is_listed_with_its_meaning() {
    let steps = gauntlet(&["steps", "--json"]);
    let steps: Vec<Value> = serde_json::from_str(&steps.ends_with(0).stdout).expect("JSON");
    assert!(steps.len() > 30);
    assert!(steps.iter().all(|step| step["meaning"].as_str().is_some_and(|meaning| meaning.len() > 10)), "{steps:#?}");
    let text = gauntlet(&["steps"]).stdout;
    for step in &steps {
        let line = format!("{:5} {}", step["keyword"].as_str().unwrap(), step["step"].as_str().unwrap());
        assert!(text.lines().any(|shown| shown == line), "`{line}` is missing in:\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

fn ids(what: &str) -> BTreeSet<String> {
    let listed: Vec<Value> = serde_json::from_str(&gauntlet(&["list", what, "--json"]).stdout).expect("JSON");
    listed.iter().map(|row| row["id"].as_str().expect("an id").to_owned()).collect()
}

#[test]
fn every_rule_defect_and_flaw_is_explained() {
    let explain = |id: &str| {
        let text = gauntlet(&["explain", id]).ends_with(0).stdout.clone();
        assert!(text.starts_with(id), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80 || !line.trim().contains(' ')), "{text}");
        text
    };
    for rule in ids("rules") {
        let text = explain(&rule);
        assert!(text.contains("\n  judged ") && text.contains("\n  broken by "), "{text}");
    }
    for defect in ids("defects") {
        assert!(explain(&defect).contains("\n  faults "), "{defect}");
    }
    for flaw in ids("flaws") {
        assert!(explain(&flaw).contains("\n  breaks "), "{flaw}");
    }
    // Which scenarios there are changes often.
    let head = |id: &str| explain(id).split("\n  scenarios ").next().expect("a first part").to_owned();
    insta::assert_snapshot!(format!("{}\n\n{}", head("task-stream-close-resolved"), head("stream-closes-early")));
    gauntlet(&["explain", "task-no-orphan"]).ends_with(2).names(&["task-no-orphan", "task-no-orphans"]);
}

#[test]
fn schemas_are_printed_with_the_words_of_this_version() {
    for (format, word) in [
        ("fleet", "HTTP+JSON"),
        ("defect", "refuse-operation"),
        ("baseline", "task-no-orphans@GRPC"),
        ("driver", "multi-turn"),
    ] {
        let schema: Value = serde_json::from_str(&gauntlet(&["schema", format]).ends_with(0).stdout).expect("JSON");
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert!(schema.to_string().contains(word), "{format}");
        assert!(!schema.to_string().contains("\"enum\":[]"), "{format}: a list of words was left empty");
    }
    gauntlet(&["schema", "peers"]).ends_with(2).names(&["fleet, defect, baseline, driver, a2a"]);
}

#[test]
fn shells_complete_and_the_manual_names_every_option() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(gauntlet(&["completions", shell]).ends_with(0).stdout.contains("write-baseline"), "{shell}");
    }
    let manual = gauntlet(&["man"]).ends_with(0).stdout.clone();
    for word in [".TH gauntlet", "write\\-baseline", "gauntlet\\-serve", "control"] {
        assert!(manual.contains(word), "`{word}` is missing in the manual");
    }
}
