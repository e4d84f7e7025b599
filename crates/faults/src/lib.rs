//! Fault primitives: the few ways in which a peer can depart from correct behaviour, one file each.
//!
//! - [`fault`]: the stages and what a fault sees at each.
//! - [`catalogue`]: the list of primitives; a new one is a file and a line there.
//! - [`FaultSet`]: the faults of one peer, each with its defect and its `when`; what fleets call at every stage.
//!
//! No vendor is named here: defect files give faults their meaning.
//!
//! May depend on: `gauntlet-scenario`, `gauntlet-wire`.

mod catalogue;
mod clash;
pub mod fault;
mod gate;
mod set;

mod add_unknown_fields;
mod artifact_append;
mod artifact_order;
mod busy;
mod cut_connection;
mod delay_webhook;
mod deny_access;
mod do_instead;
mod drop_webhook;
mod end_stream;
mod http_status;
mod insert_event;
mod legacy_webhook;
mod patch;
mod patch_answer;
mod patch_card;
mod patch_event;
mod patch_request;
mod patch_webhook;
mod reason_in_history;
mod refuse_connection;
mod refuse_operation;
mod repeat_webhook;
mod rewrite_sse;
#[cfg(test)]
mod testing;

pub use catalogue::{catalogue, find};
pub use fault::*;
pub use set::{Bite, BytesOutcome, EventOutcome, FaultSet, FrameOutcome, WebhookOutcome};
