//! Following a task to its end, or to where it waits.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use gauntlet_evidence::contract::{Status, Warning};
use gauntlet_wire::{Operation, v1};
use serde_json::json;
use tokio::time::{Instant, sleep, timeout_at};

use crate::dispatch::{Handle, Place, Turn, Work};
use crate::flaws::Planted;
use crate::fold::{self, Event, Fold};
use crate::outcome::{self, Refusal};
use crate::transport::{CallError, Endpoint, Events, Transport};
use crate::webhook::{Hearing, Notice};

/// Pauses between polls double from the first to the last. The deadline bounds how often.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LAST_PAUSE: Duration = Duration::from_millis(250);

/// How long a webhook may be silent at the most before the peer is asked all the same.
const LONGEST_SILENCE: Duration = Duration::from_secs(5);
/// What a flaw waits for.
const FOREVER: Duration = Duration::from_secs(24 * 60 * 60);

/// How many polls in a row may break on the way.
const FAILURES: u32 = 3;

impl Work<'_> {
    /// Follows what a send has begun and reports how it ended. With `hearing`, the peer was asked to tell a webhook.
    pub(crate) async fn finish(
        &mut self,
        place: &Arc<Place>,
        mut fold: Fold,
        first: Option<Event>,
        events: Events,
        hearing: Option<Hearing>,
    ) -> Turn {
        let ended_early = match self.follow(place, &mut fold, first, events, hearing).await {
            Ok(ended_early) => ended_early,
            Err(error) => return self.lost(place, &fold, &error).await,
        };
        if let Some(message) = fold.message() {
            if self.flaws.has(Planted::PollsMessageReply) {
                let _answer = get_task(self.transport, place.endpoint(), &message.message_id).await;
            }
            return self.end_at(place, outcome::of_message(&self.delegation.id, message));
        }
        let Some(task) = fold.task() else {
            return self.lost(place, &fold, &CallError::Invalid("no task was named".to_owned())).await;
        };
        self.session.last_context = Some(task.context_id.clone());
        let mut outcome = outcome::of_task(&self.delegation.id, task, !fold.is_ambiguous(), self.flaws);
        if fold.is_ambiguous() && fold.is_terminal() {
            let detail = "chunks leave `append` unsaid and the peer gives no snapshot".to_owned();
            self.warnings.push(Warning { code: "artifact-unknown".to_owned(), detail: Some(detail) });
        }
        if ended_early && self.flaws.has(Planted::StreamEndIsSuccess) {
            outcome.status = Status::Completed;
            outcome.reason = None;
        }
        let waits = matches!(outcome.status, Status::InputRequired | Status::AuthRequired).then(|| Handle {
            place: Arc::clone(place),
            task: task.clone(),
            denied: false,
        });
        Turn { waits, ..self.end_at(place, outcome) }
    }

    /// Reads events until the task settles; a stream that ends before says nothing about the task, so the peer is
    /// asked. Gives whether the stream ended early and was (by a flaw) left at that.
    async fn follow(
        &mut self,
        place: &Arc<Place>,
        fold: &mut Fold,
        first: Option<Event>,
        mut events: Events,
        hearing: Option<Hearing>,
    ) -> Result<bool, CallError> {
        if let Some(first) = first {
            fold.take(first);
        }
        self.note_open(place, fold);
        if self.flaws.has(Planted::InventsTaskId) && fold.message().is_none() {
            let _answer = get_task(self.transport, place.endpoint(), "task-1").await;
        }
        self.read(place, fold, &mut events).await?;
        drop(events);
        let guesses = self.flaws.has(Planted::StreamEndIsFailure) || self.flaws.has(Planted::StreamEndIsSuccess);
        if !fold.is_settled() && place.attempt.operation.is_streaming() && guesses {
            return Ok(true);
        }
        if !fold.is_settled() {
            self.resolve(place, fold, hearing).await?;
        }
        if fold.is_terminal()
            && fold.is_ambiguous()
            && let Some(id) = fold.task().map(|task| task.id.clone())
            && let Ok(snapshot) = get_task(self.transport, place.endpoint(), &id).await
        {
            fold.settle_artifacts(snapshot);
        }
        Ok(false)
    }

    async fn read(&mut self, place: &Arc<Place>, fold: &mut Fold, events: &mut Events) -> Result<(), CallError> {
        while !fold.is_settled() || self.flaws.has(Planted::LastStatusWins) {
            // A broken stream is a stream that ended early: the peer knows how the task stands.
            let Some(Ok(item)) = events.next().await else { break };
            fold.take(Event::read(&item)?);
            self.note_open(place, fold);
        }
        Ok(())
    }

    /// Polls until the task settles, when a webhook gives reason to where one is told; where polling is not served, joins
    /// the task's events instead.
    async fn resolve(
        &mut self,
        place: &Arc<Place>,
        fold: &mut Fold,
        mut hearing: Option<Hearing>,
    ) -> Result<(), CallError> {
        let id = fold.task().map(|task| task.id.clone());
        let id = id.ok_or_else(|| CallError::Invalid("the answer names no task".to_owned()))?;
        let mut pause = FIRST_PAUSE;
        let mut silence = self.patience;
        let mut failures = 0;
        loop {
            if let Some(hearing) = &mut hearing {
                self.listen(hearing, &id, fold, silence).await;
                if fold.is_settled() {
                    return Ok(());
                }
                silence = (silence * 2).min(LONGEST_SILENCE);
            }
            match get_task(self.transport, place.endpoint(), &id).await {
                Ok(snapshot) => {
                    fold.snapshot(snapshot);
                    failures = 0;
                }
                Err(error @ CallError::OperationRefused { .. }) => {
                    if place.card.capabilities.streaming != Some(true) {
                        return Err(error);
                    }
                    let request = json!({ "id": id });
                    let operation = Operation::SubscribeToTask;
                    let mut events = self.transport.open(place.endpoint(), operation, request).await?;
                    self.read(place, fold, &mut events).await?;
                    return if fold.is_settled() { Ok(()) } else { Err(error) };
                }
                // Asking changes nothing at the peer, so a hiccup may be asked over.
                Err(CallError::Broken(_) | CallError::Unreachable(_)) if failures < FAILURES => failures += 1,
                Err(error) => return Err(error),
            }
            if fold.is_settled() {
                return Ok(());
            }
            if hearing.is_none() {
                sleep(pause).await;
                pause = (pause * 2).min(LAST_PAUSE);
            }
        }
    }

    /// Waits until a notification says that the task has settled, at most for `silence`. No notification is taken at its
    /// word: they are lost, come late, twice and in disorder, and the peer knows better how the task stands.
    async fn listen(&self, hearing: &mut Hearing, id: &str, fold: &mut Fold, silence: Duration) {
        let gullible = [Planted::TokenUnchecked, Planted::ForeignNotificationTaken, Planted::NotificationsAdded];
        let silence = match [Planted::NeverAsks, Planted::PushUnproven] {
            never_ask if never_ask.into_iter().any(|flaw| self.flaws.has(flaw)) => FOREVER,
            // Long enough for all that is to be believed.
            _ if gullible.into_iter().any(|flaw| self.flaws.has(flaw)) => silence * 4,
            _ => silence,
        };
        let until = Instant::now() + silence;
        while let Ok(Some(notice)) = timeout_at(until, hearing.next()).await {
            let is_own = notice.event.task_id() == Some(id);
            if self.believes(&notice, is_own) {
                fold.take(notice.event.claimed_for(id));
                if fold.is_settled() {
                    return;
                }
            } else if is_own && notice.authentic && notice.event.settles() {
                return;
            }
        }
    }

    /// Whether a notification is taken at its word; only flaws do so.
    fn believes(&self, notice: &Notice, is_own: bool) -> bool {
        self.flaws.has(match (notice.authentic, is_own) {
            (false, _) => Planted::TokenUnchecked,
            (true, false) => Planted::ForeignNotificationTaken,
            (true, true) => Planted::NotificationsAdded,
        })
    }

    /// Keeps in mind which task would be left behind.
    fn note_open(&mut self, place: &Arc<Place>, fold: &Fold) {
        let task = fold.open_task().and(fold.task());
        *self.open = task.map(|task| Handle { place: Arc::clone(place), task: task.clone(), denied: false });
    }

    /// The turn of work whose task cannot be followed: it is cancelled, so that nothing is left behind.
    /// Where it is only that the caller is not let in any more, the task goes on: it is reported as waiting for that.
    async fn lost(&mut self, place: &Arc<Place>, fold: &Fold, error: &CallError) -> Turn {
        let status = if error.is_denied() { self.status_of_denial(error) } else { Status::Failed };
        if let Some(id) = fold.open_task().filter(|_| !error.is_denied()) {
            cancel(self.transport, place.endpoint(), id).await;
        }
        if error.is_denied() && self.flaws.has(Planted::RestartsOnDenial) {
            let request = self.new_work(place.attempt.operation, None);
            let _second = self.begin(place.endpoint(), place.attempt.operation, request).await;
        }
        let refusal = Refusal::of_call(&place.endpoint().interface, Operation::GetTask, error);
        let mut outcome = refusal.outcome(&self.delegation.id, status, self.flaws);
        outcome.task_id = fold.task().map(|task| task.id.clone());
        let known = fold.task().filter(|_| error.is_denied());
        let waits = known.map(|task| Handle { place: Arc::clone(place), task: task.clone(), denied: true });
        Turn { waits, ..self.end_at(place, outcome) }
    }
}

async fn get_task(transport: &Transport, to: &Endpoint, id: &str) -> Result<v1::Task, CallError> {
    let task = fold::read_task(&transport.call(to, Operation::GetTask, json!({ "id": id })).await?)?;
    if task.id == id {
        return Ok(task);
    }
    if transport.flaws().has(Planted::AcceptsInvalid) {
        return Ok(v1::Task { id: id.to_owned(), ..task });
    }
    Err(CallError::Invalid(format!("the answer is about task {}, this was about {id}", task.id)))
}

/// Cancels a task. Whatever the peer answers, once is enough: a refusal is final, and a broken call may have worked.
pub(crate) async fn cancel(transport: &Transport, to: &Endpoint, id: &str) {
    let _answer = transport.call(to, Operation::CancelTask, json!({ "id": id })).await;
}
