//! Starting, watching and stopping peers.

use std::collections::{BTreeMap, HashSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use gauntlet_evidence::contract::PeerAddress;
use gauntlet_evidence::{Delegation, JournalEntry, PeerState};
use gauntlet_faults::FaultSet;
use gauntlet_scenario::{AppliedDefect, PeerFacts, PeerSpec};
use gauntlet_wire::{CARD_PATH, ProtocolVersion};
use tokio::task::JoinSet;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::binding::token;
use crate::builder::FleetBuilder;
use crate::card::Card;
use crate::check::Troubles;
use crate::classify::Expectations;
use crate::clock::Clock;
use crate::control::{self, Control};
use crate::double::token::TokenServer;
use crate::engine::{Agent, Engine};
use crate::error::FleetError;
use crate::extensions::Extensions;
use crate::ids::Ids;
use crate::journal::{Follower, Journal, JournalLimits};
use crate::listener::{self, Bound, Endpoint, Purpose};
use crate::peer::{Interface, Peer, Shared};
use crate::security::Guard;
use crate::sockets::{Socket, Sockets, socket_error};
use crate::watched::Watched;
use crate::webhook::{Courier, WebhookOptions};

/// A peer to be started.
#[derive(Debug, Clone)]
pub struct PeerPlan {
    /// What it is.
    pub spec: PeerSpec,
    /// What is wrong with it.
    pub defects: Vec<AppliedDefect>,
}

impl PeerPlan {
    /// A peer that keeps to its specification.
    pub const fn healthy(spec: PeerSpec) -> Self {
        Self { spec, defects: Vec::new() }
    }
}

/// How a fleet runs.
#[derive(Debug, Clone)]
pub struct FleetOptions {
    /// Decides ids and every draw of a fault.
    pub seed: u64,
    /// Times tasks and journal.
    pub clock: Clock,
    /// How much the journal holds.
    pub journal: JournalLimits,
    /// How long nothing must happen before [`Fleet::settle`] believes that nothing more will.
    pub quiet: Duration,
    /// How webhooks are told.
    pub webhooks: WebhookOptions,
    /// The port of the first peer; each of the others gets the next one. Without it, any that are free. What a spec
    /// gives an interface of its own is kept.
    pub first_port: Option<u16>,
}

impl Default for FleetOptions {
    fn default() -> Self {
        Self {
            seed: 0,
            clock: Clock::real(),
            journal: JournalLimits::default(),
            quiet: Duration::from_millis(10),
            webhooks: WebhookOptions::default(),
            first_port: None,
        }
    }
}

/// Peers that were started together. Dropping it ends them at once; [`Fleet::stop`] also says whether all was well.
pub struct Fleet {
    pub(crate) peers: Vec<Arc<Peer>>,
    pub(crate) addresses: Vec<PeerAddress>,
    facts: BTreeMap<String, PeerFacts>,
    /// Of each peer, id and title of its defects.
    defects: Vec<Vec<(String, String)>>,
    shared: Arc<Shared>,
    quiet: Duration,
    stopping: CancellationToken,
    /// Ends what holds on to its engine even when the fleet is only dropped.
    _end: DropGuard,
    listeners: JoinSet<()>,
    /// Ports that refuse; held so that nobody else gets them.
    refusing: Vec<Bound>,
    /// Whether it panics for a peer that went wrong when it is dropped.
    pub(crate) raises: bool,
}

/// What a fleet leaves behind.
#[derive(Debug, Clone)]
pub struct Remains {
    /// What the peers saw and said.
    pub journal: Vec<JournalEntry>,
    /// What they hold.
    pub states: Vec<PeerState>,
    /// Journal entries that found no room.
    pub left_out: u64,
}

impl Fleet {
    /// A fleet for a test.
    pub fn builder() -> FleetBuilder {
        FleetBuilder::default()
    }

    /// One of the peers, to ask what it saw.
    ///
    /// # Panics
    /// When no peer has that name.
    #[track_caller]
    pub fn peer(&self, name: &str) -> Watched<'_> {
        let known = || self.addresses.iter().map(|address| address.name.as_str());
        match known().position(|known| known == name) {
            Some(index) => Watched { fleet: self, index },
            None => panic!("no peer is called `{name}`; there is {}", known().collect::<Vec<_>>().join(", ")),
        }
    }

    /// Starts the peers; when this returns, all of them accept connections. Loopback only.
    ///
    /// # Errors
    /// When a port is taken, a defect cannot be built, or a plan cannot be served.
    pub async fn start(plans: Vec<PeerPlan>, options: FleetOptions) -> Result<Self, FleetError> {
        let shared = Arc::new(Shared {
            journal: Journal::new(options.clock.clone(), options.journal),
            expectations: Expectations::default(),
            troubles: Troubles::default(),
        });
        let stopping = CancellationToken::new();
        let mut fleet = Self {
            peers: Vec::new(),
            addresses: Vec::new(),
            facts: BTreeMap::new(),
            defects: Vec::new(),
            shared,
            quiet: options.quiet,
            _end: stopping.clone().drop_guard(),
            stopping,
            listeners: JoinSet::new(),
            refusing: Vec::new(),
            raises: false,
        };
        match fleet.add_all(plans, &options) {
            Ok(()) => Ok(fleet),
            Err(error) => {
                // The ports of those that did start are free again when the caller hears of it; there is no traffic
                // yet that could have gone wrong.
                let _ = fleet.stop().await;
                Err(error)
            }
        }
    }

    fn add_all(&mut self, plans: Vec<PeerPlan>, options: &FleetOptions) -> Result<(), FleetError> {
        let mut names = HashSet::new();
        for plan in plans {
            if !names.insert(plan.spec.name.clone()) {
                return Err(FleetError::DuplicatePeer(plan.spec.name));
            }
            self.add(plan, options)?;
        }
        Ok(())
    }

    fn add(&mut self, plan: PeerPlan, options: &FleetOptions) -> Result<(), FleetError> {
        let PeerPlan { spec, defects } = plan;
        let version = match spec.protocol.parse::<ProtocolVersion>() {
            Ok(version) if version == ProtocolVersion::V1_0 => version,
            _ => return Err(FleetError::Protocol { peer: spec.name, protocol: spec.protocol }),
        };
        let faults = Arc::new(FaultSet::build(&defects, options.seed)?);
        let place = u16::try_from(self.peers.len()).unwrap_or(u16::MAX);
        let own_port = options.first_port.map(|first| first.saturating_add(place));
        let sockets = Sockets::bind(&spec, &faults, own_port)?;
        let interfaces: Vec<Interface> = spec
            .interfaces
            .iter()
            .zip(&sockets.of_interface)
            .map(|(interface, socket)| Interface::new(interface, sockets.authority(*socket)))
            .collect();
        let rehearsal = FaultSet::build(&defects, options.seed)?;
        let tokens = spec.token_server.clone().zip(sockets.tokens.as_ref()).map(|(issues, bound)| {
            let url = format!("http://{}{}", bound.authority(), token::PATH);
            Arc::new(TokenServer::new(issues, &spec.name, url, options.seed, options.clock.clone()))
        });
        let secured = tokens.as_ref().map(|tokens| tokens.card());
        let card = Card::new(&spec, secured.as_ref(), &interfaces, &rehearsal, &options.clock);
        let guard = Guard::new(card.declared(), &spec, tokens.clone());
        let agent = Agent {
            behaviour: spec.behaviour,
            abilities: card.abilities.clone(),
            ids: Ids::new(options.seed, &spec.name),
            clock: options.clock.clone(),
            faults: Arc::clone(&faults),
        };
        let base_url = format!("http://{}", sockets.authority(Socket::Listening(0)));
        self.addresses.push(PeerAddress {
            name: spec.name.clone(),
            card_url: format!("{base_url}{CARD_PATH}"),
            base_url,
        });
        self.defects.push(defects.iter().map(|defect| (defect.id.clone(), defect.title.clone())).collect());
        let facts = defects.into_iter().flat_map(|defect| defect.facts).collect();
        self.facts.insert(spec.name.clone(), PeerFacts(facts));
        let name: Arc<str> = spec.name.into();
        let courier = Courier {
            peer: Arc::clone(&name),
            shared: Arc::clone(&self.shared),
            clock: options.clock.clone(),
            options: options.webhooks.clone(),
            faults: Arc::clone(&faults),
        };
        let peer = Arc::new(Peer {
            name,
            version,
            errors: spec.errors,
            interfaces,
            secrets: guard.names(),
            guard,
            tokens,
            extensions: Extensions::new(card.declared()),
            card,
            engine: Engine::new(agent, courier, self.stopping.child_token()),
            faults,
            shared: Arc::clone(&self.shared),
        });
        self.listen(&peer, sockets)?;
        self.peers.push(peer);
        Ok(())
    }

    fn listen(&mut self, peer: &Arc<Peer>, sockets: Sockets) -> Result<(), FleetError> {
        let Sockets { listening, refusing, of_interface, tokens } = sockets;
        self.refusing.extend(refusing);
        for (index, bound) in listening.into_iter().enumerate() {
            let here = |(_, socket): &(usize, &Socket)| **socket == Socket::Listening(index);
            let endpoint = Endpoint {
                peer: Arc::clone(peer),
                interfaces: of_interface.iter().enumerate().filter(here).map(|(interface, _)| interface).collect(),
                serves_card: index == 0,
                issues_tokens: None,
                authority: bound.authority(),
            };
            self.accept(bound, endpoint)?;
        }
        let Some(bound) = tokens else { return Ok(()) };
        let endpoint = Endpoint {
            peer: Arc::clone(peer),
            interfaces: Vec::new(),
            serves_card: false,
            issues_tokens: peer.tokens.clone(),
            authority: bound.authority(),
        };
        self.accept(bound, endpoint)
    }

    fn accept(&mut self, bound: Bound, endpoint: Endpoint) -> Result<(), FleetError> {
        let port = bound.port();
        let listener = bound.listen().map_err(|source| socket_error(&endpoint.peer.name, Some(port), source))?;
        self.listeners.spawn(listener::accept(listener, Arc::new(endpoint), self.stopping.child_token()));
        Ok(())
    }

    /// Serves the control API at a port of loopback, 0 for any that is free, until the fleet stops; `docs/control-api.md`
    /// says what there is. What is asked there does not appear in the journal.
    ///
    /// # Errors
    /// When the port is taken.
    pub fn control(&mut self, port: u16) -> Result<SocketAddr, FleetError> {
        let port = Some(port).filter(|port| *port != 0);
        let failed = |source| socket_error("control API", port, source);
        let bound = Bound::bind(port, Purpose::Listen).map_err(failed)?;
        let listener = bound.listen().map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let control = Control {
            peers: self.peers.clone(),
            addresses: self.addresses.clone(),
            defects: self.defects.clone(),
            shared: Arc::clone(&self.shared),
        };
        self.listeners.spawn(control::serve(listener, Arc::new(control), self.stopping.child_token()));
        Ok(address)
    }

    /// Where the peers are, in the order they were given.
    pub fn addresses(&self) -> Vec<PeerAddress> {
        self.addresses.clone()
    }

    /// What is true of each peer because of its defects.
    pub fn facts(&self) -> BTreeMap<String, PeerFacts> {
        self.facts.clone()
    }

    /// Where tokens for a peer are asked for, where it has a token server.
    pub fn token_url(&self, peer: &str) -> Option<&str> {
        Some(self.tokens(peer)?.url())
    }

    /// Issues a token of a peer's token server to somebody who cannot ask for one; `None` where it has none. Nothing of
    /// it stands in the journal.
    pub fn issue_token(&self, peer: &str, scopes: &[String], audience: Option<&str>) -> Option<String> {
        Some(self.tokens(peer)?.issue(scopes, audience))
    }

    fn tokens(&self, peer: &str) -> Option<&TokenServer> {
        self.peers.iter().find(|known| *known.name == *peer)?.tokens.as_deref()
    }

    /// Registers a delegation, so that requests that carry its marker are known as its dispatch. Without `probes`,
    /// every send that begins a task is a dispatch of the latest delegation, marker or not.
    pub fn expect(&self, delegation: &Delegation, probes: bool) {
        self.shared.expectations.add(delegation, probes);
    }

    /// What the peers have seen and said so far.
    pub fn journal(&self) -> Vec<JournalEntry> {
        self.shared.journal.entries()
    }

    /// The number of the journal's last entry; 0 where it has none.
    pub fn last_entry(&self) -> u64 {
        self.shared.journal.last()
    }

    /// Reads the journal from its first entry on, as it grows.
    pub fn follow(&self) -> Follower {
        self.shared.journal.follow()
    }

    /// What the peers hold now.
    pub fn states(&self) -> Vec<PeerState> {
        self.peers.iter().map(|peer| peer.state()).collect()
    }

    /// Waits for late traffic: until no exchange is in flight, webhooks have been told what there is to tell, and nothing
    /// has happened for a short while, at most for `at_most`.
    pub async fn settle(&self, at_most: Duration) {
        let settled = async {
            self.shared.journal.settle(self.quiet, at_most).await;
            while self.peers.iter().any(|peer| peer.engine.owes_notifications()) {
                self.shared.journal.settle(self.quiet, at_most).await;
            }
        };
        let _ = tokio::time::timeout(at_most, settled).await;
    }

    /// Ends every task and socket. Open streams are broken off.
    ///
    /// # Errors
    /// When a task panicked, or a peer said something invalid that no fault accounts for.
    pub async fn stop(mut self) -> Result<Remains, FleetError> {
        // Whoever asks is told, and need not be told twice.
        self.raises = false;
        self.stopping.cancel();
        for peer in &self.peers {
            for panic in peer.engine.stop().await {
                self.shared.troubles.panicked(panic);
            }
        }
        while let Some(ended) = self.listeners.join_next().await {
            self.shared.troubles.joined(ended);
        }
        let panics = self.shared.troubles.take_panics();
        if !panics.is_empty() {
            return Err(FleetError::Panicked(panics));
        }
        let breaches = self.shared.journal.breaches();
        if !breaches.is_empty() {
            return Err(FleetError::ContractBroken(breaches));
        }
        Ok(Remains { journal: self.journal(), states: self.states(), left_out: self.shared.journal.left_out() })
    }
}

impl Drop for Fleet {
    /// A test that is failing already says more than what the mock did wrong.
    fn drop(&mut self) {
        if !self.raises || std::thread::panicking() {
            return;
        }
        while let Some(ended) = self.listeners.try_join_next() {
            self.shared.troubles.joined(ended);
        }
        for peer in &self.peers {
            peer.engine.take_panics().into_iter().for_each(|panic| self.shared.troubles.panicked(panic));
        }
        let troubles = &self.shared.troubles;
        let mut wrong = troubles.take_panics();
        if wrong.is_empty() && troubles.has_unwound() {
            wrong.push("a connection panicked".to_owned());
        }
        wrong.extend(self.shared.journal.breaches());
        assert!(wrong.is_empty(), "a mock failed, so this test proves nothing (our bug): {}", wrong.join("; "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mock;

    async fn fleet() -> Fleet {
        Fleet::builder().peer(Mock::named("vendor-a")).start().await.expect("it starts")
    }

    #[tokio::test]
    #[should_panic(expected = "a mock failed, so this test proves nothing (our bug): the engine is lost")]
    async fn a_peer_that_panicked_fails_the_test_that_holds_it() {
        let fleet = fleet().await;
        fleet.shared.troubles.panicked("the engine is lost".to_owned());
    }

    #[tokio::test]
    async fn who_stops_a_fleet_is_told_instead() {
        let fleet = fleet().await;
        fleet.shared.troubles.panicked("the engine is lost".to_owned());
        assert!(matches!(fleet.stop().await, Err(FleetError::Panicked(_))));
    }

    #[tokio::test]
    #[should_panic(expected = "requests to vendor-a, over GRPC: expected 1, there were 0; it saw")]
    async fn what_was_not_received_is_told_with_the_journal() {
        fleet().await.peer("vendor-a").requests().over(gauntlet_wire::Binding::Grpc).once();
    }

    #[tokio::test]
    #[should_panic(expected = "no peer is called `vendor-b`; there is vendor-a")]
    async fn a_peer_that_there_is_not_is_told_with_those_that_there_are() {
        _ = fleet().await.peer("vendor-b");
    }

    #[tokio::test]
    async fn wrong_words_are_told_before_anything_starts() {
        let start = async |mock: Mock| match Fleet::builder().peer(mock).start().await {
            Ok(_) => panic!("it started"),
            Err(error) => error.to_string(),
        };
        assert!(start(Mock::named("p").defect("stream-close-early")).await.contains("stream-close-early"));
        assert!(start(Mock::named("p").behaves("[workin, complete]")).await.contains("workin"));
        let unknown = Fleet::builder().fleet("healty").start().await.err().expect("no such fleet").to_string();
        assert!(unknown.contains("did you mean `healthy`?"), "{unknown}");
    }
}
