//! Where the delegation allows only bindings that no card has, nothing is called and the work is refused.

use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "interface-pinned-absent", needs: &[Support::Needs], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, outcome) in view.reported() {
        let Some(allowed) = &delegation.allowed_bindings else { continue };
        let absent = |peer: &gauntlet_evidence::PeerState| {
            peer.interfaces.iter().all(|interface| !allowed.contains(&interface.binding))
        };
        let peers: Vec<_> = view.peers_of(delegation).collect();
        if peers.is_empty() || !peers.iter().all(|peer| absent(peer)) {
            continue;
        }
        let pinned: Vec<_> = allowed.iter().map(|binding| binding.name()).collect();
        let calls: Vec<_> = view.dispatches(&delegation.id).collect();
        let entries: Vec<u64> = calls.iter().map(|x| x.entry.seq).collect();
        if let Some(first) = calls.first() {
            let over = first.request.binding.map_or("another binding", |binding| binding.name());
            let why = format!(
                "{}: {} over {over}{}, although only {} is allowed and the card does not have it",
                first.peer,
                count(calls.len(), "dispatch", "dispatches"),
                cite(&entries),
                pinned.join(" or ")
            );
            tally.broken(why, entries);
        } else if outcome.status.is_success() {
            tally.broken(format!("{} was reported although {} is in no card", outcome.status, pinned.join(" or ")), []);
        } else if outcome.status != Status::TimedOut {
            tally.upheld();
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::{Grpc, JsonRpc};

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "interface-pinned-absent";

    #[test]
    fn a_binding_nobody_has_means_refusal() {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.delegation("d-1").allowed_bindings = Some(vec![Grpc]);
        scene.because("d-1", Status::Refused, "no-shared-interface");
        scene.upheld(ID);
        scene.dispatch(B, JsonRpc, "d-1");
        assert!(scene.broken(ID).contains("1 dispatch over JSONRPC"));
    }

    #[test]
    fn a_binding_the_card_has_is_not_judged() {
        let mut scene = Scene::new(&[JsonRpc, Grpc]);
        scene.delegation("d-1").allowed_bindings = Some(vec![Grpc]);
        scene.outcome("d-1", Status::Refused);
        scene.open(ID);
        let mut scene = Scene::new(&[JsonRpc]);
        scene.delegation("d-1").allowed_bindings = Some(vec![Grpc]);
        scene.dispatch(B, JsonRpc, "d-1");
        scene.outcome("d-1", Status::Completed);
        scene.without(Support::Needs).open(ID);
    }
}
