//! What of the journal must not leave the process.

use crate::journal::{JournalEntry, JournalEvent};

/// Headers whose values are secrets.
const SECRET_HEADERS: [&str; 5] =
    ["authorization", "proxy-authorization", "cookie", "x-api-key", "x-a2a-notification-token"];

impl JournalEntry {
    /// The entry with the values of headers that hold secrets replaced by `***`: for everything that is saved or shown.
    #[must_use]
    pub fn masked(mut self) -> Self {
        let headers = match &mut self.event {
            JournalEvent::Request(request) => &mut request.headers,
            JournalEvent::WebhookSent(request) => &mut request.headers,
            _ => return self,
        };
        for (name, value) in headers {
            if SECRET_HEADERS.contains(&name.as_str()) {
                "***".clone_into(value);
            }
        }
        self
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
}
