//! What of the journal must not leave the process.

use serde_json::Value;

use crate::journal::{JournalEntry, JournalEvent, Raw};

/// Headers whose values are secrets.
const SECRET_HEADERS: [&str; 5] =
    ["authorization", "proxy-authorization", "cookie", "x-api-key", "x-a2a-notification-token"];

/// What stands in the place of a secret.
const MASK: &str = "***";

impl JournalEntry {
    /// The entry with the values of headers that hold secrets, and what webhooks are told to show for themselves,
    /// replaced by `***`: for everything that is saved or shown.
    #[must_use]
    pub fn masked(mut self) -> Self {
        match &mut self.event {
            JournalEvent::Request(request) => mask_webhooks(request.message.as_mut(), &mut request.body),
            JournalEvent::Frame(frame) => mask_webhooks(frame.object.as_mut(), &mut frame.raw),
            _ => {}
        }
        let headers = match &mut self.event {
            JournalEvent::Request(request) => &mut request.headers,
            JournalEvent::WebhookSent(request) => &mut request.headers,
            _ => return self,
        };
        for (name, value) in headers {
            if SECRET_HEADERS.contains(&name.as_str()) {
                MASK.clone_into(value);
            }
        }
        self
    }
}

/// Masks the secrets of push notification configurations in an object and in the bytes it came in.
fn mask_webhooks(object: Option<&mut Value>, raw: &mut Raw) {
    let mut secrets = Vec::new();
    object.into_iter().for_each(|object| take_secrets(object, &mut secrets));
    match raw {
        Raw::Text(text) => {
            for secret in &secrets {
                // As it stands inside a JSON string.
                let quoted = Value::from(secret.as_str()).to_string();
                *text = text.replace(&quoted, &format!("\"{MASK}\"")).replace(secret.as_str(), MASK);
            }
        }
        // In other encodings nothing can be replaced without breaking the rest.
        Raw::Binary { .. } if !secrets.is_empty() => *raw = Raw::Empty,
        Raw::Binary { .. } | Raw::Empty => {}
    }
}

/// Masks them where they stand, and gives what stood there.
fn take_secrets(value: &mut Value, secrets: &mut Vec<String>) {
    if value.get("url").is_some() {
        for name in ["token", "authentication"] {
            let Some(holder) = value.get_mut(name) else { continue };
            let secret = if name == "token" { Some(holder) } else { holder.get_mut("credentials") };
            if let Some(Value::String(secret)) = secret
                && !secret.is_empty()
            {
                secrets.push(std::mem::replace(secret, MASK.to_owned()));
            }
        }
    }
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| take_secrets(item, secrets)),
        Value::Object(members) => members.values_mut().for_each(|item| take_secrets(item, secrets)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_are_masked_and_the_rest_is_kept() {
        let entry = json!({
            "seq": 1, "atUs": 5, "peer": "p", "connection": 1, "exchange": 1, "event": "request", "class": "probe",
            "method": "POST", "path": "/rpc",
            "headers": [["authorization", "Bearer secret"], ["accept", "*/*"], ["cookie", "id=secret"]],
        });
        let masked = serde_json::from_value::<JournalEntry>(entry).unwrap().masked();
        let JournalEvent::Request(request) = masked.event else { panic!("it was a request") };
        assert_eq!(request.header("authorization"), Some("***"));
        assert_eq!(request.header("accept"), Some("*/*"));
        assert_eq!(request.header("cookie"), Some("***"));
    }

    #[test]
    fn what_a_webhook_is_told_to_show_is_masked_wherever_it_stands() {
        let config = json!({
            "url": "http://127.0.0.1:9/", "token": "qu\"iet", "authentication": { "scheme": "Bearer", "credentials": "secret" },
        });
        let message = json!({ "message": { "parts": [] }, "configuration": { "taskPushNotificationConfig": config } });
        let entry = json!({
            "seq": 1, "atUs": 5, "peer": "p", "connection": 1, "exchange": 1, "event": "request", "class": "probe",
            "method": "POST", "path": "/rpc", "headers": [], "message": message, "body": message.to_string(),
        });
        let masked = serde_json::from_value::<JournalEntry>(entry).unwrap().masked();
        let text = serde_json::to_string(&masked).unwrap();
        assert!(!text.contains("secret") && !text.contains("iet"), "{text}");
        let JournalEvent::Request(request) = masked.event else { panic!("it was a request") };
        assert_eq!(request.message.as_ref().map(Value::to_string).as_deref(), request.body.text());
        let frame = json!({
            "seq": 1, "atUs": 5, "peer": "p", "connection": 1, "exchange": 1, "event": "frame", "index": 0,
            "object": { "configs": [config] }, "raw": { "base64": "c2VjcmV0" },
        });
        let masked = serde_json::from_value::<JournalEntry>(frame).unwrap().masked();
        assert!(!serde_json::to_string(&masked).unwrap().contains("c2VjcmV0"));
    }
}
