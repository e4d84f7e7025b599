//! An A2A orchestrator that obeys every rule the suite knows, and that can be given one planted flaw at a time.
//!
//! It serves two ends. It shows that the suite passes a correct client and catches an incorrect one; and it can be read
//! as an example of a correct client. One delegation takes one way through the crate:
//!
//! `discover` the card → `select` what may be attempted → `probe` what the work depends on → `dispatch` the work →
//! `follow` the task, told by a `webhook` where it asked for that → report the `outcome`. What is learnt on the way is kept
//! in `memory` for the session. `access` shows who calls, where a card asks for it. `transport` speaks the three bindings and
//! knows nothing of all this.
//!
//! May depend on: `gauntlet-driver`, `gauntlet-evidence`, `gauntlet-card`, `gauntlet-wire`. Never on the fleet.

mod access;
mod discover;
mod dispatch;
pub mod flaws;
mod fold;
mod follow;
mod memory;
mod message;
mod orchestrator;
mod outcome;
mod probe;
mod select;
mod transport;
mod webhook;

pub use flaws::{Flaw, UnknownFlaw};
pub use orchestrator::ReferenceFactory;
