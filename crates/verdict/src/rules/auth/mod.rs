//! Credentials.

mod token_not_leaked;

pub(super) static RULES: &[&dyn crate::Rule] = &[&token_not_leaked::RULE];
