//! Which interface is chosen, and what happens when it does not serve.

mod choice_remembered;
mod fallback;
mod first_supported;
mod mismatch_typed;
mod no_fallback_on_auth;
mod none_shared;
mod pinned_absent;

pub(super) static RULES: &[&dyn crate::Rule] = &[
    &first_supported::RULE,
    &fallback::RULE,
    &none_shared::RULE,
    &pinned_absent::RULE,
    &mismatch_typed::RULE,
    &choice_remembered::RULE,
    &no_fallback_on_auth::RULE,
];
