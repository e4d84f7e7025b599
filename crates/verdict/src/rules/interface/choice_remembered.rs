//! An interface on which nothing can be done, and which has shown it by an error, is not asked again by later
//! delegations of the session, as long as another interface can do their work.

use crate::oracle::{Serving, serving};
use crate::rules::prelude::*;

pub(super) static RULE: Requirement =
    Requirement { id: "interface-choice-remembered", needs: &[Support::Reset], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for peer in &view.evidence().peers {
        let at = |index: usize| {
            view.operations()
                .filter(move |x| x.peer == peer.name && view.interface(x).is_some_and(|(used, _)| used == index))
        };
        for (index, interface) in peer.interfaces.iter().enumerate() {
            if !view.unusable(&peer.name, (index, interface)) {
                continue;
            }
            let Some((failed, failure)) = at(index).find_map(|x| Some((x, view.failure(x)?))) else { continue };
            let Some(during) = view.delegation_of(failed) else { continue };
            let position = view.position(&during.id);
            for later in view.delegations().filter(|later| later.session == during.session && later.id != during.id) {
                if view.position(&later.id) < position {
                    continue;
                }
                let candidates = view.candidates(later, peer);
                let choice =
                    candidates.iter().any(|spot| spot.0 != index && serving(view, later, peer, *spot) != Serving::Not);
                let listed = candidates.iter().any(|(other, _)| *other == index);
                if !choice || !listed || view.dispatches_to(&later.id, &peer.name).next().is_none() {
                    continue;
                }
                let again: Vec<u64> = at(index)
                    .filter(|x| x.entry.seq > failure.entry)
                    .filter(|x| view.delegation_of(x).is_some_and(|known| known.id == later.id))
                    .map(|x| x.entry.seq)
                    .collect();
                let why = || {
                    format!(
                        "{}: {} answered {}{}, and {} tried it again{}",
                        peer.name,
                        interface.binding,
                        failure.code,
                        cite(&[failure.entry]),
                        later.id,
                        cite(&again)
                    )
                };
                tally.check(again.is_empty(), why, again.iter().copied().chain([failure.entry]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::{Grpc, JsonRpc};

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "interface-choice-remembered";

    fn first_delegation_met_a_dead_interface() -> Scene {
        let mut scene = Scene::new(&[Grpc, JsonRpc]);
        scene.unusable(Grpc);
        let x = scene.probe(B, Grpc, Operation::SendMessage);
        scene.refuse(x, "UNIMPLEMENTED");
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.completed(x, "t-1");
        scene.delegate("d-2");
        scene
    }

    #[test]
    fn the_second_delegation_goes_to_what_works() {
        let mut scene = first_delegation_met_a_dead_interface();
        scene.open(ID);
        let again = scene.clone();
        let x = scene.dispatch(B, JsonRpc, "d-2");
        scene.completed(x, "t-2").upheld(ID);
        let mut scene = again;
        let x = scene.dispatch(B, Grpc, "d-2");
        scene.refuse(x, "UNIMPLEMENTED");
        scene.dispatch(B, JsonRpc, "d-2");
        assert!(scene.broken(ID).contains("GRPC answered UNIMPLEMENTED"));
        scene.without(Support::Reset).open(ID);
    }

    #[test]
    fn another_session_knows_nothing() {
        let mut scene = first_delegation_met_a_dead_interface();
        scene.delegation("d-2").session = "s-2".to_owned();
        scene.dispatch(B, Grpc, "d-2");
        scene.open(ID);
    }
}
