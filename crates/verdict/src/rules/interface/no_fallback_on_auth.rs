//! Who is not let in on one interface does not walk on to the next: the agent behind it is the same. Judged where the
//! card has another interface to walk on to.

use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "interface-no-fallback-on-auth", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for peer in &view.evidence().peers {
        for delegation in view.delegations() {
            let mine = || {
                view.operations().filter(|x| {
                    x.peer == peer.name && view.delegation_of(x).is_some_and(|known| known.id == delegation.id)
                })
            };
            let denied = mine().find_map(|x| Some((x.number, view.interface(x)?.0, view.denied(x)?)));
            let Some((number, denied_at, denied)) = denied else { continue };
            if view.candidates(delegation, peer).iter().all(|(index, _)| *index == denied_at) {
                continue;
            }
            let elsewhere = mine()
                .filter(|x| x.number > number)
                .find_map(|x| Some((x.entry.seq, view.interface(x)?)))
                .filter(|(_, (index, _))| *index != denied_at);
            let why = || {
                let over = elsewhere
                    .as_ref()
                    .map_or("another interface".to_owned(), |(_, (_, used))| used.binding.to_string());
                let entries: Vec<u64> = [denied.entry].into_iter().chain(elsewhere.map(|(entry, _)| entry)).collect();
                format!("{}: access was denied, then {over} was tried{}", peer.name, cite(&entries))
            };
            tally.check(elsewhere.is_none(), why, [denied.entry]);
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::{Grpc, JsonRpc};

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "interface-no-fallback-on-auth";

    fn denied(bindings: &[gauntlet_wire::Binding]) -> Scene {
        let mut scene = Scene::new(bindings);
        let x = scene.dispatch(B, Grpc, "d-1");
        scene.refuse(x, "UNAUTHENTICATED");
        scene.outcome("d-1", Status::AuthRequired);
        scene
    }

    #[test]
    fn a_denial_holds_for_all_interfaces() {
        let mut scene = denied(&[Grpc, JsonRpc]);
        scene.upheld(ID);
        scene.dispatch(B, Grpc, "d-1");
        scene.upheld(ID);
        let mut scene = denied(&[Grpc, JsonRpc]);
        scene.dispatch(B, JsonRpc, "d-1");
        assert!(scene.broken(ID).contains("access was denied, then JSONRPC was tried"));
    }

    #[test]
    fn without_another_interface_or_a_denial_there_is_nothing_to_judge() {
        denied(&[Grpc]).open(ID);
        let mut scene = Scene::new(&[Grpc, JsonRpc]);
        let x = scene.dispatch(B, Grpc, "d-1");
        scene.refuse(x, "UNIMPLEMENTED");
        scene.open(ID);
    }
}
