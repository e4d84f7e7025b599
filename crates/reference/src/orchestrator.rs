//! The reference as the suite drives it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use gauntlet_driver::{DriverError, Orchestrator, OrchestratorFactory};
use gauntlet_evidence::contract;
use gauntlet_evidence::contract::{Continue, Delegation, Hello, Outcome, PROTOCOL, PartKind, Speaks, Status, Support};
use gauntlet_wire::{Binding, ProtocolVersion};
use serde_json::Value;
use tokio::time::{Instant, timeout, timeout_at};

use crate::dispatch::{Handle, Turn, Work};
use crate::flaws::{Flaw, Flaws, Planted};
use crate::follow;
use crate::memory::Session;
use crate::message::Numbers;
use crate::outcome::Refusal;
use crate::transport::Transport;
use crate::webhook::Webhook;

/// How long the answer to a cancel is waited for.
const CANCELLING: Duration = Duration::from_secs(2);

/// What of a delegation is honoured.
const SUPPORTS: [Support; 21] = [
    Support::Streaming,
    Support::Push,
    Support::MultiTurn,
    Support::Cancel,
    Support::Reset,
    Support::OAuth2,
    Support::Bearer,
    Support::ApiKey,
    Support::Basic,
    Support::Probe,
    Support::Reasons,
    Support::Artifacts,
    Support::History,
    Support::MultiPeer,
    Support::Skill,
    Support::Needs,
    Support::Policy,
    Support::Modes,
    Support::Deadline,
    Support::CrossOrigin,
    Support::ExtendedCard,
];

/// Makes reference orchestrators, all with the same flaw or none.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReferenceFactory {
    flaw: Option<&'static Flaw>,
}

impl ReferenceFactory {
    /// Plants a flaw, or none.
    pub const fn new(flaw: Option<&'static Flaw>) -> Self {
        Self { flaw }
    }
}

#[async_trait]
impl OrchestratorFactory for ReferenceFactory {
    async fn create(&self) -> Result<Box<dyn Orchestrator>, DriverError> {
        let flaws = Flaws::of(self.flaw);
        let transport = Transport::new(flaws).map_err(|error| DriverError::NotStarted(error.to_string()))?;
        let webhook = Webhook::start(flaws).await.map_err(|error| DriverError::NotStarted(error.to_string()))?;
        Ok(Box::new(Reference {
            transport,
            webhook,
            sessions: HashMap::new(),
            waiting: HashMap::new(),
            numbers: Numbers::new(flaws),
            flaws,
        }))
    }
}

/// The orchestrator. It starts nothing that outlives a call, apart from idle connections and the webhook.
struct Reference {
    transport: Transport,
    /// Ends with the orchestrator.
    webhook: Webhook,
    sessions: HashMap<String, Session>,
    /// Delegations whose task waits for an answer.
    waiting: HashMap<String, (Arc<Delegation>, Handle)>,
    numbers: Numbers,
    flaws: Flaws,
}

#[async_trait]
impl Orchestrator for Reference {
    async fn hello(&mut self) -> Result<Hello, DriverError> {
        Ok(Hello {
            protocol: PROTOCOL,
            name: "reference".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            speaks: Speaks { bindings: Binding::ALL.to_vec(), versions: vec![ProtocolVersion::V1_0.to_string()] },
            concurrency: 1,
            part_kinds: [PartKind::Text, PartKind::Data, PartKind::File].into(),
            webhook: Some(contract::Webhook { url: self.webhook.url.clone() }),
            supports: SUPPORTS.iter().map(|support| support.word().to_owned()).collect(),
        })
    }

    async fn delegate(&mut self, delegation: &Delegation) -> Result<Outcome, DriverError> {
        Ok(self.turn(&Arc::new(delegation.clone()), None).await)
    }

    async fn proceed(&mut self, answer: &Continue) -> Result<Outcome, DriverError> {
        let nothing = || DriverError::Unsupported(format!("the delegation {} does not wait for an answer", answer.id));
        let (delegation, handle) = self.waiting.remove(&answer.id).ok_or_else(nothing)?;
        Ok(self.turn(&delegation, Some((handle, &answer.parts))).await)
    }

    async fn reset(&mut self, session: &str) -> Result<(), DriverError> {
        self.sessions.remove(session);
        self.waiting.retain(|_, (delegation, _)| delegation.session != session);
        self.webhook.tidy();
        Ok(())
    }

    fn take_log(&mut self) -> String {
        String::new()
    }

    async fn shutdown(&mut self) {
        self.sessions.clear();
        self.waiting.clear();
        self.transport.close();
    }
}

impl Reference {
    /// Works on a delegation until it ends, waits or takes too long. The last fifth of the deadline is kept for giving
    /// up in good order.
    async fn turn(&mut self, delegation: &Arc<Delegation>, answer: Option<(Handle, &[Value])>) -> Outcome {
        let began = Instant::now();
        let deadline = Duration::from_millis(delegation.deadline_ms);
        let flaws = self.flaws;
        let session = self.sessions.entry(delegation.session.clone()).or_insert_with(|| Session::new(flaws));
        let mut open = answer.as_ref().map(|(handle, _)| handle.clone());
        let mut work = Work {
            delegation,
            transport: &self.transport,
            webhook: &self.webhook,
            session,
            numbers: &mut self.numbers,
            open: &mut open,
            patience: deadline / 8,
            warnings: Vec::new(),
            flaws,
        };
        let at_work = async {
            match answer {
                Some((handle, parts)) => work.answer(handle, parts).await,
                None => work.run().await,
            }
        };
        match timeout_at(began + deadline * 4 / 5, at_work).await {
            Ok(Turn { outcome, waits }) => {
                if let Some(handle) = waits {
                    self.waiting.insert(delegation.id.clone(), (Arc::clone(delegation), handle));
                }
                outcome
            }
            Err(_) => self.give_up(delegation, open).await,
        }
    }

    /// Cancels what is still open and says that time is up.
    async fn give_up(&self, delegation: &Delegation, open: Option<Handle>) -> Outcome {
        let detail = format!("nothing came of it within {} ms", delegation.deadline_ms);
        let refusal = Refusal { transient: true, ..Refusal::new("deadline", detail) };
        let mut outcome = refusal.outcome(&delegation.id, Status::TimedOut, self.flaws);
        let Some(Handle { place, task, .. }) = open else { return outcome };
        if !self.flaws.has(Planted::NoCancelAtDeadline) {
            // Whatever the answer: the peer was asked. An outcome a little late is better than a task left running.
            let _answered = timeout(CANCELLING, follow::cancel(&self.transport, place.endpoint(), &task.id)).await;
        }
        outcome.peer = Some(place.peer.clone());
        outcome.binding = Some(place.endpoint().binding);
        outcome.task_id = Some(task.id);
        outcome
    }
}

#[cfg(test)]
#[path = "orchestrator_tests.rs"]
mod tests;
