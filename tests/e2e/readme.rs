//! What the README shows works as it stands there.

use std::process::Command;

use crate::support::{folder, gauntlet_in, root};

/// The first fenced block of that language in the README.
fn block(language: &str) -> String {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("there is a README");
    let (_, rest) = readme.split_once(&format!("```{language}\n")).expect("there is such a block");
    rest.split_once("```").expect("the block ends").0.to_owned()
}

#[test]
fn its_driver_keeps_the_contract() {
    if Command::new("python3").arg("--version").output().is_err() {
        assert!(std::env::var_os("REQUIRE_INTEROP").is_none(), "there is no python3");
        eprintln!("SKIPPED: there is no python3");
        return;
    }
    let driver = block("python");
    assert!(driver.lines().count() < 55, "the driver is short");
    let folder = folder(&[("driver.py", &driver)]);
    let arguments = ["run", "--binding", "JSONRPC", "--level", "must", "--command", "python3 driver.py"];
    let ran = gauntlet_in(folder.path(), &arguments);
    ran.ends_with(0);
    assert!(!ran.last_line().starts_with("0 passed"), "{}", ran.last_line());
}

#[test]
fn its_scenario_can_be_run() {
    let folder = folder(&[("vendor.feature", &block("gherkin"))]);
    gauntlet_in(folder.path(), &["run", "vendor.feature"]).ends_with(0);
}
