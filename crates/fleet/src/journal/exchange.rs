//! Connections and exchanges, as the journal keeps them.

use std::sync::Arc;

use bytes::Bytes;
use gauntlet_evidence::journal::{Ending, Party, WireError};
use gauntlet_evidence::{JournalEvent, Stamp};
use prost_reflect::MessageDescriptor;

use super::kept::{Headers, KeptFrame, KeptRequest, Object, What};
use super::{Journal, Place};

/// An open connection.
pub(crate) struct Connection {
    pub(super) journal: Arc<Journal>,
    pub(super) peer: Arc<str>,
    pub(crate) number: u64,
    /// Who will have closed it; the peer unless the other side is known to have done so.
    pub(crate) closed_by: Party,
}

impl Connection {
    pub(super) fn place(&self, exchange: Option<u64>) -> Place<'_> {
        Place { peer: &self.peer, connection: self.number, exchange }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let event = JournalEvent::Closed { by: self.closed_by };
        self.journal.append(&self.place(None), [(What::Event(Box::new(event)), Vec::new())], 0);
    }
}

/// A request that is being answered. Dropped before it ended, the orchestrator has gone away.
pub(crate) struct Exchange {
    journal: Arc<Journal>,
    peer: Arc<str>,
    connection: u64,
    pub(crate) number: u64,
    frames: u32,
    ended: bool,
}

/// What is journalled of a body or stream item.
pub(crate) struct Told {
    pub(crate) object: Object,
    pub(crate) error: Option<WireError>,
    pub(crate) raw: Bytes,
    pub(crate) stamps: Vec<Stamp>,
    /// The fleet vouches that the object is one of these, unless it is stamped.
    pub(crate) vouched: Option<MessageDescriptor>,
}

impl Exchange {
    /// `connection` and `number` are where it happens; `stamps` say what faults make of the request.
    pub(crate) fn begin(
        journal: &Arc<Journal>,
        peer: &Arc<str>,
        (connection, number): (u64, u64),
        request: KeptRequest,
        stamps: Vec<Stamp>,
    ) -> Self {
        let exchange =
            Self { journal: Arc::clone(journal), peer: Arc::clone(peer), connection, number, frames: 0, ended: false };
        journal.append(&exchange.place(), [(What::Request(Box::new(request)), stamps)], 1);
        exchange
    }

    fn place(&self) -> Place<'_> {
        Place { peer: &self.peer, connection: self.connection, exchange: Some(self.number) }
    }

    /// The head of a stream was sent.
    pub(crate) fn answered(&mut self, head: &http::response::Parts) {
        self.journal.append(&self.place(), [(answered(head), Vec::new())], 0);
    }

    /// An item of a stream was sent.
    pub(crate) fn frame(&mut self, told: Told) {
        let event = self.frame_event(told);
        self.journal.append(&self.place(), [event], 0);
    }

    /// The answer ended.
    pub(crate) fn end(mut self, how: Ending, stamps: Vec<Stamp>) {
        self.ended = true;
        self.journal.append(&self.place(), [(ended(how), stamps)], -1);
    }

    /// The whole answer at once: head, body where there is one, and end.
    pub(crate) fn finish(mut self, head: &http::response::Parts, told: Option<Told>, how: Ending, stamps: Vec<Stamp>) {
        self.ended = true;
        // A refusal's head is as much the fault's doing as its body: in gRPC it is all there is.
        let head_stamps = told.as_ref().filter(|told| told.error.is_some()).map(|told| told.stamps.clone());
        let head = (answered(head), head_stamps.unwrap_or_default());
        let frame = told.map(|told| self.frame_event(told));
        let events = [head].into_iter().chain(frame).chain([(ended(how), stamps)]);
        self.journal.append(&self.place(), events, -1);
    }

    fn frame_event(&mut self, told: Told) -> (What, Vec<Stamp>) {
        let Told { object, error, raw, stamps, vouched } = told;
        let frame = KeptFrame { index: self.frames, object, error, raw, vouched };
        self.frames += 1;
        (What::Frame(Box::new(frame)), stamps)
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        if !self.ended {
            self.journal.append(&self.place(), [(ended(Ending::Abandoned), Vec::new())], -1);
        }
    }
}

fn answered(head: &http::response::Parts) -> What {
    What::Answered(head.status, Headers::of(&head.headers))
}

const fn ended(how: Ending) -> What {
    What::Ended(how)
}
