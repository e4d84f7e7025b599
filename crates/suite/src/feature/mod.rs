//! Features: where scenarios come from.

mod generate;
mod lint;
mod load;
mod select;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use gauntlet_evidence::ScenarioId;
use gauntlet_scenario::Library;
use gauntlet_wire::Binding;
use serde::Serialize;

use crate::{Selection, SuiteError};

pub(crate) use lint::find_step;
pub use load::load;

/// A scenario ready to run: examples filled in, steps found, plan rehearsed.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Which.
    pub id: ScenarioId,
    /// Tags of feature, scenario and examples, without the `@`.
    pub tags: Vec<String>,
    /// Background and scenario steps.
    pub steps: Vec<gherkin::Step>,
    /// The bindings its peers serve: what an orchestrator must speak for the scenario to mean anything.
    pub bindings: BTreeSet<Binding>,
    /// The defects that its peers have.
    pub defects: BTreeSet<String>,
}

impl Scenario {
    /// The rule set that it came in with: its tag `@since:2`, without one the first.
    pub fn since(&self) -> u32 {
        self.tagged("since").find_map(|set| set.parse().ok()).unwrap_or(1)
    }

    /// Values of tags such as `rule:x`.
    pub fn tagged<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = &'a str> {
        self.tags.iter().filter_map(move |tag| tag.strip_prefix(prefix)?.strip_prefix(':'))
    }
}

/// A scenario as listings show it.
#[derive(Debug, Clone, Serialize)]
pub struct ScenarioInfo {
    /// Which.
    #[serde(flatten)]
    pub id: ScenarioId,
    /// Its tags, without the `@`.
    pub tags: Vec<String>,
    /// The bindings its peers serve.
    pub bindings: BTreeSet<Binding>,
    /// The defects that its peers have.
    pub defects: BTreeSet<String>,
    /// What it says, a line a step.
    pub steps: Vec<String>,
    /// The rule set that it came in with.
    pub since: u32,
}

impl ScenarioInfo {
    /// The rules that it is tagged with.
    pub fn rules(&self) -> impl Iterator<Item = &str> {
        self.tags.iter().filter_map(|tag| tag.strip_prefix("rule:"))
    }
}

/// The scenarios a run with these options would select, in order.
///
/// # Errors
/// Whatever would keep the run from starting: unreadable files, undefined steps, wrong YAML, wrong tags.
pub fn scenarios(paths: &[PathBuf], selection: &Selection) -> Result<Vec<ScenarioInfo>, SuiteError> {
    let Selected { scenarios, .. } = selected(paths, selection)?;
    let info = |scenario: Scenario| {
        let since = scenario.since();
        let Scenario { id, tags, bindings, defects, steps } = scenario;
        let steps = steps.iter().map(|step| format!("{} {}", step.keyword.trim(), step.value)).collect();
        ScenarioInfo { id, tags, bindings, defects, steps, since }
    };
    Ok(scenarios.into_iter().map(info).collect())
}

/// What a run works with.
pub(crate) struct Selected {
    pub(crate) library: Arc<Library>,
    pub(crate) scenarios: Vec<Scenario>,
    /// Stable names of all scenarios in the paths, selected or not.
    pub(crate) known: BTreeSet<String>,
}

pub(crate) fn selected(paths: &[PathBuf], selection: &Selection) -> Result<Selected, SuiteError> {
    let (library, scenarios) = load(paths)?;
    let known = scenarios.iter().map(|scenario| scenario.id.stable()).collect();
    let scenarios = select::select(scenarios, selection)?;
    Ok(Selected { library, scenarios, known })
}
