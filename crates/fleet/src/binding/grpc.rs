//! Reading gRPC requests (specification §10), and the little of gRPC itself that unary requests need: a five-byte
//! prefix per message, status in trailers. It is written out here instead of left to a library because the bytes of
//! every message pass through faults and journal, and because a mock must also be able to say what no library would.

use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use gauntlet_faults::Refusal;
use gauntlet_wire::{A2aError, Binding, ErrorKind, Operation, protojson};
use http::{HeaderName, HeaderValue};

use super::answer::Failure;
use super::framing::Framing;
use super::invoke::Input;
use super::{Arrival, Decoded};

/// One byte that says whether the message is compressed, four for its length.
pub(crate) const PREFIX: usize = 5;

const UNIMPLEMENTED: i64 = 12;

pub(super) fn decode(arrival: &Arrival, interfaces: Vec<usize>) -> Decoded {
    let path = arrival.head.uri.path();
    let operation = Operation::from_grpc_path(path);
    let input = message(&arrival.body);
    let is_compressed = arrival.body.first().is_some_and(|flag| *flag != 0);
    let json = match (operation, &input) {
        (Some(operation), Ok(bytes)) => protojson::bytes_to_json(&operation.request(), bytes).ok(),
        _ => None,
    };
    Decoded {
        framing: Framing::Grpc,
        binding: Binding::Grpc,
        interfaces,
        operation: operation
            .ok_or_else(|| A2aError::new(ErrorKind::MethodNotFound, format!("{path} is not implemented here")).into()),
        message: json.map(Arc::new),
        input: input.map(Input::Proto),
        broken: is_compressed.then(compressed),
    }
}

/// gRPC wants it told apart from other invalid requests: clients may try again without compression.
fn compressed() -> Failure {
    Failure {
        refusal: Refusal::Bare { code: UNIMPLEMENTED, message: "compressed messages are not read here".to_owned() },
        stamps: Vec::new(),
        status: None,
        headers: vec![(HeaderName::from_static("grpc-accept-encoding"), HeaderValue::from_static("identity"))],
    }
}

/// The one message of a unary request.
fn message(body: &Bytes) -> Result<Bytes, A2aError> {
    let invalid = |why: &str| A2aError::new(ErrorKind::InvalidParams, why);
    let prefix = body.get(..PREFIX).ok_or_else(|| invalid("the request holds no message"))?;
    let length = u32::from_be_bytes([prefix[1], prefix[2], prefix[3], prefix[4]]);
    let message = body.slice(PREFIX..);
    if usize::try_from(length) != Ok(message.len()) {
        return Err(invalid("the request must hold exactly one message"));
    }
    Ok(message)
}

/// A message with its prefix.
pub(super) fn frame(message: &[u8]) -> Bytes {
    let mut framed = BytesMut::with_capacity(PREFIX + message.len());
    framed.put_u8(0);
    framed.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
    framed.put_slice(message);
    framed.freeze()
}
