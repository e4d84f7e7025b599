//! The events of a run, in order. Every report is made from them alone.

use gauntlet_wire::Binding;
use serde::{Deserialize, Serialize};

use crate::baseline::{BaselineEffect, BaselineNote};
use crate::comparison::{self, Comparison};
use crate::contract::{Hello, PeerAddress, Support};
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
        /// The command that began the run, without paths: what a replay of one scenario starts with.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        command: String,
        /// The rule set that is scored; rules and scenarios of newer ones are shown.
        #[serde(default = "first_ruleset")]
        ruleset: u32,
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
    /// A scenario failed and its peers are kept alive, for somebody to look at.
    Held {
        /// Which.
        scenario: ScenarioId,
        /// Where its peers are.
        peers: Vec<PeerAddress>,
        /// The journal so far, one line each, for people.
        journal: Vec<String>,
    },
    /// What was found, held against what was found before.
    Compared(Comparison),
    /// The run could not be made, or not be brought to its end.
    CouldNotRun {
        /// Why, for people.
        message: String,
    },
    /// The run is over.
    Finished {
        /// Milliseconds from start to end.
        duration_ms: u64,
        /// Whether the run stopped before all selected scenarios ran.
        cut_short: bool,
        /// Entries of the baseline that list a rule for every scenario and are stale, and those that name a scenario
        /// that there is not. Only known where everything ran.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        baseline: Vec<BaselineNote>,
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

impl ScenarioId {
    /// A name that survives edits of the file: `file#name`, with `/` between folders on every system. It has no line,
    /// and no `./` in front.
    pub fn stable(&self) -> String {
        let file = self.file.replace('\\', "/");
        format!("{}#{}", file.trim_start_matches("./"), self.name)
    }

    /// The short name of a finding against this rule here: `task-no-orphans/3f9a2c`.
    pub fn finding(&self, rule: &str) -> String {
        comparison::short(rule, &self.stable())
    }
}

const fn first_ruleset() -> u32 {
    1
}

/// How often a scenario was tried, where that is more than once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attempts {
    /// How often it ran.
    pub made: usize,
    /// How often it did not pass.
    pub failed: usize,
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
    /// What the peers hold in the end, one line a task, for people: the truth beside the outcomes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub truth: Vec<String>,
    /// The journal entries findings cite, one line each, for people.
    pub excerpt: Vec<String>,
    /// Requests that fit nothing a peer serves, one line each, with what was probably meant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmatched: Vec<String>,
    /// What the driver wrote to stderr and what it printed besides the protocol; the end of it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub driver_log: String,
    /// Milliseconds.
    pub duration_ms: u64,
    /// Entries of the baseline that had a say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub baseline: Vec<BaselineNote>,
    /// How often it was tried, where that is more than once; the rest of the report is about the worst attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<Attempts>,
}

impl ScenarioReport {
    /// The entry of the baseline that excuses a finding against this rule.
    pub fn excuse(&self, rule: &str) -> Option<&BaselineNote> {
        self.baseline.iter().find(|note| note.effect == BaselineEffect::Excused && note.rule == rule)
    }
}

/// How a scenario ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ScenarioResult {
    /// Nothing was found at the chosen level.
    Passed,
    /// Something was found.
    Failed,
    /// Something was found, and the baseline excuses all of it.
    ExpectedFailure,
    /// Nothing was found where the baseline lists a failure.
    StaleExpectation,
    /// It failed and passed when it was tried again.
    Flaky {
        /// What came of the first attempt, for people.
        seen: String,
    },
    /// It came in with a newer rule set than the run goes by: whatever came of it is not scored.
    Unscored {
        /// The rule set.
        ruleset: u32,
        /// What would have failed it, for people; empty where nothing would.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        seen: String,
    },
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

impl ScenarioResult {
    /// Whether the run can be fine with it.
    pub const fn is_fine(&self) -> bool {
        matches!(
            self,
            Self::Passed | Self::ExpectedFailure | Self::Flaky { .. } | Self::Unscored { .. } | Self::Skipped { .. }
        )
    }

    /// Why it could not be judged, for people.
    pub fn error(&self) -> Option<&str> {
        match self {
            Self::DriverError { message } | Self::SetupError { message } | Self::HarnessError { message } => {
                Some(message)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stable_name_has_no_line_and_one_kind_of_slash() {
        let id = |file: &str, line| ScenarioId {
            area: "a".to_owned(),
            file: file.to_owned(),
            line,
            name: "It works".to_owned(),
            binding: None,
        };
        assert_eq!(id("a/b.feature", 3).stable(), "a/b.feature#It works");
        assert_eq!(id("./a/b.feature", 3).stable(), id(r"a\b.feature", 4).stable());
    }
}
