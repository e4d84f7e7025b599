//! The first dispatch to a peer goes to the first interface of its card that the orchestrator speaks. An earlier one may
//! be passed over where the delegation does not allow it, where it cannot do the work as the card promises, and where
//! something failed on it before in the session. Judged where the card leaves a choice.

use crate::oracle::{Serving, failed_before, serving};
use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "interface-first-supported", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for delegation in view.delegations() {
        if delegation.allowed_bindings.is_some() && !view.supports(Support::Needs) {
            continue;
        }
        for peer in view.peers_of(delegation).filter(|peer| peer.interfaces.len() > 1) {
            let Some(first) = view.dispatches_to(&delegation.id, &peer.name).next() else { continue };
            let Some((used, chosen)) = view.interface(first) else { continue };
            let candidates = view.candidates(delegation, peer);
            let expected = candidates.iter().find(|spot @ (index, _)| {
                *index >= used
                    || serving(view, delegation, peer, **spot) == Serving::Fully
                        && !failed_before(view, delegation, peer, *index)
            });
            let Some((index, wanted)) = expected else { continue };
            let entry = first.entry.seq;
            let why = || {
                format!(
                    "{}: {} was dispatched over {} at {}{}, although {} at {} is the first in the card that could be used",
                    peer.name,
                    delegation.id,
                    chosen.binding,
                    chosen.url,
                    cite(&[entry]),
                    wanted.binding,
                    wanted.url
                )
            };
            tally.check(*index == used, why, [entry]);
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::{Grpc, JsonRpc};

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "interface-first-supported";

    #[test]
    fn the_order_of_the_card_decides() {
        for (used, well) in [(Grpc, true), (JsonRpc, false)] {
            let mut scene = Scene::new(&[Grpc, JsonRpc]);
            scene.dispatch(B, used, "d-1");
            if well {
                scene.upheld(ID);
            } else {
                assert!(scene.broken(ID).contains("although GRPC at 127.0.0.1:41001 is the first"));
            }
        }
    }

    #[test]
    fn of_two_equal_interfaces_the_url_tells() {
        let mut scene = Scene::new(&[JsonRpc, JsonRpc]);
        scene.state(B).interfaces[1].url = "http://127.0.0.1:41001/rpc/second".to_owned();
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.upheld(ID);
        scene.sent(x).path = "/rpc/second".to_owned();
        scene.broken(ID);
    }

    #[test]
    fn what_may_be_passed_over() {
        let later = |prepare: &dyn Fn(&mut Scene)| {
            let mut scene = Scene::new(&[Grpc, JsonRpc]);
            prepare(&mut scene);
            scene.dispatch(B, JsonRpc, "d-1");
            scene
        };
        later(&|scene| scene.case.evidence.hello.speaks.bindings = vec![JsonRpc]).upheld(ID);
        later(&|scene| scene.delegation("d-1").allowed_bindings = Some(vec![JsonRpc])).upheld(ID);
        later(&|scene| {
            scene.unusable(Grpc);
        })
        .upheld(ID);
        later(&|scene| {
            scene.delegation("d-1").needs.streaming = Need::Required;
            scene.fact(&[Grpc], Fact::LacksOperation(Operation::SendStreamingMessage));
        })
        .upheld(ID);
        later(&|scene| {
            let x = scene.probe(B, Grpc, Operation::SendMessage);
            scene.refuse(x, "UNAVAILABLE");
        })
        .upheld(ID);
    }

    #[test]
    fn without_a_choice_or_a_dispatch_there_is_nothing_to_judge() {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.dispatch(B, JsonRpc, "d-1");
        scene.open(ID);
        Scene::new(&[Grpc, JsonRpc]).open(ID);
    }
}
