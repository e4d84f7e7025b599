//! Agent cards as documents: validated in layers, generated with known verdicts, mutated, signed, migrated, and offered as
//! a typed view.
//!
//! - [`validate`]: all that is wrong with a card, in four layers, with places in the source:
//!   - parse: bytes that every reader takes for the same JSON object.
//!   - schema: members have the names and types of the schema bundle ([`bundle`]).
//!   - spec: what the specification demands beyond that: required, non-empty, urls, versions, unique ids.
//!   - capability: flags, modes, security, signatures.
//! - [`Rule`]: what is demanded and why; one table entry each, below `rules/`.
//! - [`Generator`], [`Mutation`]: cards with known verdicts, from a seed; with the feature `strategies`, as proptest
//!   strategies.
//! - [`Shrinker`]: smaller forms of a document, for whoever looks for the least that shows something.
//! - [`migrate`]: the 1.0 form of a card of 0.3.
//! - [`Card::parse`]: a card as callers take it.
//!
//! May depend on: `gauntlet-wire`. No I/O and no clock: bytes come in, reports go out.

mod address;
mod edition;
mod generate;
mod json;
mod locate;
mod migrate;
mod options;
mod problem;
mod report;
mod rules;
#[cfg(feature = "json-schema")]
mod schema_file;
mod shape;
mod shrink;
mod signature;
mod sink;
#[cfg(feature = "strategies")]
pub mod strategies;
mod structure;
mod subject;
mod validate;
mod view;

pub use address::{Reach, reach};
pub use edition::{Edition, Editions};
pub use generate::{Case, Draw, Expected, Generator, Mutation, Versions, card as generate_card};
pub use locate::locate;
pub use migrate::{Migrated, NotMigrated, migrate};
pub use options::{Need, Options, Purpose};
pub use problem::CardProblem;
pub use report::{Finding, Flags, Layer, Report, Severity};
pub use rules::{Callers, Rule};
#[cfg(feature = "json-schema")]
pub use schema_file::{SchemaFile, SchemaFileError};
pub use shape::{bundle, kinds};
pub use shrink::Shrinker;
pub use signature::{Jwks, JwksError, canonical_bytes};
pub use validate::{validate, validate_all};
pub use view::{Capabilities, Card, Interface, Skill};
