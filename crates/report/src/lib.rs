//! Run events rendered: for people in a terminal or a log, and for programs line by line.
//!
//! - [`Terminal`]: what people read while and after a run: progress, findings with their evidence, what was skipped and
//!   why, a summary by area and by level.
//! - [`ndjson`]: every event as one line of JSON.
//!
//! A renderer takes the events of a run one by one, in order, and gives back text; whoever calls it prints. A new format
//! is one file here.
//!
//! May depend on: `gauntlet-evidence`, and nothing else of ours. No I/O.

mod findings;
mod ndjson;
mod summary;
mod terminal;
mod text;

pub use ndjson::ndjson;
pub use terminal::{Terminal, TerminalOptions};
pub use text::{Paint, count, wrap_hanging};
