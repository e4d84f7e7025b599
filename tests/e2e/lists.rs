//! `gauntlet list`.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::{folder, gauntlet, gauntlet_in};

fn json(what: &str) -> Vec<Value> {
    let ran = gauntlet(&["list", what, "--json"]);
    serde_json::from_str(&ran.ends_with(0).stdout).expect("a JSON array")
}

fn ids(what: &str) -> BTreeSet<String> {
    json(what).iter().map(|item| item["id"].as_str().expect("an id").to_owned()).collect()
}

#[test]
fn every_list_has_a_text_and_a_json_form_of_equal_length() {
    for what in ["scenarios", "defects", "rules", "faults", "fleets", "flaws", "card-rules"] {
        let text = gauntlet(&["list", what]);
        // What goes on below a name is indented.
        let lines = text.ends_with(0).stdout.lines().filter(|line| !line.starts_with(' ')).count();
        assert!(lines > 0, "there are {what}");
        assert_eq!(json(what).len(), lines, "{what}");
        let fits = |line: &str| what == "scenarios" || line.chars().count() <= 80;
        assert!(text.stdout.lines().all(fits), "{}", text.stdout);
    }
}

#[test]
fn there_is_enough_to_run_on_every_binding() {
    let scenarios = json("scenarios");
    assert!(scenarios.len() >= 30, "{} scenarios", scenarios.len());
    for binding in ["JSONRPC", "GRPC", "HTTP+JSON"] {
        let about = |scenario: &&Value| scenario["tags"].as_array().expect("tags").iter().any(|tag| tag == binding);
        let number = scenarios.iter().filter(about).count();
        assert!(number >= 12, "{number} scenarios on {binding}");
        let selected = gauntlet(&["list", "scenarios", "--tags", &format!("@{binding}")]);
        assert_eq!(selected.ends_with(0).stdout.lines().count(), number);
    }
}

#[test]
fn names_agree_across_lists() {
    let rules = ids("rules");
    for defect in json("defects") {
        for rule in defect["exercises"].as_array().expect("rules") {
            assert!(rules.contains(rule.as_str().expect("an id")), "{} exercises {rule}", defect["id"]);
        }
    }
    for flaw in json("flaws") {
        for rule in flaw["breaks"].as_array().expect("rules") {
            assert!(rules.contains(rule.as_str().expect("an id")), "{} breaks {rule}", flaw["id"]);
        }
    }
    for scenario in json("scenarios") {
        for tag in scenario["tags"].as_array().expect("tags") {
            if let Some(rule) = tag.as_str().and_then(|tag| tag.strip_prefix("rule:")) {
                assert!(rules.contains(rule), "{} is tagged with {rule}", scenario["name"]);
            }
        }
    }
}

/// A defect that nothing uses, nothing catches and nothing shows is a claim.
#[test]
fn every_defect_has_scenarios_a_flaw_and_a_golden_journal_on_each_binding() {
    let mut missing = Vec::new();
    for defect in &json("defects") {
        let list = |key: &str| defect[key].as_array().unwrap_or_else(|| panic!("{key} is a list")).clone();
        let id = &defect["id"];
        assert!(!list("versions").is_empty() && !list("faults").is_empty(), "{defect:#}");
        if list("flaws").is_empty() {
            missing.push(format!("{id}: a flaw that its scenarios catch"));
        }
        let scenarios = list("scenarios");
        for binding in list("bindings") {
            let on = |scenario: &&Value| scenario["bindings"].as_array().is_some_and(|all| all.contains(&binding));
            if !scenarios.iter().any(|scenario| on(&scenario)) {
                missing.push(format!("{id}: a scenario over {binding}"));
            }
            let golden = defect["golden"][binding.as_str().expect("a name")].as_str();
            if !golden.is_some_and(|path| crate::support::root().join(path).is_file()) {
                missing.push(format!("{id}: a golden journal over {binding}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn every_rule_is_named_by_a_scenario_and_every_defect_is_made_of_known_faults() {
    let scenarios = json("scenarios");
    let tags: BTreeSet<&str> = scenarios
        .iter()
        .flat_map(|scenario| scenario["tags"].as_array().expect("tags"))
        .filter_map(Value::as_str)
        .collect();
    let unnamed: Vec<&Value> = json("rules")
        .leak()
        .iter()
        .filter(|rule| {
            rule["standing"] == false
                && !tags.contains(format!("rule:{}", rule["id"].as_str().expect("an id")).as_str())
        })
        .collect();
    assert!(unnamed.is_empty(), "no scenario is tagged with {unnamed:#?}");

    let faults = ids("faults");
    for defect in json("defects") {
        for fault in defect["faults"].as_array().expect("faults") {
            assert!(faults.contains(fault.as_str().expect("an id")), "{} is made of {fault}", defect["id"]);
        }
    }
}

#[test]
fn files_of_the_user_are_listed_too() {
    let fleet = "peers:\n  - name: peer\n    interfaces: [JSONRPC]\n";
    let folder = folder(&[("mine.yaml", fleet)]);
    let ran = gauntlet_in(folder.path(), &["list", "fleets", "mine.yaml"]);
    assert!(ran.ends_with(0).stdout.lines().any(|line| line.trim_end() == "mine"), "{}", ran.stdout);
}
