//! Fault primitives: the few ways in which a peer can depart from correct behaviour, one file each.
//!
//! - [`fault`]: the stages and what a fault sees at each.
//! - [`catalogue`]: the list of primitives; a new one is a file and a line there.
//! - [`FaultSet`]: the faults of one peer, each with its defect and its `when`; what fleets call at every stage.
//!
//! No vendor is named here: defect files give faults their meaning.
//!
//! May depend on: `gauntlet-scenario`, `gauntlet-wire`.

pub mod fault;

pub use fault::*;
