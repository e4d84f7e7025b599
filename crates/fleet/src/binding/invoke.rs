//! Carrying a call out: its message in, what the engine says out. No binding is left here but the form of the message.

use std::sync::Arc;

use bytes::Bytes;
use gauntlet_evidence::Stamp;
use gauntlet_faults::Call;
use gauntlet_wire::protojson::{self, ProtoJson, Unknown};
use gauntlet_wire::v1::{self, send_message_response, stream_response};
use gauntlet_wire::{A2aError, ErrorKind, Operation};
use serde_json::Value;

use super::framing::{Framing, Object};
use crate::engine::{Order, Origin, Sent, Snapshot, Subscription};
use crate::peer::Peer;

/// The request message in the form it came in.
pub(super) enum Input {
    Json(Arc<Value>),
    Proto(Bytes),
}

/// What comes of a call.
pub(super) enum Invoked {
    /// One message, ready for the faults.
    Unary(Object, Vec<Stamp>),
    /// A first item and, where a task is followed, the rest.
    Stream { first: Box<v1::StreamResponse>, stamps: Vec<Stamp>, rest: Option<Subscription> },
}

impl Input {
    /// Reads the message. Fields that the proto does not define are ignored (specification §5.7).
    fn read<M: ProtoJson>(&self) -> Result<M, A2aError> {
        let invalid = |why: String| A2aError::new(ErrorKind::InvalidParams, why);
        let message: M = match self {
            Self::Json(json) => {
                protojson::from_json(json, Unknown::Ignore).map_err(|error| invalid(error.to_string()))?
            }
            Self::Proto(bytes) => M::decode(bytes.clone()).map_err(|error| invalid(error.to_string()))?,
        };
        match message.first_missing() {
            Some(pointer) => Err(invalid(format!("{pointer} is required")).at(&pointer)),
            None => Ok(message),
        }
    }
}

/// Carries a call out.
///
/// # Errors
/// What the engine refuses, and InvalidParams for a message that does not fit.
pub(super) async fn invoke(
    peer: &Arc<Peer>,
    call: &Call,
    input: &Input,
    framing: &Framing,
    origin: Origin,
) -> Result<Invoked, A2aError> {
    let engine = &peer.engine;
    let unsupported = |why: &str| A2aError::new(ErrorKind::UnsupportedOperation, why);
    if call.operation.is_streaming() && !engine.abilities().streaming {
        return Err(unsupported("this agent does not stream"));
    }
    if is_about_push(call.operation) {
        pushes(peer)?;
    }
    let unary = |object| Ok(Invoked::Unary(object, Vec::new()));
    let faults = &peer.faults;
    let task = |snapshot: Snapshot| Invoked::Unary(Object::of(&snapshot.task, framing, faults), snapshot.stamps);
    match call.operation {
        Operation::SendMessage => send(peer, input, framing, origin).await,
        Operation::SendStreamingMessage => {
            let (order, configuration) = order(peer, input)?;
            Ok(match engine.send_and_follow(order, origin)? {
                Sent::Reply(message) => stream(stream_response::Payload::Message(message), Vec::new(), None),
                Sent::Task((first, rest)) => {
                    let first = first.with_history(configuration.history_length)?;
                    stream(stream_response::Payload::Task(first.task), first.stamps, Some(rest))
                }
            })
        }
        Operation::GetTask => {
            let request: v1::GetTaskRequest = input.read()?;
            engine.get(&request.id)?.with_history(request.history_length).map(task)
        }
        Operation::CancelTask => engine.cancel(&input.read::<v1::CancelTaskRequest>()?.id).map(task),
        Operation::SubscribeToTask => {
            let (first, rest) = engine.subscribe(&input.read::<v1::SubscribeToTaskRequest>()?.id)?;
            Ok(stream(stream_response::Payload::Task(first.task), first.stamps, Some(rest)))
        }
        Operation::ListTasks => unary(Object::page(&engine.list(&input.read()?)?, framing, faults)),
        Operation::GetExtendedAgentCard if !engine.abilities().extended_card => {
            Err(unsupported("this agent has no extended card"))
        }
        Operation::GetExtendedAgentCard => {
            let failed = |kind, why: String| A2aError::new(kind, why);
            let card = peer.card.extended().ok_or_else(|| {
                failed(ErrorKind::ExtendedAgentCardNotConfigured, "the extended card is not configured".to_owned())
            })?;
            let card = Object::written_by_user(call.operation.response(), card, framing);
            unary(card.map_err(|error| failed(ErrorKind::Internal, error.to_string()))?)
        }
        Operation::CreateTaskPushNotificationConfig => {
            let config: v1::TaskPushNotificationConfig = input.read()?;
            if config.task_id.is_empty() {
                return Err(A2aError::new(ErrorKind::InvalidParams, "/taskId is required"));
            }
            unary(Object::of(&engine.configure(config)?, framing, faults))
        }
        Operation::GetTaskPushNotificationConfig => {
            let request: v1::GetTaskPushNotificationConfigRequest = input.read()?;
            unary(Object::of(&engine.configuration(&request.task_id, &request.id)?, framing, faults))
        }
        Operation::ListTaskPushNotificationConfigs => {
            let request = input.read()?;
            unary(Object::of(&engine.configurations(&request)?, framing, faults))
        }
        Operation::DeleteTaskPushNotificationConfig => {
            let request: v1::DeleteTaskPushNotificationConfigRequest = input.read()?;
            engine.remove_configuration(&request.task_id, &request.id)?;
            unary(Object::empty(call.operation, framing))
        }
    }
}

const fn is_about_push(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::CreateTaskPushNotificationConfig
            | Operation::GetTaskPushNotificationConfig
            | Operation::ListTaskPushNotificationConfigs
            | Operation::DeleteTaskPushNotificationConfig
    )
}

/// Whether the agent notifies anybody.
fn pushes(peer: &Peer) -> Result<(), A2aError> {
    let why = "this agent sends no push notifications";
    let able = peer.engine.abilities().push;
    able.then_some(()).ok_or_else(|| A2aError::new(ErrorKind::PushNotificationNotSupported, why))
}

async fn send(peer: &Arc<Peer>, input: &Input, framing: &Framing, origin: Origin) -> Result<Invoked, A2aError> {
    let (order, configuration) = order(peer, input)?;
    let sent = if configuration.return_immediately {
        peer.engine.send_off(order, origin)?
    } else {
        peer.engine.send(order, origin).await?
    };
    let (payload, stamps) = match sent {
        Sent::Reply(message) => (send_message_response::Payload::Message(message), Vec::new()),
        Sent::Task(snapshot) => {
            let snapshot = snapshot.with_history(configuration.history_length)?;
            (send_message_response::Payload::Task(snapshot.task), snapshot.stamps)
        }
    };
    let stamps = stamps.into_iter().map(|stamp| below("/task", stamp)).collect();
    let response = v1::SendMessageResponse { payload: Some(payload) };
    Ok(Invoked::Unary(Object::of(&response, framing, &peer.faults), stamps))
}

/// A message, and how it wants to be answered.
fn order(peer: &Peer, input: &Input) -> Result<(Order, v1::SendMessageConfiguration), A2aError> {
    let request: v1::SendMessageRequest = input.read()?;
    let mut configuration = request.configuration.unwrap_or_default();
    let push = configuration.task_push_notification_config.take();
    if push.is_some() {
        pushes(peer)?;
    }
    if configuration.history_length.is_some_and(i32::is_negative) {
        return Err(A2aError::new(ErrorKind::InvalidParams, "`historyLength` must not be negative")
            .at("configuration.historyLength"));
    }
    let message = request.message.unwrap_or_default();
    if message.role() != v1::Role::User {
        return Err(A2aError::new(ErrorKind::InvalidParams, "the role of a message that is sent is ROLE_USER")
            .at("message.role"));
    }
    Ok((Order { message, push }, configuration))
}

fn stream(payload: stream_response::Payload, stamps: Vec<Stamp>, rest: Option<Subscription>) -> Invoked {
    let stamps = stamps.into_iter().map(|stamp| below("/task", stamp)).collect();
    Invoked::Stream { first: Box::new(v1::StreamResponse { payload: Some(payload) }), stamps, rest }
}

/// The stamp of an object that now stands inside another.
fn below(at: &str, mut stamp: Stamp) -> Stamp {
    for pointer in &mut stamp.pointers {
        pointer.insert_str(0, at);
    }
    stamp
}
