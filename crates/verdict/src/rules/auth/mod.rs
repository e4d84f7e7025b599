//! Credentials.

mod ambiguous_refused;
mod forbidden_midtask;
mod in_task;
mod refresh_keeps_scopes;
mod scheme_semantics;
mod sent_every_request;
mod skill_requirements;
mod token_not_leaked;

pub(super) static RULES: &[&dyn crate::Rule] = &[
    &scheme_semantics::RULE,
    &token_not_leaked::RULE,
    &ambiguous_refused::RULE,
    &forbidden_midtask::RULE,
    &refresh_keeps_scopes::RULE,
    &sent_every_request::RULE,
    &skill_requirements::RULE,
    &in_task::RULE,
];
