//! How a delegation ended, or that it waits.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Binding;

/// How a delegation ended, or that it waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// The delegation.
    pub id: String,
    /// How it ended.
    pub status: Status,
    /// The answer, or words about the failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The peer that was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer: Option<String>,
    /// The binding that was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binding: Option<Binding>,
    /// The task at the peer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// Why it was refused or failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Whether the orchestrator thinks that trying again would help.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transient: Option<bool>,
    /// Artifacts as ProtoJSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifacts: Option<Vec<Value>>,
    /// Messages as ProtoJSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<Vec<Value>>,
    /// Oddities noticed on the way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// What the orchestrator now believes of the peer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective_capabilities: Option<Value>,
    /// The exception, where the framework raised one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Raised>,
}

impl Outcome {
    /// An outcome with nothing but its status.
    pub fn new(id: impl Into<String>, status: Status) -> Self {
        Self {
            id: id.into(),
            status,
            text: None,
            peer: None,
            binding: None,
            task_id: None,
            reason: None,
            transient: None,
            artifacts: None,
            history: None,
            warnings: Vec::new(),
            effective_capabilities: None,
            error: None,
        }
    }

    /// What a framework that raised an error told its caller: the error's class and its message.
    pub fn raised(id: impl Into<String>, kind: impl Into<String>, message: impl Into<String>) -> Self {
        let error = Raised { kind: kind.into(), message: message.into() };
        Self { error: Some(error), ..Self::new(id, Status::Raised) }
    }
}

/// How a delegation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The peer completed the work.
    Completed,
    /// The orchestrator did not hand the work over.
    Refused,
    /// The work failed.
    Failed,
    /// The peer rejected the work.
    Rejected,
    /// The task was cancelled.
    Canceled,
    /// The task waits for input.
    InputRequired,
    /// The task waits for credentials.
    AuthRequired,
    /// The deadline passed.
    TimedOut,
    /// The framework returned something and hides the state.
    Returned,
    /// The framework raised an error and hides the state.
    Raised,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 10] = [
        Self::Completed,
        Self::Refused,
        Self::Failed,
        Self::Rejected,
        Self::Canceled,
        Self::InputRequired,
        Self::AuthRequired,
        Self::TimedOut,
        Self::Returned,
        Self::Raised,
    ];

    /// The word in an outcome.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::Rejected => "rejected",
            Self::Canceled => "canceled",
            Self::InputRequired => "input-required",
            Self::AuthRequired => "auth-required",
            Self::TimedOut => "timed-out",
            Self::Returned => "returned",
            Self::Raised => "raised",
        }
    }

    /// Whether the caller was told that it has an answer.
    pub const fn is_success(self) -> bool {
        matches!(self, Self::Completed | Self::Returned)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// A typed reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Reason {
    /// Such as `capability-mismatch`, `mode-unsupported`, `interface-mismatch`, `no-shared-interface`.
    pub code: String,
    /// The layer that failed: parse, schema, spec, capability or traffic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// Such as `streaming`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capability: Option<String>,
    /// The binding it was wanted on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<Binding>,
    /// For people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// An oddity noticed on the way.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Warning {
    /// Such as `capability-discrepancy`.
    pub code: String,
    /// For people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// An exception.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Raised {
    /// Its class.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its message.
    pub message: String,
}
