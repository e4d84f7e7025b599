//! The contract every orchestrator is driven through.

use async_trait::async_trait;
use gauntlet_evidence::contract::{Continue, Delegation, Hello, Outcome};

/// An orchestrator under test, whatever connects it. One instance serves one scenario at a time.
#[async_trait]
pub trait Orchestrator: Send {
    /// Who it is. Asked once, before anything else.
    ///
    /// # Errors
    /// When it cannot be started or does not keep to the contract.
    async fn hello(&mut self) -> Result<Hello, DriverError>;

    /// Hands work over and waits for the outcome, at most until the delegation's deadline and a grace time; at the
    /// deadline it is asked to cancel.
    ///
    /// # Errors
    /// When the driver does not keep to the contract; the orchestrator's own failures are outcomes.
    async fn delegate(&mut self, delegation: &Delegation) -> Result<Outcome, DriverError>;

    /// Answers a delegation that waits, and waits for its next outcome.
    ///
    /// # Errors
    /// As [`Orchestrator::delegate`].
    async fn proceed(&mut self, answer: &Continue) -> Result<Outcome, DriverError>;

    /// Makes it forget a session, or replaces it by a fresh one.
    ///
    /// # Errors
    /// When it can be neither reset nor replaced.
    async fn reset(&mut self, session: &str) -> Result<(), DriverError>;

    /// What it wrote to stderr and what it printed besides the protocol since the last call, bounded.
    fn take_log(&mut self) -> String;

    /// Ends it and everything it started.
    async fn shutdown(&mut self);
}

/// Makes orchestrators: one for each worker.
#[async_trait]
pub trait OrchestratorFactory: Send + Sync {
    /// A fresh one.
    ///
    /// # Errors
    /// When it cannot be started.
    async fn create(&self) -> Result<Box<dyn Orchestrator>, DriverError>;
}

/// How a driver broke the contract.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DriverError {
    /// It could not be started.
    #[error("the driver could not be started: {0}")]
    NotStarted(String),
    /// It ended without an outcome.
    #[error("the driver ended ({status}) without an outcome for {delegation}")]
    Died {
        /// The delegation it owed.
        delegation: String,
        /// How the process ended.
        status: String,
    },
    /// It gave no outcome in time.
    #[error("the driver gave no outcome for {delegation} within {waited_ms} ms; it was ended")]
    Hung {
        /// The delegation it owed.
        delegation: String,
        /// Deadline and grace together.
        waited_ms: u64,
    },
    /// A line says it is a protocol object and is not.
    #[error("the driver printed a malformed message: {detail}: {line}")]
    Malformed {
        /// The line, shortened.
        line: String,
        /// What is wrong with it.
        detail: String,
    },
    /// It answered more than once.
    #[error("the driver gave a second outcome for {delegation}")]
    Twice {
        /// The delegation.
        delegation: String,
    },
    /// It printed more than is taken.
    #[error("the driver printed more than {limit} bytes without an outcome; it was ended")]
    Flooded {
        /// The limit.
        limit: usize,
    },
    /// It cannot do what was asked of it.
    #[error("{0}")]
    Unsupported(String),
}
