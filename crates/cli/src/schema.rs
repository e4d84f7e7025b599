//! `gauntlet schema`: JSON Schema for editors and for other tools.
//!
//! The files in `schemas/` are written by hand; the words that the code knows better, such as the names of rules, are put
//! in here.

use clap::ValueEnum;
use gauntlet_evidence::{Status, Support};
use gauntlet_faults::catalogue;
use gauntlet_scenario::Library;
use gauntlet_wire::{Binding, Operation};
use serde_json::{Value, json};

use crate::diagnostics::Failure;
use crate::exit::Exit;
use crate::output;

/// A format that there is a schema for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Peers that are started together.
    Fleet,
    /// A named misbehaviour of peers.
    Defect,
    /// Failures that are known and excused.
    Baseline,
    /// A line of driver protocol 1.
    Driver,
    /// Cards, tasks and messages of A2A 1.0: point at #/$defs/AgentCard and the like.
    A2a,
}

/// Prints the schema.
pub(crate) fn print(format: Format) -> Result<Exit, Failure> {
    output::out(&format!("{:#}\n", schema(format)?));
    Ok(Exit::Fine)
}

fn schema(format: Format) -> Result<Value, Failure> {
    let text = match format {
        Format::Fleet => include_str!("../schemas/fleet.json"),
        Format::Defect => include_str!("../schemas/defect.json"),
        Format::Baseline => include_str!("../schemas/baseline.json"),
        Format::Driver => include_str!("../schemas/driver.json"),
        Format::A2a => return Ok(gauntlet_card::bundle()),
    };
    let mut schema: Value = serde_json::from_str(text).map_err(|error| Failure::System(error.to_string()))?;
    let library = Library::embedded()?;
    let rules: Vec<&str> = library.rules().map(|rule| rule.id.as_str()).collect();
    let bindings = Binding::ALL.map(Binding::name);
    let listed: Vec<String> = rules
        .iter()
        .copied()
        .chain(["expectation"])
        .flat_map(|rule| [rule.to_owned()].into_iter().chain(bindings.map(|binding| format!("{rule}@{binding}"))))
        .collect();
    let words = [
        ("/$defs/binding/enum", json!(bindings)),
        ("/$defs/operation/enum", json!(Operation::ALL.map(Operation::name))),
        ("/$defs/rule/enum", json!(rules)),
        ("/$defs/listed/enum", json!(listed)),
        ("/$defs/faultName/enum", json!(catalogue().iter().map(|fault| fault.id).collect::<Vec<_>>())),
        ("/$defs/support/enum", json!(Support::ALL)),
        ("/$defs/outcome/properties/status/enum", json!(Status::ALL)),
    ];
    for (place, words) in words {
        if let Some(slot) = schema.pointer_mut(place) {
            *slot = words;
        }
    }
    Ok(schema)
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use gauntlet_evidence::Delegation;
    use gauntlet_evidence::contract::{FromDriver, ToDriver};
    use gauntlet_scenario::yaml;

    use super::*;

    fn errors(format: Format, value: &Value) -> Vec<String> {
        let validator = jsonschema::validator_for(&schema(format).unwrap()).expect("a schema");
        validator.iter_errors(value).map(|error| format!("{} {error}", error.instance_path())).collect()
    }

    fn yaml_errors(format: Format, text: &str) -> Vec<String> {
        errors(format, &yaml::parse("x.yaml", text).unwrap().json())
    }

    /// The YAML files below a folder of the project.
    fn files(folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let below = entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] });
        below.filter(|path| path.extension().is_some_and(|extension| extension == "yaml")).collect()
    }

    #[test]
    fn every_file_that_ships_is_valid() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for (folder, format) in [("scenarios/fleets", Format::Fleet), ("scenarios/defects", Format::Defect)] {
            let files = files(&root.join(folder));
            assert!(files.len() > 5, "{folder}");
            for file in files {
                let wrong = yaml_errors(format, &std::fs::read_to_string(&file).unwrap());
                assert!(wrong.is_empty(), "{}: {wrong:#?}", file.display());
            }
        }
        for file in files(&root.join("drivers")).iter().filter(|file| file.ends_with("baseline.yaml")) {
            let wrong = yaml_errors(Format::Baseline, &std::fs::read_to_string(file).unwrap());
            assert!(wrong.is_empty(), "{}: {wrong:#?}", file.display());
        }
    }

    #[test]
    fn wrong_files_are_not() {
        for (format, text) in [
            (Format::Fleet, "peers: []"),
            (Format::Fleet, "peers: [{ name: a, interfaecs: [GRPC] }]"),
            (Format::Fleet, "peers: [{ name: a, interfaces: [SOAP] }]"),
            (Format::Fleet, "peers: [{ name: a, interfaces: [GRPC], behaviour: [wroking, complete] }]"),
            (Format::Fleet, "peers: [{ name: a, interfaces: [GRPC], defects: [x: { when: { nht: 1 } }] }]"),
            (Format::Defect, "id: a\ntitle: A\nfaults: []"),
            (Format::Defect, "id: a\ntitle: A\nfaults: [refuse-operaton: {}]"),
            (Format::Defect, "id: a\ntitle: A\nfaults: [refuse-operation: {}]\nfacts: [no-such-fact]"),
            (Format::Defect, "id: a\ntitle: A\nfaults: [refuse-operation: {}]\nexercises: [no-such-rule]"),
            (Format::Baseline, "entries: [{ rule: task-no-orphans }]"),
            (Format::Baseline, "entries: [{ rule: task-no-orphan, reason: r }]"),
            (Format::Baseline, "entries: [{ rule: task-no-orphans@SOAP, reason: r }]"),
            (Format::Baseline, "entries: [{ rule: task-no-orphans, reason: r, scenarios: [no file] }]"),
            (Format::Baseline, "entries: [{ rule: task-no-orphans, reason: r, expires: soon }]"),
            (Format::Driver, "{ type: outcome, id: d-1, status: done }"),
            (Format::Driver, "{ type: outcome, status: completed }"),
            (Format::Driver, "{ type: goodbye }"),
        ] {
            assert!(!yaml_errors(format, text).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_baseline_may_name_a_binding_a_day_and_several_scenarios() {
        let text = "entries: [{ rule: task-no-orphans@HTTP+JSON, reason: r, scenarios: [a.feature#S, b.feature#T], \
                    owner: o, expires: 2026-12-31, flaky: true }, { rule: expectation, reason: r, scenarios: a#S }]";
        assert_eq!(yaml_errors(Format::Baseline, text), Vec::<String>::new());
    }

    #[test]
    fn what_is_said_to_and_by_drivers_is_valid() {
        let delegation: Delegation = serde_json::from_value(json!({
            "id": "d-1", "session": "s-1", "marker": "d-1:9f", "deadlineMs": 800, "message": {"parts": [{"text": "work"}]},
            "peers": [{"name": "a", "baseUrl": "http://127.0.0.1:1", "cardUrl": "http://127.0.0.1:1/card"}],
            "needs": {"streaming": "required"}, "allowedBindings": ["GRPC"],
        }))
        .unwrap();
        let delegate = ToDriver::Delegate(Box::new(delegation));
        assert_eq!(errors(Format::Driver, &json!(delegate)), Vec::<String>::new());
        for line in [
            json!({"type": "hello", "name": "x", "supports": ["probe"], "speaks": {"bindings": ["JSONRPC"]}}),
            json!({"type": "outcome", "id": "d-1", "status": "input-required", "binding": "HTTP+JSON", "more": 1}),
            json!({"type": "reset-done", "session": "s-1"}),
        ] {
            let line: FromDriver = serde_json::from_value(line).unwrap();
            assert_eq!(errors(Format::Driver, &json!(line)), Vec::<String>::new());
        }
    }
}
