//! Rules as pure functions over evidence, and the oracle of permitted outcomes.
//!
//! May depend on: `gauntlet-scenario` (facts, the list of rules), `gauntlet-evidence`, `gauntlet-wire`; never on the fleet.

mod case;

pub use case::{Case, Rule};
