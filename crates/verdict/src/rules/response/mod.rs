//! Answers that are none, and what arrives although nobody promised it.

mod history_kept;
mod invalid_typed;

pub(super) static RULES: &[&dyn crate::Rule] = &[&history_kept::RULE, &invalid_typed::RULE];
