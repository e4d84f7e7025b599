//! Run events rendered: for people in a terminal or a log, and for programs.
//!
//! - [`Terminal`]: what people read while and after a run: progress, findings with their evidence, what was skipped and
//!   why, a summary by area and by level.
//! - [`ndjson()`]: every event as one line of JSON, as it happens.
//! - [`Format`]: what a finished run can be written as: JUnit, JSON, SARIF, Markdown, HTML, a comparison of several runs,
//!   and the two above.
//! - [`Digest`]: the events gathered, from which the formats are made.
//!
//! A renderer takes the events of a run one by one, in order, and gives back text; whoever calls it prints. A new format
//! is one file here and one line in [`Format`].
//!
//! May depend on: `gauntlet-evidence`, and nothing else of ours. No I/O.

mod comparison;
mod digest;
mod findings;
mod format;
mod html;
mod json;
mod junit;
mod markdown;
mod ndjson;
mod sarif;
mod spec;
mod summary;
mod terminal;
mod text;

pub use digest::Digest;
pub use format::Format;
pub use ndjson::ndjson;
pub use spec::spec_links;
pub use terminal::{Terminal, TerminalOptions};
pub use text::{Paint, count, wrap_hanging};
