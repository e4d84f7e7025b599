//! The fleet's journal: what the peers saw and said, in order, bounded in memory.

mod errand;
mod exchange;
mod kept;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gauntlet_evidence::journal::{Party, Raw};
use gauntlet_evidence::{JournalEntry, JournalEvent, Stamp};
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::clock::Clock;
use crate::lock::lock;
pub(crate) use errand::Attempt;
pub(crate) use exchange::{Connection, Exchange, Told};
pub(crate) use kept::{Headers, KeptRequest, Object, Reading};
use kept::{Kept, What};

/// How much a journal holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JournalLimits {
    /// Entries; later ones are only counted.
    pub entries: usize,
    /// Bytes of bodies; those that find no room are left out, with the objects they hold; their entries stay.
    pub bytes: usize,
    /// Whether the oldest entries make room for later ones instead: for fleets that run without an end in sight.
    pub forgets: bool,
}

impl Default for JournalLimits {
    /// 100 000 entries, 64 MiB, of which nothing is forgotten.
    fn default() -> Self {
        Self { entries: 100_000, bytes: 64 << 20, forgets: false }
    }
}

pub(crate) struct Journal {
    clock: Clock,
    limits: JournalLimits,
    state: Mutex<State>,
    connections: AtomicU64,
    exchanges: AtomicU64,
    /// Changes with every entry.
    activity: watch::Sender<()>,
}

#[derive(Default)]
struct State {
    entries: VecDeque<Arc<Kept>>,
    /// The number of the last entry.
    last: u64,
    bytes: usize,
    left_out: u64,
    in_flight: u64,
}

impl Journal {
    pub(crate) fn new(clock: Clock, limits: JournalLimits) -> Arc<Self> {
        Arc::new(Self {
            clock,
            limits,
            state: Mutex::default(),
            connections: AtomicU64::new(0),
            exchanges: AtomicU64::new(0),
            activity: watch::Sender::new(()),
        })
    }

    pub(crate) fn entries(&self) -> Vec<JournalEntry> {
        self.entries_after(0)
    }

    /// The number of the last entry; 0 where there is none.
    pub(crate) fn last(&self) -> u64 {
        lock(&self.state).last
    }

    /// What the fleet vouches for and should not: bugs of the mock.
    pub(crate) fn breaches(&self) -> Vec<String> {
        self.kept_after(0).iter().filter_map(|kept| kept.breach()).collect()
    }

    /// The entries with a higher number.
    pub(crate) fn entries_after(&self, number: u64) -> Vec<JournalEntry> {
        self.kept_after(number).iter().map(|kept| kept.entry()).collect()
    }

    /// Shared, so that peers need not wait until they are read.
    fn kept_after(&self, number: u64) -> Vec<Arc<Kept>> {
        let state = lock(&self.state);
        let first = state.entries.partition_point(|entry| entry.seq <= number);
        state.entries.range(first..).cloned().collect()
    }

    /// Forgets what was journalled so far; numbers go on.
    pub(crate) fn clear(&self) {
        let mut state = lock(&self.state);
        state.entries.clear();
        state.bytes = 0;
        state.left_out = 0;
    }

    /// A reader that begins at the first entry.
    pub(crate) fn follow(self: &Arc<Self>) -> Follower {
        Follower { journal: Arc::clone(self), activity: self.activity.subscribe(), read: 0 }
    }

    /// How many entries found no room.
    pub(crate) fn left_out(&self) -> u64 {
        lock(&self.state).left_out
    }

    /// A connection was accepted; when the returned value is dropped, it has closed.
    pub(crate) fn open(self: &Arc<Self>, peer: &Arc<str>, listener: &str) -> Connection {
        let number = self.connections.fetch_add(1, Ordering::Relaxed) + 1;
        let connection =
            Connection { journal: Arc::clone(self), peer: Arc::clone(peer), number, closed_by: Party::Peer };
        let event = JournalEvent::Opened { listener: listener.to_owned() };
        self.append(&connection.place(None), [(What::Event(Box::new(event)), Vec::new())], 0);
        connection
    }

    /// A number for the next exchange.
    pub(crate) fn next_exchange(&self) -> u64 {
        self.exchanges.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Waits until no exchange is in flight and nothing has happened for `quiet`, at most until `at_most` has passed.
    pub(crate) async fn settle(&self, quiet: Duration, at_most: Duration) {
        let deadline = Instant::now() + at_most;
        let mut activity = self.activity.subscribe();
        loop {
            activity.mark_unchanged();
            let idle = lock(&self.state).in_flight == 0;
            let until = if idle { deadline.min(Instant::now() + quiet) } else { deadline };
            // Nothing happened until then: either it was quiet for long enough, or time is up.
            if timeout_at(until, activity.changed()).await.is_err() {
                return;
            }
        }
    }

    fn append(&self, place: &Place<'_>, events: impl IntoIterator<Item = (What, Vec<Stamp>)>, in_flight_change: i64) {
        let mut state = lock(&self.state);
        for (mut what, stamps) in events {
            let size = what.size();
            if self.limits.forgets {
                state.make_room(self.limits, size);
            }
            if state.entries.len() >= self.limits.entries {
                state.left_out += 1;
                continue;
            }
            if state.bytes + size <= self.limits.bytes {
                state.bytes += size;
            } else {
                what.shed();
            }
            state.last += 1;
            let kept = Kept {
                seq: state.last,
                at_us: self.clock.now_us(),
                peer: Arc::clone(place.peer),
                connection: place.connection,
                exchange: place.exchange,
                what,
                stamps,
            };
            state.entries.push_back(Arc::new(kept));
        }
        state.in_flight = state.in_flight.saturating_add_signed(in_flight_change);
        drop(state);
        if self.activity.receiver_count() > 0 {
            self.activity.send_replace(());
        }
    }
}

impl State {
    /// Forgets the oldest entries until one more with a body of that size finds room.
    fn make_room(&mut self, limits: JournalLimits, size: usize) {
        while self.entries.len() >= limits.entries || self.bytes + size > limits.bytes {
            let Some(oldest) = self.entries.pop_front() else { return };
            self.left_out += 1;
            self.bytes = self.bytes.saturating_sub(oldest.what.size());
        }
    }
}

/// Reads a journal as it grows, without ever holding up a peer. What the journal has forgotten before it was read is
/// passed over.
pub struct Follower {
    journal: Arc<Journal>,
    activity: watch::Receiver<()>,
    /// The number of the last entry that was read.
    read: u64,
}

impl Follower {
    /// The entries that have not been read yet; waits while there are none.
    pub async fn next(&mut self) -> Vec<JournalEntry> {
        loop {
            self.activity.mark_unchanged();
            let entries = self.unread();
            // The sender lives in the journal, so waiting fails only when there is nothing to wait for.
            if !entries.is_empty() || self.activity.changed().await.is_err() {
                return entries;
            }
        }
    }

    /// The entries that have not been read yet, be it none.
    pub fn unread(&mut self) -> Vec<JournalEntry> {
        let entries = self.journal.entries_after(self.read);
        self.read = entries.last().map_or(self.read, |entry| entry.seq);
        entries
    }
}

struct Place<'a> {
    peer: &'a Arc<str>,
    connection: u64,
    exchange: Option<u64>,
}

/// Headers as the journal keeps them.
pub(crate) fn headers(headers: &http::HeaderMap) -> Vec<(String, String)> {
    let pairs = headers.iter();
    pairs
        .map(|(name, value)| (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect()
}

/// Bytes as the journal keeps them.
pub(crate) fn raw(bytes: &[u8]) -> Raw {
    match std::str::from_utf8(bytes) {
        Ok("") => Raw::Empty,
        Ok(text) => Raw::Text(text.to_owned()),
        Err(_) => Raw::Binary { base64: STANDARD.encode(bytes) },
    }
}

#[cfg(test)]
mod tests {
    use super::kept::KeptFrame;
    use super::*;

    #[test]
    fn a_full_journal_counts_what_it_leaves_out() {
        let journal = Journal::new(Clock::stepping(), JournalLimits { entries: 3, bytes: 10, forgets: false });
        let peer: Arc<str> = "p".into();
        drop(journal.open(&peer, "here"));
        drop(journal.open(&peer, "here"));
        assert_eq!((journal.entries().len(), journal.left_out()), (3, 1));
        assert_eq!(journal.entries()[2].seq, 3);
    }

    #[tokio::test]
    async fn a_journal_that_forgets_keeps_the_latest_and_is_followed_across_the_gap() {
        let limits = JournalLimits { entries: 3, bytes: 10, forgets: true };
        let journal = Journal::new(Clock::stepping(), limits);
        let peer: Arc<str> = "p".into();
        let numbers = |entries: Vec<JournalEntry>| entries.iter().map(|entry| entry.seq).collect::<Vec<_>>();
        let mut follower = journal.follow();
        drop(journal.open(&peer, "here"));
        assert_eq!(numbers(follower.next().await), [1, 2]);
        for _ in 0..3 {
            drop(journal.open(&peer, "here"));
        }
        assert_eq!(numbers(journal.entries()), [6, 7, 8]);
        assert_eq!(numbers(follower.next().await), [6, 7, 8]);
        assert_eq!(numbers(journal.entries_after(7)), [8]);
        journal.clear();
        assert!(journal.entries().is_empty() && follower.unread().is_empty());
        drop(journal.open(&peer, "here"));
        assert_eq!(numbers(follower.next().await), [9, 10]);
    }

    #[test]
    fn bodies_make_room_for_bodies() {
        let journal = Journal::new(Clock::stepping(), JournalLimits { entries: 9, bytes: 10, forgets: true });
        for size in [4, 4, 4, 11] {
            let raw = "x".repeat(size).into();
            let frame = KeptFrame { index: 0, object: Object::Nothing, error: None, raw, vouched: None };
            let place = Place { peer: &"p".into(), connection: 1, exchange: None };
            journal.append(&place, [(What::Frame(Box::new(frame)), Vec::new())], 0);
            let bytes: usize = lock(&journal.state).entries.iter().map(|kept| kept.what.size()).sum();
            assert!(bytes <= 10, "{bytes}");
        }
        assert_eq!(journal.entries().iter().map(|entry| entry.seq).collect::<Vec<_>>(), [4]);
    }

    #[tokio::test(start_paused = true)]
    async fn settling_waits_for_exchanges_but_not_for_ever() {
        let journal = Journal::new(Clock::stepping(), JournalLimits::default());
        let (quiet, most) = (Duration::from_millis(10), Duration::from_secs(1));
        let before = Instant::now();
        journal.settle(quiet, most).await;
        assert_eq!(before.elapsed(), quiet);
        lock(&journal.state).in_flight = 1;
        let before = Instant::now();
        journal.settle(quiet, most).await;
        assert_eq!(before.elapsed(), most);
    }
}
