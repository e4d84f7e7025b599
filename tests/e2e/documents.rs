//! What README and CONTRIBUTING show is true of the code as it is.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{folder, gauntlet_in, root};

/// The fenced blocks of that language in a document, without the indentation of lists.
pub(crate) fn blocks(document: &str, language: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join(document)).expect("the document is there");
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim_start() == format!("```{language}") {
            let indent = line.len() - line.trim_start().len();
            let block = lines.by_ref().take_while(|line| line.trim_start() != "```");
            blocks.push(block.map(|line| format!("{}\n", line.get(indent..).unwrap_or_default())).collect());
        }
    }
    blocks
}

#[test]
fn the_driver_keeps_the_contract() {
    if Command::new("python3").arg("--version").output().is_err() {
        assert!(std::env::var_os("REQUIRE_INTEROP").is_none(), "there is no python3");
        eprintln!("SKIPPED: there is no python3");
        return;
    }
    let driver = &blocks("README.md", "python")[0];
    assert!(driver.lines().count() < 55, "the driver is short");
    let folder = folder(&[("driver.py", driver)]);
    let arguments = ["run", "--binding", "JSONRPC", "--level", "must", "--command", "python3 driver.py"];
    let ran = gauntlet_in(folder.path(), &arguments);
    ran.ends_with(0);
    assert!(!ran.last_line().starts_with("0 passed"), "{}", ran.last_line());
}

#[test]
fn the_scenario_can_be_run() {
    let folder = folder(&[("vendor.feature", &blocks("README.md", "gherkin")[0])]);
    gauntlet_in(folder.path(), &["run", "vendor.feature"]).ends_with(0);
}

#[test]
fn the_new_defect_can_be_run() {
    let defects = blocks("CONTRIBUTING.md", "yaml");
    let defect = defects.iter().find(|block| block.starts_with("id:")).expect("a defect is shown");
    let name = defect.lines().next().unwrap().trim_start_matches("id: ");
    let file = format!("{name}.yaml");
    let folder = folder(&[(&file, defect)]);
    let ran = gauntlet_in(folder.path(), &["run", &file]);
    assert!(ran.ends_with(0).stdout.contains(" · 4 scenarios"), "{}", ran.stdout);
}

#[test]
fn the_code_shown_stands_in_the_sources() {
    let sources = sources(&root().join("crates"));
    let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let sources: Vec<String> = sources.iter().map(|path| squeeze(&std::fs::read_to_string(path).unwrap())).collect();
    let shown = blocks("CONTRIBUTING.md", "rust");
    assert!(shown.len() >= 4);
    for block in shown {
        assert!(sources.iter().any(|source| source.contains(&squeeze(&block))), "this stands nowhere:\n{block}");
    }
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => found.extend(sources(&path)),
            false if path.extension().is_some_and(|extension| extension == "rs") => found.push(path),
            false => {}
        }
    }
    found
}
