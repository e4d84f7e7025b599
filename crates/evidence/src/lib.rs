//! The types that cross crate borders: what an orchestrator is asked and answers, what its peers saw, and what that
//! proves.
//!
//! - [`contract`]: driver protocol 1, what goes to and from an orchestrator under test, from `gauntlet-driver-protocol`.
//! - [`journal`]: what a fleet saw and said, in order.
//! - [`verdict`]: findings and the judgements of rules.
//! - [`run`]: the events of a run, from which every report is made.
//! - [`baseline`]: what the list of known failures had to say.
//! - [`comparison`]: findings that are new, fixed and known since the run before.
//! - [`Evidence`]: all of it for one scenario, frozen.
//!
//! May depend on: `gauntlet-wire`, `gauntlet-driver-protocol`. Types and views of them only; no I/O, no judgement.

pub mod baseline;
pub mod comparison;
mod evidence;
pub mod journal;
mod line;
pub mod run;
mod secrets;
pub mod verdict;

pub use gauntlet_driver_protocol as contract;
pub use gauntlet_wire::Binding;

pub use baseline::{BaselineEffect, BaselineNote};
pub use comparison::{Comparison, FindingId, Remembered};
pub use contract::{Delegation, Hello, Outcome, Status, Support};
pub use evidence::{Evidence, Exchange, HeldTask, InterfaceState, PeerState};
pub use journal::{JournalEntry, JournalEvent, Request, RequestClass, Stamp, WebhookRequest};
pub use run::{Attempts, RunEvent, ScenarioId, ScenarioReport, ScenarioResult};
pub use secrets::{SECRET_OF_CREDENTIAL, Secrets};
pub use verdict::{Finding, Judgement, Level, RuleVerdict};
