//! What is remembered from one run to the next: which scenarios were not fine, for `run --last-failed`; what was found, to
//! tell what is new; and the events of the last run, for `explain`.
//!
//! They are small files in a folder that nobody keeps: `target/gauntlet` where cargo builds, `.gauntlet` elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use gauntlet_evidence::{Comparison, Remembered, RunEvent, ScenarioReport, comparison};
use gauntlet_report::ndjson;
use serde_json::{Value, json};

use crate::diagnostics::Failure;

/// What one run, or several runs of parts of the suite, left behind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LastRun {
    /// The paths of the command line.
    pub(crate) paths: Vec<PathBuf>,
    /// Stable names of scenarios that were not fine when they last ran.
    pub(crate) failed: BTreeSet<String>,
    /// The rules that were found broken, by orchestrator: what another one breaks is neither new nor fixed.
    found: BTreeMap<String, Remembered>,
}

impl LastRun {
    /// What is remembered in the current folder.
    pub(crate) fn load() -> Result<Self, Failure> {
        let path = file("last-run.json");
        let name = path.display();
        let text = fs::read_to_string(&path)
            .map_err(|_| Failure::Usage(format!("--last-failed: no run is remembered in {name}")))?;
        Self::read(&text).ok_or_else(|| Failure::Usage(format!("--last-failed: {name} is damaged; delete it")))
    }

    /// Where the events of the last run are.
    pub(crate) fn events() -> PathBuf {
        file("last-run.ndjson")
    }

    fn read(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let words = |key: &str| -> Option<Vec<String>> {
            value.get(key)?.as_array()?.iter().map(|word| word.as_str().map(str::to_owned)).collect()
        };
        let paths = words("paths")?.into_iter().map(PathBuf::from).collect();
        let found = value.get("found").cloned().unwrap_or_else(|| json!({}));
        Some(Self { paths, failed: words("failed")?.into_iter().collect(), found: serde_json::from_value(found).ok()? })
    }

    /// What this orchestrator does otherwise than before; none where nothing is remembered of it.
    pub(crate) fn compare(&self, orchestrator: &str, reports: &[ScenarioReport]) -> Option<Comparison> {
        self.found.get(orchestrator).map(|before| Comparison::of(before, reports))
    }

    /// Takes in a run: what did not run this time keeps its place.
    pub(crate) fn update(&mut self, paths: &[PathBuf], orchestrator: &str, reports: &[ScenarioReport]) {
        self.paths = paths.to_vec();
        for report in reports {
            let name = report.scenario.stable();
            if report.result.is_fine() {
                self.failed.remove(&name);
            } else {
                self.failed.insert(name);
            }
        }
        comparison::remember(self.found.entry(orchestrator.to_owned()).or_default(), reports);
    }

    /// Writes it down where that is possible, with the events; a folder that cannot be written to costs a convenience, not
    /// the run.
    pub(crate) fn save(&self, events: &[RunEvent]) {
        let path = file("last-run.json");
        let Some(folder) = path.parent() else { return };
        let paths: Vec<String> = self.paths.iter().map(|path| path.display().to_string()).collect();
        let text = format!("{:#}\n", json!({"paths": paths, "failed": self.failed, "found": self.found}));
        if fs::create_dir_all(folder).is_ok() {
            // Nobody wants to commit it.
            _ = fs::write(folder.join(".gitignore"), "*\n").and_then(|()| fs::write(&path, text));
            _ = fs::write(Self::events(), events.iter().map(ndjson).collect::<String>());
        }
    }
}

fn file(name: &str) -> PathBuf {
    let folder = if Path::new("target/CACHEDIR.TAG").exists() { "target/gauntlet" } else { ".gauntlet" };
    Path::new(folder).join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_file_is_told_from_an_empty_one() {
        assert_eq!(LastRun::read(r#"{"paths": [], "failed": []}"#), Some(LastRun::default()));
        assert_eq!(LastRun::read(r#"{"paths": [], "failed": [1]}"#), None);
        assert_eq!(LastRun::read("{"), None);
        assert_eq!(LastRun::read(r#"{"paths": [], "failed": [], "found": {"me": []}}"#), None);
    }
}
