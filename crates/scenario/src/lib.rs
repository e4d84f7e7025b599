//! The YAML files: fleets, defects and the list of rules, as spanned trees and as typed models.
//!
//! - [`node`]: YAML as a tree in which every value knows its file, line and column; [`yaml`] makes it from text,
//!   [`read`] takes it apart strictly.
//! - [`model`]: what the other crates work with.
//! - [`Library`]: the files that ship with gauntlet together with those of the user.
//!
//! Keys are strict: an unknown one is an error with a suggestion. Faults are names here; the crate `faults` knows which
//! exist.
//!
//! May depend on: `gauntlet-wire`.

mod apply;
mod behaviour;
mod defect_file;
mod facts;
mod fleet_file;
mod library;
pub mod model;
pub mod node;
pub mod read;
mod rules_file;
pub mod suggest;
mod token_server;
pub mod words;
pub mod yaml;

pub use library::{Library, LibraryError};
pub use model::*;
pub use node::{FileError, Node, NodeKind, Place};
pub use read::Fields;
pub use suggest::UnknownName;
pub use token_server::TokenServerSpec;
