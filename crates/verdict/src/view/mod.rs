//! Readings of the evidence that rules, the oracle and steps share.

mod access;
mod answer;
mod card;
mod content;
mod extended;
mod interface;
mod push;
mod task;

use std::collections::BTreeMap;

use gauntlet_evidence::contract::{Delegation, Hello, Outcome};
use gauntlet_evidence::{Evidence, Exchange, JournalEvent, PeerState, RequestClass, Support};
use gauntlet_scenario::PeerFacts;

use crate::Case;

pub use access::{Brought, Demand, Denied, Form, Issued, carries, secrets};
pub use answer::{Failure, contexts_told, ended_by_peer, ids_told, last_entry, reply, states_told};
pub use card::{Card, ModeRuling};
pub use content::{Content, artifacts, contains_in_order, strings, texts};
pub use interface::{Spot, authority, below, binding_of};
pub use push::{Notice, Registration, is_settled, webhook_of};
pub use task::{Agreement, agreement, told_of_failure};

static NO_FACTS: PeerFacts = PeerFacts(Vec::new());

/// One case, indexed for reading. Cheap enough to make for every rule.
#[derive(Debug)]
pub struct View<'a> {
    /// The case.
    pub case: &'a Case,
    /// Requests with their answers, in order of the requests.
    pub exchanges: Vec<Exchange<'a>>,
    listeners: BTreeMap<u64, &'a str>,
}

impl<'a> View<'a> {
    /// Indexes a case.
    pub fn of(case: &'a Case) -> Self {
        let listeners = case.evidence.journal.iter().filter_map(|entry| match &entry.event {
            JournalEvent::Opened { listener } => Some((entry.connection, listener.as_str())),
            _ => None,
        });
        Self { case, exchanges: case.evidence.exchanges(), listeners: listeners.collect() }
    }

    /// What was seen.
    pub const fn evidence(&self) -> &'a Evidence {
        &self.case.evidence
    }

    /// Who is under test.
    pub const fn hello(&self) -> &'a Hello {
        &self.case.evidence.hello
    }

    /// Whether the driver lists `support`.
    pub fn supports(&self, support: Support) -> bool {
        self.hello().supports(support)
    }

    /// The delegations, in order.
    pub fn delegations(&self) -> impl Iterator<Item = &'a Delegation> + use<'a> {
        self.case.evidence.delegations.iter()
    }

    /// The delegations that were reported on, with the last report of each.
    pub fn reported(&self) -> impl Iterator<Item = (&'a Delegation, &'a Outcome)> + use<'a> {
        let evidence = self.evidence();
        self.delegations().filter_map(|delegation| Some((delegation, evidence.outcome(&delegation.id)?)))
    }

    /// The peers a delegation names, as they ended up.
    pub fn peers_of(&self, delegation: &'a Delegation) -> impl Iterator<Item = &'a PeerState> + use<'a> {
        let evidence = self.evidence();
        delegation.peers.iter().filter_map(|peer| evidence.peer(&peer.name))
    }

    /// What is true of a peer because of its defects.
    pub fn facts(&self, peer: &str) -> &'a PeerFacts {
        self.case.facts.get(peer).unwrap_or(&NO_FACTS)
    }

    /// The exchanges that handed over a delegation's work, to any peer.
    pub fn dispatches(&self, delegation: &str) -> impl Iterator<Item = &Exchange<'a>> {
        self.exchanges
            .iter()
            .filter(move |x| matches!(&x.request.class, RequestClass::Dispatch(id) if id == delegation))
    }

    /// The exchanges that handed over a delegation's work to one peer.
    pub fn dispatches_to(&self, delegation: &str, peer: &str) -> impl Iterator<Item = &Exchange<'a>> {
        self.dispatches(delegation).filter(move |x| x.peer == peer)
    }

    /// The exchanges that belong to a delegation: dispatches and what followed on their tasks.
    pub fn belonging(&self, delegation: &str) -> impl Iterator<Item = &Exchange<'a>> {
        self.exchanges.iter().filter(move |x| x.request.class.delegation() == Some(delegation))
    }

    /// The exchanges in which a peer was asked to carry out an operation, discovery left out.
    pub fn operations(&self) -> impl Iterator<Item = &Exchange<'a>> {
        self.exchanges
            .iter()
            .filter(|x| x.request.operation.is_some() && !matches!(x.request.class, RequestClass::Discovery))
    }

    /// The exchanges that try a peer out.
    pub fn probes(&self) -> impl Iterator<Item = &Exchange<'a>> {
        self.exchanges.iter().filter(|x| x.request.class == RequestClass::Probe)
    }

    /// Where a delegation stands in the order of delegations.
    pub fn position(&self, delegation: &str) -> Option<usize> {
        self.delegations().position(|candidate| candidate.id == delegation)
    }

    /// The delegation an exchange was made for: the one whose task or content it carries, or else the last that had been
    /// handed over when it began.
    pub fn delegation_of(&self, exchange: &Exchange<'_>) -> Option<&'a Delegation> {
        if let Some(id) = exchange.request.class.delegation() {
            return self.delegations().find(|delegation| delegation.id == id);
        }
        let after = &self.evidence().delegated_after;
        let latest = self.delegations().zip(after).filter(|(_, after)| **after < exchange.entry.seq).last();
        latest.map(|(delegation, _)| delegation)
    }

    /// The address an exchange came in on, `host:port`.
    pub fn listener(&self, exchange: &Exchange<'_>) -> Option<&'a str> {
        self.listeners.get(&exchange.entry.connection).copied()
    }

    /// The session an exchange belongs to.
    pub fn session_of(&self, exchange: &Exchange<'_>) -> Option<&'a str> {
        self.delegation_of(exchange).map(|delegation| delegation.session.as_str())
    }
}

/// Journal entries as people cite them: `(entry 4)`, `(entries 4, 9)`, nothing for none.
pub fn cite(entries: &[u64]) -> String {
    match entries {
        [] => String::new(),
        [one] => format!(" (entry {one})"),
        many => format!(" (entries {})", many.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// A count with its noun: `1 dispatch`, `2 dispatches`.
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
