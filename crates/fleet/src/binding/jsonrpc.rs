//! Reading JSON-RPC requests (specification §9).

use std::sync::Arc;

use gauntlet_wire::{A2aError, Binding, ErrorKind, Operation, jsonrpc};
use http::StatusCode;
use serde_json::{Value, json};

use super::answer::Failure;
use super::framing::Framing;
use super::invoke::Input;
use super::{Arrival, Decoded};

pub(super) fn decode(arrival: &Arrival, interfaces: Vec<usize>) -> Decoded {
    let media_type = arrival.media_type();
    if media_type.as_deref() != Some("application/json") {
        let words = format!("a JSON-RPC body is application/json, not {}", media_type.unwrap_or_default());
        let failure = Failure {
            status: Some(StatusCode::UNSUPPORTED_MEDIA_TYPE),
            ..A2aError::new(ErrorKind::ContentTypeNotSupported, words).into()
        };
        return unreadable(interfaces, Value::Null, failure);
    }
    let request = match jsonrpc::parse(&arrival.body) {
        Ok(request) => request,
        Err(broken) => return unreadable(interfaces, broken.0, broken.1.into()),
    };
    let operation = request.method.parse::<Operation>();
    let params = Arc::new(request.params.unwrap_or_else(|| json!({})));
    Decoded {
        framing: Framing::JsonRpc { id: request.id },
        binding: Binding::JsonRpc,
        interfaces,
        operation: operation.map_err(|error| A2aError::new(ErrorKind::MethodNotFound, error.to_string()).into()),
        message: Some(Arc::clone(&params)),
        input: Ok(Input::Json(params)),
        broken: None,
    }
}

fn unreadable(interfaces: Vec<usize>, id: Value, failure: Failure) -> Decoded {
    let none = || A2aError::new(ErrorKind::InvalidRequest, "the request could not be read");
    Decoded {
        framing: Framing::JsonRpc { id },
        binding: Binding::JsonRpc,
        interfaces,
        operation: Err(none().into()),
        message: None,
        input: Err(none()),
        broken: Some(failure),
    }
}
