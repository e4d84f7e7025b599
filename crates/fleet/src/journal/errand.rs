//! What peers send of their own accord, as the journal keeps it.

use std::sync::Arc;

use gauntlet_evidence::{JournalEvent, Stamp, WebhookRequest};
use gauntlet_wire::v1;
use http::StatusCode;

use super::kept::What;
use super::{Journal, Place};
use crate::lock::lock;

impl Journal {
    /// Something is under way that is no exchange; the fleet has not settled before the returned value is dropped.
    pub(crate) fn busy(&self) -> Busy<'_> {
        lock(&self.state).in_flight += 1;
        Busy(self)
    }

    /// A webhook is not told one thing, or anything at all.
    pub(crate) fn withheld(
        &self,
        peer: &Arc<str>,
        config: &v1::TaskPushNotificationConfig,
        index: Option<u32>,
        why: String,
        stamps: Vec<Stamp>,
    ) {
        let event = JournalEvent::WebhookWithheld {
            task_id: config.task_id.clone(),
            config_id: config.id.clone(),
            url: config.url.clone(),
            index,
            why,
        };
        self.append(&Place { peer, connection: 0, exchange: None }, [(What::Event(Box::new(event)), stamps)], 0);
    }
}

/// What is under way besides exchanges.
pub(crate) struct Busy<'a>(&'a Journal);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.in_flight = state.in_flight.saturating_sub(1);
        drop(state);
        self.0.activity.send_replace(());
    }
}

/// An attempt to tell a webhook something. Dropped before it ended, the peer has given it up.
pub(crate) struct Attempt<'a> {
    journal: &'a Journal,
    peer: &'a Arc<str>,
    exchange: u64,
    ended: bool,
}

impl<'a> Attempt<'a> {
    pub(crate) fn begin(journal: &'a Journal, peer: &'a Arc<str>, request: WebhookRequest, stamps: Vec<Stamp>) -> Self {
        let attempt = Self { journal, peer, exchange: journal.next_exchange(), ended: false };
        attempt.append(JournalEvent::WebhookSent(Box::new(request)), stamps);
        attempt
    }

    /// The status that was answered, or why none was.
    pub(crate) fn end(mut self, outcome: Result<StatusCode, String>) {
        self.ended = true;
        let (status, failure) = match outcome {
            Ok(status) => (Some(status.as_u16()), None),
            Err(failure) => (None, Some(failure)),
        };
        self.append(JournalEvent::WebhookAnswered { status, failure }, Vec::new());
    }

    fn append(&self, event: JournalEvent, stamps: Vec<Stamp>) {
        let place = Place { peer: self.peer, connection: 0, exchange: Some(self.exchange) };
        self.journal.append(&place, [(What::Event(Box::new(event)), stamps)], 0);
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        if !self.ended {
            let failure = Some("given up: the configuration is gone, or the fleet stops".to_owned());
            self.append(JournalEvent::WebhookAnswered { status: None, failure }, Vec::new());
        }
    }
}
