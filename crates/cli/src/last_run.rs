//! What is remembered from one run to the next, for `run --last-failed`: which scenarios were not fine.
//!
//! It is a small file in a folder that nobody keeps: `target/gauntlet` where cargo builds, `.gauntlet` elsewhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use gauntlet_evidence::ScenarioReport;
use serde_json::{Value, json};

use crate::diagnostics::Failure;

/// What one run, or several runs of parts of the suite, left behind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LastRun {
    /// The paths of the command line.
    pub(crate) paths: Vec<PathBuf>,
    /// Stable names of scenarios that were not fine when they last ran.
    pub(crate) failed: BTreeSet<String>,
}

impl LastRun {
    /// What is remembered in the current folder.
    pub(crate) fn load() -> Result<Self, Failure> {
        let path = file();
        let name = path.display();
        let text = fs::read_to_string(&path)
            .map_err(|_| Failure::Usage(format!("--last-failed: no run is remembered in {name}")))?;
        Self::read(&text).ok_or_else(|| Failure::Usage(format!("--last-failed: {name} is damaged; delete it")))
    }

    fn read(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let words = |key: &str| -> Option<Vec<String>> {
            value.get(key)?.as_array()?.iter().map(|word| word.as_str().map(str::to_owned)).collect()
        };
        let paths = words("paths")?.into_iter().map(PathBuf::from).collect();
        Some(Self { paths, failed: words("failed")?.into_iter().collect() })
    }

    /// Takes in a run: what did not run this time keeps its place.
    pub(crate) fn update(&mut self, paths: &[PathBuf], reports: &[ScenarioReport]) {
        self.paths = paths.to_vec();
        for report in reports {
            let name = report.scenario.stable();
            if report.result.is_fine() {
                self.failed.remove(&name);
            } else {
                self.failed.insert(name);
            }
        }
    }

    /// Writes it down where that is possible; a folder that cannot be written to costs a convenience, not the run.
    pub(crate) fn save(&self) {
        let path = file();
        let Some(folder) = path.parent() else { return };
        let paths: Vec<String> = self.paths.iter().map(|path| path.display().to_string()).collect();
        let text = format!("{:#}\n", json!({"paths": paths, "failed": self.failed}));
        if fs::create_dir_all(folder).is_ok() {
            // Nobody wants to commit it.
            _ = fs::write(folder.join(".gitignore"), "*\n").and_then(|()| fs::write(&path, text));
        }
    }
}

fn file() -> PathBuf {
    let folder = if Path::new("target/CACHEDIR.TAG").exists() { "target/gauntlet" } else { ".gauntlet" };
    Path::new(folder).join("last-run.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_file_is_told_from_an_empty_one() {
        assert_eq!(LastRun::read(r#"{"paths": [], "failed": []}"#), Some(LastRun::default()));
        assert_eq!(LastRun::read(r#"{"paths": [], "failed": [1]}"#), None);
        assert_eq!(LastRun::read("{"), None);
    }
}
