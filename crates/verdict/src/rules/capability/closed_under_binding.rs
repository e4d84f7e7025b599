//! Work that requires streaming or push is not handed over to an interface that does not do it. Exempt: the policy to
//! send and see.

use gauntlet_evidence::PeerState;

use crate::rules::prelude::*;
use crate::view::Spot;

pub(super) static RULE: Requirement =
    Requirement { id: "capability-closed-under-binding", needs: &[Support::Probe, Support::Needs], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, _) in view.reported().filter(|(delegation, _)| !delegation.policy.send_and_see) {
        for peer in view.peers_of(delegation) {
            let open = |spot: Spot<'_>| missing(view, delegation, peer, spot);
            let candidates = view.candidates(delegation, peer);
            if !candidates.iter().any(|spot| open(*spot).is_some()) {
                continue;
            }
            let wrong: Vec<_> = view
                .dispatches_to(&delegation.id, &peer.name)
                .filter_map(|x| Some((x, view.interface(x)?)))
                .filter_map(|(x, spot)| Some((x.entry.seq, spot.1.binding, open(spot)?)))
                .collect();
            let entries: Vec<u64> = wrong.iter().map(|(entry, ..)| *entry).collect();
            match wrong.first() {
                None if view.exchanges.iter().any(|x| x.peer == peer.name) => tally.upheld(),
                None => {}
                Some((_, binding, capability)) => {
                    let dispatches = count(wrong.len(), "dispatch", "dispatches");
                    let why = format!(
                        "{}: {dispatches} over {binding}{} of work that requires {capability}, which it does not do",
                        peer.name,
                        cite(&entries)
                    );
                    tally.broken(why, entries);
                }
            }
        }
    }
}

/// The capability that the work requires and an interface does not have.
fn missing(view: &View<'_>, delegation: &Delegation, peer: &PeerState, spot: Spot<'_>) -> Option<&'static str> {
    let holds = |fact: &Fact| view.holds(&peer.name, spot, fact);
    let unusable = view.unusable(&peer.name, spot);
    let lacks = |operation| unusable || holds(&Fact::LacksOperation(operation));
    let card = Card(&peer.card);
    let streams = card.streaming() == Some(true) || holds(&Fact::StreamsUndeclared);
    if delegation.needs.streaming == Need::Required && (!streams || lacks(Operation::SendStreamingMessage)) {
        return Some("streaming");
    }
    // A webhook may also be named in the send: only where that leads to nothing either, there is no push.
    let nothing_comes = unusable || holds(&Fact::PushLost);
    let pushes = card.push() == Some(true) && !(lacks(Operation::CreateTaskPushNotificationConfig) && nothing_comes);
    (delegation.needs.push == Need::Required && !pushes).then_some("push")
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::{Grpc, JsonRpc};

    use super::*;
    use crate::testing::{B, Scene, streaming_lie as lie};

    const ID: &str = "capability-closed-under-binding";

    #[test]
    fn required_streaming_is_not_handed_to_an_interface_that_lacks_it() {
        let mut scene = lie();
        scene.because("d-1", Status::Refused, "capability-mismatch");
        scene.upheld(ID);
        let x = scene.stream(B, Grpc, "d-1");
        let entry = scene.entry(x);
        assert_eq!(
            scene.broken(ID),
            format!(
                "vendor-b: 1 dispatch over GRPC (entry {entry}) of work that requires streaming, which it does not do"
            )
        );
        scene.delegation("d-1").policy.send_and_see = true;
        scene.open(ID);
    }

    #[test]
    fn what_is_not_required_and_drivers_without_probes_are_not_judged() {
        let mut scene = lie();
        scene.stream(B, Grpc, "d-1");
        scene.outcome("d-1", Status::Failed);
        scene.delegation("d-1").needs.streaming = Need::Preferred;
        scene.open(ID);
        let mut scene = lie();
        scene.stream(B, Grpc, "d-1");
        scene.outcome("d-1", Status::Failed);
        scene.without(Support::Probe).open(ID);
    }

    #[test]
    fn push_is_judged_alike() {
        let mut scene = Scene::new(&[Grpc, JsonRpc]);
        scene.delegation("d-1").needs.push = Need::Required;
        scene.fact(&[Grpc], Fact::LacksOperation(Operation::CreateTaskPushNotificationConfig));
        scene.dispatch(B, JsonRpc, "d-1");
        scene.outcome("d-1", Status::Completed);
        scene.open(ID);
        scene.fact(&[Grpc], Fact::PushLost).upheld(ID);
        scene.dispatch(B, Grpc, "d-1");
        assert!(scene.broken(ID).contains("requires push"));
    }
}
