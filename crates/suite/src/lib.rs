//! The suite: Gherkin features run against an orchestrator, each scenario with a fleet of its own.
//!
//! - [`feature`]: loading, linting and selecting scenarios. Steps are cucumber's; its runner is not used, because it
//!   keeps all scenarios on one task and knows no time limits.
//! - [`Scene`]: the world that steps act on: first a plan, then a running fleet, at last frozen evidence.
//! - [`steps`]: what can be said in a scenario.
//! - [`run`]: the run: proof on healthy peers, workers, events.
//!
//! May depend on: `gauntlet-fleet`, `gauntlet-faults`, `gauntlet-driver`, `gauntlet-verdict`, `gauntlet-scenario`,
//! `gauntlet-evidence`, `gauntlet-wire`; never on the reference orchestrator.

mod attempts;
mod baseline;
mod error;
pub mod feature;
mod judge;
mod keep;
mod options;
mod proof;
mod run;
mod scene;
pub mod steps;
mod worker;

pub use error::SuiteError;
pub use feature::{ScenarioInfo, scenarios};
pub use options::{RunOptions, Selection, Summary, Written};
pub use run::run;
pub use scene::Scene;
