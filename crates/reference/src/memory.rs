//! What one session remembers of its peers. What was learnt supersedes what a card says.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use gauntlet_card::{Card, Interface};
use gauntlet_wire::Operation;

use crate::access::Tokens;
use crate::flaws::{Flaws, Planted};
use crate::outcome::Refusal;
use crate::transport::CallError;

/// The memory of one session. It ends with the session, so nothing in it needs a time limit.
#[derive(Debug, Default)]
pub(crate) struct Session {
    cards: HashMap<String, Arc<Card>>,
    /// The addresses of cards whose extended one was asked for.
    extended: HashSet<String>,
    /// Interfaces that serve nothing.
    dead: HashMap<Interface, Refusal>,
    /// Single operations that an interface does not serve.
    lacks: HashMap<(Interface, Operation), Refusal>,
    /// Interfaces that were seen to stream.
    streams: HashSet<Interface>,
    /// Interfaces that were seen to register webhooks.
    pushes: HashSet<Interface>,
    /// What token servers have issued.
    pub(crate) tokens: Arc<Tokens>,
    /// Why peers are no longer talked to; only a flaw fills it.
    pub(crate) blocked: HashMap<String, Refusal>,
    /// The context of the task before this one; only a flaw looks at it.
    pub(crate) last_context: Option<String>,
    flaws: Flaws,
}

impl Session {
    pub(crate) fn new(flaws: Flaws) -> Self {
        Self { flaws, ..Self::default() }
    }

    pub(crate) fn card(&self, url: &str) -> Option<Arc<Card>> {
        self.cards.get(url).cloned()
    }

    pub(crate) fn keep_card(&mut self, url: &str, card: &Arc<Card>) {
        self.cards.insert(url.to_owned(), Arc::clone(card));
    }

    /// Whether the extended card was not asked for yet; from now on it was.
    pub(crate) fn asks_for_extended_card(&mut self, url: &str) -> bool {
        self.extended.insert(url.to_owned())
    }

    /// Why an operation need not be tried on an interface.
    pub(crate) fn known_refusal(&self, interface: &Interface, operation: Operation) -> Option<&Refusal> {
        self.dead.get(interface).or_else(|| self.lacks.get(&(interface.clone(), operation)))
    }

    /// Keeps why an operation could not be had, for the whole interface where the error speaks of it.
    pub(crate) fn learn(&mut self, interface: &Interface, operation: Operation, error: &CallError, refusal: &Refusal) {
        if self.flaws.has(Planted::ForgetsFailures) {
            return;
        }
        if error.concerns_interface() {
            self.dead.insert(interface.clone(), refusal.clone());
        } else {
            self.lacks.insert((interface.clone(), operation), refusal.clone());
        }
    }

    pub(crate) fn keep_streams(&mut self, interface: &Interface) {
        if !self.flaws.has(Planted::ForgetsFailures) {
            self.streams.insert(interface.clone());
        }
    }

    pub(crate) fn keep_pushes(&mut self, interface: &Interface) {
        self.pushes.insert(interface.clone());
    }

    /// Whether the interface was seen to register webhooks.
    pub(crate) fn pushes(&self, interface: &Interface) -> bool {
        self.pushes.contains(interface)
    }

    /// Whether the interface was seen to stream.
    pub(crate) fn streams(&self, interface: &Interface) -> bool {
        self.streams.contains(interface)
    }

    /// Whether the interface was seen not to stream.
    pub(crate) fn cannot_stream(&self, interface: &Interface) -> bool {
        self.lacks.contains_key(&(interface.clone(), Operation::SendStreamingMessage))
    }
}
