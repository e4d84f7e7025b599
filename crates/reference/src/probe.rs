//! Trying out what work is going to depend on, with content that means nothing.

use std::time::Duration;

use futures::StreamExt;
use gauntlet_card::Card;
use gauntlet_evidence::contract::Delegation;
use gauntlet_wire::Operation;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use crate::flaws::{Flaws, Planted};
use crate::fold::{Event, Fold};
use crate::follow;
use crate::message::Numbers;
use crate::transport::{CallError, Endpoint, Transport};
use crate::webhook::Webhook;

/// What a probe is made with.
pub(crate) struct Probe<'a> {
    pub(crate) transport: &'a Transport,
    pub(crate) to: &'a Endpoint,
    pub(crate) card: &'a Card,
    pub(crate) delegation: &'a Delegation,
}

impl Probe<'_> {
    /// Sees whether an interface streams: sends a synthetic message, waits for the first item, and for `patience` for
    /// the end. A task that is still open then is cancelled, once.
    ///
    /// # Errors
    /// Why it does not stream.
    pub(crate) async fn streaming(
        &self,
        numbers: &mut Numbers,
        patience: Duration,
        flaws: Flaws,
    ) -> Result<(), CallError> {
        let parts = self.parts(flaws);
        let operation = Operation::SendStreamingMessage;
        let request = numbers.send_request(operation, self.delegation, &parts, None);
        let mut items = self.transport.open(self.to, operation, request).await?;
        let first =
            items.next().await.ok_or_else(|| CallError::Invalid("the stream ended before it began".to_owned()))?;
        let mut fold = Fold::default();
        fold.take(Event::read(&first?)?);

        // One item is proof enough: what goes wrong from here on concerns the probe's task alone.
        let until = Instant::now() + patience;
        while !fold.is_settled() {
            match timeout_at(until, items.next()).await {
                Ok(Some(Ok(item))) => Event::read(&item).map_or((), |event| fold.take(event)),
                _ => break,
            }
        }
        drop(items);
        self.close(&fold, flaws).await;
        Ok(())
    }

    /// Sees whether an interface registers webhooks: sends a synthetic message and registers one for the task that comes
    /// of it. The task is cancelled, once.
    ///
    /// # Errors
    /// What was refused, and why.
    pub(crate) async fn push(
        &self,
        numbers: &mut Numbers,
        webhook: &Webhook,
        flaws: Flaws,
    ) -> Result<(), (Operation, CallError)> {
        let (send, register) = (Operation::SendMessage, Operation::CreateTaskPushNotificationConfig);
        let not_sent = |error| (send, error);
        let request = numbers.send_request(send, self.delegation, &self.parts(flaws), None);
        let answer = self.transport.call(self.to, send, request).await.map_err(not_sent)?;
        let mut fold = Fold::default();
        fold.take(Event::read(&answer).map_err(not_sent)?);
        // An agent that answers at once has nothing to tell later.
        let Some(task) = fold.task() else { return Ok(()) };
        let mut config = webhook.open().config();
        config["taskId"] = json!(task.id);
        let registered = self.transport.call(self.to, register, config).await;
        self.close(&fold, flaws).await;
        registered.map(drop).map_err(|error| (register, error))
    }

    fn parts(&self, flaws: Flaws) -> Vec<Value> {
        match flaws.has(Planted::ProbeWithRealContent) {
            true => self.delegation.message.parts.clone(),
            false => vec![synthetic_part(self.card)],
        }
    }

    /// Cancels the task of the probe, if it is not known to be over.
    async fn close(&self, fold: &Fold, flaws: Flaws) {
        if let Some(task) = fold.open_task().filter(|_| !flaws.has(Planted::ProbeLeftOpen)) {
            follow::cancel(self.transport, self.to, task).await;
        }
    }
}

/// A part of a media type the peer takes, so that only streaming is put to the test.
fn synthetic_part(card: &Card) -> Value {
    let takes = |media_type: &str| card.default_input_modes.iter().any(|mode| mode == media_type);
    if !takes("text/plain") && takes("application/json") {
        return json!({ "data": { "purpose": "capability probe" }, "mediaType": "application/json" });
    }
    json!({ "text": "This is a capability probe. Any answer will do.", "mediaType": "text/plain" })
}
