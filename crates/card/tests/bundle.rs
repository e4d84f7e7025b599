//! The schema bundle that is printed, beside the one that the A2A project publishes.
//!
//! `GAUNTLET_PUBLISHED_BUNDLE` is the path of a copy of the published file; without it that comparison is left out.

use std::collections::BTreeMap;

use gauntlet_card::{SchemaFile, bundle};
use serde_json::{Map, Value, json};

#[test]
fn the_bundle_has_every_message_and_the_same_bytes_each_time() {
    assert_eq!(bundle().to_string(), bundle().to_string());
    let names: Vec<String> = bundle()["$defs"].as_object().expect("definitions").keys().cloned().collect();
    assert_eq!(names, gauntlet_card::kinds());
    insta::assert_snapshot!(format!("{}\n{:#}", names.join(" "), bundle()["$defs"]["AgentCard"]));
}

#[test]
fn the_root_is_no_definition() {
    let read = |name: &str| {
        SchemaFile::read(bundle().to_string().as_bytes(), name).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(read("AgentCard"), Ok(()));
    assert!(read("AgentKard").unwrap_err().contains("AgentCard"));
    assert!(SchemaFile::read(b"{}", "AgentCard").is_err());
    assert!(SchemaFile::read(b"[", "AgentCard").is_err());
    assert!(SchemaFile::read(br#"{"$defs": {"Task": {"type": 7}}}"#, "Task").is_err());
}

/// What is said in other words here: nothing of the structure.
const DIFFERENCES: [&str; 0] = [];

#[test]
fn the_structure_is_that_of_the_published_bundle() {
    let Some(path) = std::env::var_os("GAUNTLET_PUBLISHED_BUNDLE") else { return };
    let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let published: Value = serde_json::from_slice(&text).expect("the published bundle is JSON");
    let holder = published.get("$defs").or_else(|| published.get("definitions")).and_then(Value::as_object);
    let holder = holder.expect("the published bundle has definitions");
    let name = |title: &str| title.replace(' ', "");
    let known: BTreeMap<String, Value> = holder.iter().map(|(title, value)| (name(title), value.clone())).collect();
    let theirs = known.iter().filter(|(name, _)| !["Struct", "Value", "Timestamp"].contains(&name.as_str()));
    let theirs: Map<String, Value> = theirs.map(|(name, value)| (name.clone(), plain(value, &known, false))).collect();
    let ours = bundle()["$defs"].as_object().expect("definitions").clone();
    let ours: Map<String, Value> =
        ours.iter().map(|(name, value)| (name.clone(), plain(value, &BTreeMap::new(), false))).collect();
    let mut differences = Vec::new();
    compare(&Value::Object(theirs), &Value::Object(ours), "", &mut differences);
    assert_eq!(differences, DIFFERENCES, "differences:\n{}", differences.join("\n"));

    // And it does as the schema of a validation.
    let options = gauntlet_card::Options {
        schema: Some(SchemaFile::read(&text, "AgentCard").expect("usable")),
        ..Default::default()
    };
    let generator = gauntlet_card::Generator::new(2, gauntlet_card::Versions::Current, 50, &[]).expect("a generator");
    for index in 0..200 {
        let case = generator.case(index);
        let with_file = gauntlet_card::validate(&case.bytes, &options);
        let built_in = gauntlet_card::validate(&case.bytes, &gauntlet_card::Options::default());
        assert_eq!(with_file.is_valid(), built_in.is_valid(), "{:?}", case.mutation);
    }
}

/// Without words for people, references by name, and the three well-known types in place. `members` says that the keys of
/// this object are members of a message, whatever they are called.
fn plain(value: &Value, known: &BTreeMap<String, Value>, members: bool) -> Value {
    match value {
        Value::Object(object) => {
            if let Some(reference) = object.get("$ref").and_then(Value::as_str) {
                let name = reference.trim_end_matches(".jsonschema.json").rsplit(['.', '/']).next().unwrap_or_default();
                return match name {
                    "Struct" | "Value" | "Timestamp" => {
                        known.get(name).map_or_else(|| json!({}), |value| plain(value, known, false))
                    }
                    name => json!({ "$ref": name }),
                };
            }
            let kept = object
                .iter()
                .filter(|(key, _)| members || !["description", "title", "$schema"].contains(&key.as_str()));
            let below = |key: &str| !members && ["properties", "patternProperties"].contains(&key);
            kept.map(|(key, value)| (key.clone(), plain(value, known, below(key)))).collect()
        }
        Value::Array(items) => items.iter().map(|item| plain(item, known, false)).collect(),
        other => other.clone(),
    }
}

fn compare(theirs: &Value, ours: &Value, at: &str, into: &mut Vec<String>) {
    match (theirs, ours) {
        (Value::Object(theirs), Value::Object(ours)) => {
            for (key, value) in theirs {
                match ours.get(key) {
                    Some(other) => compare(value, other, &format!("{at}/{key}"), into),
                    None => into.push(format!("{at}/{key} is published, and not here: {value}")),
                }
            }
            for key in ours.keys().filter(|key| !theirs.contains_key(*key)) {
                into.push(format!("{at}/{key} is here, and not published"));
            }
        }
        _ if theirs == ours => {}
        _ => into.push(format!("{at} is published as {theirs}, here it is {ours}")),
    }
}
