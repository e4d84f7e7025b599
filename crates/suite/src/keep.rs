//! Evidence on disk: one folder a scenario.

use std::fs;
use std::path::{Path, PathBuf};

use gauntlet_evidence::{Delegation, JournalEntry, ScenarioReport, Secrets};
use gauntlet_verdict::Case;
use serde::Serialize;

use crate::SuiteError;

/// Where evidence goes: `<area>/<file>-<line>/` below a folder of the user's.
#[derive(Debug)]
pub(crate) struct Keep {
    root: PathBuf,
}

impl Keep {
    /// Makes the folder.
    pub(crate) fn new(root: PathBuf) -> Result<Self, SuiteError> {
        fs::create_dir_all(&root).map_err(|source| SuiteError::Io { path: root.clone(), source })?;
        Ok(Self { root })
    }

    /// Writes everything known about one scenario. Secrets are masked.
    pub(crate) fn scenario(&self, report: &ScenarioReport, case: Option<&Case>) -> Result<(), SuiteError> {
        let id = &report.scenario;
        let stem = Path::new(&id.file).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let folder = self.root.join(&id.area).join(format!("{stem}-{}", id.line));
        fs::create_dir_all(&folder).map_err(|source| SuiteError::Io { path: folder.clone(), source })?;
        write(&folder.join("verdict.json"), &pretty(report))?;
        write(&folder.join("driver.log"), &report.driver_log)?;
        if let Some(case) = case {
            let secrets = Secrets::of(&case.evidence);
            let masked = |entry: &JournalEntry| secrets.mask(entry.clone());
            let journal: Vec<JournalEntry> = case.evidence.journal.iter().map(masked).collect();
            write(&folder.join("journal.ndjson"), &lines(&journal))?;
            let delegations: Vec<Delegation> = case.evidence.delegations.iter().cloned().map(without_secrets).collect();
            write(&folder.join("delegations.ndjson"), &lines(&delegations))?;
            write(&folder.join("outcomes.ndjson"), &lines(&case.evidence.outcomes))?;
            write(&folder.join("peers.json"), &pretty(&case.evidence.peers))?;
        }
        Ok(())
    }
}

/// Credentials keep their shape; of their members only what is no secret is told.
fn without_secrets(mut delegation: Delegation) -> Delegation {
    for credential in delegation.credentials.values_mut().flatten() {
        for (name, value) in credential.as_object_mut().into_iter().flatten() {
            if !matches!(name.as_str(), "scheme" | "flow" | "scopes" | "audience" | "tokenUrl" | "origins" | "name") {
                *value = "***".into();
            }
        }
    }
    delegation
}

fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

fn lines<T: Serialize>(values: &[T]) -> String {
    values.iter().map(|value| serde_json::to_string(value).unwrap_or_default() + "\n").collect()
}

fn write(path: &Path, text: &str) -> Result<(), SuiteError> {
    fs::write(path, text).map_err(|source| SuiteError::Io { path: path.to_owned(), source })
}
