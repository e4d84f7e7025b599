//! The events of a run, in order. Every report is made from them alone.

use gauntlet_wire::Binding;
use serde::{Deserialize, Serialize};

use crate::contract::{Hello, Support};
use crate::verdict::{Finding, Level, RuleVerdict};

/// Something that happened in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum RunEvent {
    /// The run begins; nothing is judged yet.
    Started {
        /// Version of gauntlet.
        gauntlet: String,
        /// Who is under test.
        orchestrator: Hello,
        /// Seed of the run.
        seed: u64,
        /// The least strict level whose findings fail the run.
        level: Level,
        /// How many scenarios were selected.
        scenarios: usize,
    },
    /// The healthy delegation on one binding: proof that driver and orchestrator work at all.
    Proven {
        /// The binding.
        binding: Binding,
        /// Milliseconds from delegation to outcome; unset where it failed.
        #[serde(skip_serializing_if = "Option::is_none")]
        round_trip_ms: Option<u64>,
        /// Why it failed.
        #[serde(skip_serializing_if = "Option::is_none")]
        failure: Option<String>,
    },
    /// A scenario begins.
    ScenarioStarted {
        /// Which.
        scenario: ScenarioId,
    },
    /// A scenario is judged.
    ScenarioFinished(Box<ScenarioReport>),
    /// The run is over.
    Finished {
        /// Milliseconds from start to end.
        duration_ms: u64,
        /// Whether the run stopped before all selected scenarios ran.
        cut_short: bool,
    },
}

/// Which scenario.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ScenarioId {
    /// Area: the folder of the feature file.
    pub area: String,
    /// The feature file, as the user knows it.
    pub file: String,
    /// Line of the scenario, or of its row of examples.
    pub line: usize,
    /// Its name, with examples filled in.
    pub name: String,
    /// The binding it is about, from its tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<Binding>,
}

/// A scenario judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ScenarioReport {
    /// Which.
    pub scenario: ScenarioId,
    /// Its tags, without the `@`.
    pub tags: Vec<String>,
    /// Defects that were active.
    pub defects: Vec<String>,
    /// How it ended.
    pub result: ScenarioResult,
    /// Findings that fail it, and those below the chosen level, which are warnings.
    pub findings: Vec<Finding>,
    /// Every rule that was judged.
    pub judgements: Vec<RuleVerdict>,
    /// The outcomes, one line each, for people.
    pub outcomes: Vec<String>,
    /// The journal entries findings cite, one line each, for people.
    pub excerpt: Vec<String>,
    /// What the driver wrote to stderr and what it printed besides the protocol; the end of it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub driver_log: String,
    /// Milliseconds.
    pub duration_ms: u64,
}

/// How a scenario ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ScenarioResult {
    /// Nothing was found at the chosen level.
    Passed,
    /// Something was found.
    Failed,
    /// It could not be asked of this driver.
    Skipped {
        /// For people.
        reason: String,
        /// The word in `supports` that would unlock it.
        #[serde(skip_serializing_if = "Option::is_none")]
        unlock: Option<Support>,
    },
    /// The driver broke the contract: crashed, hung, flooded, answered twice or in rubbish.
    DriverError {
        /// For people.
        message: String,
    },
    /// The scenario could not be set up: a port is taken, a file is wrong.
    SetupError {
        /// For people.
        message: String,
    },
    /// A mock broke its own contract: a defect of gauntlet.
    HarnessError {
        /// For people.
        message: String,
    },
}
