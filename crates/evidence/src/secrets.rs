//! What of the journal must not leave the process.

use serde_json::Value;

use crate::evidence::Evidence;
use crate::journal::{JournalEntry, JournalEvent, Raw, Request};

/// Headers whose values are secrets.
const SECRET_HEADERS: [&str; 5] =
    ["authorization", "proxy-authorization", "cookie", "x-api-key", "x-a2a-notification-token"];

/// What is secret of a token request (RFC 6749 §2.3.1, §6; RFC 7521 §4.2) and of its answer.
const SECRET_PARAMETERS: [&str; 4] = ["client_secret", "refresh_token", "password", "client_assertion"];
const SECRET_MEMBERS: [&str; 3] = ["access_token", "refresh_token", "id_token"];

/// Members of a credential that are secret (driver protocol 1).
pub const SECRET_OF_CREDENTIAL: [&str; 9] =
    ["token", "accessToken", "refreshToken", "clientSecret", "password", "apiKey", "key", "value", "secret"];

/// Shorter values occur by chance.
const TELLING: usize = 6;

/// What stands in the place of a secret.
const MASK: &str = "***";

impl JournalEntry {
    /// The entry with the values of headers and parameters that hold secrets, what token servers are shown and give, and
    /// what webhooks are told to show for themselves, replaced by `***`: for everything that is saved or shown.
    #[must_use]
    pub fn masked(mut self) -> Self {
        match &mut self.event {
            JournalEvent::Request(request) => {
                mask_webhooks(request.message.as_mut(), &mut request.body);
                mask_request(request);
            }
            JournalEvent::Frame(frame) => {
                mask_webhooks(frame.object.as_mut(), &mut frame.raw);
                mask_tokens(frame.object.as_mut(), &mut frame.raw);
            }
            JournalEvent::WebhookSent(request) => mask_headers(&mut request.headers, &[]),
            _ => {}
        }
        self
    }
}

fn mask_headers(headers: &mut [(String, String)], more: &[String]) {
    for (name, value) in headers {
        let is_listed = more.iter().any(|known| known.eq_ignore_ascii_case(name));
        if is_listed || SECRET_HEADERS.contains(&name.as_str()) {
            MASK.clone_into(value);
        }
    }
}

fn mask_request(request: &mut Request) {
    mask_headers(&mut request.headers, &request.secrets);
    if let Some((path, query)) = request.path.split_once('?') {
        let named = |name: &str| request.secrets.iter().any(|known| known == name);
        request.path = format!("{path}?{}", mask_pairs(query, named));
    }
    let form =
        request.header("content-type").is_some_and(|media| media.starts_with("application/x-www-form-urlencoded"));
    if let (true, Raw::Text(body)) = (form, &mut request.body) {
        *body = mask_pairs(body, |name| SECRET_PARAMETERS.contains(&name));
    }
}

/// Masks parameters of a query or a form. Names are as a rule not escaped.
fn mask_pairs(pairs: &str, is_secret: impl Fn(&str) -> bool) -> String {
    let masked = pairs.split('&').map(|pair| match pair.split_once('=') {
        Some((name, _)) if is_secret(name) => format!("{name}={MASK}"),
        _ => pair.to_owned(),
    });
    masked.collect::<Vec<_>>().join("&")
}

/// Masks the tokens of a token server's answer.
fn mask_tokens(object: Option<&mut Value>, raw: &mut Raw) {
    let Some(object) = object else { return };
    for member in SECRET_MEMBERS {
        if let Some(Value::String(token)) = object.get_mut(member) {
            let token = std::mem::replace(token, MASK.to_owned());
            replace(raw, &token);
        }
    }
}

fn replace(raw: &mut Raw, secret: &str) {
    if let Raw::Text(text) = raw
        && text.contains(secret)
    {
        *text = text.replace(secret, MASK);
    }
}

/// The secrets of one scenario by their values: those that were given, and those that token servers gave. They are
/// masked wherever they stand, for a leak brings them where nobody expects them.
#[derive(Debug, Clone, Default)]
pub struct Secrets(Vec<String>);

impl Secrets {
    /// What is secret in this evidence.
    pub fn of(evidence: &Evidence) -> Self {
        let credentials = evidence.delegations.iter().flat_map(|delegation| delegation.credentials.values().flatten());
        let given = credentials.flat_map(|credential| {
            SECRET_OF_CREDENTIAL.iter().filter_map(|member| credential.get(member).and_then(Value::as_str))
        });
        let answers = evidence.journal.iter().filter_map(|entry| match &entry.event {
            JournalEvent::Frame(frame) => frame.object.as_ref(),
            _ => None,
        });
        let issued = answers
            .flat_map(|object| SECRET_MEMBERS.iter().filter_map(|member| object.get(member).and_then(Value::as_str)));
        Self(given.chain(issued).filter(|secret| secret.len() >= TELLING).map(str::to_owned).collect())
    }

    /// [`JournalEntry::masked`], with these values replaced as well.
    #[must_use]
    pub fn mask(&self, entry: JournalEntry) -> JournalEntry {
        let mut entry = entry.masked();
        let JournalEvent::Request(request) = &mut entry.event else { return entry };
        for secret in &self.0 {
            let hidden = |text: &mut String| {
                if text.contains(secret) {
                    *text = text.replace(secret, MASK);
                }
            };
            request.headers.iter_mut().for_each(|(_, value)| hidden(value));
            hidden(&mut request.path);
            replace(&mut request.body, secret);
            if let Some(message) = request.message.as_mut().filter(|message| message.to_string().contains(secret)) {
                *message = serde_json::from_str(&message.to_string().replace(secret, MASK)).unwrap_or_default();
            }
        }
        entry
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

    #[test]
    fn what_the_card_calls_a_key_and_what_token_servers_hear_and_say_is_masked() {
        let entry = |request: Value| serde_json::from_value::<JournalEntry>(request).unwrap();
        let mut keyed = entry(json!({
            "seq": 1, "atUs": 5, "peer": "p", "connection": 1, "exchange": 1, "event": "request", "class": "probe",
            "method": "POST", "path": "/rpc?a=1&vendor_key=secret", "headers": [["x-vendor-key", "secret"], ["a", "b"]],
        }));
        if let JournalEvent::Request(request) = &mut keyed.event {
            request.secrets = vec!["X-Vendor-Key".to_owned(), "vendor_key".to_owned()];
        }
        let JournalEvent::Request(request) = keyed.masked().event else { panic!("it was a request") };
        assert_eq!(request.path, "/rpc?a=1&vendor_key=***");
        assert_eq!((request.header("x-vendor-key"), request.header("a")), (Some("***"), Some("b")));

        let asked = entry(json!({
            "seq": 1, "atUs": 5, "peer": "p", "connection": 1, "exchange": 1, "event": "request", "class": "discovery",
            "method": "POST", "path": "/token", "headers": [["content-type", "application/x-www-form-urlencoded"]],
            "body": "grant_type=refresh_token&refresh_token=secret&client_secret=secret&scope=work",
        }));
        let JournalEvent::Request(request) = asked.masked().event else { panic!("it was a request") };
        assert_eq!(
            request.body.text(),
            Some("grant_type=refresh_token&refresh_token=***&client_secret=***&scope=work")
        );
        let told = entry(json!({
            "seq": 2, "atUs": 6, "peer": "p", "connection": 1, "exchange": 1, "event": "frame", "index": 0,
            "object": { "access_token": "secret", "scope": "work" }, "raw": "{\"access_token\":\"secret\"}",
        }));
        assert!(!serde_json::to_string(&told.masked()).unwrap().contains("secret"));
    }
}
