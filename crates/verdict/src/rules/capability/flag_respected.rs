//! No operation is called whose capability the card declares false or leaves out. Exempt: probes, and what a probe of
//! that peer has shown to work.

use gauntlet_evidence::RequestClass;

use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "capability-flag-respected", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for x in view.exchanges.iter().filter(|x| x.request.class != RequestClass::Probe) {
        let Some(operation) = x.request.operation else { continue };
        // Follow-ups of probes belong to them.
        if x.request.class == RequestClass::FollowUp(None) {
            continue;
        }
        let Some(peer) = view.evidence().peer(x.peer) else { continue };
        if view.declares(x.peer, operation) {
            let card = Card(&peer.card);
            let narrow = card.streaming() != Some(true) || card.push() != Some(true);
            if narrow && x.request.class.is_dispatch() {
                tally.upheld();
            }
            continue;
        }
        let shown = view.probes().any(|probe| {
            probe.peer == x.peer
                && probe.number < x.number
                && probe.request.operation.is_some_and(|probed| probed.is_streaming() == operation.is_streaming())
                && view.failure(probe).is_none()
                && !probe.frames.is_empty()
        });
        if !(operation.is_streaming() && shown) {
            let why = format!("{}: {operation} was called{}, its card does not declare it", x.peer, cite(&[x.entry.seq]));
            tally.broken(why, [x.entry.seq]);
        }
    }
}
