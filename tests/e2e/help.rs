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

/// The pages of several ids at once, which one blank line parts.
fn explained(ids: &BTreeSet<String>) -> Vec<String> {
    let arguments: Vec<&str> = ["explain"].into_iter().chain(ids.iter().map(String::as_str)).collect();
    let text = gauntlet(&arguments).ends_with(0).stdout.clone();
    assert!(text.lines().all(|line| line.chars().count() <= 80 || !line.trim().contains(' ')), "{text}");
    let begins: Vec<usize> = std::iter::once(0)
        .chain(text.match_indices("\n\n").map(|(at, _)| at + 2))
        .filter(|at| !text[*at..].starts_with(' '))
        .collect();
    assert_eq!(begins.len(), ids.len(), "a page for each of {ids:?}:\n{text}");
    let ends = begins.iter().skip(1).copied().chain([text.len()]);
    let pages: Vec<String> = begins.iter().zip(ends).map(|(begin, end)| text[*begin..end].to_owned()).collect();
    assert!(ids.iter().zip(&pages).all(|(id, page)| page.starts_with(&format!("{id} ("))), "{text}");
    pages
}

#[test]
fn every_rule_defect_and_flaw_is_explained() {
    for rule in explained(&ids("rules")) {
        assert!(rule.contains("\n  judged ") && rule.contains("\n  broken by "), "{rule}");
    }
    for defect in explained(&ids("defects")) {
        assert!(defect.contains("\n  faults "), "{defect}");
    }
    for flaw in explained(&ids("flaws")) {
        assert!(flaw.contains("\n  breaks "), "{flaw}");
    }
    // Which scenarios there are changes often.
    let head = |id: &str| {
        let page = gauntlet(&["explain", id]).ends_with(0).stdout.clone();
        page.split("\n  scenarios ").next().expect("a first part").to_owned()
    };
    insta::assert_snapshot!(format!("{}\n\n{}", head("task-stream-close-resolved"), head("stream-closes-early")));
    gauntlet(&["explain", "task-no-orphan"]).ends_with(2).names(&["task-no-orphan", "task-no-orphans"]);
    gauntlet(&["explain", "task-no-orphans", "no-prob"]).ends_with(2).names(&["no-prob", "no-probe"]);
    gauntlet(&["explain"]).ends_with(2).names(&["RULE|DEFECT|FLAW|FINDING"]);
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
