//! The contract with the orchestrator under test, and what connects one: in-process, or a program over stdio.
//!
//! May depend on: `gauntlet-evidence`.

mod orchestrator;

pub use orchestrator::{DriverError, Orchestrator, OrchestratorFactory};
