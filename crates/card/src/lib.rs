//! Agent cards as documents: read in layers, each with one class of error, then offered as a typed view.
//!
//! - parse: bytes are JSON of a sane depth, and an object.
//! - schema: members that A2A defines have the JSON type it gives them.
//! - spec: what the specification requires is there and not empty.
//!
//! Cards are read as callers read them (consume mode): members nobody defined are skipped (specification §5.7).
//!
//! May depend on: `gauntlet-wire`. No I/O: bytes come in, a [`Card`] or the first [`CardProblem`] goes out.

mod parse;
mod problem;
mod schema;
mod spec;
mod view;

pub use problem::{CardProblem, Layer};
pub use view::{Capabilities, Card, Interface, Skill};
