//! After an answer that says that an interface does not do an operation, the operation is not called there again: within
//! the session where the driver keeps one, within the delegation where not. Exempt: another HTTP method or content type,
//! and calls that were under way already.

use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "capability-mismatch-terminal", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    let mut accused: Vec<u64> = Vec::new();
    for x in view.operations() {
        let (Some(failure), Some(interface)) = (view.mismatch(x), view.interface(x)) else { continue };
        if accused.contains(&x.entry.seq) {
            continue;
        }
        let repeats: Vec<u64> = view
            .operations()
            .filter(|later| {
                later.peer == x.peer
                    && later.entry.seq > failure.entry
                    && later.number != x.number
                    && later.request.operation == x.request.operation
                    && later.request.method == x.request.method
                    && later.request.header("content-type") == x.request.header("content-type")
                    && view.interface(later) == Some(interface)
                    && together(view, x, later)
            })
            .map(|later| later.entry.seq)
            .collect();
        accused.extend(&repeats);
        let why = || {
            format!(
                "{}: {} over {} answered {}{}, and was called again{}",
                x.peer,
                x.request.operation.map_or("a call", Operation::name),
                interface.1.binding,
                failure.code,
                cite(&[failure.entry]),
                cite(&repeats)
            )
        };
        tally.check(repeats.is_empty(), why, repeats.iter().copied().chain([failure.entry]));
    }
}

/// Whether what the first call showed must be known at the second.
fn together(view: &View<'_>, first: &Exchange<'_>, second: &Exchange<'_>) -> bool {
    if view.supports(Support::Reset) {
        let session = view.session_of(first);
        session.is_some() && session == view.session_of(second)
    } else {
        let id = |x| view.delegation_of(x).map(|delegation| &delegation.id);
        id(first).is_some() && id(first) == id(second)
    }
}
