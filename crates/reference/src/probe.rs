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
        let parts = if flaws.has(Planted::ProbeWithRealContent) {
            self.delegation.message.parts.clone()
        } else {
            vec![synthetic_part(self.card)]
        };
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
        if let Some(task) = fold.open_task().filter(|_| !flaws.has(Planted::ProbeLeftOpen)) {
            follow::cancel(self.transport, self.to, task).await;
        }
        Ok(())
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
