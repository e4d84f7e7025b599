//! An orchestrator as a function, for Rust code that puts its own client to the test.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use gauntlet_evidence::Binding;
use gauntlet_evidence::contract::{Continue, Delegation, Hello, Outcome, Status, Support};
use tokio::task::JoinSet;

use crate::{DriverError, Orchestrator, OrchestratorFactory};

/// Hands each delegation to a function and takes what it gives for the outcome. What it does not support is skipped;
/// whoever wants to take part in more turns than one implements [`Orchestrator`].
pub struct InProcess<F> {
    hello: Hello,
    delegate: Arc<F>,
}

impl<F, Fut> InProcess<F>
where
    F: Fn(Delegation) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Outcome> + Send + 'static,
{
    /// Without more, it speaks JSON-RPC and sends text. At its deadline a delegation is dropped and counts as timed out.
    pub fn new(name: impl Into<String>, delegate: F) -> Self {
        Self { hello: Hello { name: name.into(), ..Hello::default() }, delegate: Arc::new(delegate) }
    }

    /// The bindings it speaks.
    #[must_use]
    pub fn speaks(mut self, bindings: impl IntoIterator<Item = Binding>) -> Self {
        self.hello.speaks.bindings = bindings.into_iter().collect();
        self
    }

    /// What of a delegation it honours. Scenarios that need more are skipped.
    #[must_use]
    pub fn supports(mut self, supports: impl IntoIterator<Item = Support>) -> Self {
        self.hello.supports = supports.into_iter().map(|support| support.word().to_owned()).collect();
        self
    }
}

impl<F> Clone for InProcess<F> {
    fn clone(&self) -> Self {
        Self { hello: self.hello.clone(), delegate: Arc::clone(&self.delegate) }
    }
}

#[async_trait]
impl<F, Fut> OrchestratorFactory for InProcess<F>
where
    F: Fn(Delegation) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Outcome> + Send + 'static,
{
    async fn create(&self) -> Result<Box<dyn Orchestrator>, DriverError> {
        Ok(Box::new(self.clone()))
    }
}

#[async_trait]
impl<F, Fut> Orchestrator for InProcess<F>
where
    F: Fn(Delegation) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Outcome> + Send + 'static,
{
    async fn hello(&mut self) -> Result<Hello, DriverError> {
        Ok(self.hello.clone())
    }

    async fn delegate(&mut self, delegation: &Delegation) -> Result<Outcome, DriverError> {
        let id = delegation.id.clone();
        // A task of its own, so that a panic is told and not passed on; dropped with us.
        let mut running = JoinSet::new();
        running.spawn((self.delegate)(delegation.clone()));
        match tokio::time::timeout(Duration::from_millis(delegation.deadline_ms), running.join_next()).await {
            Err(_) | Ok(None) => Ok(Outcome::new(id, Status::TimedOut)),
            Ok(Some(Ok(outcome))) => Ok(outcome),
            Ok(Some(Err(error))) => Err(DriverError::Died { delegation: id, status: error.to_string() }),
        }
    }

    async fn proceed(&mut self, answer: &Continue) -> Result<Outcome, DriverError> {
        Err(DriverError::Unsupported(format!("{}: a function takes one turn alone", answer.id)))
    }

    async fn reset(&mut self, _session: &str) -> Result<(), DriverError> {
        Ok(())
    }

    fn take_log(&mut self) -> String {
        String::new()
    }

    async fn shutdown(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delegation(deadline_ms: u64) -> Delegation {
        let delegation = serde_json::json!({
            "id": "d-1", "session": "s", "marker": "m", "peers": [], "message": {"parts": []}, "deadlineMs": deadline_ms,
        });
        serde_json::from_value(delegation).expect("a delegation")
    }

    #[tokio::test(start_paused = true)]
    async fn a_function_completes_panics_or_is_given_up() {
        let orchestrator = InProcess::new("mine", async |work: Delegation| match work.deadline_ms {
            1 => std::future::pending().await,
            2 => panic!("over"),
            _ => Outcome::new(work.id, Status::Completed),
        });
        let mut orchestrator = orchestrator.create().await.expect("it is there");
        assert_eq!(orchestrator.hello().await.expect("a hello").name, "mine");
        assert_eq!(orchestrator.delegate(&delegation(9)).await.expect("an outcome").status, Status::Completed);
        assert_eq!(orchestrator.delegate(&delegation(1)).await.expect("an outcome").status, Status::TimedOut);
        let died = orchestrator.delegate(&delegation(2)).await.expect_err("it panicked");
        assert!(matches!(&died, DriverError::Died { status, .. } if status.contains("over")), "{died}");
    }
}
