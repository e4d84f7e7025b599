//! Cards with known verdicts: valid ones that reach every field, and mutations of them that break one rule each.

mod build;
mod case;
mod draw;
mod mutation;
mod specimen;
mod words;

pub use build::card;
pub use case::{Case, Expected, Generator, Versions};
pub use draw::Draw;
pub(crate) use mutation::Break;
pub use mutation::Mutation;
pub(crate) use specimen::Specimen;
