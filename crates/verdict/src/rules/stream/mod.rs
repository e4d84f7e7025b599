//! Streams: how they are written, and what they tell beside the life of their task.

mod foreign_events_dropped;
mod sse_parsed;
mod status_once;

pub(super) static RULES: &[&dyn crate::Rule] = &[&sse_parsed::RULE, &status_once::RULE, &foreign_events_dropped::RULE];
