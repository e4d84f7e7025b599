//! One task: the truth about it, everything that was said about it, and how far its script has come.

use std::sync::Arc;

use gauntlet_evidence::Stamp;
use gauntlet_faults::{EventView, Fold, Stage};
use gauntlet_scenario::Step;
use gauntlet_wire::v1::{self, TaskState, stream_response::Payload};
use tokio::sync::watch;

use super::push::Registration;
use super::{Agent, Origin, Snapshot};
use crate::stamps;

/// Where a task stands in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    Running,
    /// INPUT_REQUIRED or AUTH_REQUIRED.
    Interrupted,
    /// A terminal state.
    Ended,
}

impl Phase {
    pub(crate) fn of(state: TaskState) -> Self {
        match state {
            TaskState::Completed | TaskState::Failed | TaskState::Canceled | TaskState::Rejected => Self::Ended,
            TaskState::InputRequired | TaskState::AuthRequired => Self::Interrupted,
            TaskState::Unspecified | TaskState::Submitted | TaskState::Working => Self::Running,
        }
    }
}

/// An event as subscribers are told of it.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) item: v1::StreamResponse,
    pub(crate) stamps: Vec<Stamp>,
    /// Where the task truly stood after it.
    pub(crate) phase: Phase,
    /// The whole task after it, where faults of notifications want to see it.
    pub(crate) task: Option<Box<v1::Task>>,
}

/// What the script of a task waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Waits {
    Nothing,
    Answer,
    Clock,
    Cancel,
}

#[derive(Debug)]
pub(super) struct TaskRecord {
    pub(super) task: v1::Task,
    pub(super) origin: Origin,
    /// Every subscriber reads this from where it joined, so all see the same events in the same order. What nobody
    /// followed is not in it.
    pub(super) log: Vec<Arc<Said>>,
    /// Tells subscribers that the log grew; unset until there has been one.
    grew: Option<watch::Sender<()>>,
    pub(super) steps: Arc<[Step]>,
    pub(super) next: usize,
    /// How often other steps took the place of what was left: what a timer was set for may be gone.
    rewritten: u32,
    pub(super) waits: Waits,
    /// How many messages the user has sent.
    turn: u32,
    /// In order of creation.
    pub(super) webhooks: Vec<Registration>,
    /// Stamps of faults that changed what the peer holds.
    held_stamps: Vec<Stamp>,
    /// The stamp of the fault that has the agent do something else: all that is told of the task is its doing.
    instead: Option<Stamp>,
    /// Events that are told after the next one.
    later: Vec<(v1::StreamResponse, Vec<Stamp>)>,
}

impl TaskRecord {
    pub(super) fn begin(agent: &Agent, mut message: v1::Message, steps: Arc<[Step]>, origin: Origin) -> Self {
        let id = agent.ids.next("task");
        if message.context_id.is_empty() {
            message.context_id = agent.ids.next("context");
        }
        message.task_id.clone_from(&id);
        let status = v1::TaskStatus {
            state: TaskState::Submitted.into(),
            message: None,
            timestamp: Some(agent.clock.timestamp()),
        };
        let instead = origin.instead.as_ref().map(|(_, stamp)| stamp.clone());
        let task = v1::Task {
            id,
            context_id: message.context_id.clone(),
            status: Some(status),
            history: vec![message],
            ..v1::Task::default()
        };
        Self {
            task,
            origin,
            log: Vec::new(),
            grew: None,
            steps,
            next: 0,
            rewritten: 0,
            waits: Waits::Nothing,
            turn: 1,
            webhooks: Vec::new(),
            held_stamps: Vec::new(),
            instead,
            later: Vec::new(),
        }
    }

    pub(super) fn id(&self) -> &str {
        &self.task.id
    }

    /// Where in the log somebody joins who joins now, and what tells him that it grew.
    pub(super) fn join(&mut self) -> (usize, watch::Receiver<()>) {
        (self.log.len(), self.grew.get_or_insert_default().subscribe())
    }

    pub(super) fn state(&self) -> TaskState {
        self.task.status.as_ref().map_or(TaskState::Unspecified, v1::TaskStatus::state)
    }

    pub(super) fn phase(&self) -> Phase {
        Phase::of(self.state())
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot { task: self.task.clone(), stamps: self.held_stamps.iter().chain(&self.instead).cloned().collect() }
    }

    /// A fault has the agent do something else from here on, or nothing changes.
    pub(super) fn doing(&mut self, instead: Option<&Stamp>) {
        self.instead = instead.cloned().or_else(|| self.instead.take());
    }

    pub(super) const fn turn(&self) -> u32 {
        self.turn
    }

    /// A message of the user to a task that has not ended. One that waited for it works again. With `steps`, they take
    /// the place of what was left of the script.
    pub(super) fn take_message(&mut self, agent: &Agent, message: v1::Message, steps: Option<Arc<[Step]>>) {
        let answers = self.waits == Waits::Answer;
        let rewritten = steps.is_some();
        if let Some(steps) = steps {
            self.steps = steps;
            self.next = 0;
            self.rewritten += 1;
        }
        if answers || rewritten {
            self.waits = Waits::Nothing;
        }
        if answers {
            self.tell_status(agent, TaskState::Working, None);
            // The script may say the same as its next step; said once is enough.
            if matches!(self.steps.get(self.next), Some(Step::Working(None))) {
                self.next += 1;
            }
        }
        self.keep(message);
    }

    /// Keeps a message of the user.
    pub(super) fn keep(&mut self, mut message: v1::Message) {
        message.context_id.clone_from(&self.task.context_id);
        self.task.history.push(message);
        self.turn += 1;
    }

    pub(super) const fn rewritten(&self) -> u32 {
        self.rewritten
    }

    /// The clock has come to where a script waited for it that had been rewritten so often; whether it still does.
    pub(super) fn wake(&mut self, rewritten: u32) -> bool {
        let due = self.waits == Waits::Clock && self.rewritten == rewritten;
        if due {
            self.waits = Waits::Nothing;
        }
        due
    }

    /// Tells a terminal state; nothing of the script is left.
    pub(super) fn end(&mut self, agent: &Agent, state: TaskState, words: Option<&str>) {
        self.next = self.steps.len();
        self.waits = Waits::Nothing;
        self.tell_status(agent, state, words);
    }

    pub(super) fn tell_status(&mut self, agent: &Agent, state: TaskState, words: Option<&str>) {
        let status = v1::TaskStatus {
            state: state.into(),
            message: words.map(|words| agent.say(words, self.task.context_id.clone(), self.task.id.clone())),
            timestamp: Some(agent.clock.timestamp()),
        };
        let update = v1::TaskStatusUpdateEvent {
            task_id: self.task.id.clone(),
            context_id: self.task.context_id.clone(),
            status: Some(status),
            metadata: None,
        };
        self.tell(agent, Payload::StatusUpdate(update));
    }

    pub(super) fn tell_artifact(&mut self, agent: &Agent, artifact: v1::Artifact, append: bool, last_chunk: bool) {
        let update = v1::TaskArtifactUpdateEvent {
            task_id: self.task.id.clone(),
            context_id: self.task.context_id.clone(),
            artifact: Some(artifact),
            append,
            last_chunk,
            metadata: None,
        };
        self.tell(agent, Payload::ArtifactUpdate(update));
    }

    fn tell(&mut self, agent: &Agent, payload: Payload) {
        let event = v1::StreamResponse { payload: Some(payload) };
        // Who joins later hears what comes then; a log that nobody follows would only take room.
        let followed = self.grew.as_ref().is_some_and(|grew| grew.receiver_count() > 0);
        if !followed && !agent.faults.hooks(Stage::EngineEvent) {
            fold(&mut self.task, event, None);
            return;
        }
        let (mut said, mut held) = (event.clone(), None);
        let index = u32::try_from(self.log.len()).unwrap_or(u32::MAX);
        let outcome = agent.faults.event(&mut EventView { said: &mut said, held: &mut held, index });
        let stamps = stamps::of(outcome.changed);
        if held.is_some() {
            let held = stamps.iter().map(|stamp| Stamp { pointers: vec!["/artifacts".to_owned()], ..stamp.clone() });
            self.held_stamps = held.collect();
        }
        let before = self.phase();
        fold(&mut self.task, event, held);
        let after = self.phase();
        let task = agent.faults.hooks(Stage::WebhookEncoded).then(|| Box::new(self.task.clone()));
        let mut telling = Vec::new();
        match outcome.later {
            Some(bite) if before == after => self.later.push((said, vec![stamps::one(bite)])),
            _ => {
                let later = std::mem::take(&mut self.later);
                // What is told ahead of its time is out of place as much as what comes behind it.
                let ahead = later.iter().flat_map(|(_, stamps)| stamps.clone());
                telling.push((said, stamps.into_iter().chain(ahead).collect()));
                telling.extend(later);
            }
        }
        telling.extend(outcome.also.into_iter().map(|(event, bite)| (event, vec![stamps::one(bite)])));
        // Only with the last of them has all been said that a subscriber waits for.
        let last = telling.len().saturating_sub(1);
        for (nth, (item, mut stamps)) in telling.into_iter().enumerate() {
            stamps.extend(self.instead.clone());
            let phase = if nth == last { after } else { before };
            self.log.push(Arc::new(Said { item, stamps, phase, task: task.clone() }));
        }
        if let Some(grew) = &self.grew {
            grew.send_replace(());
        }
    }
}

/// What an event makes of a task. A status message moves to the history when the next status comes.
pub(super) fn fold(task: &mut v1::Task, event: v1::StreamResponse, held: Option<Fold>) {
    match event.payload {
        Some(Payload::StatusUpdate(update)) => {
            let before = std::mem::replace(&mut task.status, update.status);
            task.history.extend(before.and_then(|status| status.message));
        }
        Some(Payload::ArtifactUpdate(update)) => {
            let Some(artifact) = update.artifact else { return };
            let how = held.unwrap_or(if update.append { Fold::Append } else { Fold::Replace });
            let there = task.artifacts.iter_mut().find(|there| there.artifact_id == artifact.artifact_id);
            match (there, how) {
                (Some(there), Fold::Append) => there.parts.extend(artifact.parts),
                (Some(there), Fold::Replace) => *there = artifact,
                (None, _) => task.artifacts.push(artifact),
            }
        }
        Some(Payload::Task(whole)) => *task = whole,
        Some(Payload::Message(_)) | None => {}
    }
}
