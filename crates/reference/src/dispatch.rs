//! One delegation from its peers to its outcome.

use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt, stream};
use gauntlet_card::Card;
use gauntlet_evidence::contract::{Delegation, Outcome, PeerAddress, Status, Warning};
use gauntlet_wire::{ErrorKind, Operation, v1};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::access::Access;
use crate::flaws::{Flaws, Planted};
use crate::fold::{Event, Fold};
use crate::memory::Session;
use crate::message::Numbers;
use crate::outcome::{self, Refusal};
use crate::select::{self, Attempt};
use crate::transport::{CallError, Endpoint, Events, Transport};
use crate::webhook::{Hearing, Webhook};
use crate::{discover, follow, probe};

/// How often a message is sent to a peer that is busy.
const TRIES: u32 = 4;

const REGISTER: Operation = Operation::CreateTaskPushNotificationConfig;

/// A delegation at work, and what it works with.
pub(crate) struct Work<'a> {
    pub(crate) delegation: &'a Delegation,
    pub(crate) transport: &'a Transport,
    pub(crate) webhook: &'a Webhook,
    pub(crate) session: &'a mut Session,
    pub(crate) numbers: &'a mut Numbers,
    /// The task that would be left behind if the work were dropped now.
    pub(crate) open: &'a mut Option<Handle>,
    /// How long a probe may take after its first sign of life, and how long a webhook may be silent.
    pub(crate) patience: Duration,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) flaws: Flaws,
}

/// Where work was handed over, and the task it became.
#[derive(Debug, Clone)]
pub(crate) struct Handle {
    pub(crate) place: Arc<Place>,
    pub(crate) task: v1::Task,
    /// The task does not wait; it is the caller that may not follow it.
    pub(crate) denied: bool,
}

/// Where work was handed over: peer, card, interface and operation.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) peer: String,
    pub(crate) card: Arc<Card>,
    pub(crate) attempt: Attempt,
}

impl Place {
    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.attempt.endpoint
    }
}

/// How a turn of a delegation ended: what is reported, and the task that waits for an answer.
pub(crate) struct Turn {
    pub(crate) outcome: Outcome,
    pub(crate) waits: Option<Handle>,
}

impl Work<'_> {
    /// Hands the work to the first peer that can do it.
    pub(crate) async fn run(&mut self) -> Turn {
        if self.flaws.has(Planted::NeverContacts) {
            return self.end(Outcome::new(&self.delegation.id, Status::TimedOut));
        }
        let mut refusal = Refusal::new("peer-unavailable", "no peer is given");
        for peer in &self.delegation.peers {
            match self.at_peer(peer).await {
                Ok(turn) => return turn,
                Err(why) => refusal = why,
            }
            if self.flaws.has(Planted::BreakerOpens) {
                self.session.blocked.insert(peer.name.clone(), refusal.clone());
            }
        }
        self.end(refusal.outcome(&self.delegation.id, Status::Refused, self.flaws))
    }

    /// Answers a task that waits. Where the peer has dropped the task, the work is issued once more, without the dead
    /// id and with the answer.
    pub(crate) async fn answer(&mut self, waiting: Handle, parts: &[Value]) -> Turn {
        let Handle { place, task, denied } = waiting;
        if denied {
            let fold = Fold::continuing(task, self.flaws);
            return self.finish(&place, fold, None, stream::empty().boxed(), None).await;
        }
        let operation = place.attempt.operation;
        let mut request = self.numbers.send_request(operation, self.delegation, parts, Some(&task));
        if self.flaws.has(Planted::ResumesByContext)
            && let Some(message) = request["message"].as_object_mut()
        {
            message.shift_remove("taskId");
        }
        match self.begin(place.endpoint(), operation, request).await {
            // Some peers go on under a new task: nobody will come back to the old one.
            Ok((Event::Task(new), events)) if new.id != task.id => {
                follow::cancel(self.transport, place.endpoint(), &task.id).await;
                self.finish(&place, Fold::new(self.flaws), Some(Event::Task(new)), events, None).await
            }
            Ok((first, events)) => {
                let fold = Fold::continuing(task, self.flaws);
                self.finish(&place, fold, Some(first), events, None).await
            }
            Err(error) if error.is_unknown_task() && !self.flaws.has(Planted::NoResumeFallback) => {
                let parts: Vec<Value> = self.delegation.message.parts.iter().chain(parts).cloned().collect();
                let request = self.numbers.send_request(operation, self.delegation, &parts, None);
                match self.begin(place.endpoint(), operation, request).await {
                    Ok((first, events)) => self.finish(&place, Fold::new(self.flaws), Some(first), events, None).await,
                    Err(error) => self.failed(&place, &error),
                }
            }
            // The task has ended meanwhile: how, its snapshot tells.
            Err(CallError::OperationRefused { kind: Some(ErrorKind::UnsupportedOperation), .. }) => {
                let fold = Fold::continuing(task, self.flaws);
                self.finish(&place, fold, None, stream::empty().boxed(), None).await
            }
            Err(error) => self.failed(&place, &error),
        }
    }

    async fn at_peer(&mut self, peer: &PeerAddress) -> Result<Turn, Refusal> {
        if let Some(blocked) = self.session.blocked.get(&peer.name) {
            return Err(blocked.clone());
        }
        let card = discover::card(self.transport, self.session, peer, self.flaws).await?;
        if self.flaws.has(Planted::RefuseEverything) {
            return Err(Refusal::new("peer-unavailable", "nothing is ever handed over"));
        }
        let found = (card, self.delegation);
        let card = discover::extended(self.transport, self.session, peer, found, self.flaws).await;
        let attempts = select::attempts(&card, self.delegation, self.flaws)?;
        let access = Access::new(&card, self.delegation, &peer.name, &self.session.tokens, self.flaws)?;
        let mut refusal = Refusal::new("peer-unavailable", "nothing was attempted");
        for mut attempt in attempts {
            let interface = &attempt.endpoint.interface;
            if !access.fits(interface) {
                let detail = format!("the credentials are not meant for {}", interface.url);
                refusal = Refusal::new("auth-unsatisfied", detail).on(interface.binding);
                continue;
            }
            attempt.endpoint.access = Some(Arc::clone(&access));
            match self.hand_over(peer, &card, attempt).await {
                Ok(turn) => return Ok(turn),
                Err(why) => refusal = why,
            }
        }
        Err(refusal)
    }

    /// Makes one attempt.
    ///
    /// # Errors
    /// When the work was not begun and something else may be attempted.
    async fn hand_over(&mut self, peer: &PeerAddress, card: &Arc<Card>, attempt: Attempt) -> Result<Turn, Refusal> {
        let endpoint = &attempt.endpoint;
        let operation = attempt.operation;
        if let Some(known) = self.session.known_refusal(&endpoint.interface, operation) {
            return Err(known.clone());
        }
        if let Some(known) = self.session.known_refusal(&endpoint.interface, REGISTER).filter(|_| attempt.webhook) {
            return Err(known.clone());
        }
        let mut denied = None;
        if attempt.prove_streaming {
            denied = self.prove_streaming(card, endpoint).await?;
        }
        if attempt.prove_push && denied.is_none() {
            denied = self.prove_push(card, endpoint).await?;
        }
        if let Some(denied) = denied {
            let place = Place { peer: peer.name.clone(), card: Arc::clone(card), attempt };
            return Ok(self.failed(&place, &denied));
        }
        let hearing = attempt.webhook.then(|| self.webhook.open());
        let request = self.new_work(operation, hearing.as_ref());
        let mut begun = self.begin_patiently(endpoint, operation, &request).await;
        if self.flaws.has(Planted::VersionLoops) && begun.as_ref().is_err_and(CallError::is_about_version) {
            begun = self.begin(endpoint, operation, request).await;
        }
        if self.flaws.has(Planted::RetryOnMismatch) && begun.as_ref().is_err_and(CallError::leaves_work_undone) {
            let request = self.new_work(operation, hearing.as_ref());
            begun = self.begin(endpoint, operation, request).await;
        }
        let place = Arc::new(Place { peer: peer.name.clone(), card: Arc::clone(card), attempt });
        match begun {
            Ok((first, events)) => {
                let turn = self.finish(&place, Fold::new(self.flaws), Some(first), events, hearing).await;
                if self.flaws.has(Planted::DispatchesTwice) && turn.outcome.status.is_success() {
                    self.send_again(&place).await;
                }
                Ok(turn)
            }
            Err(error) if error.leaves_work_undone() || self.walks_on(&error) => {
                // Refused for its webhook alone, the same may be sent without one.
                let refused = if hearing.is_some() && error.is_about_push() { REGISTER } else { operation };
                Err(self.learn(card, place.endpoint(), refused, &error))
            }
            Err(error) => Ok(self.failed(&place, &error)),
        }
    }

    /// Sends the same work once more and follows it to its end; only a flaw does.
    async fn send_again(&mut self, place: &Arc<Place>) {
        let operation = place.attempt.operation;
        let request = self.new_work(operation, None);
        if let Ok((first, events)) = self.begin(place.endpoint(), operation, request).await {
            let _second = self.finish(place, Fold::new(self.flaws), Some(first), events, None).await;
        }
    }

    pub(crate) fn new_work(&mut self, operation: Operation, hearing: Option<&Hearing>) -> Value {
        let mut request = self.numbers.send_request(operation, self.delegation, &self.delegation.message.parts, None);
        if let Some(context) = self.session.last_context.as_ref().filter(|_| self.flaws.has(Planted::ContextMixedUp)) {
            request["message"]["contextId"] = json!(context);
        }
        // Registered with the work and not after it, so that nothing is said before anybody hears it.
        if let Some(hearing) = hearing {
            request["configuration"]["taskPushNotificationConfig"] = hearing.config();
        }
        request
    }

    /// Whether another interface is tried after a denied call; only a flaw does.
    fn walks_on(&self, error: &CallError) -> bool {
        self.flaws.has(Planted::FallbackOnDenial) && error.is_denied()
    }

    /// Makes sure that an interface streams, once a session. Gives the denial where it cannot be tried: other interfaces
    /// would deny as well.
    async fn prove_streaming(&mut self, card: &Card, endpoint: &Endpoint) -> Result<Option<CallError>, Refusal> {
        let interface = &endpoint.interface;
        if self.session.streams(interface) {
            return Ok(None);
        }
        if let Some(known) = self.session.known_refusal(interface, Operation::SendStreamingMessage) {
            return Err(known.clone());
        }
        let mut tries = if self.flaws.has(Planted::RetryOnMismatch) { 2 } else { 1 };
        loop {
            let probe = probe::Probe { transport: self.transport, to: endpoint, card, delegation: self.delegation };
            match probe.streaming(self.numbers, self.patience, self.flaws).await {
                Ok(()) => break,
                Err(error) if error.is_denied() && !self.walks_on(&error) => return Ok(Some(error)),
                Err(error) if tries == 1 => {
                    return Err(self.learn(card, endpoint, Operation::SendStreamingMessage, &error));
                }
                Err(_) => tries -= 1,
            }
        }
        self.session.keep_streams(interface);
        if card.capabilities.streaming != Some(true) {
            self.warn(format!("{} streams although the card does not declare it", interface.url));
        }
        Ok(None)
    }

    /// Makes sure that an interface registers webhooks, once a session. Gives the denial where it cannot be tried.
    async fn prove_push(&mut self, card: &Card, endpoint: &Endpoint) -> Result<Option<CallError>, Refusal> {
        if self.session.pushes(&endpoint.interface) {
            return Ok(None);
        }
        let probe = probe::Probe { transport: self.transport, to: endpoint, card, delegation: self.delegation };
        match probe.push(self.numbers, self.webhook, self.flaws).await {
            Ok(()) => self.session.keep_pushes(&endpoint.interface),
            Err((_, error)) if error.is_denied() && !self.walks_on(&error) => return Ok(Some(error)),
            Err((operation, error)) => return Err(self.learn(card, endpoint, operation, &error)),
        }
        Ok(None)
    }

    /// Remembers what cannot be had, and says so where the card promised it.
    fn learn(&mut self, card: &Card, endpoint: &Endpoint, operation: Operation, error: &CallError) -> Refusal {
        let refusal = Refusal::of_call(&endpoint.interface, operation, error);
        if error.leaves_work_undone() {
            self.session.learn(&endpoint.interface, operation, error, &refusal);
        }
        let declared = match refusal.capability {
            Some("streaming") => card.capabilities.streaming,
            Some("push") => card.capabilities.push_notifications,
            _ => None,
        };
        if let (Some(true), Some(capability)) = (declared, refusal.capability) {
            self.warn(format!("{} declares {capability} and refuses {operation}", endpoint.interface.url));
        }
        refusal
    }

    fn warn(&mut self, detail: String) {
        if !self.flaws.has(Planted::SilentDiscrepancy) {
            self.warnings.push(outcome::discrepancy(detail));
        }
    }

    /// Begins, and comes back a few times to a peer that is busy and says when it will not be. It is the same message,
    /// so that a peer which took it after all can tell.
    async fn begin_patiently(
        &self,
        endpoint: &Endpoint,
        operation: Operation,
        request: &Value,
    ) -> Result<(Event, Events), CallError> {
        let mut begun = self.begin(endpoint, operation, request.clone()).await;
        for _ in 1..TRIES {
            let Err(CallError::Busy { retry_after, .. }) = &begun else { break };
            let early = self.flaws.has(Planted::RetriesAtOnce);
            sleep(if early { Duration::ZERO } else { *retry_after }).await;
            begun = self.begin(endpoint, operation, request.clone()).await;
        }
        begun
    }

    /// Reads the first thing that is said to a message.
    fn read_first(&self, json: &Value) -> Result<Event, CallError> {
        match Event::read(json) {
            Err(CallError::Invalid(_)) if self.flaws.has(Planted::AcceptsInvalid) => {
                Ok(Event::Message(v1::Message::default()))
            }
            read => read,
        }
    }

    /// Sends a message and waits for the first thing that is said to it. Refusals of a stream may come as its first
    /// item, so only then is it known whether the work was accepted.
    pub(crate) async fn begin(
        &self,
        endpoint: &Endpoint,
        operation: Operation,
        request: Value,
    ) -> Result<(Event, Events), CallError> {
        if !operation.is_streaming() {
            let answer = self.transport.call(endpoint, operation, request).await?;
            return Ok((self.read_first(&answer)?, stream::empty().boxed()));
        }
        let mut events = self.transport.open(endpoint, operation, request).await?;
        match events.next().await {
            Some(first) => Ok((self.read_first(&first?)?, events)),
            None => Err(CallError::Invalid("the stream ended before it began".to_owned())),
        }
    }

    /// The turn of work that met an error which no other attempt may follow.
    fn failed(&mut self, place: &Place, error: &CallError) -> Turn {
        let status = match error {
            _ if error.is_denied() => self.status_of_denial(error),
            CallError::A2a { kind: ErrorKind::ContentTypeNotSupported, .. }
                if !self.flaws.has(Planted::ModeErrorAsFailure) =>
            {
                Status::Refused
            }
            _ => Status::Failed,
        };
        let refusal = Refusal::of_call(&place.endpoint().interface, place.attempt.operation, error);
        let outcome = refusal.outcome(&self.delegation.id, status, self.flaws);
        self.end_at(place, outcome)
    }

    /// How a delegation is reported that was denied: a matter of credentials, which is not for the peer's agent to reject.
    pub(crate) fn status_of_denial(&self, error: &CallError) -> Status {
        match error {
            CallError::Forbidden { .. } if self.flaws.has(Planted::ForbiddenIsRejected) => Status::Rejected,
            _ => Status::AuthRequired,
        }
    }

    /// Adds where the work was done and what was learnt there.
    pub(crate) fn end_at(&mut self, place: &Place, mut outcome: Outcome) -> Turn {
        let interface = &place.endpoint().interface;
        outcome.peer = Some(place.peer.clone());
        outcome.binding = Some(place.endpoint().binding);
        if self.session.streams(interface) || self.session.cannot_stream(interface) {
            outcome.effective_capabilities = Some(json!({ "streaming": self.session.streams(interface) }));
        }
        self.end(outcome)
    }

    fn end(&mut self, mut outcome: Outcome) -> Turn {
        outcome.warnings = std::mem::take(&mut self.warnings);
        Turn { outcome, waits: None }
    }
}
