//! Tasks: their truth, their ids and their ends.

mod context_kept;
mod deadline_cancels;
mod dispatched_once;
mod failure_not_answer;
mod ids_server_made;
mod interrupted_not_terminal;
mod message_id_unique;
mod message_reply;
mod no_orphans;
mod resume_fallback;
mod resume_same_id;
mod retry_after;
mod states_distinct;
mod stream_close_resolved;
mod truth_agrees;

pub(super) static RULES: &[&dyn crate::Rule] = &[
    &truth_agrees::RULE,
    &stream_close_resolved::RULE,
    &interrupted_not_terminal::RULE,
    &failure_not_answer::RULE,
    &no_orphans::RULE,
    &deadline_cancels::RULE,
    &ids_server_made::RULE,
    &context_kept::RULE,
    &message_id_unique::RULE,
    &resume_same_id::RULE,
    &resume_fallback::RULE,
    &retry_after::RULE,
    &dispatched_once::RULE,
    &states_distinct::RULE,
    &message_reply::RULE,
];
