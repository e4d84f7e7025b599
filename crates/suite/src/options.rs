//! What to run and how, and what came of it.

use std::path::PathBuf;

use gauntlet_evidence::Level;
use gauntlet_wire::Binding;
use tokio_util::sync::CancellationToken;

/// What to run and how.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// Feature files, fleet and defect files, and folders of them; none means the features that ship with gauntlet.
    /// `file.feature:12` selects the scenario at that line.
    pub paths: Vec<PathBuf>,
    /// Cucumber tag expression.
    pub tags: Option<String>,
    /// The least strict level whose findings fail the run.
    pub level: Level,
    /// Only scenarios about these bindings; empty means all.
    pub bindings: Vec<Binding>,
    /// How many scenarios run at once, each with an orchestrator of its own.
    pub jobs: usize,
    /// Seed of everything random.
    pub seed: u64,
    /// Stop after the first scenario that fails.
    pub fail_fast: bool,
    /// Where evidence is kept; none means nowhere.
    pub out: Option<PathBuf>,
    /// Cancelled by the caller to end the run early.
    pub stop: CancellationToken,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            paths: Vec::new(),
            tags: None,
            level: Level::Hardened,
            bindings: Vec::new(),
            jobs: 1,
            seed: 1,
            fail_fast: false,
            out: None,
            stop: CancellationToken::new(),
        }
    }
}

/// How many scenarios ended how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// Nothing was found.
    pub passed: usize,
    /// Something was found.
    pub failed: usize,
    /// Could not be asked of this driver.
    pub skipped: usize,
    /// The driver broke the contract.
    pub driver_errors: usize,
    /// Could not be set up, or a mock broke its own contract.
    pub harness_errors: usize,
    /// Bindings on which the healthy delegation failed.
    pub unproven: usize,
}
