//! Real SDKs as orchestrators: their drivers keep the contract, and the suite judges them.
//!
//! Without what an SDK needs ([`crate::support::python`], [`crate::support::node`]) its test says so and does nothing,
//! unless `REQUIRE_INTEROP` is set.

use std::collections::BTreeSet;

use gauntlet_evidence::ScenarioReport;
use gauntlet_evidence::run::ScenarioResult;

use crate::support::{folder, gauntlet_in, node, python, reports, root, word};

#[test]
fn interop_with_the_official_python_sdk() {
    let Some(python) = python().or_skip() else { return };
    let driver = root().join("drivers/python-a2a-sdk/driver.py");
    println!("{}", judge(&format!("{python} {}", driver.display())));
}

#[test]
fn interop_with_the_official_javascript_sdk() {
    let Some(node) = node().or_skip() else { return };
    let driver = node.script(&root().join("drivers/js-a2a-sdk/driver.mjs"));
    println!("{}", judge(&format!("node {}", driver.path.display())));
}

/// Runs everything with a driver. Both SDKs do alike: each takes the first interface it speaks and stays with it, takes
/// a stream that ends early for one that ends, and remembers nothing of what went wrong.
fn judge(command: &str) -> String {
    let folder = folder(&[]);
    let ran = gauntlet_in(folder.path(), &["run", "--command", command, "--out", "out"]);
    ran.ends_with(1);

    let reports = reports(&folder.path().join("out"));
    let errors: Vec<_> =
        reports.iter().filter(|report| matches!(word(&report.result), "driver-error" | "harness-error")).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    for binding in ["JSONRPC", "GRPC", "HTTP+JSON"] {
        let about = |report: &&ScenarioReport| report.tags.iter().any(|tag| tag == binding);
        let passed = reports.iter().filter(about).filter(|report| report.result == ScenarioResult::Passed).count();
        assert!(passed >= 4, "{passed} scenarios passed on {binding}");
    }
    let found: BTreeSet<&str> =
        reports.iter().flat_map(|report| &report.findings).map(|finding| finding.rule.as_str()).collect();
    for rule in ["interface-fallback", "interface-choice-remembered", "task-stream-close-resolved"] {
        assert!(found.contains(rule), "no finding against {rule} among {found:?}");
    }
    ran.stdout
}
