//! Whether what the card promises is closed under the interface, and what follows when it is not.

mod absent_is_unknown;
mod breaker_unharmed;
mod closed_under_binding;
mod discrepancy_warned;
mod effective_remembered;
mod false_is_legal;
mod flag_respected;
mod mismatch_terminal;
mod mismatch_typed;
mod probe_is_synthetic;
mod push_proven_first;
mod unexercised_ignored;

pub(super) static RULES: &[&dyn crate::Rule] = &[
    &flag_respected::RULE,
    &absent_is_unknown::RULE,
    &closed_under_binding::RULE,
    &false_is_legal::RULE,
    &unexercised_ignored::RULE,
    &mismatch_terminal::RULE,
    &mismatch_typed::RULE,
    &discrepancy_warned::RULE,
    &probe_is_synthetic::RULE,
    &effective_remembered::RULE,
    &breaker_unharmed::RULE,
    &push_proven_first::RULE,
];
