//! Real SDKs as orchestrators: their drivers keep the contract, and the suite judges them.
//!
//! Needs a Python with the requirements of `drivers/python-a2a-sdk`: `GAUNTLET_PYTHON`, or `python3` where it has them.
//! Without it the test says so and does nothing, unless `REQUIRE_INTEROP` is set.

use std::collections::BTreeSet;

use gauntlet_evidence::run::ScenarioResult;

use crate::support::{folder, gauntlet_in, python, reports, root, word};

#[test]
fn interop_with_the_official_python_sdk() {
    let Some(python) = python().or_skip() else { return };
    let driver = root().join("drivers/python-a2a-sdk/driver.py");
    let folder = folder(&[]);
    let command = format!("{python} {}", driver.display());
    let ran = gauntlet_in(folder.path(), &["run", "--command", &command, "--out", "out"]);
    println!("{}", ran.stdout);
    ran.ends_with(1);

    let reports = reports(&folder.path().join("out"));
    let errors: Vec<_> =
        reports.iter().filter(|report| matches!(word(&report.result), "driver-error" | "harness-error")).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    for binding in ["JSONRPC", "GRPC", "HTTP+JSON"] {
        let about = |report: &&gauntlet_evidence::ScenarioReport| report.tags.iter().any(|tag| tag == binding);
        let passed = reports.iter().filter(about).filter(|report| report.result == ScenarioResult::Passed).count();
        assert!(passed >= 4, "{passed} scenarios passed on {binding}");
    }

    // Known of this SDK: it takes the first interface and stays with it, and a stream that ends early ends normally.
    let found: BTreeSet<&str> =
        reports.iter().flat_map(|report| &report.findings).map(|finding| finding.rule.as_str()).collect();
    for rule in ["interface-fallback", "task-stream-close-resolved"] {
        assert!(found.contains(rule), "no finding against {rule} among {found:?}");
    }
}
