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
            let expected = candidates.iter().find(|(index, interface)| {
                *index >= used
                    || serving(view, delegation, peer, interface.binding) == Serving::Fully
                        && !failed_before(view, delegation, peer, *index)
            });
            let Some((index, wanted)) = expected else { continue };
            let entry = first.entry.seq;
            let why = || {
                format!(
                    "{}: {} was dispatched over {} at {}{}, although {} at {} stands before it in the card",
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
