//! The protocol-independent task engine: what a correct agent does with messages, whatever binding brings them.
//!
//! Behaviour scripts run inside the call that sets them going, up to the first step that waits, so a healthy exchange
//! needs neither a task of its own nor a wake-up. Only a `wait` step on a real clock and a webhook spawn, and the engine
//! owns those tasks. There is one lock, held for a step at most and never over an await.
//!
//! The engine keeps the truth. What it tells its subscribers goes through the faults first, so that the two may differ
//! on purpose.

mod errands;
mod list;
mod push;
mod script;
mod subscription;
mod task;
mod tasks;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard};

use gauntlet_evidence::{HeldTask, Stamp};
use gauntlet_faults::FaultSet;
use gauntlet_scenario::{Behaviour, Step};
use gauntlet_wire::{A2aError, ErrorKind, protojson, v1};
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::ids::Ids;
use crate::lock::lock;
use crate::webhook::{self, Courier};
use errands::Errands;
pub(crate) use subscription::{Next, Subscription};
use task::TaskRecord;
pub(crate) use task::{Phase, Said};
use tasks::Tasks;

/// The agent of one peer and everything it remembers.
pub(crate) struct Engine {
    agent: Agent,
    courier: Courier,
    tasks: Mutex<Tasks>,
    errands: Mutex<Errands>,
    stopping: CancellationToken,
}

/// What does not change while the engine runs.
pub(crate) struct Agent {
    pub(crate) behaviour: Behaviour,
    pub(crate) abilities: Abilities,
    pub(crate) ids: Ids,
    pub(crate) clock: Clock,
    pub(crate) faults: Arc<FaultSet>,
}

/// What the agent can do, whatever its card says.
#[derive(Debug, Clone)]
pub(crate) struct Abilities {
    pub(crate) streaming: bool,
    pub(crate) push: bool,
    pub(crate) extended_card: bool,
    /// Media types it takes, for all skills together: no skill id travels on the wire.
    pub(crate) input_modes: BTreeSet<String>,
}

/// A message, and who is to hear of what comes of it.
pub(crate) struct Order {
    pub(crate) message: v1::Message,
    /// Registered before the task's script moves.
    pub(crate) push: Option<v1::TaskPushNotificationConfig>,
}

/// The exchange a message came in.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    pub(crate) exchange: u64,
    pub(crate) delegation: Option<String>,
    /// The steps that a fault has the agent go with the message, and its stamp.
    pub(crate) instead: Option<(Arc<[Step]>, Stamp)>,
}

/// What a message led to.
pub(crate) enum Sent<T> {
    /// The agent answered without doing anything: there is no task, or it stays as it is.
    Reply(v1::Message),
    /// A task.
    Task(T),
}

/// A task at one moment.
#[derive(Debug, Clone)]
pub(crate) struct Snapshot {
    pub(crate) task: v1::Task,
    /// What faults changed in what the peer holds.
    pub(crate) stamps: Vec<Stamp>,
}

impl Snapshot {
    /// Keeps at most the last `length` messages; unset keeps all.
    pub(crate) fn with_history(mut self, length: Option<i32>) -> Result<Self, A2aError> {
        if let Some(length) = length {
            let length = usize::try_from(length).map_err(|_| {
                A2aError::new(ErrorKind::InvalidParams, "`historyLength` must not be negative").at("historyLength")
            })?;
            let surplus = self.task.history.len().saturating_sub(length);
            self.task.history.drain(..surplus);
        }
        Ok(self)
    }
}

impl Engine {
    pub(crate) fn new(agent: Agent, courier: Courier, stopping: CancellationToken) -> Arc<Self> {
        Arc::new(Self { agent, courier, tasks: Mutex::default(), errands: Mutex::default(), stopping })
    }

    pub(crate) fn abilities(&self) -> &Abilities {
        &self.agent.abilities
    }

    /// Takes a message and waits until the task has ended or waits for the user.
    ///
    /// # Errors
    /// Those of [`Self::accept`], and Internal when the fleet stops before.
    pub(crate) async fn send(self: &Arc<Self>, order: Order, origin: Origin) -> Result<Sent<Snapshot>, A2aError> {
        let running = match self.accept(order, origin)? {
            Sent::Reply(message) => return Ok(Sent::Reply(message)),
            Sent::Task(mut accepted) => {
                let record = accepted.record();
                self.advance(record);
                if record.phase() != Phase::Running {
                    return Ok(Sent::Task(record.snapshot()));
                }
                Subscription::from_here(self, record, true)
            }
        };
        let stopped = || A2aError::new(ErrorKind::Internal, "the agent is shutting down");
        running.settled().await.map(Sent::Task).ok_or_else(stopped)
    }

    /// Takes a message; gives the task as it was before its script moved.
    ///
    /// # Errors
    /// Those of [`Self::accept`].
    pub(crate) fn send_off(self: &Arc<Self>, order: Order, origin: Origin) -> Result<Sent<Snapshot>, A2aError> {
        Ok(self.accept(order, origin)?.map(|mut accepted| {
            let first = accepted.record().snapshot();
            self.advance(accepted.record());
            first
        }))
    }

    /// Takes a message; gives the task as it was before its script moved, and everything that comes after.
    ///
    /// # Errors
    /// Those of [`Self::accept`].
    pub(crate) fn send_and_follow(
        self: &Arc<Self>,
        order: Order,
        origin: Origin,
    ) -> Result<Sent<(Snapshot, Subscription)>, A2aError> {
        Ok(self.accept(order, origin)?.map(|mut accepted| {
            let record = accepted.record();
            let (first, rest) = (record.snapshot(), Subscription::from_here(self, record, true));
            self.advance(record);
            (first, rest)
        }))
    }

    /// Takes a message: begins a task, goes on with one, or answers at once. A task's script has yet to move.
    ///
    /// # Errors
    /// TaskNotFound, UnsupportedOperation on a task that has ended, InvalidParams for a context that is not the task's
    /// or a webhook that cannot be used, ContentTypeNotSupported for a part the agent cannot read.
    fn accept(self: &Arc<Self>, order: Order, origin: Origin) -> Result<Sent<Accepted<'_>>, A2aError> {
        let Order { message, push } = order;
        self.agent.check_modes(&message)?;
        push.as_ref().map_or(Ok(()), webhook::check)?;
        if !message.task_id.is_empty() {
            return self.answer(message, push, origin.instead.as_ref());
        }
        let steps = match &origin.instead {
            Some((steps, _)) => Arc::clone(steps),
            None => script::begin(&self.agent.behaviour, &message),
        };
        if let [Step::Reply(text)] = &*steps {
            return Ok(Sent::Reply(self.agent.reply(text, message.context_id, String::new())));
        }
        let mut tasks = lock(&self.tasks);
        let number = tasks.push(TaskRecord::begin(&self.agent, message, steps, origin));
        push.map(|config| self.register(tasks.numbered(number), config));
        Ok(Sent::Task(Accepted { tasks, number }))
    }

    /// A message to a task that exists.
    fn answer(
        self: &Arc<Self>,
        message: v1::Message,
        push: Option<v1::TaskPushNotificationConfig>,
        instead: Option<&(Arc<[Step]>, Stamp)>,
    ) -> Result<Sent<Accepted<'_>>, A2aError> {
        let mut tasks = lock(&self.tasks);
        let number = tasks.number_of(&message.task_id)?;
        let record = tasks.numbered(number);
        if !message.context_id.is_empty() && message.context_id != record.task.context_id {
            return Err(A2aError::new(ErrorKind::InvalidParams, "`contextId` is not that of the task")
                .at("message.contextId")
                .with("taskId", message.task_id));
        }
        if record.phase() == Phase::Ended {
            return Err(A2aError::new(ErrorKind::UnsupportedOperation, "the task has ended and takes no messages")
                .with("taskId", message.task_id));
        }
        push.map(|config| self.register(record, config));
        let chosen = || script::choose(&self.agent.behaviour, &message, record.turn() + 1);
        let steps = instead.map_or_else(chosen, |(steps, _)| Some(steps)).map(Arc::clone);
        record.doing(instead.map(|(_, stamp)| stamp));
        if let Some([Step::Reply(text)]) = steps.as_deref() {
            record.keep(message);
            let (context_id, id) = (record.task.context_id.clone(), record.id().to_owned());
            return Ok(Sent::Reply(self.agent.reply(text, context_id, id)));
        }
        record.take_message(&self.agent, message, steps);
        Ok(Sent::Task(Accepted { tasks, number }))
    }

    /// Runs steps until one waits.
    fn advance(self: &Arc<Self>, record: &mut TaskRecord) {
        let Some(delay) = script::advance(&self.agent, record) else { return };
        let (engine, id, rewritten) = (Arc::downgrade(self), record.id().to_owned(), record.rewritten());
        lock(&self.errands).spawn(async move {
            tokio::time::sleep(delay).await;
            let Some(engine) = engine.upgrade() else { return };
            let mut tasks = lock(&engine.tasks);
            if let Ok(record) = tasks.find(&id)
                && record.wake(rewritten)
            {
                engine.advance(record);
            }
        });
    }

    /// A task as it is now.
    ///
    /// # Errors
    /// TaskNotFound.
    pub(crate) fn get(&self, id: &str) -> Result<Snapshot, A2aError> {
        lock(&self.tasks).find(id).map(|record| record.snapshot())
    }

    /// How a task stands; `None` where there is none of that id.
    pub(crate) fn state_of(&self, id: &str) -> Option<v1::TaskState> {
        lock(&self.tasks).find(id).ok().map(|record| record.state())
    }

    /// Gives a task up.
    ///
    /// # Errors
    /// TaskNotFound, TaskNotCancelable when it has ended.
    pub(crate) fn cancel(&self, id: &str) -> Result<Snapshot, A2aError> {
        let mut tasks = lock(&self.tasks);
        let record = tasks.find(id)?;
        if record.phase() == Phase::Ended {
            return Err(A2aError::new(ErrorKind::TaskNotCancelable, "the task has ended").with("taskId", id));
        }
        record.end(&self.agent, v1::TaskState::Canceled, None);
        Ok(record.snapshot())
    }

    /// Joins a task: its snapshot, and everything after it. Opened on a task that waits, the subscription stays until
    /// the task ends; otherwise it ends where the task ends or waits (specification §11.7).
    ///
    /// # Errors
    /// TaskNotFound, UnsupportedOperation when the task has ended.
    pub(crate) fn subscribe(self: &Arc<Self>, id: &str) -> Result<(Snapshot, Subscription), A2aError> {
        let mut tasks = lock(&self.tasks);
        let record = tasks.find(id)?;
        match record.phase() {
            Phase::Ended => {
                Err(A2aError::new(ErrorKind::UnsupportedOperation, "the task has ended").with("taskId", id))
            }
            phase => Ok((record.snapshot(), Subscription::from_here(self, record, phase == Phase::Running))),
        }
    }

    /// One page of tasks.
    ///
    /// # Errors
    /// InvalidParams.
    pub(crate) fn list(&self, request: &v1::ListTasksRequest) -> Result<v1::ListTasksResponse, A2aError> {
        list::page(&lock(&self.tasks), request)
    }

    /// The delegation that began a task of this peer; `None` where the task is unknown.
    pub(crate) fn delegation_of(&self, id: &str) -> Option<Option<String>> {
        lock(&self.tasks).find(id).ok().map(|record| record.origin.delegation.clone())
    }

    /// What the peer holds, in order of creation.
    pub(crate) fn held(&self) -> Vec<HeldTask> {
        let tasks = lock(&self.tasks);
        let held = tasks.iter().map(|(_, record)| HeldTask {
            task: protojson::to_json(&record.task),
            begun_by: record.origin.exchange,
            delegation: record.origin.delegation.clone(),
        });
        held.collect()
    }

    /// What has panicked so far among the scripts and what webhooks are told.
    pub(crate) fn take_panics(&self) -> Vec<String> {
        lock(&self.errands).take_panics()
    }

    /// Ends the scripts that wait and what webhooks are told; what panicked is returned.
    pub(crate) async fn stop(&self) -> Vec<String> {
        self.stopping.cancel();
        let errands = std::mem::take(&mut *lock(&self.errands));
        errands.end().await
    }
}

impl<T> Sent<T> {
    fn map<U>(self, map: impl FnOnce(T) -> U) -> Sent<U> {
        match self {
            Self::Reply(message) => Sent::Reply(message),
            Self::Task(task) => Sent::Task(map(task)),
        }
    }
}

/// The task that a message led to, while nobody else can touch it.
struct Accepted<'a> {
    tasks: MutexGuard<'a, Tasks>,
    number: usize,
}

impl Accepted<'_> {
    fn record(&mut self) -> &mut TaskRecord {
        self.tasks.numbered(self.number)
    }
}

impl Agent {
    fn check_modes(&self, message: &v1::Message) -> Result<(), A2aError> {
        for part in message.parts.iter().filter(|part| !part.media_type.is_empty()) {
            if !self.abilities.input_modes.contains(&essence(&part.media_type)) {
                return Err(A2aError::new(
                    ErrorKind::ContentTypeNotSupported,
                    format!("this agent does not take {}", part.media_type),
                )
                .with("mediaType", part.media_type.clone()));
            }
        }
        Ok(())
    }

    fn reply(&self, text: &str, context_id: String, task_id: String) -> v1::Message {
        let context_id = if context_id.is_empty() { self.ids.next("context") } else { context_id };
        self.say(text, context_id, task_id)
    }

    /// A message of the agent.
    fn say(&self, text: &str, context_id: String, task_id: String) -> v1::Message {
        let content = Some(v1::part::Content::Text(text.to_owned()));
        v1::Message {
            message_id: self.ids.next("message"),
            context_id,
            task_id,
            role: v1::Role::Agent.into(),
            parts: vec![v1::Part { content, ..v1::Part::default() }],
            ..v1::Message::default()
        }
    }
}

/// A media type without its parameters, in lower case.
pub(crate) fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

#[cfg(test)]
mod tests;
