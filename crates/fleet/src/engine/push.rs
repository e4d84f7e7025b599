//! Push notification configurations (specification §3.1.7 to §3.1.10): which webhooks hear of which task.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gauntlet_wire::{A2aError, ErrorKind, v1};
use tokio::task::AbortHandle;

use super::Engine;
use super::subscription::Subscription;
use super::task::{Phase, TaskRecord};
use crate::lock::lock;
use crate::webhook;

const DEFAULT_PAGE: usize = 50;

/// A configuration of one task.
#[derive(Debug)]
pub(super) struct Registration {
    config: v1::TaskPushNotificationConfig,
    /// Tells the webhook; ends with the registration.
    teller: Option<AbortHandle>,
    /// How much of the task's log was said before there was a webhook.
    before: usize,
    /// How much has had its turn since.
    told: Arc<AtomicUsize>,
}

impl Registration {
    /// Whether something of a log that has grown so long is still to be told.
    fn is_behind(&self, log: usize) -> bool {
        let telling = self.teller.as_ref().is_some_and(|teller| !teller.is_finished());
        telling && self.before + self.told.load(Ordering::Relaxed) < log
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        if let Some(teller) = &self.teller {
            teller.abort();
        }
    }
}

impl Engine {
    /// Registers a webhook; it hears of everything from here on. An id that the task has already is given another
    /// meaning.
    ///
    /// # Errors
    /// TaskNotFound, InvalidParams for a url or secret that cannot be used.
    pub(crate) fn configure(
        self: &Arc<Self>,
        config: v1::TaskPushNotificationConfig,
    ) -> Result<v1::TaskPushNotificationConfig, A2aError> {
        webhook::check(&config)?;
        Ok(self.register(lock(&self.tasks).find(&config.task_id)?, config))
    }

    /// The same for a task at hand.
    pub(super) fn register(
        self: &Arc<Self>,
        record: &mut TaskRecord,
        mut config: v1::TaskPushNotificationConfig,
    ) -> v1::TaskPushNotificationConfig {
        record.id().clone_into(&mut config.task_id);
        if config.id.is_empty() {
            config.id = self.agent.ids.next("push");
        }
        let told = Arc::new(AtomicUsize::new(0));
        let teller = (record.phase() != Phase::Ended).then(|| {
            let (engine, config, told) = (Arc::clone(self), config.clone(), Arc::clone(&told));
            let events = Subscription::from_here(self, record, false);
            lock(&self.errands).spawn(async move {
                let telling = engine.courier.follow(config, events, &told);
                // Not only aborted: the engine would keep itself alive if its owner were dropped.
                engine.stopping.run_until_cancelled(telling).await;
            })
        });
        let registration = Registration { config: config.clone(), teller, before: record.log.len(), told };
        match record.webhooks.iter_mut().find(|known| known.config.id == config.id) {
            Some(known) => *known = registration,
            None => record.webhooks.push(registration),
        }
        config
    }

    /// Whether some webhook is still to be told what has happened.
    pub(crate) fn owes_notifications(&self) -> bool {
        let tasks = lock(&self.tasks);
        let behind = |record: &TaskRecord| record.webhooks.iter().any(|known| known.is_behind(record.log.len()));
        tasks.iter().any(|(_, record)| behind(record))
    }

    /// A configuration.
    ///
    /// # Errors
    /// TaskNotFound when there is no such task, or no such configuration of it.
    pub(crate) fn configuration(&self, task_id: &str, id: &str) -> Result<v1::TaskPushNotificationConfig, A2aError> {
        let mut tasks = lock(&self.tasks);
        let record = tasks.find(task_id)?;
        let found = record.webhooks.iter().find(|known| known.config.id == id);
        found.map(|known| known.config.clone()).ok_or_else(|| {
            A2aError::new(ErrorKind::TaskNotFound, "the task has no such push notification configuration")
                .with("taskId", task_id)
                .with("configId", id)
        })
    }

    /// One page of the configurations of a task, in order of creation.
    ///
    /// # Errors
    /// TaskNotFound, InvalidParams.
    pub(crate) fn configurations(
        &self,
        request: &v1::ListTaskPushNotificationConfigsRequest,
    ) -> Result<v1::ListTaskPushNotificationConfigsResponse, A2aError> {
        let invalid = |why: &str| A2aError::new(ErrorKind::InvalidParams, why);
        let most = match request.page_size {
            0 => DEFAULT_PAGE,
            size => usize::try_from(size).map_err(|_| invalid("`pageSize` must not be negative"))?,
        };
        let mut tasks = lock(&self.tasks);
        let webhooks = &tasks.find(&request.task_id)?.webhooks;
        // The token is the first id of the next page, so that deleting what was listed shifts nothing.
        let begin = match request.page_token.as_str() {
            "" => 0,
            token => webhooks
                .iter()
                .position(|known| known.config.id == token)
                .ok_or_else(|| invalid("`pageToken` was not given out by this agent, or is out of date"))?,
        };
        let mut rest = webhooks[begin..].iter().map(|known| &known.config);
        let configs = rest.by_ref().take(most).cloned().collect();
        let next_page_token = rest.next().map(|config| config.id.clone()).unwrap_or_default();
        Ok(v1::ListTaskPushNotificationConfigsResponse { configs, next_page_token })
    }

    /// Takes a configuration away; what it has not been told yet it is not told any more. Doing so again is fine.
    ///
    /// # Errors
    /// TaskNotFound.
    pub(crate) fn remove_configuration(&self, task_id: &str, id: &str) -> Result<(), A2aError> {
        lock(&self.tasks).find(task_id)?.webhooks.retain(|known| known.config.id != id);
        Ok(())
    }
}
