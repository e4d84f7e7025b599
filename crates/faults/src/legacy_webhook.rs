//! `legacy-webhook`: notifications hold the whole task in the form of A2A 0.3, whatever happened.

use gauntlet_scenario::{Fields, FileError, Node};
use gauntlet_wire::protojson;
use serde_json::{Map, Value, json};

use crate::{Fault, FaultKind, Stage, WebhookAction, WebhookView};

pub(crate) const KIND: FaultKind = FaultKind {
    id: "legacy-webhook",
    summary: "Notifications are those of A2A 0.3: the whole task, `kind` members, states and roles in lower case.",
    stages: &[Stage::WebhookEncoded],
    arguments: &[],
    build,
};

#[derive(Debug)]
struct LegacyWebhook;

fn build(arguments: &Node) -> Result<Box<dyn Fault>, FileError> {
    Fields::of(arguments, "`legacy-webhook`", &[])?;
    Ok(Box::new(LegacyWebhook))
}

impl Fault for LegacyWebhook {
    fn on_webhook(&self, webhook: &mut WebhookView<'_>) -> Option<WebhookAction> {
        let legacy = task_form(protojson::to_json(webhook.task));
        let members = |object: &Value| object.as_object().map(|members| members.keys().cloned().collect::<Vec<_>>());
        let names = [members(webhook.object), members(&legacy)].into_iter().flatten().flatten();
        let pointers = names.map(|name| format!("/{name}")).collect();
        *webhook.object = legacy;
        Some(WebhookAction::Changed(pointers))
    }
}

fn task_form(mut task: Value) -> Value {
    task["kind"] = json!("task");
    if let Some(status) = task.get_mut("status") {
        let state = status["state"].as_str().unwrap_or_default().trim_start_matches("TASK_STATE_");
        status["state"] = json!(state.to_lowercase().replace('_', "-"));
        status.get_mut("message").map(message_form);
    }
    items(&mut task, "history").for_each(message_form);
    items(&mut task, "artifacts").for_each(parts_form);
    task
}

fn message_form(message: &mut Value) {
    message["kind"] = json!("message");
    message["role"] = json!(if message["role"] == "ROLE_USER" { "user" } else { "agent" });
    parts_form(message);
}

fn items<'a>(holder: &'a mut Value, member: &str) -> impl Iterator<Item = &'a mut Value> {
    holder.get_mut(member).and_then(Value::as_array_mut).into_iter().flatten()
}

/// Each part says what kind it is; files stand in a member of their own.
fn parts_form(holder: &mut Value) {
    for part in items(holder, "parts") {
        let Some(members) = part.as_object_mut() else { continue };
        let kind = ["text", "data"].into_iter().find(|kind| members.contains_key(*kind)).unwrap_or("file");
        if kind == "file" {
            let names = [("raw", "bytes"), ("url", "uri"), ("filename", "name"), ("mediaType", "mimeType")];
            let file = names.into_iter().filter_map(|(name, old)| Some((old.to_owned(), members.shift_remove(name)?)));
            let file: Map<_, _> = file.collect();
            members.insert("file".to_owned(), Value::Object(file));
        }
        members.insert("kind".to_owned(), json!(kind));
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::protojson::{self, Unknown};
    use gauntlet_wire::v1;
    use serde_json::json;

    use crate::WebhookView;
    use crate::testing::set;

    #[test]
    fn the_task_is_told_as_0_3_did() {
        let message = json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "a" }] });
        let parts = json!([{ "data": 1 }, { "url": "http://x/", "mediaType": "image/png", "filename": "f" }]);
        let task: v1::Task = protojson::from_json(
            &json!({ "id": "t", "status": { "state": "TASK_STATE_INPUT_REQUIRED" }, "history": [message],
                     "artifacts": [{ "artifactId": "a", "parts": parts }] }),
            Unknown::Refuse,
        )
        .unwrap();
        let mut object = json!({ "statusUpdate": { "taskId": "t" } });
        let view = &mut WebhookView { task: &task, index: 0, object: &mut object, headers: &mut Vec::new() };
        let (_, bites) = set("[legacy-webhook]").webhook(view);
        let message =
            json!({ "messageId": "m", "role": "user", "kind": "message", "parts": [{ "text": "a", "kind": "text" }] });
        let parts = json!([
            { "data": 1, "kind": "data" },
            { "file": { "uri": "http://x/", "name": "f", "mimeType": "image/png" }, "kind": "file" },
        ]);
        let legacy = json!({ "id": "t", "status": { "state": "input-required" }, "history": [message], "kind": "task",
                             "artifacts": [{ "artifactId": "a", "parts": parts }] });
        assert_eq!(object, legacy);
        assert!(bites[0].pointers.contains(&"/statusUpdate".to_owned()) && bites[0].pointers.len() == 6);
    }
}
