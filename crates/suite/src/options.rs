//! What to run and how, and what came of it.

use std::collections::BTreeSet;
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
    /// Which of the scenarios in the paths.
    pub selection: Selection,
    /// The least strict level whose findings fail the run.
    pub level: Level,
    /// The rule set that is scored: rules and scenarios that came in with a newer one are shown and fail nothing, so that
    /// an upgrade does not turn a run red by itself.
    pub ruleset: u32,
    /// How many scenarios run at once, each with an orchestrator of its own.
    pub jobs: usize,
    /// Seed of everything random.
    pub seed: u64,
    /// Stop after the first scenario that fails.
    pub fail_fast: bool,
    /// Where evidence is kept; none means nowhere.
    pub out: Option<PathBuf>,
    /// The file of failures that are known and excused.
    pub baseline: Option<PathBuf>,
    /// Where a baseline is written that excuses what this run found.
    pub write_baseline: Option<PathBuf>,
    /// How often a scenario that fails is tried again; one that then passes is flaky.
    pub retries: usize,
    /// How often each scenario runs, at least once; it fails if it fails once. With `retries`, repeats come first.
    pub repeat: usize,
    /// Stop at the first scenario that fails, with deadlines off, and keep its peers alive until this is cancelled. One
    /// scenario runs at a time then.
    pub hold: Option<CancellationToken>,
    /// The command that began the run, without paths, for reports to tell how a scenario is replayed.
    pub command: String,
    /// Cancelled by the caller to end the run early.
    pub stop: CancellationToken,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            paths: Vec::new(),
            selection: Selection::default(),
            level: Level::Hardened,
            ruleset: 1,
            jobs: 1,
            seed: 1,
            fail_fast: false,
            out: None,
            baseline: None,
            write_baseline: None,
            retries: 0,
            repeat: 1,
            hold: None,
            command: String::new(),
            stop: CancellationToken::new(),
        }
    }
}

/// Which scenarios; the default is all. A scenario has to fit everything that is given.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Cucumber tag expression.
    pub tags: Option<String>,
    /// Only scenarios about these bindings.
    pub bindings: Vec<Binding>,
    /// Only scenarios with one of these in their name, upper and lower case alike; with `*` or `?`, a pattern for the
    /// whole name.
    pub names: Vec<String>,
    /// Only those with these stable names ([`gauntlet_evidence::ScenarioId::stable`]).
    pub only: Option<BTreeSet<String>>,
}

impl Selection {
    /// Whether nothing is left out.
    pub fn is_everything(&self) -> bool {
        self.tags.is_none() && self.bindings.is_empty() && self.names.is_empty() && self.only.is_none()
    }
}

/// How many scenarios ended how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// Nothing was found.
    pub passed: usize,
    /// Something was found.
    pub failed: usize,
    /// Something was found, and all of it is excused by the baseline.
    pub expected: usize,
    /// Failed and passed when tried again.
    pub flaky: usize,
    /// Scenarios that pass where the baseline lists a failure, and entries for every scenario that are stale.
    pub stale: usize,
    /// Of a newer rule set than the run goes by.
    pub unscored: usize,
    /// Could not be asked of this driver.
    pub skipped: usize,
    /// The driver broke the contract.
    pub driver_errors: usize,
    /// Could not be set up, or a mock broke its own contract.
    pub harness_errors: usize,
    /// Bindings on which the healthy delegation failed.
    pub unproven: usize,
    /// What became of the baseline that was to be written.
    pub written: Written,
}

/// What became of the baseline that was to be written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Written {
    /// None was asked for.
    #[default]
    NotAsked,
    /// It has this many entries.
    Entries(usize),
    /// The run was cut short, or the orchestrator could not be judged: nothing was written.
    Withheld,
}
