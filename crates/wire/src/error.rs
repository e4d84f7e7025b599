//! The error table of A2A, one row for all bindings (specification 1.0.1, §5.4).

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use prost::Message;
use prost_reflect::{DynamicMessage, ReflectMessage};
use serde_json::{Map, Value, json};

use crate::Binding;
use crate::protojson::dynamic_to_json;
use crate::rpc::bad_request::FieldViolation;
use crate::rpc::{BadRequest, ErrorInfo, RetryInfo, Status};

/// The `domain` of every A2A ErrorInfo.
pub const ERROR_DOMAIN: &str = "a2a-protocol.org";
/// The `@type` of an ErrorInfo inside JSON details.
pub const ERROR_INFO_TYPE: &str = "type.googleapis.com/google.rpc.ErrorInfo";
/// The `@type` of a BadRequest inside JSON details.
pub const BAD_REQUEST_TYPE: &str = "type.googleapis.com/google.rpc.BadRequest";

/// The `@type` of a RetryInfo inside details.
pub const RETRY_INFO_TYPE: &str = "type.googleapis.com/google.rpc.RetryInfo";

/// What went wrong, independent of the binding that says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each variant is the error of that name")]
pub enum ErrorKind {
    TaskNotFound,
    TaskNotCancelable,
    PushNotificationNotSupported,
    UnsupportedOperation,
    ContentTypeNotSupported,
    InvalidAgentResponse,
    ExtendedAgentCardNotConfigured,
    ExtensionSupportRequired,
    VersionNotSupported,
    /// The body is not JSON.
    ParseError,
    /// The body is JSON but no request of the binding.
    InvalidRequest,
    /// The binding has no such method or route.
    MethodNotFound,
    /// The request message does not fit the operation.
    InvalidParams,
    /// The server failed.
    Internal,
}

struct Row {
    kind: ErrorKind,
    jsonrpc: i64,
    grpc: i32,
    http: u16,
    reason: &'static str,
}

const fn row(kind: ErrorKind, jsonrpc: i64, grpc: i32, http: u16, reason: &'static str) -> Row {
    Row { kind, jsonrpc, grpc, http, reason }
}

/// gRPC status codes by number, for the names in reports.
pub const GRPC_CODES: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

const INVALID_ARGUMENT: i32 = 3;
const NOT_FOUND: i32 = 5;
const FAILED_PRECONDITION: i32 = 9;
const UNIMPLEMENTED: i32 = 12;
const INTERNAL: i32 = 13;

const TABLE: [Row; 14] = [
    row(ErrorKind::TaskNotFound, -32001, NOT_FOUND, 404, "TASK_NOT_FOUND"),
    row(ErrorKind::TaskNotCancelable, -32002, FAILED_PRECONDITION, 400, "TASK_NOT_CANCELABLE"),
    row(ErrorKind::PushNotificationNotSupported, -32003, FAILED_PRECONDITION, 400, "PUSH_NOTIFICATION_NOT_SUPPORTED"),
    row(ErrorKind::UnsupportedOperation, -32004, FAILED_PRECONDITION, 400, "UNSUPPORTED_OPERATION"),
    row(ErrorKind::ContentTypeNotSupported, -32005, INVALID_ARGUMENT, 400, "CONTENT_TYPE_NOT_SUPPORTED"),
    row(ErrorKind::InvalidAgentResponse, -32006, INTERNAL, 500, "INVALID_AGENT_RESPONSE"),
    row(
        ErrorKind::ExtendedAgentCardNotConfigured,
        -32007,
        FAILED_PRECONDITION,
        400,
        "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
    ),
    row(ErrorKind::ExtensionSupportRequired, -32008, FAILED_PRECONDITION, 400, "EXTENSION_SUPPORT_REQUIRED"),
    row(ErrorKind::VersionNotSupported, -32009, FAILED_PRECONDITION, 400, "VERSION_NOT_SUPPORTED"),
    row(ErrorKind::ParseError, -32700, INVALID_ARGUMENT, 400, ""),
    row(ErrorKind::InvalidRequest, -32600, INVALID_ARGUMENT, 400, ""),
    row(ErrorKind::MethodNotFound, -32601, UNIMPLEMENTED, 404, ""),
    row(ErrorKind::InvalidParams, -32602, INVALID_ARGUMENT, 400, ""),
    row(ErrorKind::Internal, -32603, INTERNAL, 500, ""),
];

impl ErrorKind {
    /// All kinds, in the order of the table.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.kind)
    }

    fn row(self) -> &'static Row {
        TABLE.iter().find(|row| row.kind == self).expect("the table has a row for every kind")
    }

    /// The JSON-RPC error code.
    pub fn jsonrpc_code(self) -> i64 {
        self.row().jsonrpc
    }

    /// The gRPC status code.
    pub fn grpc_code(self) -> i32 {
        self.row().grpc
    }

    /// The HTTP status.
    pub fn http_status(self) -> u16 {
        self.row().http
    }

    /// The ErrorInfo reason; empty for errors of the binding itself, which carry none.
    pub fn reason(self) -> &'static str {
        self.row().reason
    }

    /// The kind with that JSON-RPC code.
    pub fn from_jsonrpc_code(code: i64) -> Option<Self> {
        TABLE.iter().find(|row| row.jsonrpc == code).map(|row| row.kind)
    }

    /// The kind with that ErrorInfo reason.
    pub fn from_reason(reason: &str) -> Option<Self> {
        TABLE.iter().find(|row| !row.reason.is_empty() && row.reason == reason).map(|row| row.kind)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// An error as A2A parties exchange it: a kind, words for people, and facts for machines.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}: {message}")]
pub struct A2aError {
    /// Which row of the table.
    pub kind: ErrorKind,
    /// For people.
    pub message: String,
    /// ErrorInfo metadata, such as the task id.
    pub metadata: BTreeMap<String, String>,
    /// The member of the request that is wrong, as `message.parts`; of InvalidParams only.
    pub field: Option<String>,
}

impl A2aError {
    /// An error without metadata.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), metadata: BTreeMap::new(), field: None }
    }

    /// Adds one entry of metadata.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<String>) -> Self {
        self.metadata.insert(key.to_owned(), value.into());
        self
    }

    /// Names the member of the request that is wrong, as `message.parts` or `/message/parts`.
    #[must_use]
    pub fn at(mut self, field: &str) -> Self {
        self.field = Some(field.trim_start_matches('/').replace('/', "."));
        self
    }

    /// What is wrong with the request, where that is the error (specification §9.5, §10.6, §11.6).
    fn bad_request(&self) -> Option<BadRequest> {
        let violation =
            FieldViolation { field: self.field.clone().unwrap_or_default(), description: self.message.clone() };
        (self.kind == ErrorKind::InvalidParams).then(|| BadRequest { field_violations: vec![violation] })
    }

    fn info(&self) -> Option<ErrorInfo> {
        let reason = self.kind.reason();
        (!reason.is_empty()).then(|| ErrorInfo {
            reason: reason.to_owned(),
            domain: ERROR_DOMAIN.to_owned(),
            metadata: self.metadata.clone(),
        })
    }

    /// The details as they stand in JSON `data` and `details`.
    fn details(&self) -> Vec<Value> {
        let typed = |name: &str, detail: DynamicMessage| {
            let mut typed = Map::from_iter([("@type".to_owned(), json!(name))]);
            if let Value::Object(detail) = dynamic_to_json(&detail) {
                typed.extend(detail);
            }
            Value::Object(typed)
        };
        let info = self.info().map(|info| typed(ERROR_INFO_TYPE, info.transcode_to_dynamic()));
        let bad_request = self.bad_request().map(|bad| typed(BAD_REQUEST_TYPE, bad.transcode_to_dynamic()));
        info.into_iter().chain(bad_request).collect()
    }

    /// The `error` member of a JSON-RPC response.
    pub fn to_jsonrpc(&self) -> Value {
        let mut error = json!({ "code": self.kind.jsonrpc_code(), "message": self.message });
        let details = self.details();
        if !details.is_empty() {
            error["data"] = Value::Array(details);
        }
        error
    }

    /// The body of an HTTP+JSON error; its status is [`ErrorKind::http_status`].
    pub fn to_rest(&self) -> Value {
        json!({ "error": {
            "code": self.kind.http_status(),
            "status": grpc_code_name(self.kind.grpc_code()),
            "message": self.message,
            "details": self.details(),
        }})
    }

    /// The encoded `google.rpc.Status` for the `grpc-status-details-bin` trailer (not yet base64).
    pub fn to_grpc_details(&self) -> Vec<u8> {
        let any = |name: &str, value: Vec<u8>| prost_types::Any { type_url: name.to_owned(), value };
        let info = self.info().map(|info| any(ERROR_INFO_TYPE, info.encode_to_vec()));
        let bad_request = self.bad_request().map(|bad| any(BAD_REQUEST_TYPE, bad.encode_to_vec()));
        let details = info.into_iter().chain(bad_request).collect();
        Status { code: self.kind.grpc_code(), message: self.message.clone(), details }.encode_to_vec()
    }

    /// Reads the kind out of what a peer answered: the ErrorInfo first, the code only where there is none, because
    /// servers of the 1.0.0 text map kinds to codes differently.
    ///
    /// `details` is `error.data` or `error.details` as JSON; `code` is the binding's own number.
    pub fn kind_of(binding: Binding, code: i64, details: Option<&Value>) -> Option<ErrorKind> {
        let by_reason = details
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|detail| detail.get("reason").and_then(Value::as_str))
            .find_map(ErrorKind::from_reason);
        by_reason.or_else(|| match binding {
            Binding::JsonRpc => ErrorKind::from_jsonrpc_code(code),
            Binding::Grpc if code == i64::from(NOT_FOUND) => Some(ErrorKind::TaskNotFound),
            Binding::Grpc if code == i64::from(UNIMPLEMENTED) => Some(ErrorKind::MethodNotFound),
            Binding::Grpc if code == i64::from(INVALID_ARGUMENT) => Some(ErrorKind::InvalidParams),
            Binding::Grpc if code == i64::from(INTERNAL) => Some(ErrorKind::Internal),
            _ => None,
        })
    }

    /// The same out of gRPC: status code and the raw details trailer.
    pub fn kind_of_grpc(code: i32, details: &[u8]) -> Option<ErrorKind> {
        let by_reason = Status::decode(details).ok().and_then(|status| {
            status
                .details
                .iter()
                .filter_map(|any| ErrorInfo::decode(any.value.as_slice()).ok())
                .find_map(|info| ErrorKind::from_reason(&info.reason))
        });
        by_reason.or_else(|| Self::kind_of(Binding::Grpc, i64::from(code), None))
    }
}

/// The encoded `google.rpc.Status` of a gRPC error that says when to come back (not yet base64).
pub fn retry_details(code: i32, message: &str, delay: Duration) -> Vec<u8> {
    let info = RetryInfo { retry_delay: prost_types::Duration::try_from(delay).ok() };
    let any = prost_types::Any { type_url: RETRY_INFO_TYPE.to_owned(), value: info.encode_to_vec() };
    Status { code, message: message.to_owned(), details: vec![any] }.encode_to_vec()
}

/// When a gRPC error says to come back, out of the raw details trailer.
pub fn retry_delay(details: &[u8]) -> Option<Duration> {
    let status = Status::decode(details).ok()?;
    let any = status.details.iter().find(|any| any.type_url == RETRY_INFO_TYPE)?;
    RetryInfo::decode(any.value.as_slice()).ok()?.retry_delay?.try_into().ok()
}

/// The name of a gRPC status code; numbers outside the table are UNKNOWN.
pub fn grpc_code_name(code: i32) -> &'static str {
    usize::try_from(code).ok().and_then(|index| GRPC_CODES.get(index)).copied().unwrap_or("UNKNOWN")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_recognised_on_every_binding_by_its_details() {
        for kind in ErrorKind::all().filter(|kind| !kind.reason().is_empty()) {
            let error = A2aError::new(kind, "words").with("taskId", "t-1");
            let jsonrpc = error.to_jsonrpc();
            // A wrong code beside the right reason must not mislead.
            assert_eq!(A2aError::kind_of(Binding::JsonRpc, -1, jsonrpc.get("data")), Some(kind));
            assert_eq!(
                A2aError::kind_of(Binding::HttpJson, 418, error.to_rest().pointer("/error/details")),
                Some(kind)
            );
            assert_eq!(A2aError::kind_of_grpc(UNIMPLEMENTED, &error.to_grpc_details()), Some(kind));
        }
    }

    #[test]
    fn wrong_requests_name_the_member() {
        let error = A2aError::new(ErrorKind::InvalidParams, "must be from 1 to 100").at("/pageSize");
        let expected = json!([{
            "@type": BAD_REQUEST_TYPE,
            "fieldViolations": [{ "field": "pageSize", "description": "must be from 1 to 100" }],
        }]);
        assert_eq!(error.to_rest().pointer("/error/details"), Some(&expected));
        assert_eq!(error.to_jsonrpc()["data"], expected);
        let status = Status::decode(error.to_grpc_details().as_slice()).unwrap();
        let bad = BadRequest::decode(status.details[0].value.as_slice()).unwrap();
        assert_eq!(bad.field_violations[0].field, "pageSize");
    }

    #[test]
    fn the_time_to_come_back_survives_the_trailer() {
        let delay = Duration::from_millis(1500);
        assert_eq!(retry_delay(&retry_details(14, "busy", delay)), Some(delay));
        assert_eq!(retry_delay(&A2aError::new(ErrorKind::TaskNotFound, "no").to_grpc_details()), None);
        assert_eq!(A2aError::kind_of_grpc(14, &retry_details(14, "busy", delay)), None);
    }

    #[test]
    fn codes_serve_where_details_are_missing() {
        assert_eq!(A2aError::kind_of(Binding::JsonRpc, -32004, None), Some(ErrorKind::UnsupportedOperation));
        assert_eq!(A2aError::kind_of_grpc(UNIMPLEMENTED, b"junk"), Some(ErrorKind::MethodNotFound));
    }
}
