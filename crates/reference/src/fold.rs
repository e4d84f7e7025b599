//! Folding what a peer says about a task into one picture of it.

use gauntlet_wire::protojson::{self, NotProtoJson, Unknown};
use gauntlet_wire::v1::{self, TaskState, stream_response::Payload};
use serde_json::Value;

use crate::flaws::{Flaws, Planted};
use crate::transport::CallError;

/// An item of a stream, or the answer to a message: both have the same form.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Event {
    Task(v1::Task),
    Message(v1::Message),
    Status(v1::TaskStatusUpdateEvent),
    /// With `append` as it was said, which the message type cannot tell from left unsaid.
    Artifact(v1::TaskArtifactUpdateEvent, Option<bool>),
}

impl Event {
    /// The task it is about, where it says so.
    pub(crate) fn task_id(&self) -> Option<&str> {
        let id = match self {
            Self::Task(task) => &task.id,
            Self::Message(message) => &message.task_id,
            Self::Status(update) => &update.task_id,
            Self::Artifact(update, _) => &update.task_id,
        };
        Some(id.as_str()).filter(|id| !id.is_empty())
    }

    /// Whether it tells that a task has ended or waits.
    pub(crate) fn settles(&self) -> bool {
        let status = match self {
            Self::Task(task) => &task.status,
            Self::Status(update) => &update.status,
            Self::Message(_) | Self::Artifact(..) => return false,
        };
        status.as_ref().is_some_and(|status| !matches!(status.state(), TaskState::Submitted | TaskState::Working))
    }

    /// The same as if it were said of that task, with an `append` that was left unsaid taken for false; only flaws take
    /// events so.
    pub(crate) fn claimed_for(self, id: &str) -> Self {
        let task_id = id.to_owned();
        match self {
            Self::Status(update) => Self::Status(v1::TaskStatusUpdateEvent { task_id, ..update }),
            Self::Artifact(update, _) => {
                let append = Some(update.append);
                Self::Artifact(v1::TaskArtifactUpdateEvent { task_id, ..update }, append)
            }
            other => other,
        }
    }

    /// Reads an item; members nobody defined are skipped.
    ///
    /// # Errors
    /// When it is none that the protocol knows, or lacks what the specification requires.
    pub(crate) fn read(json: &Value) -> Result<Self, CallError> {
        let response: v1::StreamResponse = protojson::from_json(json, Unknown::Ignore).map_err(invalid)?;
        match response.payload {
            Some(Payload::Task(task)) => Ok(Self::Task(complete(task, |task| !task.id.is_empty())?)),
            Some(Payload::Message(message)) => Ok(Self::Message(message)),
            Some(Payload::StatusUpdate(update)) => {
                Ok(Self::Status(complete(update, |update| !update.task_id.is_empty() && update.status.is_some())?))
            }
            Some(Payload::ArtifactUpdate(update)) => {
                let append = json.pointer("/artifactUpdate/append").and_then(Value::as_bool);
                Ok(Self::Artifact(complete(update, |update| update.artifact.is_some())?, append))
            }
            None => Err(CallError::Invalid("neither a task nor a message nor an update".to_owned())),
        }
    }
}

/// Reads the answer to GetTask or CancelTask.
///
/// # Errors
/// When it is no task.
pub(crate) fn read_task(json: &Value) -> Result<v1::Task, CallError> {
    complete(protojson::from_json(json, Unknown::Ignore).map_err(invalid)?, |task: &v1::Task| !task.id.is_empty())
}

#[expect(clippy::needless_pass_by_value, reason = "the shape map_err wants")]
fn invalid(error: NotProtoJson) -> CallError {
    CallError::Invalid(error.to_string())
}

fn complete<T>(item: T, is_complete: impl Fn(&T) -> bool) -> Result<T, CallError> {
    if is_complete(&item) { Ok(item) } else { Err(CallError::Invalid("a required member is missing".to_owned())) }
}

/// What is known of a task so far.
#[derive(Debug, Default)]
pub(crate) struct Fold {
    task: Option<v1::Task>,
    message: Option<v1::Message>,
    ambiguous: bool,
    /// The last artifact update: one that comes twice may be meant once.
    latest: Option<v1::TaskArtifactUpdateEvent>,
    flaws: Flaws,
}

impl Fold {
    pub(crate) fn new(flaws: Flaws) -> Self {
        Self { flaws, ..Self::default() }
    }

    /// The picture of a task that is being continued: what it holds already was not seen in full.
    pub(crate) fn continuing(task: v1::Task, flaws: Flaws) -> Self {
        // The state it waited in is over.
        let task = v1::Task { status: None, ..task };
        Self { task: Some(task), ambiguous: true, ..Self::new(flaws) }
    }

    /// Takes the next item. Items about other tasks, and items after the end, change nothing.
    pub(crate) fn take(&mut self, event: Event) {
        if self.is_terminal() && !self.flaws.has(Planted::LastStatusWins) {
            return;
        }
        match event {
            Event::Message(message) => self.message = Some(message),
            Event::Task(snapshot) => self.snapshot(snapshot),
            Event::Status(update) => {
                if let Some(task) = self.own(&update.task_id, &update.context_id) {
                    task.status = update.status;
                }
            }
            Event::Artifact(update, append) => self.artifact(update, append),
        }
    }

    /// Takes a snapshot: it is the peer's own picture. One without artifacts may have left them out.
    pub(crate) fn snapshot(&mut self, snapshot: v1::Task) {
        match &mut self.task {
            Some(task) if task.id != snapshot.id => {}
            Some(task) if snapshot.artifacts.is_empty() => {
                let (artifacts, context_id) =
                    (std::mem::take(&mut task.artifacts), std::mem::take(&mut task.context_id));
                *task = v1::Task { artifacts, context_id, ..snapshot };
            }
            task => {
                // The first context is the task's own, whatever the peer says later.
                let context = task.as_ref().map(|task| task.context_id.clone()).filter(|context| !context.is_empty());
                let context_id = context.unwrap_or(snapshot.context_id);
                *task = Some(v1::Task { context_id, ..snapshot });
                self.ambiguous = false;
            }
        }
    }

    /// Takes the artifacts of a snapshot asked for after the end.
    pub(crate) fn settle_artifacts(&mut self, snapshot: v1::Task) {
        if let Some(task) = self.task.as_mut().filter(|task| task.id == snapshot.id) {
            task.artifacts = snapshot.artifacts;
            self.ambiguous = false;
        }
    }

    fn own(&mut self, id: &str, context: &str) -> Option<&mut v1::Task> {
        let begun = || v1::Task { id: id.to_owned(), context_id: context.to_owned(), ..v1::Task::default() };
        let foreign = self.flaws.has(Planted::TakesForeignEvents);
        Some(self.task.get_or_insert_with(begun)).filter(|task| foreign || task.id == id)
    }

    fn artifact(&mut self, update: v1::TaskArtifactUpdateEvent, append: Option<bool>) {
        let flaws = self.flaws;
        let heedless = flaws.has(Planted::NotificationsAdded);
        let repeated = append == Some(true) && self.latest.as_ref() == Some(&update) && !heedless;
        self.latest = Some(update.clone());
        self.ambiguous |= repeated;
        let Some(task) = self.own(&update.task_id, &update.context_id) else { return };
        let Some(chunk) = update.artifact else { return };
        let known = task.artifacts.iter_mut().find(|artifact| artifact.artifact_id == chunk.artifact_id);
        let guessed = match append {
            None if flaws.has(Planted::GuessAppend) => Some(true),
            None if flaws.has(Planted::GuessReplace) => Some(false),
            said => said,
        };
        match (known, guessed) {
            (Some(artifact), Some(true)) => artifact.parts.extend(chunk.parts),
            (Some(artifact), Some(false)) => *artifact = chunk,
            // Peers disagree on what an absent `append` means: only their snapshot tells.
            (Some(artifact), None) => {
                artifact.parts.extend(chunk.parts);
                self.ambiguous = true;
            }
            (None, _) => {
                task.artifacts.push(chunk);
                self.ambiguous |= append == Some(true);
            }
        }
    }

    fn state(&self) -> TaskState {
        let status = self.task.as_ref().and_then(|task| task.status.as_ref());
        status.map_or(TaskState::Unspecified, v1::TaskStatus::state)
    }

    /// Whether the task has ended.
    pub(crate) fn is_terminal(&self) -> bool {
        use TaskState::{Canceled, Completed, Failed, Rejected};
        matches!(self.state(), Completed | Failed | Canceled | Rejected)
    }

    /// Whether there is nothing more to wait for: a direct answer, an end, or a question.
    pub(crate) fn is_settled(&self) -> bool {
        let waits = matches!(self.state(), TaskState::InputRequired | TaskState::AuthRequired);
        self.message.is_some() || self.is_terminal() || waits
    }

    /// Whether the events do not tell what the artifacts hold.
    pub(crate) fn is_ambiguous(&self) -> bool {
        self.ambiguous
    }

    /// The task, as far as it is known.
    pub(crate) fn task(&self) -> Option<&v1::Task> {
        self.task.as_ref()
    }

    /// The id of a task that has not ended.
    pub(crate) fn open_task(&self) -> Option<&str> {
        self.task.as_ref().filter(|_| !self.is_terminal()).map(|task| task.id.as_str())
    }

    /// The direct answer.
    pub(crate) fn message(&self) -> Option<&v1::Message> {
        self.message.as_ref()
    }
}

#[cfg(test)]
#[path = "fold_tests.rs"]
mod tests;
