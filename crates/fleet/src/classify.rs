//! What a request is for: discovery, probe, dispatch or follow-up.

use std::sync::Mutex;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use gauntlet_evidence::{Delegation, RequestClass};
use gauntlet_wire::Operation;
use gauntlet_wire::protojson::member;
use serde_json::Value;

use crate::engine::Engine;
use crate::lock::lock;

/// The delegations the fleet has been told of, in order.
#[derive(Default)]
pub(crate) struct Expectations(Mutex<Vec<Expected>>);

struct Expected {
    delegation: String,
    marker: String,
    /// Whether the orchestrator may try a peer out first; if not, whatever begins a task hands over work.
    probes: bool,
}

impl Expectations {
    pub(crate) fn add(&self, delegation: &Delegation, probes: bool) {
        let expected = Expected { delegation: delegation.id.clone(), marker: delegation.marker.clone(), probes };
        lock(&self.0).push(expected);
    }

    /// The class of a call of `operation` with `message` (ProtoJSON, as far as it could be read).
    pub(crate) fn classify(&self, operation: Operation, message: Option<&Value>, engine: &Engine) -> RequestClass {
        let task_id = task_id(operation, message);
        match operation {
            Operation::GetExtendedAgentCard => RequestClass::Discovery,
            operation if operation.sends_message() && task_id.is_none() => self.new_work(message),
            _ => RequestClass::FollowUp(task_id.and_then(|id| engine.delegation_of(id)).flatten()),
        }
    }

    /// A message that continues no task. Of several markers the latest counts: frameworks resend their history.
    fn new_work(&self, message: Option<&Value>) -> RequestClass {
        let expected = lock(&self.0);
        if expected.is_empty() {
            return RequestClass::Probe;
        }
        let content = message.map(content).unwrap_or_default();
        let carried = expected.iter().rev().find(|expected| content.contains(&expected.marker));
        let taken = carried.or_else(|| expected.last().filter(|latest| !latest.probes));
        taken.map_or(RequestClass::Probe, |expected| RequestClass::Dispatch(expected.delegation.clone()))
    }
}

/// The task that a call is about, where it names one.
pub(crate) fn task_id(operation: Operation, message: Option<&Value>) -> Option<&str> {
    let (holder, name) = match operation {
        operation if operation.sends_message() => (message?.get("message")?, "taskId"),
        Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask => (message?, "id"),
        _ => (message?, "taskId"),
    };
    member(holder, name)?.as_str().filter(|id| !id.is_empty())
}

/// The message as text, with the bytes of its raw parts decoded: a marker may stand in a file.
fn content(message: &Value) -> String {
    let mut content = message.to_string();
    let parts = message.pointer("/message/parts").and_then(Value::as_array).into_iter().flatten();
    for raw in parts.filter_map(|part| part.get("raw").and_then(Value::as_str)) {
        let bytes = STANDARD.decode(raw).or_else(|_| URL_SAFE.decode(raw)).unwrap_or_default();
        content.push_str(&String::from_utf8_lossy(&bytes));
    }
    content
}
