//! Push notifications: which webhooks were registered, and what came to them.

use std::collections::BTreeMap;

use gauntlet_evidence::{Exchange, JournalEntry, JournalEvent, Request, WebhookRequest};
use gauntlet_wire::Operation;
use gauntlet_wire::protojson::member;
use serde_json::Value;

use super::View;

/// The header in which senders repeat the token of a configuration.
const TOKEN_HEADER: &str = "x-a2a-notification-token";

/// A webhook that the orchestrator asked a peer to tell of a task.
#[derive(Debug, Clone)]
pub struct Registration<'v, 'a> {
    /// The request: of its own, or a send that names the webhook.
    pub exchange: &'v Exchange<'a>,
    /// The configuration as ProtoJSON.
    pub config: &'a Value,
    /// The task, where there is one.
    pub task: Option<&'a str>,
    /// Whether the peer took it, as far as it said.
    pub accepted: bool,
}

/// A notification on its way to a webhook; each attempt is one.
#[derive(Debug, Clone)]
pub struct Notice<'a> {
    /// The journal entry.
    pub entry: &'a JournalEntry,
    /// What was sent.
    pub sent: &'a WebhookRequest,
    /// What the webhook answered, where it did.
    pub status: Option<u16>,
}

impl<'a> Registration<'_, 'a> {
    /// The agreed token, where there is one.
    pub fn token(&self) -> Option<&'a str> {
        self.config.get("token").and_then(Value::as_str).filter(|token| !token.is_empty())
    }

    /// Whether a notification shows what was agreed for this webhook; without an agreement every one does.
    fn vouches_for(&self, sent: &WebhookRequest) -> bool {
        let shown = |name: &str| sent.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
        let authentication = self.config.get("authentication").filter(|agreed| agreed.is_object()).map(|agreed| {
            let part = |name: &str| agreed.get(name).and_then(Value::as_str).unwrap_or_default();
            format!("{} {}", part("scheme"), part("credentials")).trim_end().to_owned()
        });
        self.token().is_none_or(|token| shown(TOKEN_HEADER) == Some(token))
            && authentication.is_none_or(|agreed| shown("authorization") == Some(agreed.as_str()))
    }
}

impl Notice<'_> {
    /// The task it says it is about; the members of older versions count.
    fn task(&self) -> Option<&str> {
        ["/statusUpdate/taskId", "/artifactUpdate/taskId", "/task/id", "/message/taskId", "/taskId", "/id"]
            .into_iter()
            .find_map(|at| self.sent.object.pointer(at)?.as_str())
    }

    /// Whether it is about the task that the webhook was registered for, or does not say.
    pub fn is_own(&self) -> bool {
        self.task().is_none_or(|task| task == self.sent.task_id)
    }

    /// The state it tells of, as A2A 1.0 names it.
    pub fn state(&self) -> Option<&str> {
        let at = |pointer: &str| self.sent.object.pointer(pointer)?.as_str();
        at("/statusUpdate/status/state").or_else(|| at("/task/status/state"))
    }

    /// Whether it tells that the task has ended or waits.
    pub fn settles(&self) -> bool {
        self.state().is_some_and(is_settled)
    }

    /// Whether what stands in it is what the peer meant to say; it may still come late, or again.
    pub fn is_unaltered(&self) -> bool {
        self.entry.stamps.iter().all(|stamp| stamp.pointers.is_empty())
    }
}

/// Whether a task in that state has ended or waits.
pub fn is_settled(state: &str) -> bool {
    matches!(state, "TASK_STATE_COMPLETED" | "TASK_STATE_FAILED" | "TASK_STATE_CANCELED" | "TASK_STATE_REJECTED")
        || state.ends_with("_REQUIRED")
}

/// The configuration of a webhook that a request carries.
pub fn webhook_of(request: &Request) -> Option<&Value> {
    let message = request.message.as_ref()?;
    match request.operation? {
        Operation::CreateTaskPushNotificationConfig => Some(message),
        operation if operation.sends_message() => {
            member(message.get("configuration")?, "taskPushNotificationConfig").filter(|config| config.is_object())
        }
        _ => None,
    }
}

impl<'a> View<'a> {
    /// The webhooks that were registered, in order.
    pub fn registrations<'v>(&'v self) -> impl Iterator<Item = Registration<'v, 'a>> {
        self.exchanges.iter().filter_map(|exchange| {
            let config = webhook_of(exchange.request)?;
            let task = match exchange.request.task_id() {
                Some(task) => Some(task),
                None => self.began(exchange).map(|(_, task)| task.id()),
            };
            let answered = exchange.frames.iter().any(|(_, frame)| frame.object.is_some());
            Some(Registration { exchange, config, task, accepted: answered && self.failure(exchange).is_none() })
        })
    }

    /// The notifications that were sent about a task of a peer.
    pub fn notices(&self, peer: &str, task: &str) -> Vec<Notice<'a>> {
        let journal = &self.evidence().journal;
        let answers: BTreeMap<u64, u16> = journal
            .iter()
            .filter_map(|entry| match entry.event {
                JournalEvent::WebhookAnswered { status, .. } => Some((entry.exchange?, status?)),
                _ => None,
            })
            .collect();
        let sent = journal.iter().filter(|entry| entry.peer == peer).filter_map(|entry| match &entry.event {
            JournalEvent::WebhookSent(sent) if sent.task_id == task => {
                Some(Notice { entry, sent, status: entry.exchange.and_then(|x| answers.get(&x).copied()) })
            }
            _ => None,
        });
        sent.collect()
    }

    /// Whether a notification shows what was agreed for a webhook of its task.
    pub fn is_authentic(&self, notice: &Notice<'_>) -> bool {
        self.registrations().any(|known| {
            known.exchange.peer == notice.entry.peer
                && known.task == Some(notice.sent.task_id.as_str())
                && known.vouches_for(notice.sent)
        })
    }

    /// The entry in which a peer first answered that a task has ended or waits, to whatever was asked.
    pub fn settled_told(&self, peer: &str, task: &str) -> Option<u64> {
        let told = self.exchanges.iter().filter(|x| x.peer == peer).flat_map(super::states_told);
        told.filter(|(_, id, state)| *id == task && is_settled(state)).map(|(entry, ..)| entry).min()
    }
}
