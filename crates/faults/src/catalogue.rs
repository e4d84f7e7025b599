//! Which fault primitives exist.

use gauntlet_scenario::{FaultCall, FileError, suggest};

use crate::FaultKind;

static KINDS: [FaultKind; 23] = [
    crate::add_unknown_fields::KIND,
    crate::artifact_append::KIND,
    crate::artifact_order::KIND,
    crate::busy::KIND,
    crate::cut_connection::KIND,
    crate::delay_webhook::KIND,
    crate::deny_access::KIND,
    crate::do_instead::KIND,
    crate::drop_webhook::KIND,
    crate::end_stream::KIND,
    crate::http_status::KIND,
    crate::insert_event::KIND,
    crate::legacy_webhook::KIND,
    crate::patch_answer::KIND,
    crate::patch_card::KIND,
    crate::patch_event::KIND,
    crate::patch_request::KIND,
    crate::patch_webhook::KIND,
    crate::reason_in_history::KIND,
    crate::refuse_connection::KIND,
    crate::refuse_operation::KIND,
    crate::repeat_webhook::KIND,
    crate::rewrite_sse::KIND,
];

/// Every fault primitive, by name.
pub fn catalogue() -> &'static [FaultKind] {
    &KINDS
}

/// The primitive that a defect file calls.
///
/// # Errors
/// When there is none of that name, with the nearest one.
pub fn find(call: &FaultCall) -> Result<&'static FaultKind, FileError> {
    KINDS.iter().find(|kind| kind.id == call.name).ok_or_else(|| {
        let help = suggest::help_for(&call.name, KINDS.iter().map(|kind| kind.id));
        call.place.error(format!("there is no fault `{}`", call.name)).help(help)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_sorted_by_name_and_describe_themselves() {
        assert!(KINDS.is_sorted_by(|one, other| one.id < other.id));
        for kind in catalogue() {
            assert!(kind.summary.ends_with('.'), "{}", kind.id);
            assert!(!kind.stages.is_empty(), "{}", kind.id);
        }
    }
}
