//! Media types and skills.

mod ambiguous_refused;
mod declared;
mod error_typed;
mod skill_overrides;
mod skill_unknown;

use gauntlet_evidence::PeerState;

use super::prelude::*;

pub(super) static RULES: &[&dyn crate::Rule] =
    &[&declared::RULE, &skill_overrides::RULE, &ambiguous_refused::RULE, &error_typed::RULE, &skill_unknown::RULE];

/// Every delegation that was reported on, with each peer it names.
pub(super) fn offers<'v, 'a>(
    view: &'v View<'a>,
) -> impl Iterator<Item = (&'a Delegation, &'a Outcome, &'a PeerState)> + use<'v, 'a> {
    view.reported()
        .flat_map(|(delegation, outcome)| view.peers_of(delegation).map(move |peer| (delegation, outcome, peer)))
}

/// Judges work that must not reach a peer, for the reason given in `because`.
pub(super) fn must_refuse(
    view: &View<'_>,
    tally: &mut Tally,
    offer: (&Delegation, &Outcome, &PeerState),
    because: &str,
) {
    let (delegation, outcome, peer) = offer;
    let entries: Vec<u64> = view.dispatches_to(&delegation.id, &peer.name).map(|x| x.entry.seq).collect();
    if !entries.is_empty() {
        let dispatches = count(entries.len(), "dispatch", "dispatches");
        tally.broken(format!("{}: {dispatches}{} although {because}", peer.name, cite(&entries)), entries);
    } else if delegation.peers.len() > 1 || !outcome.status.is_success() && outcome.status != Status::TimedOut {
        tally.upheld();
    }
}
