//! Mock A2A peers: listeners, bindings, a task engine, and a journal of all they saw and said.
//!
//! - [`Fleet`] starts peers from their specs and defects, watches them, and ends them without a trace.
//! - `engine` is a correct agent, independent of any binding; `binding` turns requests into its calls and its events
//!   into bytes; `connection` and `listener` hold the sockets; `webhook` sends what a peer says of its own accord.
//! - `control` tells test code in other languages what the peers are, saw and hold.
//! - Faults hook in between; what one changes is stamped on its journal entry. What carries no stamp is held against
//!   the proto while it is sent, and a breach makes [`Fleet::stop`] fail: a mock must not lie about who is at fault.
//!
//! A peer without defects obeys the specification in full. Loopback only, unless a webhook's host is allowed; every task and socket has an owner and ends
//! with it; nothing is random without a seed.
//!
//! May depend on: `gauntlet-faults`, `gauntlet-scenario`, `gauntlet-evidence`, `gauntlet-wire`.

mod binding;
mod card;
mod check;
mod classify;
mod clock;
mod connection;
mod control;
mod engine;
mod error;
mod extensions;
mod fleet;
mod ids;
mod journal;
mod limits;
mod listener;
mod lock;
mod peer;
mod security;
mod stamps;
mod webhook;

pub use clock::Clock;
pub use error::FleetError;
pub use fleet::{Fleet, FleetOptions, PeerPlan, Remains};
pub use journal::{Follower, JournalLimits};
pub use webhook::WebhookOptions;
