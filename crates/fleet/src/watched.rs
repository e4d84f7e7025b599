//! What a test asks of a running peer. Everything here panics with what the peer saw when it is not as expected.

use gauntlet_evidence::{HeldTask, InterfaceState, JournalEntry, JournalEvent, Request};
use gauntlet_wire::{Binding, Operation};
use serde_json::Value;

use crate::fleet::Fleet;
use crate::unmatched::{self, Unmatched};

/// A running peer; [`Fleet::peer`] gives it.
#[derive(Clone, Copy)]
pub struct Watched<'a> {
    pub(crate) fleet: &'a Fleet,
    /// Its place in the fleet.
    pub(crate) index: usize,
}

impl<'a> Watched<'a> {
    /// Its name.
    pub fn name(&self) -> &'a str {
        &self.fleet.peers[self.index].name
    }

    /// Where it is: `http://127.0.0.1:41201`.
    pub fn base_url(&self) -> &'a str {
        &self.fleet.addresses[self.index].base_url
    }

    /// Where its card is.
    pub fn card_url(&self) -> &'a str {
        &self.fleet.addresses[self.index].card_url
    }

    /// Where its card says that a binding is served: a URL, for gRPC host and port.
    ///
    /// # Panics
    /// When its card lists no such interface.
    #[track_caller]
    pub fn url(&self, binding: Binding) -> String {
        let interfaces: Vec<InterfaceState> = self.fleet.peers[self.index].state().interfaces;
        match interfaces.into_iter().find(|interface| interface.binding == binding) {
            Some(interface) => interface.url,
            None => panic!("the card of {} lists no {binding} interface", self.name()),
        }
    }

    /// What it saw and said so far, in order.
    pub fn journal(&self) -> Vec<JournalEntry> {
        let entries = self.fleet.journal().into_iter();
        entries.filter(|entry| entry.peer == self.name()).collect()
    }

    /// The tasks it holds, in order of creation: the truth, whatever it said.
    pub fn tasks(&self) -> Vec<HeldTask> {
        self.fleet.peers[self.index].state().tasks
    }

    /// Requests that fit nothing it serves, with what was probably meant.
    pub fn unmatched(&self) -> Vec<Unmatched> {
        unmatched::unmatched(&self.journal(), &[self.fleet.peers[self.index].state()])
    }

    /// The requests for an operation that it got so far, on whichever binding.
    pub fn received(&self, operation: Operation) -> Received {
        let all = self.requests();
        all.only(operation.name().to_owned(), |request| request.operation == Some(operation))
    }

    /// All requests that it got so far, those for its card among them.
    pub fn requests(&self) -> Received {
        let journal = self.journal();
        let requests = journal.iter().filter_map(|entry| match &entry.event {
            JournalEvent::Request(request) => Some(request.as_ref().clone()),
            _ => None,
        });
        Received {
            what: format!("requests to {}", self.name()),
            requests: requests.collect(),
            journal: journal.iter().map(|entry| format!("\n  {entry}")).collect(),
        }
    }
}

/// Requests that a peer got, narrowed down until only those are left that a test is about.
#[derive(Debug, Clone)]
#[must_use = "say how many there are to be: `once()`, `times(n)`, `never()`"]
pub struct Received {
    what: String,
    requests: Vec<Request>,
    /// All that happened at the peer, for whoever expected otherwise.
    journal: String,
}

impl Received {
    /// Those over this binding.
    pub fn over(self, binding: Binding) -> Self {
        self.only(format!("over {binding}"), |request| request.binding == Some(binding))
    }

    /// Those with this header, or gRPC metadata; names are compared in lower case.
    pub fn with_header(self, name: &str, value: &str) -> Self {
        let lower = name.to_lowercase();
        self.only(format!("with {name}: {value}"), |request| request.header(&lower) == Some(value))
    }

    /// Those about this task.
    pub fn about(self, task: &str) -> Self {
        self.only(format!("about {task}"), |request| request.task_id() == Some(task))
    }

    /// Those that send a message of which a text part contains this.
    pub fn saying(self, text: &str) -> Self {
        self.only(format!("saying {text:?}"), |request| {
            let parts = request.message.as_ref().and_then(|message| message.pointer("/message/parts"));
            let parts = parts.and_then(Value::as_array).into_iter().flatten();
            parts.filter_map(|part| part.get("text")?.as_str()).any(|said| said.contains(text))
        })
    }

    /// Those that fit whatever can be told of a request; `what` says it in a few words.
    pub fn only(mut self, what: impl Into<String>, fits: impl Fn(&Request) -> bool) -> Self {
        self.requests.retain(fits);
        self.what = format!("{}, {}", self.what, what.into());
        self
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.requests.len()
    }

    /// The requests themselves, in order.
    pub fn into_requests(self) -> Vec<Request> {
        self.requests
    }

    /// Expects exactly one, and gives it.
    ///
    /// # Panics
    /// When there is none, or more than one; with all that happened at the peer.
    #[track_caller]
    pub fn once(mut self) -> Request {
        self.expect(1);
        self.requests.remove(0)
    }

    /// Expects so many.
    ///
    /// # Panics
    /// When there are more or fewer; with all that happened at the peer.
    #[track_caller]
    pub fn times(self, number: usize) {
        self.expect(number);
    }

    /// Expects none.
    ///
    /// # Panics
    /// When there is one; with all that happened at the peer.
    #[track_caller]
    pub fn never(self) {
        self.expect(0);
    }

    #[track_caller]
    fn expect(&self, number: usize) {
        let Self { what, requests, journal } = self;
        assert!(requests.len() == number, "{what}: expected {number}, there were {}; it saw{journal}", requests.len());
    }
}
