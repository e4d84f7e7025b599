//! What comes back from a call, and what it amounts to.

use std::fmt;

use base64::Engine;
use base64::alphabet::STANDARD as ALPHABET;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use gauntlet_wire::error::grpc_code_name;
use gauntlet_wire::sse::Decoder;
use gauntlet_wire::{A2aError, Binding, ErrorKind, jsonrpc, protojson};
use http::StatusCode;
use http::header::WWW_AUTHENTICATE;
use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::{Call, GRPC};
use crate::dial::{DialError, EVENT_STREAM, Got};

/// Longer words of a peer are cut.
const WORDS: usize = 160;

/// What an answer amounts to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// The operation was carried out.
    Result,
    /// It was refused with an error of the A2A table.
    Refused {
        /// The row.
        kind: ErrorKind,
        /// An ErrorInfo says so, not the code alone.
        told: bool,
    },
    /// The binding is served, and has no such operation.
    Unimplemented,
    /// Whoever called was not let in.
    Denied {
        /// The answer says how to be let in.
        challenged: bool,
    },
    /// It answered that it cannot answer.
    Failed,
    /// It answered, and not as this binding does.
    Foreign,
    /// No answer.
    Lost(DialError),
}

/// What came back from one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// What it amounts to.
    pub reading: Reading,
    /// In the words of the binding, and of whoever answered.
    pub words: String,
    /// What was answered, where it is a result that can be read.
    pub(crate) result: Option<Value>,
    /// It came as a stream.
    pub(crate) streamed: bool,
}

impl Answer {
    /// No answer.
    pub(crate) fn lost(error: DialError) -> Self {
        Self { words: plain(&error.to_string()), reading: Reading::Lost(error), result: None, streamed: false }
    }

    /// Whether an A2A server spoke, whatever it said.
    pub(crate) const fn is_of_binding(&self) -> bool {
        matches!(self.reading, Reading::Result | Reading::Refused { .. } | Reading::Unimplemented)
    }

    /// Whether the operation is there: it was carried out, or refused for a reason that has to do with the request.
    pub(crate) const fn is_served(&self) -> bool {
        use ErrorKind::{
            ExtendedAgentCardNotConfigured, Internal, MethodNotFound, PushNotificationNotSupported,
            UnsupportedOperation,
        };
        match self.reading {
            Reading::Result => true,
            Reading::Refused { kind, .. } => !matches!(
                kind,
                MethodNotFound
                    | UnsupportedOperation
                    | PushNotificationNotSupported
                    | ExtendedAgentCardNotConfigured
                    | Internal
            ),
            Reading::Denied { .. } => true,
            // The stream began; that it did not go on is another matter.
            Reading::Failed => self.streamed,
            _ => false,
        }
    }

    /// The error of the table that it is.
    pub(crate) const fn kind(&self) -> Option<ErrorKind> {
        match self.reading {
            Reading::Refused { kind, .. } => Some(kind),
            _ => None,
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl Call<'_> {
    /// What an answer amounts to.
    pub(crate) fn read(&self, got: &Got) -> Answer {
        let answer = match self.binding {
            Binding::JsonRpc => self.read_jsonrpc(got),
            Binding::HttpJson => self.read_rest(got),
            Binding::Grpc => self.read_grpc(got),
        };
        let streamed =
            got.media_type() == EVENT_STREAM || self.binding == Binding::Grpc && answer.reading == Reading::Result;
        Answer { words: plain(&answer.words), streamed, ..answer }
    }

    fn read_jsonrpc(&self, got: &Got) -> Answer {
        if let Some(denied) = denied(got) {
            return denied;
        }
        match jsonrpc::parse_response(&self.document(got)) {
            Ok(reply) => match reply.result {
                Ok(result) => said(Reading::Result, "a result").with(result),
                Err(error) => {
                    let kind = A2aError::kind_of(Binding::JsonRpc, error.code, error.data.as_ref());
                    // No number of the table: what is left is what the details say.
                    let told = A2aError::kind_of(Binding::JsonRpc, 0, error.data.as_ref()).is_some();
                    said(refused(kind, told), format!("{} {}", error.code, error.message))
                }
            },
            Err(_) => beside(got),
        }
    }

    fn read_rest(&self, got: &Got) -> Answer {
        if let Some(denied) = denied(got) {
            return denied;
        }
        let Ok(json) = serde_json::from_slice::<Value>(&self.document(got)) else {
            let routed = matches!(got.status.as_u16(), 404 | 405 | 501);
            return if routed { said(Reading::Unimplemented, http_words(got)) } else { beside(got) };
        };
        let Some(error) = json.get("error").filter(|error| error.is_object()) else {
            // 0.3 lays down no form for errors: the words must do.
            let words = ["message", "detail", "title"].into_iter().find_map(|name| json[name].as_str());
            let about_task = self.older && words.is_some_and(|words| words.to_lowercase().contains("task"));
            return match got.status.as_u16() {
                404 if about_task => said(refused(Some(ErrorKind::TaskNotFound), false), http_words(got)),
                200..=299 if json.is_object() => said(Reading::Result, http_words(got)).with(json),
                404 | 405 | 501 => said(Reading::Unimplemented, http_words(got)),
                _ => beside(got),
            };
        };
        let words = format!("HTTP {} {}", got.status.as_u16(), error["message"].as_str().unwrap_or_default());
        let told = A2aError::kind_of(Binding::HttpJson, 0, error.get("details"));
        let kind = told.or_else(|| match (got.status.as_u16(), error["status"].as_str()) {
            // Without details only the words tell a task that is not there from an address that is not.
            (404, Some("NOT_FOUND"))
                if error["message"].as_str().is_some_and(|words| words.to_lowercase().contains("task")) =>
            {
                Some(ErrorKind::TaskNotFound)
            }
            (404 | 405 | 501, _) => Some(ErrorKind::MethodNotFound),
            (500, _) => Some(ErrorKind::Internal),
            (400, _) => Some(ErrorKind::InvalidParams),
            _ => None,
        });
        said(refused(kind, told.is_some()), words)
    }

    fn read_grpc(&self, got: &Got) -> Answer {
        if let Some(denied) = denied(got) {
            return denied;
        }
        if got.status != StatusCode::OK || !got.media_type().starts_with(GRPC) {
            return beside(got);
        }
        let told =
            |name: &str| got.trailers.get(name).or_else(|| got.headers.get(name)).and_then(|value| value.to_str().ok());
        let code = told("grpc-status").and_then(|code| code.parse::<i32>().ok());
        let message = grpc_message(&got.body);
        let Some(code) = code else {
            // The rest of a stream that has begun was not waited for.
            return match message.filter(|_| self.operation.is_streaming()) {
                Some(message) => said(Reading::Result, "the first item of a stream").with(self.decoded(message)),
                None => said(Reading::Foreign, format!("{} without grpc-status", http_words(got))),
            };
        };
        if code == 0 {
            return said(Reading::Result, "OK").with(message.map(|message| self.decoded(message)).unwrap_or_default());
        }
        let details = told("grpc-status-details-bin").and_then(|text| LENIENT.decode(text).ok()).unwrap_or_default();
        let message = percent_decode_str(told("grpc-message").unwrap_or_default()).decode_utf8_lossy();
        let words = format!("{} {message}", grpc_code_name(code));
        let by_details = A2aError::kind_of_grpc(-1, &details);
        let reading = match (by_details, code) {
            (Some(kind), _) => refused(Some(kind), true),
            (None, 12) => Reading::Unimplemented,
            (None, 7 | 16) => Reading::Denied { challenged: true },
            (None, code) => refused(A2aError::kind_of_grpc(code, &details), false),
        };
        said(reading, words)
    }

    fn decoded(&self, message: &[u8]) -> Value {
        if self.older {
            return Value::Null;
        }
        protojson::bytes_to_json(&self.operation.response(), message).unwrap_or_default()
    }

    /// The body, or of a stream the first event.
    fn document(&self, got: &Got) -> Vec<u8> {
        if got.media_type() != EVENT_STREAM {
            return got.body.clone();
        }
        let first = Decoder::default().push(&got.body).into_iter().next();
        first.map(|event| event.data.into_bytes()).unwrap_or_default()
    }
}

/// Some servers leave the padding away, as gRPC asks them to.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &ALPHABET,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The first message of a gRPC body, once all of it is there.
pub(super) fn grpc_message(body: &[u8]) -> Option<&[u8]> {
    let length = body.get(1..5).and_then(|length| length.try_into().ok()).map(u32::from_be_bytes)?;
    body.get(5..)?.get(..usize::try_from(length).ok()?)
}

fn said(reading: Reading, words: impl Into<String>) -> Answer {
    Answer { reading, words: words.into(), result: None, streamed: false }
}

impl Answer {
    fn with(mut self, result: Value) -> Self {
        self.result = Some(result);
        self
    }
}

fn refused(kind: Option<ErrorKind>, told: bool) -> Reading {
    match kind {
        Some(ErrorKind::MethodNotFound) => Reading::Unimplemented,
        Some(kind) => Reading::Refused { kind, told },
        None => Reading::Failed,
    }
}

/// 401 and 403 mean the same everywhere.
fn denied(got: &Got) -> Option<Answer> {
    let denied = matches!(got.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    let challenged = got.status == StatusCode::FORBIDDEN || got.headers.contains_key(WWW_AUTHENTICATE);
    denied.then(|| said(Reading::Denied { challenged }, http_words(got)))
}

/// An answer of HTTP alone.
fn beside(got: &Got) -> Answer {
    if got.status == StatusCode::OK && got.media_type() == EVENT_STREAM {
        return said(Reading::Failed, "the stream ended before its first event");
    }
    let busy = got.status.is_server_error() || got.status == StatusCode::TOO_MANY_REQUESTS;
    said(if busy { Reading::Failed } else { Reading::Foreign }, http_words(got))
}

fn http_words(got: &Got) -> String {
    let media_type = got.media_type();
    let media_type = if media_type.is_empty() { "without a media type" } else { &media_type };
    format!("HTTP {} {media_type}", got.status.as_u16())
}

/// Words of a stranger, fit for a terminal: on one line, without controls, and not too many.
fn plain(words: &str) -> String {
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut plain: String = words.chars().filter(|one| !one.is_control()).take(WORDS).collect();
    if words.chars().count() > WORDS {
        plain.push('…');
    }
    plain
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
