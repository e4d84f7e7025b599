//! A mismatch on one capability does not keep later work of the session, which the first interface of the peer can do,
//! from being handed over.

use crate::oracle::{Serving, must_serve, serving};
use crate::rules::prelude::*;

pub(super) static RULE: Requirement =
    Requirement { id: "capability-breaker-unharmed", needs: &[Support::Reset], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (later, outcome) in view.reported().filter(|(later, _)| must_serve(view, later)) {
        let [peer] = view.peers_of(later).collect::<Vec<_>>()[..] else { continue };
        let before = view.delegations().take_while(|earlier| earlier.id != later.id);
        let mut before = before.filter(|earlier| {
            earlier.session == later.session && earlier.peers.iter().any(|known| known.name == peer.name)
        });
        let Some((earlier, entries)) = before.find_map(|earlier| Some((earlier, mismatch(view, earlier, &peer.name)?)))
        else {
            continue;
        };
        let candidates = view.candidates(later, peer);
        let able = candidates.first().is_some_and(|first| serving(view, later, peer, *first) != Serving::Not);
        let arrived = able && view.dispatches_to(&later.id, &peer.name).next().is_some();
        if arrived {
            tally.upheld();
        } else if able && !outcome.status.is_success() && outcome.status != Status::TimedOut {
            let why = format!(
                "{}: after the mismatch of {}{}, {} was not handed over although the peer can do it: {}",
                peer.name,
                earlier.id,
                cite(&entries),
                later.id,
                outcome.status
            );
            tally.broken(why, entries);
        }
    }
}

/// The entries that show a mismatch in a delegation; none where it was refused because one was foreseen.
fn mismatch(view: &View<'_>, delegation: &Delegation, peer: &str) -> Option<Vec<u64>> {
    let during =
        |x: &&Exchange<'_>| x.peer == peer && view.delegation_of(x).is_some_and(|known| known.id == delegation.id);
    let shown: Vec<u64> =
        view.operations().filter(during).filter_map(|x| view.mismatch(x)).map(|failure| failure.entry).collect();
    let state = view.evidence().peer(peer)?;
    let foreseen = || {
        let candidates = view.candidates(delegation, state);
        let required = delegation.needs.streaming == Need::Required || delegation.needs.push == Need::Required;
        let refused = view.evidence().outcome(&delegation.id).is_some_and(|outcome| !outcome.status.is_success());
        let unable = candidates.iter().all(|spot| serving(view, delegation, state, *spot) == Serving::Not);
        required && refused && !candidates.is_empty() && unable
    };
    (!shown.is_empty() || foreseen()).then_some(shown)
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::{Grpc, JsonRpc};

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "capability-breaker-unharmed";

    fn mismatch_first() -> Scene {
        let mut scene = Scene::new(&[Grpc]);
        scene.fact(&[], Fact::LacksOperation(Operation::SendStreamingMessage)).delegate("d-2");
        scene.delegation("d-1").needs.streaming = Need::Required;
        scene.because("d-1", Status::Refused, "capability-mismatch");
        scene
    }

    #[test]
    fn the_peer_is_still_used_for_what_it_can_do() {
        let mut scene = mismatch_first();
        scene.open(ID);
        let x = scene.dispatch(B, Grpc, "d-2");
        scene.completed(x, "t-1").outcome("d-2", Status::Completed);
        scene.upheld(ID);
        let mut scene = mismatch_first();
        scene.because("d-2", Status::Refused, "peer-unavailable");
        assert!(scene.broken(ID).contains("after the mismatch of d-1, d-2 was not handed over"));
        scene.without(Support::Reset).open(ID);
    }

    #[test]
    fn work_that_needs_the_same_and_first_delegations_are_not_judged() {
        let mut scene = mismatch_first();
        scene.delegation("d-2").needs.streaming = Need::Required;
        scene.outcome("d-2", Status::Refused);
        scene.open(ID);
        let mut scene = Scene::new(&[Grpc, JsonRpc]);
        scene.unusable(Grpc).delegate("d-2");
        let x = scene.dispatch(B, Grpc, "d-1");
        scene.refuse(x, "UNIMPLEMENTED");
        scene.outcome("d-2", Status::Failed);
        scene.open(ID);
        let mut scene = Scene::new(&[Grpc]);
        scene.outcome("d-1", Status::Refused);
        scene.open(ID);
    }
}
