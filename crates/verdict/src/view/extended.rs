//! The extended card: what a peer says of itself to callers that show who they are (specification §3.1.11).

use gauntlet_evidence::contract::Delegation;
use gauntlet_evidence::{Exchange, PeerState};
use gauntlet_wire::Operation;

use super::{Card, View};

impl<'a> View<'a> {
    /// The calls that ask a peer for its extended card.
    pub fn extended_fetches(&self, peer: &str) -> impl DoubleEndedIterator<Item = &Exchange<'a>> {
        self.exchanges
            .iter()
            .filter(move |x| x.peer == peer && x.request.operation == Some(Operation::GetExtendedAgentCard))
    }

    /// The extended card of a peer, where it was told in the session of a delegation no later than in its turn.
    pub fn extended_card(&self, delegation: &Delegation, peer: &str) -> Option<Card<'a>> {
        let until = self.position(&delegation.id);
        let known = |x: &&Exchange<'a>| {
            let during = self.delegation_of(x);
            during.is_some_and(|known| known.session == delegation.session && self.position(&known.id) <= until)
        };
        let told = |x: &Exchange<'a>| x.frames.iter().find_map(|(_, frame)| frame.object.as_ref());
        self.extended_fetches(peer).rev().filter(known).find_map(told).map(Card)
    }

    /// The card that decides what a peer may be asked: the extended one where the orchestrator has it.
    pub fn card(&self, delegation: &Delegation, peer: &'a PeerState) -> Card<'a> {
        self.extended_card(delegation, &peer.name).unwrap_or(Card(&peer.card))
    }
}
