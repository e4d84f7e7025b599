//! Following a task.

use std::sync::Arc;

use tokio::sync::watch;

use super::task::{Phase, Said, TaskRecord};
use super::{Engine, Snapshot};
use crate::lock::lock;

/// Reads the log of a task from where it joined.
pub(crate) struct Subscription {
    engine: Arc<Engine>,
    task_id: String,
    cursor: usize,
    grew: watch::Receiver<()>,
    /// Whether it also ends where the task waits.
    ends_when_interrupted: bool,
    ended: bool,
}

/// What comes next on a subscription.
pub(crate) enum Next {
    Event(Arc<Said>),
    /// The task has ended, or waits.
    End,
    /// The fleet stops.
    Stopped,
}

impl Subscription {
    pub(super) fn from_here(engine: &Arc<Engine>, record: &mut TaskRecord, ends_when_interrupted: bool) -> Self {
        let (cursor, grew) = record.join();
        Self {
            engine: Arc::clone(engine),
            task_id: record.id().to_owned(),
            cursor,
            grew,
            ends_when_interrupted,
            ended: false,
        }
    }

    /// Whether a task in that phase is no longer followed.
    pub(crate) fn ends_in(&self, phase: Phase) -> bool {
        phase == Phase::Ended || (self.ends_when_interrupted && phase == Phase::Interrupted)
    }

    /// The next event. Nothing is lost when this is dropped before it is ready.
    pub(crate) async fn next(&mut self) -> Next {
        loop {
            if self.ended {
                return Next::End;
            }
            if let Some(said) = self.read() {
                self.ended = self.ends_in(said.phase);
                return Next::Event(said);
            }
            if !self.wait().await {
                return Next::Stopped;
            }
        }
    }

    /// The task once it has ended or waits; `None` when the fleet stops before.
    pub(crate) async fn settled(mut self) -> Option<Snapshot> {
        loop {
            // Following the log instead of the task's state: a task that was answered meanwhile is past its question.
            while let Some(said) = self.read() {
                self.ended |= self.ends_in(said.phase);
            }
            if self.ended {
                return self.engine.get(&self.task_id).ok();
            }
            if !self.wait().await {
                return None;
            }
        }
    }

    fn read(&mut self) -> Option<Arc<Said>> {
        self.grew.mark_unchanged();
        let mut tasks = lock(&self.engine.tasks);
        let record = tasks.find(&self.task_id).ok()?;
        let said = record.log.get(self.cursor).cloned()?;
        self.cursor += 1;
        Some(said)
    }

    /// Waits for the log to grow; whether the fleet still runs.
    async fn wait(&mut self) -> bool {
        tokio::select! {
            biased;
            () = self.engine.stopping.cancelled() => false,
            grew = self.grew.changed() => grew.is_ok(),
        }
    }
}
