//! The messages sent to peers, as ProtoJSON.

use gauntlet_evidence::contract::Delegation;
use gauntlet_wire::{Operation, v1};
use serde_json::{Value, json};

use crate::flaws::{Flaws, Planted};

/// Numbers the messages of one orchestrator. Session and delegation keep ids apart between runs, the number within.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    sent: u64,
    flaws: Flaws,
}

impl Numbers {
    pub(crate) fn new(flaws: Flaws) -> Self {
        Self { sent: 0, flaws }
    }

    fn next(&mut self, delegation: &Delegation) -> String {
        self.sent += 1;
        let number = if self.flaws.has(Planted::ReusesMessageId) { 0 } else { self.sent };
        format!("{}/{}/{number}", delegation.session, delegation.id)
    }

    /// A request that sends `parts`; with a task, as its continuation.
    pub(crate) fn send_request(
        &mut self,
        operation: Operation,
        delegation: &Delegation,
        parts: &[Value],
        continues: Option<&v1::Task>,
    ) -> Value {
        let mut message = json!({ "messageId": self.next(delegation), "role": "ROLE_USER", "parts": parts });
        if let Some(task) = continues {
            message["taskId"] = json!(task.id);
            if !task.context_id.is_empty() {
                message["contextId"] = json!(task.context_id);
            }
        }
        if self.flaws.has(Planted::MalformedRequest) {
            message["kind"] = json!("message");
        }
        let mut request = json!({ "message": message });
        if !delegation.accepted_output_modes.is_empty() {
            request["configuration"]["acceptedOutputModes"] = json!(delegation.accepted_output_modes);
        }
        if !operation.is_streaming() {
            // A blocking call tells the task's id only with its end: at the deadline there would be nothing to cancel.
            request["configuration"]["returnImmediately"] = json!(true);
        }
        request
    }
}

/// The media type of a part: its own, or the one its kind has by nature. A file without one may be anything.
pub(crate) fn media_type(part: &Value) -> Option<&str> {
    let own = part.get("mediaType").and_then(Value::as_str).filter(|media_type| !media_type.is_empty());
    own.or_else(|| match part {
        _ if part.get("text").is_some() => Some("text/plain"),
        _ if part.get("data").is_some() => Some("application/json"),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::protojson::{self, Unknown};

    use super::*;
    use crate::select::tests::delegation;

    #[test]
    fn messages_are_valid_and_have_ids_of_their_own() {
        let mut numbers = Numbers::default();
        let work = delegation();
        let task = v1::Task { id: "t-1".to_owned(), context_id: "c-1".to_owned(), ..v1::Task::default() };
        let requests: Vec<v1::SendMessageRequest> = [None, Some(&task)]
            .into_iter()
            .map(|task| numbers.send_request(Operation::SendMessage, &work, &work.message.parts, task))
            .map(|request| protojson::from_json(&request, Unknown::Refuse).unwrap())
            .collect();
        let messages: Vec<_> = requests.iter().map(|request| request.message.as_ref().unwrap()).collect();
        assert_ne!(messages[0].message_id, messages[1].message_id);
        assert_eq!((messages[0].task_id.as_str(), messages[0].context_id.as_str()), ("", ""));
        assert_eq!((messages[1].task_id.as_str(), messages[1].context_id.as_str()), ("t-1", "c-1"));
    }

    #[test]
    fn parts_without_a_media_type_have_the_one_of_their_kind() {
        assert_eq!(media_type(&json!({ "text": "a" })), Some("text/plain"));
        assert_eq!(media_type(&json!({ "data": null })), Some("application/json"));
        assert_eq!(media_type(&json!({ "raw": "AA==" })), None);
        assert_eq!(media_type(&json!({ "raw": "AA==", "mediaType": "image/png" })), Some("image/png"));
    }
}
