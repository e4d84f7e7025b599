//! What `--out` keeps.

use std::path::Path;

use gauntlet_evidence::{JournalEntry, Outcome, ScenarioReport};

use crate::support::{folder, gauntlet_in, reports};

fn lines(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(str::to_owned).collect()
}

#[test]
fn each_scenario_has_a_folder_with_its_evidence() {
    let folder = folder(&[]);
    let out = folder.path().join("out");
    gauntlet_in(folder.path(), &["run", "--binding", "JSONRPC", "--out", "out"]).ends_with(0);
    let reports = reports(&out);
    assert!(!reports.is_empty());
    for report in reports {
        let id = &report.scenario;
        let stem = Path::new(&id.file).file_stem().unwrap().to_string_lossy().into_owned();
        let kept = out.join(&id.area).join(format!("{stem}-{}", id.line));
        let verdict: ScenarioReport = serde_json::from_str(&lines(&kept.join("verdict.json")).join("\n")).unwrap();
        assert_eq!(verdict, report);
        let journal: Vec<JournalEntry> =
            lines(&kept.join("journal.ndjson")).iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(journal.windows(2).all(|pair| pair[0].seq < pair[1].seq), "{kept:?}");
        let outcomes: Vec<Outcome> =
            lines(&kept.join("outcomes.ndjson")).iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        let delegations = lines(&kept.join("delegations.ndjson"));
        assert!(!outcomes.is_empty() && outcomes.len() >= delegations.len(), "{kept:?}");
        assert!(kept.join("peers.json").is_file() && kept.join("driver.log").is_file());
    }
}

#[test]
fn secrets_are_not_kept() {
    let feature = "\
Feature: A token
  @JSONRPC
  Scenario: A token is used
    Given a peer \"peer\" serving JSONRPC
    And \"peer\" asks for a bearer token
    And the caller holds the token \"hush-4711\" for \"peer\"
    When work is delegated to \"peer\"
    Then the outcome is one that the facts permit
";
    let folder = folder(&[("mine/a.feature", feature)]);
    gauntlet_in(folder.path(), &["run", "mine", "--out", "out"]).ends_with(0);
    let kept = folder.path().join("out/mine/a-3");
    let journal = lines(&kept.join("journal.ndjson")).join("\n");
    assert!(journal.contains("\"authorization\""), "the token was sent");
    for file in std::fs::read_dir(&kept).unwrap() {
        let path = file.unwrap().path();
        assert!(!lines(&path).join("\n").contains("hush-4711"), "{}", path.display());
    }
}
