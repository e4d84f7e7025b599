//! How the end of a delegation is put into words: typed reasons for refusals, one status for each task state.

use gauntlet_card::{CardProblem, Interface};
use gauntlet_evidence::contract::{Outcome, Reason, Status, Warning};
use gauntlet_wire::v1::{self, TaskState};
use gauntlet_wire::{Binding, ErrorKind, Operation, protojson};

use crate::flaws::{Flaws, Planted};
use crate::transport::CallError;

/// Why work was not handed over, or why it cannot be known what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) code: &'static str,
    pub(crate) layer: Option<&'static str>,
    pub(crate) capability: Option<&'static str>,
    pub(crate) binding: Option<Binding>,
    pub(crate) detail: String,
    pub(crate) transient: bool,
}

impl Refusal {
    pub(crate) fn new(code: &'static str, detail: impl Into<String>) -> Self {
        Self { code, layer: None, capability: None, binding: None, detail: detail.into(), transient: false }
    }

    pub(crate) fn on(self, binding: Option<Binding>) -> Self {
        Self { binding, ..self }
    }

    pub(crate) fn capability(capability: &'static str, binding: Option<Binding>, detail: impl Into<String>) -> Self {
        let refusal = Self::new("capability-mismatch", detail).on(binding);
        Self { layer: Some("capability"), capability: Some(capability), ..refusal }
    }

    pub(crate) fn unreachable_card(detail: impl Into<String>) -> Self {
        Self { transient: true, ..Self::new("card-unreachable", detail) }
    }

    /// What an error says about an operation on an interface.
    pub(crate) fn of_call(interface: &Interface, operation: Operation, error: &CallError) -> Self {
        let detail = format!("{operation} at {}: {error}", interface.url);
        let binding = interface.binding;
        match error {
            // Whatever keeps a webhook from being registered, work that needs one cannot be done.
            CallError::OperationRefused { .. }
            | CallError::Broken(_)
            | CallError::A2a { .. }
            | CallError::Invalid(_)
                if operation == Operation::CreateTaskPushNotificationConfig =>
            {
                Self::capability("push", binding, detail)
            }
            CallError::OperationRefused { .. } if operation.is_streaming() => {
                Self::capability("streaming", binding, detail)
            }
            CallError::OperationRefused { .. } | CallError::InterfaceRefused(_) => {
                Self::new("interface-mismatch", detail).on(binding)
            }
            CallError::Unreachable(_) | CallError::Broken(_) | CallError::Busy { .. } => {
                Self { transient: true, ..Self::new("peer-unavailable", detail).on(binding) }
            }
            CallError::Invalid(_) => {
                Self { layer: Some("traffic"), ..Self::new("invalid-agent-response", detail).on(binding) }
            }
            CallError::A2a { kind: ErrorKind::ContentTypeNotSupported, .. } => {
                Self::new("mode-unsupported", detail).on(binding)
            }
            CallError::A2a { kind: ErrorKind::VersionNotSupported, .. } => {
                Self::new("version-unsupported", detail).on(binding)
            }
            CallError::Unauthenticated(_) | CallError::NoToken(_) => Self::new("unauthenticated", detail).on(binding),
            CallError::Forbidden { .. } => Self::new("forbidden", detail).on(binding),
            CallError::A2a { .. } => Self::new("call-failed", detail).on(binding),
        }
    }

    /// The outcome of a delegation that ends this way.
    pub(crate) fn outcome(self, delegation: &str, status: Status, flaws: Flaws) -> Outcome {
        let mut outcome = Outcome::new(delegation, status);
        outcome.transient = Some(self.transient);
        outcome.reason = Some(Reason {
            code: self.code.to_owned(),
            layer: self.layer.map(str::to_owned),
            capability: self.capability.map(str::to_owned),
            binding: self.binding,
            detail: Some(self.detail),
        });
        if flaws.has(Planted::UntypedRefusal) {
            let detail = Some("something went wrong".to_owned());
            outcome.reason = Some(Reason { code: "error".to_owned(), detail, ..Reason::default() });
        }
        if flaws.has(Planted::ModeErrorAsFailure) && self.code == "mode-unsupported" && status == Status::Failed {
            outcome.reason = Some(Reason { code: "task-failed".to_owned(), ..Reason::default() });
        }
        if flaws.has(Planted::GenericInterfaceError) && self.code == "interface-mismatch" {
            outcome.reason = Some(Reason { code: "mode-unsupported".to_owned(), ..Reason::default() });
        }
        outcome
    }
}

impl From<CardProblem> for Refusal {
    fn from(problem: CardProblem) -> Self {
        Self { layer: Some(problem.layer.word()), ..Self::new("card-illegal", problem.to_string()) }
    }
}

/// A `capability-discrepancy`: the peer does more or less than its card says.
pub(crate) fn discrepancy(detail: impl Into<String>) -> Warning {
    Warning { code: "capability-discrepancy".to_owned(), detail: Some(detail.into()) }
}

/// The outcome of a direct message: a complete answer.
pub(crate) fn of_message(delegation: &str, message: &v1::Message) -> Outcome {
    Outcome { text: Some(text(&message.parts)), ..Outcome::new(delegation, Status::Completed) }
}

/// The outcome of a task that has ended or waits. `artifacts_known` is false where neither the events nor a snapshot
/// tell what the artifacts hold.
pub(crate) fn of_task(delegation: &str, task: &v1::Task, artifacts_known: bool, flaws: Flaws) -> Outcome {
    let state = task.status.as_ref().map_or(TaskState::Unspecified, v1::TaskStatus::state);
    let said = task.status.as_ref().and_then(|status| status.message.as_ref()).map(|message| text(&message.parts));
    let mut outcome = Outcome::new(delegation, status(state, flaws));
    outcome.task_id = Some(task.id.clone());
    if !flaws.has(Planted::DropsHistory) {
        outcome.history = Some(task.history.iter().map(protojson::to_json).collect());
    }
    if artifacts_known {
        outcome.artifacts = Some(task.artifacts.iter().map(protojson::to_json).collect());
    }
    let code = match state {
        TaskState::Completed if artifacts_known => {
            let answer: Vec<_> = task.artifacts.iter().map(|artifact| text(&artifact.parts)).collect();
            outcome.text = if answer.is_empty() { said } else { Some(answer.join("\n")) };
            return outcome;
        }
        TaskState::Completed | TaskState::InputRequired | TaskState::AuthRequired => {
            outcome.text = said;
            return outcome;
        }
        TaskState::Rejected => "task-rejected",
        TaskState::Canceled => "task-canceled",
        _ => "task-failed",
    };
    // The words of a failure explain it; they answer nothing.
    if flaws.has(Planted::FailedTextIsAnswer) {
        return Outcome { status: Status::Completed, text: said, ..outcome };
    }
    let detail = said.or_else(|| last_words(task).filter(|_| !flaws.has(Planted::DropsHistory)));
    outcome.reason = Some(Reason { code: code.to_owned(), detail, ..Reason::default() });
    outcome
}

/// What the agent said last, where its status says nothing: some peers tell why a task failed in its history alone.
fn last_words(task: &v1::Task) -> Option<String> {
    let agents = task.history.iter().rev().filter(|message| message.role() == v1::Role::Agent);
    agents.map(|message| text(&message.parts)).next()
}

fn status(state: TaskState, flaws: Flaws) -> Status {
    match state {
        TaskState::Completed => Status::Completed,
        TaskState::Rejected if flaws.has(Planted::RejectedAsFailed) => Status::Failed,
        TaskState::Rejected => Status::Rejected,
        TaskState::Canceled => Status::Canceled,
        TaskState::InputRequired if flaws.has(Planted::InputRequiredIsCompleted) => Status::Completed,
        TaskState::InputRequired => Status::InputRequired,
        TaskState::AuthRequired if flaws.has(Planted::AuthRequiredIsFailed) => Status::Failed,
        TaskState::AuthRequired => Status::AuthRequired,
        TaskState::Failed | TaskState::Unspecified | TaskState::Submitted | TaskState::Working => Status::Failed,
    }
}

/// The text parts, joined: where one part ends and the next begins means nothing.
fn text(parts: &[v1::Part]) -> String {
    parts
        .iter()
        .filter_map(|part| match &part.content {
            Some(v1::part::Content::Text(text)) => Some(text.as_str()),
            _ => None,
        })
        .collect()
}
