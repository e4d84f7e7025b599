//! The requests of A2A 0.3, as far as an audit makes them: given as those of 1.0, which say the same.

use gauntlet_wire::{Binding, Operation};
use serde_json::{Value, json};

/// Whether there is such a request.
pub(crate) fn has(binding: Binding, operation: Operation) -> bool {
    let message = json!({});
    match binding {
        Binding::JsonRpc => method(operation).is_some(),
        Binding::HttpJson => rest(operation, &message).is_some(),
        Binding::Grpc => grpc(operation, &message).is_some(),
    }
}

/// What JSON-RPC calls it.
pub(super) const fn method(operation: Operation) -> Option<&'static str> {
    Some(match operation {
        Operation::SendMessage => "message/send",
        Operation::SendStreamingMessage => "message/stream",
        Operation::GetTask => "tasks/get",
        Operation::ListTasks => return None,
        Operation::CancelTask => "tasks/cancel",
        Operation::SubscribeToTask => "tasks/resubscribe",
        Operation::CreateTaskPushNotificationConfig => "tasks/pushNotificationConfig/set",
        Operation::GetTaskPushNotificationConfig => "tasks/pushNotificationConfig/get",
        Operation::ListTaskPushNotificationConfigs => "tasks/pushNotificationConfig/list",
        Operation::DeleteTaskPushNotificationConfig => "tasks/pushNotificationConfig/delete",
        Operation::GetExtendedAgentCard => "agent/getAuthenticatedExtendedCard",
    })
}

/// The parameters of JSON-RPC.
pub(super) fn params(operation: Operation, message: &Value) -> Value {
    let task = message.get("taskId").or_else(|| message.get("id")).cloned().unwrap_or_default();
    match operation {
        Operation::SendMessage | Operation::SendStreamingMessage => json!({ "message": {
            "kind": "message", "role": "user", "messageId": message["message"]["messageId"],
            "parts": [{ "kind": "text", "text": message["message"]["parts"][0]["text"] }],
        } }),
        Operation::CreateTaskPushNotificationConfig => {
            json!({ "taskId": task, "pushNotificationConfig": { "id": message["id"], "url": message["url"] } })
        }
        Operation::GetTaskPushNotificationConfig | Operation::DeleteTaskPushNotificationConfig => {
            json!({ "id": task, "pushNotificationConfigId": message["id"] })
        }
        Operation::GetExtendedAgentCard => json!({}),
        _ => json!({ "id": task }),
    }
}

/// Method, path below the url, and body of HTTP+JSON. Messages have two dialects there, and are left out.
pub(super) fn rest(operation: Operation, message: &Value) -> Option<(&'static str, String, Option<Value>)> {
    let text = |name: &str| message.get(name).and_then(Value::as_str).unwrap_or_default();
    let configs = format!("/v1/tasks/{}/pushNotificationConfigs", text("taskId"));
    let config = format!("{configs}/{}", text("id"));
    let task = format!("/v1/tasks/{}", text("id"));
    Some(match operation {
        Operation::GetTask => ("GET", task, None),
        Operation::CancelTask => ("POST", format!("{task}:cancel"), None),
        Operation::SubscribeToTask => ("POST", format!("{task}:subscribe"), None),
        Operation::CreateTaskPushNotificationConfig => ("POST", configs, Some(params(operation, message))),
        Operation::GetTaskPushNotificationConfig => ("GET", config, None),
        Operation::ListTaskPushNotificationConfigs => ("GET", configs, None),
        Operation::DeleteTaskPushNotificationConfig => ("DELETE", config, None),
        Operation::GetExtendedAgentCard => ("GET", "/v1/card".to_owned(), None),
        Operation::SendMessage | Operation::SendStreamingMessage | Operation::ListTasks => return None,
    })
}

/// Path and message of gRPC. All of them have one text in the first field.
pub(super) fn grpc(operation: Operation, message: &Value) -> Option<(String, Vec<u8>)> {
    let text = |name: &str| message.get(name).and_then(Value::as_str).unwrap_or_default();
    let (task, of_config) = (format!("tasks/{}", text("id")), format!("tasks/{}", text("taskId")));
    let config = format!("{of_config}/pushNotificationConfigs/{}", text("id"));
    let (name, field) = match operation {
        Operation::GetTask => ("GetTask", task),
        Operation::CancelTask => ("CancelTask", task),
        Operation::SubscribeToTask => ("TaskSubscription", task),
        Operation::CreateTaskPushNotificationConfig => ("CreateTaskPushNotificationConfig", of_config),
        Operation::GetTaskPushNotificationConfig => ("GetTaskPushNotificationConfig", config),
        Operation::ListTaskPushNotificationConfigs => ("ListTaskPushNotificationConfig", of_config),
        Operation::DeleteTaskPushNotificationConfig => ("DeleteTaskPushNotificationConfig", config),
        // GetAgentCard gives the public card as well.
        Operation::GetExtendedAgentCard
        | Operation::SendMessage
        | Operation::SendStreamingMessage
        | Operation::ListTasks => return None,
    };
    let mut bytes = Vec::new();
    // Field 1, length-delimited; what an audit names is shorter than the 128 bytes that one byte of length allows.
    if let Some(length) = u8::try_from(field.len()).ok().filter(|length| (1..128).contains(length)) {
        bytes.extend([0x0a, length]);
        bytes.extend(field.as_bytes());
    }
    Some((format!("/a2a.v1.A2AService/{name}"), bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_binding_names_the_task_in_its_own_way() {
        let get = json!({ "id": "t-1" });
        assert_eq!(params(Operation::GetTask, &get), json!({ "id": "t-1" }));
        assert_eq!(rest(Operation::CancelTask, &get).unwrap().1, "/v1/tasks/t-1:cancel");
        let (path, bytes) = grpc(Operation::GetTask, &get).unwrap();
        assert_eq!((path.as_str(), bytes.as_slice()), ("/a2a.v1.A2AService/GetTask", b"\x0a\x09tasks/t-1".as_slice()));
        let config = json!({ "taskId": "t-1", "id": "c", "url": "https://x.invalid/" });
        assert_eq!(
            params(Operation::GetTaskPushNotificationConfig, &config),
            json!({ "id": "t-1", "pushNotificationConfigId": "c" })
        );
        assert_eq!(
            rest(Operation::DeleteTaskPushNotificationConfig, &config).unwrap().1,
            "/v1/tasks/t-1/pushNotificationConfigs/c"
        );
        assert!(!has(Binding::JsonRpc, Operation::ListTasks) && has(Binding::JsonRpc, Operation::SendMessage));
    }
}
