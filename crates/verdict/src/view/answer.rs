//! What an answer means: failures, mismatches, and what a peer told.

use std::borrow::Cow;

use gauntlet_evidence::Exchange;
use gauntlet_evidence::journal::Ending;
use gauntlet_wire::Operation;
use serde_json::Value;

use super::View;

/// A failure a peer answered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure<'a> {
    /// The journal entry that says it.
    pub entry: u64,
    /// The binding's own code; an HTTP status where there is no other.
    pub code: Cow<'a, str>,
    /// The ErrorInfo reason.
    pub reason: Option<&'a str>,
    /// Whether a fault made it.
    pub stamped: bool,
}

impl Failure<'_> {
    /// Whether it is push notifications that are not supported, whatever was called.
    pub fn is_about_push(&self) -> bool {
        self.reason == Some("PUSH_NOTIFICATION_NOT_SUPPORTED") || self.reason.is_none() && self.code == "-32003"
    }
}

impl<'a> View<'a> {
    /// The failure an exchange ended in, if it did.
    pub fn failure(&self, exchange: &Exchange<'a>) -> Option<Failure<'a>> {
        let said = exchange.frames.iter().find_map(|(entry, frame)| {
            let error = frame.error.as_ref()?;
            Some(Failure {
                entry: entry.seq,
                code: Cow::Borrowed(&error.code),
                reason: error.reason.as_deref(),
                stamped: !entry.stamps.is_empty(),
            })
        });
        said.or_else(|| {
            let status = exchange.status.filter(|status| *status >= 400)?;
            let code = Cow::Owned(status.to_string());
            Some(Failure { entry: exchange.entry.seq, code, reason: None, stamped: false })
        })
    }

    /// The failure, where it says that this interface does not do this operation: UNIMPLEMENTED, -32601, -32003,
    /// -32004, 405, 415, 501, or 404 of an endpoint. The same codes about a single task are no mismatch.
    pub fn mismatch(&self, exchange: &Exchange<'a>) -> Option<Failure<'a>> {
        let operation = exchange.request.operation?;
        let failure = self.failure(exchange)?;
        let unsupported = match failure.reason {
            Some("UNSUPPORTED_OPERATION" | "PUSH_NOTIFICATION_NOT_SUPPORTED") => true,
            Some(_) => return None,
            None => matches!(&*failure.code, "-32003" | "-32004"),
        };
        let of_endpoint = match &*failure.code {
            "UNIMPLEMENTED" | "-32601" | "405" | "415" | "501" => true,
            "404" => failure.stamped || !addresses_task(operation),
            _ => false,
        };
        // A finished task refuses subscriptions and messages with the same error; only a fault, or a capability the card
        // does not declare, shows that the interface is meant.
        let of_interface =
            failure.stamped || exchange.request.task_id().is_none() || !self.declares(exchange.peer, operation);
        if unsupported { of_interface.then_some(failure) } else { of_endpoint.then_some(failure) }
    }

    /// Whether a call asks again for what an earlier one was refused: the same operation, and where only the webhook that a
    /// send named was refused, with a webhook again.
    pub fn asks_again(&self, earlier: &Exchange<'_>, failure: &Failure<'_>, later: &Exchange<'_>) -> bool {
        let sends = later.request.operation.is_some_and(Operation::sends_message);
        later.peer == earlier.peer
            && later.request.operation == earlier.request.operation
            && (!sends || !failure.is_about_push() || super::webhook_of(later.request).is_some())
    }

    /// Whether the card of a peer declares the capability that an operation depends on.
    pub fn declares(&self, peer: &str, operation: Operation) -> bool {
        let Some(card) = self.evidence().peer(peer).map(|peer| super::Card(&peer.card)) else { return true };
        match operation {
            Operation::SendStreamingMessage | Operation::SubscribeToTask => card.streaming() == Some(true),
            Operation::CreateTaskPushNotificationConfig
            | Operation::GetTaskPushNotificationConfig
            | Operation::ListTaskPushNotificationConfigs
            | Operation::DeleteTaskPushNotificationConfig => card.push() == Some(true),
            Operation::GetExtendedAgentCard => card.extended() == Some(true),
            _ => true,
        }
    }

    /// Whether the work reached the agent: a task began, or a message answered it.
    pub fn reached(&self, exchange: &Exchange<'a>) -> bool {
        self.began(exchange).is_some() || reply(exchange).is_some()
    }
}

/// The message that answers an exchange directly, instead of a task, and the entry that carries it.
pub fn reply<'a>(exchange: &Exchange<'a>) -> Option<(u64, &'a Value)> {
    exchange.frames.iter().find_map(|(entry, frame)| {
        let object = frame.object.as_ref()?;
        let message = object.get("message").filter(|message| message.get("parts").is_some())?;
        object.get("task").is_none().then_some((entry.seq, message))
    })
}

/// The states of tasks that an exchange told of: entry, task id, state.
pub fn states_told<'a>(exchange: &Exchange<'a>) -> impl Iterator<Item = (u64, &'a str, &'a str)> {
    exchange.frames.iter().filter_map(|(entry, frame)| {
        let object = frame.object.as_ref()?;
        [
            ("/task/id", "/task/status/state"),
            ("/statusUpdate/taskId", "/statusUpdate/status/state"),
            ("/id", "/status/state"),
        ]
        .into_iter()
        .find_map(|(id, state)| Some((entry.seq, object.pointer(id)?.as_str()?, object.pointer(state)?.as_str()?)))
    })
}

/// Every id of a task that an exchange told of, with the entry.
pub fn ids_told<'a>(exchange: &Exchange<'a>) -> impl Iterator<Item = (u64, &'a str)> {
    exchange.frames.iter().flat_map(|(entry, frame)| {
        let object = frame.object.as_ref();
        let single =
            ["/task/id", "/statusUpdate/taskId", "/artifactUpdate/taskId", "/message/taskId", "/id", "/taskId"]
                .into_iter()
                .filter_map(move |pointer| object?.pointer(pointer)?.as_str());
        let listed = object.and_then(|object| object.get("tasks")?.as_array()).into_iter().flatten();
        single.chain(listed.filter_map(|task| task.get("id")?.as_str())).map(move |id| (entry.seq, id))
    })
}

/// Every context id that an exchange told of, with the task it belongs to where it says so, and the entry.
pub fn contexts_told<'a>(exchange: &Exchange<'a>) -> impl Iterator<Item = (u64, Option<&'a str>, &'a str)> {
    exchange.frames.iter().flat_map(|(entry, frame)| {
        let object = frame.object.as_ref();
        [
            ("/task/id", "/task/contextId"),
            ("/statusUpdate/taskId", "/statusUpdate/contextId"),
            ("/artifactUpdate/taskId", "/artifactUpdate/contextId"),
            ("/message/taskId", "/message/contextId"),
            ("/id", "/contextId"),
        ]
        .into_iter()
        .filter_map(move |(task, context)| {
            let object = object?;
            let context = object.pointer(context)?.as_str().filter(|context| !context.is_empty())?;
            Some((entry.seq, object.pointer(task).and_then(Value::as_str), context))
        })
    })
}

/// Whether the peer's side of an answer is over, and the orchestrator did not leave before.
pub const fn ended_by_peer(exchange: &Exchange<'_>) -> bool {
    matches!(exchange.ending, Some(Ending::Complete | Ending::Early | Ending::Cut))
}

/// The journal entry of the last thing sent in an exchange, or of the request.
pub fn last_entry(exchange: &Exchange<'_>) -> u64 {
    exchange.frames.last().map_or(exchange.entry.seq, |(entry, _)| entry.seq)
}

const fn addresses_task(operation: Operation) -> bool {
    !matches!(
        operation,
        Operation::SendMessage
            | Operation::SendStreamingMessage
            | Operation::ListTasks
            | Operation::GetExtendedAgentCard
    )
}
