//! After an answer that says that an interface does not do an operation, the operation is not called there again: within
//! the session where the driver keeps one, within the delegation where not. Exempt: another HTTP method or content type,
//! calls that were under way already, and sends without the webhook for which alone they were refused.

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
                later.entry.seq > failure.entry
                    && later.number != x.number
                    && view.asks_again(x, &failure, later)
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

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::{Grpc, HttpJson, JsonRpc};

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "capability-mismatch-terminal";

    #[test]
    fn an_operation_that_is_not_there_is_called_once() {
        for (on, code) in
            [(Grpc, "UNIMPLEMENTED"), (JsonRpc, "-32601"), (JsonRpc, "-32004"), (HttpJson, "404"), (HttpJson, "405")]
        {
            let mut scene = Scene::new(&[on]);
            scene.open(ID);
            let x = scene.stream(B, on, "d-1");
            scene.refuse(x, code);
            scene.upheld(ID);
            scene.dispatch(B, on, "d-1");
            scene.upheld(ID);
            scene.stream(B, on, "d-1");
            let why = scene.broken(ID);
            assert!(why.contains(code) && why.contains("was called again"), "{why}");
        }
    }

    #[test]
    fn passing_errors_and_errors_about_one_task_are_not_final() {
        for (code, reason) in
            [("UNAVAILABLE", None), ("-32602", None), ("UNIMPLEMENTED", Some("VERSION_NOT_SUPPORTED"))]
        {
            let mut scene = Scene::new(&[JsonRpc]);
            for _ in 0..2 {
                let x = scene.stream(B, JsonRpc, "d-1");
                scene.refuse_as(x, code, reason);
            }
            scene.open(ID);
        }
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.completed(x, "t-1");
        for _ in 0..2 {
            let x = scene.on_task(B, JsonRpc, Operation::SubscribeToTask, "t-1");
            scene.refuse_as(x, "-32004", Some("UNSUPPORTED_OPERATION"));
        }
        scene.open(ID);
    }

    #[test]
    fn another_http_method_another_interface_and_another_session_are_no_repeats() {
        let mut scene = Scene::new(&[HttpJson, JsonRpc]);
        scene.delegate("d-2").session = "s-2".to_owned();
        let x = scene.stream(B, HttpJson, "d-1");
        scene.refuse(x, "405");
        let x = scene.stream(B, HttpJson, "d-1");
        scene.sent(x).method = "GET".to_owned();
        scene.stream(B, JsonRpc, "d-1");
        scene.stream(B, HttpJson, "d-2");
        scene.upheld(ID);
    }

    #[test]
    fn a_send_that_was_refused_for_its_webhook_may_be_sent_without_one() {
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.dispatch_with_webhook(B, JsonRpc, "d-1", "a");
        scene.refuse_as(x, "-32003", Some("PUSH_NOTIFICATION_NOT_SUPPORTED"));
        scene.dispatch(B, JsonRpc, "d-1");
        scene.upheld(ID);
        scene.dispatch_with_webhook(B, JsonRpc, "d-1", "b");
        scene.broken(ID);
    }

    #[test]
    fn a_driver_without_memory_is_judged_by_delegation() {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.delegate("d-2");
        for id in ["d-1", "d-2"] {
            let x = scene.stream(B, JsonRpc, id);
            scene.refuse(x, "-32601");
        }
        scene.broken(ID);
        scene.without(Support::Reset).upheld(ID);
    }
}
