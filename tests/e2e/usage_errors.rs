//! What is wrong with a command line or a file is said once, clearly, before anything runs.

use std::net::TcpListener;

use crate::support::{HEALTHY, folder, gauntlet, gauntlet_in};

#[test]
fn an_unknown_flaw() {
    gauntlet(&["run", "--flaw", "refuse-everthing"]).ends_with(2).names(&["refuse-everthing", "refuse-everything"]);
}

#[test]
fn a_flaw_of_another_orchestrator() {
    gauntlet(&["run", "--flaw", "refuse-everything", "--command", "true"]).ends_with(2).names(&["--flaw", "--command"]);
}

#[test]
fn a_bad_tag_expression() {
    gauntlet(&["run", "--tags", "@GRPC and ("]).ends_with(2).names(&["@GRPC and ("]);
}

#[test]
fn tags_that_fit_nothing() {
    gauntlet(&["run", "--tags", "@no-such-tag"]).ends_with(4).names(&["nothing"]);
}

#[test]
fn an_unknown_level() {
    gauntlet(&["run", "--level", "strict"]).ends_with(2).names(&["strict", "must, should or hardened"]);
}

#[test]
fn an_unknown_binding() {
    gauntlet(&["run", "--binding", "SOAP"]).ends_with(2).names(&["SOAP", "JSONRPC, GRPC, HTTP+JSON"]);
}

#[test]
fn no_jobs_at_all() {
    gauntlet(&["run", "--jobs", "0"]).ends_with(2).names(&["--jobs"]);
}

#[test]
fn an_unknown_command() {
    gauntlet(&["rum"]).ends_with(2).names(&["rum", "run"]);
}

#[test]
fn a_missing_driver() {
    gauntlet(&["run", "--command", "no-such-driver-anywhere --flag"]).ends_with(3).names(&["no-such-driver-anywhere"]);
}

#[test]
fn a_command_that_cannot_be_taken_apart() {
    gauntlet(&["run", "--command", "python 'driver.py"]).ends_with(2).names(&["--command", "unclosed"]);
    gauntlet(&["run", "--command", ""]).ends_with(2).names(&["--command", "empty"]);
}

#[test]
fn a_path_that_is_not_there() {
    gauntlet(&["run", "nowhere.feature"]).ends_with(2).names(&["nowhere.feature"]);
}

#[test]
fn a_feature_that_is_not_text() {
    let folder = folder(&[]);
    std::fs::write(folder.path().join("odd.feature"), [0xff, 0xfe, 0x00]).unwrap();
    gauntlet_in(folder.path(), &["run", "odd.feature"]).ends_with(2).names(&["odd.feature"]);
}

#[test]
fn a_misspelt_keyword() {
    let text = HEALTHY.replace("Scenario:", "Scenrio:");
    let folder = folder(&[("a.feature", &text)]);
    gauntlet_in(folder.path(), &["run", "a.feature"]).ends_with(2).names(&["a.feature:"]);
}

#[test]
fn a_feature_without_scenarios() {
    let folder = folder(&[("a.feature", "Feature: Nothing\n")]);
    gauntlet_in(folder.path(), &["run", "a.feature"]).ends_with(2).names(&["a.feature:", "no scenario"]);
}

#[test]
fn a_misspelt_step() {
    let text = HEALTHY.replace("work is delegated", "work is delgated");
    let folder = folder(&[("a.feature", &text)]);
    gauntlet_in(folder.path(), &["run", "a.feature"]).ends_with(2).names(&["a.feature:5", "delgated", "did you mean"]);
}

#[test]
fn a_misspelt_defect_in_a_step() {
    let step = "serving JSONRPC\n    And \"peer\" has the defect stream-closes-erly";
    let folder = folder(&[("a.feature", &HEALTHY.replace("serving JSONRPC", step))]);
    let ran = gauntlet_in(folder.path(), &["run", "a.feature"]);
    ran.ends_with(2).names(&["a.feature:5", "stream-closes-erly", "stream-closes-early"]);
}

#[test]
fn a_misspelt_key_in_a_fleet_file() {
    let fleet = "peers:\n  - name: peer\n    interfaecs: [JSONRPC]\n";
    let folder = folder(&[("a.feature", HEALTHY), ("odd.yaml", fleet)]);
    let ran = gauntlet_in(folder.path(), &["run", "."]);
    ran.ends_with(2).names(&["odd.yaml:3:5", "interfaecs", "interfaces"]);
}

#[test]
fn a_misspelt_fault_in_a_defect_file() {
    let defect = "id: odd\ntitle: Odd\nseen-in: [{ seed: closure }]\nfaults: [refuse-operaton: { operation: GetTask }]\n\
                  facts: [lacks-operation: GetTask]\nexercises: [task-truth-agrees]\n";
    let folder = folder(&[("odd.yaml", defect)]);
    let ran = gauntlet_in(folder.path(), &["run", "."]);
    ran.ends_with(2).names(&["odd.yaml:4", "refuse-operaton", "refuse-operation"]);
}

#[test]
fn a_port_that_is_taken() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let fleet = format!("peers:\n  - name: peer\n    interfaces: [{{ binding: JSONRPC, port: {port} }}]\n");
    let feature = HEALTHY.replace("a peer \"peer\" serving JSONRPC", "the fleet \"fixed\"");
    let folder = folder(&[("a.feature", &feature), ("fixed.yaml", &fleet)]);
    let ran = gauntlet_in(folder.path(), &["run", "."]);
    ran.ends_with(3);
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert!(said.contains(&port.to_string()), "the port is named:\n{said}");
    assert!(said.contains("in use"), "{said}");
}

#[test]
fn a_folder_that_cannot_be_written() {
    let folder = folder(&[("a.feature", HEALTHY), ("file", "")]);
    let ran = gauntlet_in(folder.path(), &["run", "a.feature", "--out", "file/below"]);
    ran.ends_with(2).names(&["file/below"]);
}

#[test]
fn help_and_version_are_fine() {
    assert!(gauntlet(&["--help"]).ends_with(0).stdout.contains("Usage: gauntlet"));
    assert!(gauntlet(&["run", "--help"]).ends_with(0).stdout.contains("Exit codes"));
    assert!(gauntlet(&["--version"]).ends_with(0).stdout.starts_with("gauntlet "));
}
