//! Work that requires streaming or push is not handed over to an interface that does not do it. Exempt: the policy to
//! send and see.

use gauntlet_evidence::PeerState;
use gauntlet_wire::Binding;

use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement {
    id: "capability-closed-under-binding",
    needs: &[Support::Probe, Support::Needs],
    judge,
};

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, _) in view.reported().filter(|(delegation, _)| !delegation.policy.send_and_see) {
        for peer in view.peers_of(delegation) {
            let open = |binding: Binding| missing(view, delegation, peer, binding);
            let candidates = view.candidates(delegation, peer);
            if !candidates.iter().any(|(_, interface)| open(interface.binding).is_some()) {
                continue;
            }
            let wrong: Vec<_> = view
                .dispatches_to(&delegation.id, &peer.name)
                .filter_map(|x| Some((x, view.interface(x)?.1.binding)))
                .filter_map(|(x, binding)| Some((x.entry.seq, binding, open(binding)?)))
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
fn missing(view: &View<'_>, delegation: &Delegation, peer: &PeerState, binding: Binding) -> Option<&'static str> {
    let facts = view.facts(&peer.name);
    let lacks = |operation| facts.unusable(binding) || facts.holds(binding, &Fact::LacksOperation(operation));
    let card = Card(&peer.card);
    let streams = card.streaming() == Some(true) || facts.holds(binding, &Fact::StreamsUndeclared);
    if delegation.needs.streaming == Need::Required && (!streams || lacks(Operation::SendStreamingMessage)) {
        return Some("streaming");
    }
    let pushes = card.push() == Some(true) && !lacks(Operation::CreateTaskPushNotificationConfig);
    (delegation.needs.push == Need::Required && !pushes).then_some("push")
}
