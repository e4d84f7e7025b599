//! Requests as such.

mod contacted;
mod request;
mod request_valid;

pub(super) static RULES: &[&dyn crate::Rule] = &[&request_valid::RULE, &contacted::RULE];
