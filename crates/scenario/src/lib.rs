//! The YAML files: fleets, defects and the list of rules, as spanned trees and as typed models.
//!
//! - [`node`]: YAML as a tree in which every value knows its file, line and column.
//! - [`model`]: what the other crates work with.
//! - [`Library`]: the files that ship with gauntlet together with those of the user.
//!
//! Keys are strict: an unknown one is an error with a suggestion. Faults are names here; the crate `faults` knows which
//! exist.
//!
//! May depend on: `gauntlet-wire`.

pub mod model;
pub mod node;

pub use model::*;
pub use node::{FileError, Node, NodeKind, Place};
