//! What a probe or a failure showed an interface to lack is not asked of it by later delegations of the session, whatever
//! the card says. Judged where a later delegation has use for it.

use crate::rules::prelude::*;

pub(super) static RULE: Requirement =
    Requirement { id: "capability-effective-remembered", needs: &[Support::Reset], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    let mut accused: Vec<u64> = Vec::new();
    for x in view.operations() {
        let (Some(failure), Some(interface), Some(operation)) =
            (view.mismatch(x), view.interface(x), x.request.operation)
        else {
            continue;
        };
        let promised = view.declares(x.peer, operation) && !view.facts(x.peer).unusable(interface.1.binding);
        let Some(session) = view.session_of(x).filter(|_| promised && !accused.contains(&x.entry.seq)) else {
            continue;
        };
        let useful = |work: &Delegation| !operation.is_streaming() || work.needs.streaming != Need::Unused;
        let users: Vec<&Delegation> = view
            .reported()
            .map(|(delegation, _)| delegation)
            .filter(|work| work.session == session && useful(work) && work.peers.iter().any(|peer| peer.name == x.peer))
            .collect();
        // Where the journal does not say during which delegation it was shown, it was during the first that had use for it.
        let during = view.delegation_of(x).or_else(|| users.first().copied());
        let position = |work: &Delegation| view.position(&work.id);
        if !users.iter().any(|later| during.is_some_and(|during| position(later) > position(during))) {
            continue;
        }
        let again: Vec<u64> = view
            .operations()
            .filter(|y| y.peer == x.peer && y.request.operation == Some(operation) && y.entry.seq > failure.entry)
            .filter(|y| view.interface(y) == Some(interface) && view.session_of(y) == Some(session))
            .filter(|y| view.delegation_of(y).is_none_or(|known| during.is_some_and(|during| during.id != known.id)))
            .map(|y| y.entry.seq)
            .collect();
        accused.extend(&again);
        let why = || {
            format!(
                "{}: {operation} over {} answered {}{}, and a later delegation called it again{}",
                x.peer,
                interface.1.binding,
                failure.code,
                cite(&[failure.entry]),
                cite(&again)
            )
        };
        tally.check(again.is_empty(), why, again.iter().copied().chain([failure.entry]));
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::Grpc;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "capability-effective-remembered";

    fn found_out(needs: Need) -> Scene {
        let mut scene = Scene::new(&[Grpc]);
        scene.fact(&[], Fact::LacksOperation(Operation::SendStreamingMessage)).delegate("d-2");
        for id in ["d-1", "d-2"] {
            scene.delegation(id).needs.streaming = needs;
            scene.because(id, Status::Refused, "capability-mismatch");
        }
        let x = scene.probe(B, Grpc, Operation::SendStreamingMessage);
        scene.refuse(x, "UNIMPLEMENTED");
        scene
    }

    #[test]
    fn what_was_found_out_is_not_asked_again() {
        let mut scene = found_out(Need::Required);
        scene.upheld(ID);
        scene.probe(B, Grpc, Operation::SendStreamingMessage);
        assert!(scene.broken(ID).contains("a later delegation called it again"));
        scene.without(Support::Reset).open(ID);
    }

    #[test]
    fn later_work_without_use_for_it_and_other_sessions_are_not_judged() {
        found_out(Need::Unused).open(ID);
        let mut scene = found_out(Need::Required);
        scene.delegation("d-2").session = "s-2".to_owned();
        scene.open(ID);
    }

    #[test]
    fn repeats_within_one_delegation_are_judged_elsewhere() {
        let mut scene = Scene::new(&[Grpc]);
        scene.delegation("d-1").needs.streaming = Need::Required;
        scene.outcome("d-1", Status::Failed);
        for _ in 0..2 {
            let x = scene.stream(B, Grpc, "d-1");
            scene.refuse(x, "UNIMPLEMENTED");
        }
        scene.open(ID);
    }
}
