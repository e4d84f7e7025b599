//! A user's own files are picked up by the binary as it is.

use crate::support::{folder, gauntlet_in, reports};

const DEFECT: &str = "\
id: acme-loses-tasks
title: The endpoint forgets how to tell of tasks
seen-in: [{ thread: \"acme/agents#1\" }]
parameters: { operation: { type: operation, default: SendStreamingMessage } }
applies: { bindings: [JSONRPC, GRPC] }
faults:
  - refuse-operation: { operation: \"{operation}\", as: { GRPC: UNIMPLEMENTED, JSONRPC: -32601, HTTP+JSON: 404 } }
facts: [lacks-operation: \"{operation}\"]
exercises: [capability-mismatch-terminal]
";

const FEATURE: &str = "\
Feature: Our vendor
  @JSONRPC @rule:capability-closed-under-binding
  Scenario: Acme cannot stream
    Given a peer \"acme\" serving JSONRPC
    And \"acme\" declares streaming
    And \"acme\" has the defect acme-loses-tasks
    When work that requires streaming is delegated to \"acme\"
    Then the outcome is one that the facts permit
";

/// A second scenario, at line 11.
const HEALTHY: &str = "
  @JSONRPC
  Scenario: Healthy
    Given a peer \"peer\" serving JSONRPC
    When work is delegated to \"peer\"
    Then the outcome is one that the facts permit
";

#[test]
fn a_new_defect_and_a_feature_about_it() {
    let folder = folder(&[("vendors/acme-loses-tasks.yaml", DEFECT), ("vendors/acme.feature", FEATURE)]);
    gauntlet_in(folder.path(), &["run", "vendors", "--out", "out"]).ends_with(0);
    let reports = reports(&folder.path().join("out"));
    assert_eq!(reports.len(), 1);
    assert_eq!(reports[0].defects, ["acme-loses-tasks"]);
    assert_eq!(reports[0].scenario.name, "Acme cannot stream");
}

#[test]
fn a_new_defect_is_named_where_something_is_found() {
    let folder = folder(&[("vendors/acme-loses-tasks.yaml", DEFECT), ("vendors/acme.feature", FEATURE)]);
    let ran = gauntlet_in(folder.path(), &["run", "vendors", "--flaw", "no-probe"]);
    ran.ends_with(1);
    for words in
        ["vendors/acme.feature:3  Acme cannot stream", "defects   acme-loses-tasks", "capability-closed-under-binding"]
    {
        assert!(ran.stdout.contains(words), "`{words}` is missing in:\n{}", ran.stdout);
    }
}

#[test]
fn a_new_defect_alone_is_tried_on_every_binding_it_applies_to() {
    let folder = folder(&[("acme-loses-tasks.yaml", DEFECT)]);
    let ran = gauntlet_in(folder.path(), &["run", "acme-loses-tasks.yaml", "--verbose", "--out", "out"]);
    ran.ends_with(0);
    let reports = reports(&folder.path().join("out"));
    assert_eq!(reports.len(), 4, "two bindings, with streaming and without");
    assert!(reports.iter().all(|report| report.defects == ["acme-loses-tasks"]));
    assert!(ran.stdout.contains("acme-loses-tasks over GRPC"), "{}", ran.stdout);
}

#[test]
fn the_line_of_a_scenario_picks_it() {
    let folder = folder(&[("acme-loses-tasks.yaml", DEFECT), ("acme.feature", &format!("{FEATURE}{HEALTHY}"))]);
    gauntlet_in(folder.path(), &["run", "acme-loses-tasks.yaml", "acme.feature:11", "--out", "out"]).ends_with(0);
    let reports = reports(&folder.path().join("out"));
    assert_eq!(reports.iter().map(|report| report.scenario.name.as_str()).collect::<Vec<_>>(), ["Healthy"]);
    gauntlet_in(folder.path(), &["run", "acme-loses-tasks.yaml", "acme.feature:1"]).ends_with(4);
}
