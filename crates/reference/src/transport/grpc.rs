//! gRPC (specification §10). Messages go through as bytes: the descriptors in `wire` turn them to and from ProtoJSON.

use std::sync::PoisonError;

use bytes::{Buf, BufMut, Bytes};
use futures::StreamExt;
use gauntlet_wire::error::retry_delay;
use gauntlet_wire::{A2aError, Operation, VERSION_HEADER, protojson};
use http::uri::PathAndQuery;
use serde_json::Value;
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::metadata::{Ascii, MetadataKey, MetadataValue};
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

use super::{CallError, Endpoint, Events, LIMIT, Place, Transport, web};

impl Transport {
    pub(super) async fn grpc_call(
        &self,
        to: &Endpoint,
        operation: Operation,
        message: &Value,
    ) -> Result<Value, CallError> {
        let mut client = self.grpc_client(to).await?;
        let request = self.grpc_request(to, operation, message).await?;
        let answer = client.unary(request, path(operation), BytesCodec).await.map_err(of_status)?;
        decoded(operation, &answer.into_inner())
    }

    pub(super) async fn grpc_open(
        &self,
        to: &Endpoint,
        operation: Operation,
        message: &Value,
    ) -> Result<Events, CallError> {
        let mut client = self.grpc_client(to).await?;
        let request = self.grpc_request(to, operation, message).await?;
        let answer = client.server_streaming(request, path(operation), BytesCodec).await.map_err(of_status)?;
        let items = answer.into_inner();
        Ok(items.map(move |item| item.map_err(of_status).and_then(|bytes| decoded(operation, &bytes))).boxed())
    }

    /// A client over the channel to the interface's authority. The first call connects, so that a failure to connect
    /// is told from a call that failed.
    async fn grpc_client(&self, to: &Endpoint) -> Result<Grpc<Channel>, CallError> {
        let authority = authority(&to.interface.url);
        let known = self.channels.lock().unwrap_or_else(PoisonError::into_inner).get(authority).cloned();
        let channel = match known {
            Some(channel) => channel,
            None => {
                let unreachable = |error: tonic::transport::Error| CallError::Unreachable(web::with_causes(&error));
                let endpoint = Channel::from_shared(format!("http://{authority}"))
                    .map_err(|error| CallError::Unreachable(format!("`{authority}` is no address: {error}")))?;
                let channel = endpoint.connect().await.map_err(unreachable)?;
                let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
                channels.entry(authority.to_owned()).or_insert(channel).clone()
            }
        };
        let mut client = Grpc::new(channel).max_decoding_message_size(LIMIT);
        client.ready().await.map_err(|error| CallError::Unreachable(web::with_causes(&error)))?;
        Ok(client)
    }

    async fn grpc_request(
        &self,
        to: &Endpoint,
        operation: Operation,
        message: &Value,
    ) -> Result<Request<Bytes>, CallError> {
        let unfit = |error: &dyn std::error::Error| CallError::Invalid(format!("the request cannot be sent: {error}"));
        let bytes = protojson::json_to_bytes(&operation.request(), message).map_err(|error| unfit(&error))?;
        let mut request = Request::new(Bytes::from(bytes));
        let version = self.version(to, operation).map(|version| (VERSION_HEADER.to_owned(), version));
        let credentials = self.credentials(to, operation).await?;
        let credentials = credentials.into_iter().map(|(place, value)| match place {
            Place::Authorization(scheme) => ("authorization".to_owned(), format!("{scheme} {value}")),
            // There is no query in gRPC; metadata is what stands for it.
            Place::Header(name) | Place::Query(name) => (name.clone(), value),
            Place::Cookie(name) => ("cookie".to_owned(), format!("{name}={value}")),
        });
        for (name, value) in version.into_iter().chain(credentials) {
            let name: MetadataKey<Ascii> = name.to_ascii_lowercase().parse().map_err(|error| unfit(&error))?;
            let value: MetadataValue<Ascii> = value.parse().map_err(|error| unfit(&error))?;
            request.metadata_mut().insert(name, value);
        }
        Ok(request)
    }
}

/// Whether a server answered that takes no gRPC at all, by an HTTP status which the library tells of in words alone.
fn speaks_no_grpc(status: &Status) -> bool {
    let told = |code: &str| ["with status: ", "HTTP status code "].map(|words| format!("{words}{code}"));
    let answered = |code: &str| told(code).iter().any(|words| status.message().contains(words));
    matches!(status.code(), Code::Unknown | Code::Internal) && (answered("404") || answered("405") || answered("415"))
}

/// `host:port` of an interface's url: cards in the field also carry a scheme or a path.
fn authority(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split('/').next().unwrap_or(rest)
}

fn path(operation: Operation) -> PathAndQuery {
    PathAndQuery::try_from(operation.grpc_path()).expect("operation names need no escapes")
}

fn decoded(operation: Operation, bytes: &[u8]) -> Result<Value, CallError> {
    protojson::bytes_to_json(&operation.response(), bytes).map_err(|error| CallError::Invalid(error.to_string()))
}

#[expect(clippy::needless_pass_by_value, reason = "the shape map_err wants")]
fn of_status(status: Status) -> CallError {
    if speaks_no_grpc(&status) {
        return CallError::InterfaceRefused(status.message().to_owned());
    }
    let message = format!("{} {}", gauntlet_wire::error::grpc_code_name(status.code() as i32), status.message());
    if matches!(status.code(), Code::Unavailable | Code::ResourceExhausted)
        && let Some(retry_after) = retry_delay(status.details())
    {
        return CallError::Busy { retry_after, message };
    }
    match status.code() {
        Code::Unauthenticated => CallError::Unauthenticated(message),
        Code::PermissionDenied => {
            let challenge = status.metadata().get("www-authenticate").and_then(|value| value.to_str().ok());
            CallError::forbidden(message, challenge)
        }
        code => match A2aError::kind_of_grpc(code as i32, status.details()) {
            Some(kind) => CallError::of_kind(kind, message),
            None => CallError::Broken(message),
        },
    }
}

/// Passes messages through unread.
#[derive(Debug, Clone, Copy, Default)]
struct BytesCodec;

impl Codec for BytesCodec {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        *self
    }

    fn decoder(&mut self) -> Self {
        *self
    }
}

impl Encoder for BytesCodec {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, item: Bytes, into: &mut EncodeBuf<'_>) -> Result<(), Status> {
        into.put(item);
        Ok(())
    }
}

impl Decoder for BytesCodec {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(from.copy_to_bytes(from.remaining())))
    }
}

#[cfg(test)]
#[path = "grpc_tests.rs"]
mod tests;
