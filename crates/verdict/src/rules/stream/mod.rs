//! Streams as they are written.

mod sse_parsed;

pub(super) static RULES: &[&dyn crate::Rule] = &[&sse_parsed::RULE];
