//! Reading HTTP+JSON requests (specification §11).

use std::sync::Arc;

use gauntlet_wire::rest::Match;
use gauntlet_wire::{A2A_MEDIA_TYPE, A2aError, Binding, ErrorKind};
use http::StatusCode;
use serde_json::Value;

use super::answer::Failure;
use super::framing::{Framing, JSON};
use super::invoke::Input;
use super::{Arrival, Decoded};

pub(super) fn decode(arrival: &Arrival, interfaces: Vec<usize>, matched: &Match) -> Decoded {
    let media = preferred_media_type(arrival);
    let mut broken = None;
    let body = match body(arrival) {
        Ok(body) => body,
        Err(failure) => {
            broken = Some(failure);
            None
        }
    };
    let message = matched.message(arrival.head.uri.query(), body).map(Arc::new);
    Decoded {
        framing: Framing::HttpJson { media },
        binding: Binding::HttpJson,
        interfaces,
        operation: Ok(matched.operation),
        message: message.as_ref().ok().cloned(),
        input: message.map(Input::Json),
        broken,
    }
}

/// Answers repeat the media type of the request; where it has no body, what it accepts decides.
fn preferred_media_type(arrival: &Arrival) -> &'static str {
    let wish = arrival.media_type().unwrap_or_else(|| arrival.header("accept").unwrap_or_default().to_owned());
    if wish.contains(A2A_MEDIA_TYPE) { A2A_MEDIA_TYPE } else { JSON }
}

/// The body as JSON; `None` where there is none, which some operations allow.
fn body(arrival: &Arrival) -> Result<Option<Value>, Failure> {
    if arrival.body.is_empty() {
        return Ok(None);
    }
    let media_type = arrival.media_type().unwrap_or_default();
    if media_type != JSON && media_type != A2A_MEDIA_TYPE {
        let words = format!("a body is {JSON} or {A2A_MEDIA_TYPE}, not `{media_type}`");
        return Err(Failure {
            status: Some(StatusCode::UNSUPPORTED_MEDIA_TYPE),
            ..A2aError::new(ErrorKind::ContentTypeNotSupported, words).into()
        });
    }
    serde_json::from_slice(&arrival.body)
        .map(Some)
        .map_err(|error| A2aError::new(ErrorKind::ParseError, format!("the body is not JSON: {error}")).into())
}
