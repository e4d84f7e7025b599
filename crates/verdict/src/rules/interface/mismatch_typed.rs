//! Where the only interfaces that were tried do nothing at all and say so (UNIMPLEMENTED, 415 and the like), a report of
//! failure calls it an interface mismatch. Where only streaming was tried, a capability mismatch is as good an
//! explanation.

use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "interface-mismatch-typed", needs: &[Support::Reasons], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, outcome) in view.reported() {
        if outcome.status.is_success() || outcome.status == Status::TimedOut {
            continue;
        }
        let tried: Vec<_> = view
            .operations()
            .filter(|x| view.delegation_of(x).is_some_and(|known| known.id == delegation.id))
            .collect();
        let dead = |x: &&&Exchange<'_>| view.interface(x).is_some_and(|used| view.unusable(x.peer, used));
        let failures: Vec<_> = tried.iter().filter(dead).filter_map(|x| view.mismatch(x)).collect();
        if failures.is_empty() || failures.len() != tried.len() {
            continue;
        }
        let only_streaming = tried.iter().all(|x| x.request.operation.is_some_and(Operation::is_streaming));
        let code = outcome.reason.as_ref().map_or("no reason", |reason| reason.code.as_str());
        let fits = code == "interface-mismatch" || code == "capability-mismatch" && only_streaming;
        let entries: Vec<u64> = failures.iter().map(|failure| failure.entry).collect();
        let why = || {
            let (peer, answer) = (tried[0].peer, &failures[0].code);
            format!("{peer}: the whole interface answered {answer}{}, reported as {code}", cite(&entries))
        };
        tally.check(fits, why, entries.iter().copied());
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::Grpc;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "interface-mismatch-typed";

    #[test]
    fn a_dead_interface_is_called_that() {
        for (code, well) in [("interface-mismatch", true), ("mode-unsupported", false), ("capability-mismatch", false)]
        {
            let mut scene = Scene::new(&[Grpc]);
            let x = scene.unusable(Grpc).dispatch(B, Grpc, "d-1");
            scene.refuse(x, "UNIMPLEMENTED");
            scene.because("d-1", Status::Failed, code);
            if well {
                scene.upheld(ID);
            } else {
                assert!(scene.broken(ID).contains(code));
            }
        }
    }

    #[test]
    fn where_only_streaming_was_tried_a_capability_may_be_named() {
        let mut scene = Scene::new(&[Grpc]);
        let x = scene.unusable(Grpc).stream(B, Grpc, "d-1");
        scene.refuse(x, "UNIMPLEMENTED");
        scene.because("d-1", Status::Failed, "capability-mismatch");
        scene.upheld(ID);
    }

    #[test]
    fn success_elsewhere_and_usable_interfaces_are_not_judged() {
        let mut scene = Scene::new(&[Grpc]);
        let x = scene.unusable(Grpc).dispatch(B, Grpc, "d-1");
        scene.refuse(x, "UNIMPLEMENTED");
        scene.outcome("d-1", Status::Completed);
        scene.open(ID);
        let mut scene = Scene::new(&[Grpc]);
        let x = scene.dispatch(B, Grpc, "d-1");
        scene.refuse(x, "UNIMPLEMENTED");
        scene.outcome("d-1", Status::Failed);
        scene.open(ID);
    }
}
