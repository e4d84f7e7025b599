//! What a line on a driver's stdout is.

use gauntlet_evidence::contract::FromDriver;
use serde_json::Value;

/// A line, read.
#[derive(Debug, PartialEq)]
pub(crate) enum Message {
    /// A message of the protocol.
    Protocol(FromDriver),
    /// Anything else a program may print.
    Chatter,
    /// It says it is a message of the protocol and is not; why.
    Malformed(String),
}

/// Tells what a line is. Only a JSON object whose `type` this side of the protocol knows is a message.
pub(crate) fn read(line: &[u8]) -> Message {
    let Ok(value @ Value::Object(_)) = serde_json::from_slice::<Value>(line) else { return Message::Chatter };
    match value["type"].as_str() {
        Some("hello" | "outcome" | "reset-done") => {
            serde_json::from_value(value).map_or_else(|error| Message::Malformed(error.to_string()), Message::Protocol)
        }
        _ => Message::Chatter,
    }
}

/// The beginning of a line, for a message to people.
pub(crate) fn shortened(line: &[u8]) -> String {
    const AT_MOST: usize = 200;
    let text = String::from_utf8_lossy(line);
    match text.char_indices().nth(AT_MOST) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_evidence::contract::{Reset, ToDriver};
    use gauntlet_evidence::{Outcome, Status};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn messages_of_the_protocol() {
        let outcome = read(br#"{"type":"outcome","id":"d-1","status":"completed","later":1}"#);
        let expected = Outcome::new("d-1", Status::Completed);
        assert_eq!(outcome, Message::Protocol(FromDriver::Outcome(Box::new(expected))));
        let done = read(br#" {"session":"s-1","type":"reset-done"}"#);
        assert_eq!(done, Message::Protocol(FromDriver::ResetDone(Reset { session: "s-1".to_owned() })));
        assert!(matches!(read(br#"{"type":"hello"}"#), Message::Protocol(FromDriver::Hello(_))));
    }

    #[test]
    fn chatter() {
        for line in ["", "ready", "42", "[1]", "{}", r#"{"type":"log"}"#, r#"{"type":7}"#, r#"{"type":"outcome""#] {
            assert_eq!(read(line.as_bytes()), Message::Chatter, "{line}");
        }
        let mine = serde_json::to_vec(&ToDriver::Reset(Reset { session: "s".to_owned() })).unwrap();
        assert_eq!(read(&mine), Message::Chatter, "an echo of what the driver was sent is no message");
    }

    #[test]
    fn malformed_says_why() {
        let why = |line: &str| match read(line.as_bytes()) {
            Message::Malformed(why) => why,
            other => panic!("{line}: {other:?}"),
        };
        assert!(why(r#"{"type":"outcome","id":"d-1"}"#).contains("status"));
        assert!(why(r#"{"type":"outcome","id":"d-1","status":"done"}"#).contains("done"));
        assert!(why(r#"{"type":"hello","supports":"streaming"}"#).contains("streaming"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_something(line: Vec<u8>) {
            let _ = (read(&line), shortened(&line));
        }

        #[test]
        fn any_object_is_something(kind in "hello|outcome|reset-done|x", name in "[a-z]{1,6}", value in "[^\"\\\\]*") {
            let _ = read(format!(r#"{{"type":"{kind}","{name}":"{value}"}}"#).as_bytes());
        }

        #[test]
        fn shortening_bounds(line in ".{0,300}") {
            prop_assert!(shortened(line.as_bytes()).chars().count() <= 201);
        }
    }
}
