//! JSON that remembers where it stood: every value and every key has its byte span in the source, every key is kept, and
//! what is legal JSON but means different things to different readers (a key twice, a number no double holds) is told.

mod node;
mod read;

pub(crate) use node::{Data, Member, Node, Span, escape};
pub(crate) use read::{Broken, OddityKind, Why, read};
