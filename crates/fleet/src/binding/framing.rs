//! What the bindings put around the same objects and errors.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use bytes::Bytes;
use gauntlet_evidence::Stamp;
use gauntlet_evidence::journal::WireError;
use gauntlet_faults::{Call, Encoded, FaultSet, FrameOutcome, FrameView, Refusal, Stage, WireFraming};
use gauntlet_scenario::ErrorTable;
use gauntlet_wire::error::{grpc_code_name, retry_details};
use gauntlet_wire::protojson::{NotProtoJson, ProtoJson};
use gauntlet_wire::rpc::Status;
use gauntlet_wire::{ErrorKind, Operation, jsonrpc, protojson, sse, v1};
use http::{HeaderMap, HeaderValue, StatusCode};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use prost::Message as _;
use prost_reflect::{MessageDescriptor, ReflectMessage};
use serde_json::{Value, json};

use super::grpc;
use crate::journal::Reading;
use crate::stamps;

pub(super) const JSON: &str = "application/json";
const EVENT_STREAM: &str = "text/event-stream";
const GRPC: &str = "application/grpc";
/// What `grpc-message` may not hold as it is.
const GRPC_MESSAGE: &AsciiSet = &CONTROLS.add(b'%');

/// How answers of one exchange are written.
#[derive(Debug)]
pub(super) enum Framing {
    JsonRpc {
        /// Repeated in every answer.
        id: Value,
    },
    HttpJson {
        /// Of unary answers.
        media: &'static str,
    },
    Grpc,
}

/// A response message or stream item in the form the binding gives it, without any envelope.
#[derive(Debug)]
pub(super) struct Object {
    descriptor: MessageDescriptor,
    form: Form,
    /// Written in a fleet file: its legality is not the fleet's to vouch for.
    written_by_user: bool,
}

#[derive(Debug)]
enum Form {
    /// ProtoJSON that can still be changed.
    Json(Value),
    /// ProtoJSON that nobody wants to change.
    Text(String),
    Proto(Vec<u8>),
}

/// An error answer.
pub(super) struct ErrorAnswer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    pub(super) error: WireError,
}

impl Object {
    /// In a form that the faults can change, where there are some that may want to.
    pub(super) fn of<M: ProtoJson>(message: &M, framing: &Framing, faults: &FaultSet) -> Self {
        let form = match framing {
            Framing::Grpc => Form::Proto(message.encode_to_vec()),
            _ if faults.hooks(Stage::FrameEncoded) => Form::Json(protojson::to_json(message)),
            _ => Form::Text(protojson::to_text(message)),
        };
        Self { descriptor: message.descriptor(), form, written_by_user: false }
    }

    /// The answer that says no more than that it was done.
    pub(super) fn empty(answers: Operation, framing: &Framing) -> Self {
        let form = match framing {
            Framing::Grpc => Form::Proto(Vec::new()),
            Framing::JsonRpc { .. } | Framing::HttpJson { .. } => Form::Json(json!({})),
        };
        Self { descriptor: answers.response(), form, written_by_user: false }
    }

    /// A page of tasks: its members stand there even where they are empty, so that clients can tell the last page.
    pub(super) fn page(page: &v1::ListTasksResponse, framing: &Framing, faults: &FaultSet) -> Self {
        if matches!(framing, Framing::Grpc) {
            return Self::of(page, framing, faults);
        }
        let mut json = protojson::to_json(page);
        if let Value::Object(members) = &mut json {
            for (name, empty) in [("tasks", json!([])), ("nextPageToken", json!("")), ("totalSize", json!(0))] {
                members.entry(name).or_insert(empty);
            }
        }
        Self { descriptor: page.descriptor(), form: Form::Json(json), written_by_user: false }
    }

    /// The same out of JSON that a fleet file has a say in. It goes out as it is written, where the binding can say it.
    pub(super) fn written_by_user(
        descriptor: MessageDescriptor,
        json: &Value,
        framing: &Framing,
    ) -> Result<Self, NotProtoJson> {
        let form = match framing {
            Framing::Grpc => Form::Proto(protojson::json_to_bytes(&descriptor, json)?),
            Framing::JsonRpc { .. } | Framing::HttpJson { .. } => Form::Json(json.clone()),
        };
        Ok(Self { descriptor, form, written_by_user: true })
    }

    /// Lets the faults of the last stage at it.
    pub(super) fn pass(
        &mut self,
        faults: &FaultSet,
        call: &Call,
        index: u32,
        last: bool,
    ) -> (FrameOutcome, Vec<Stamp>) {
        let encoded = match &mut self.form {
            Form::Json(json) => Encoded::Json(json),
            Form::Proto(bytes) if faults.hooks(Stage::FrameEncoded) => Encoded::Proto(&self.descriptor, bytes),
            Form::Proto(_) | Form::Text(_) => return (FrameOutcome::Send, Vec::new()),
        };
        let (outcome, bites) = faults.frame(&mut FrameView { call, index, last, encoded });
        (outcome, stamps::of(bites))
    }

    /// What it is, where the fleet vouches for it.
    pub(super) fn vouched(&self) -> Option<MessageDescriptor> {
        (!self.written_by_user).then(|| self.descriptor.clone())
    }

    /// As ProtoJSON; `None` where the bytes are no such message any more.
    pub(super) fn json(&self) -> Option<Value> {
        match &self.form {
            Form::Json(json) => Some(json.clone()),
            Form::Text(text) => serde_json::from_str(text).ok(),
            Form::Proto(bytes) => protojson::bytes_to_json(&self.descriptor, bytes).ok(),
        }
    }

    fn proto(&self) -> &[u8] {
        match &self.form {
            Form::Json(_) | Form::Text(_) => &[],
            Form::Proto(bytes) => bytes,
        }
    }

    fn into_text(self) -> String {
        match self.form {
            Form::Json(json) => json.to_string(),
            Form::Text(text) => text,
            Form::Proto(_) => String::new(),
        }
    }
}

impl Framing {
    pub(super) const fn unary_type(&self) -> &'static str {
        match self {
            Self::JsonRpc { .. } => JSON,
            Self::HttpJson { media } => media,
            Self::Grpc => GRPC,
        }
    }

    pub(super) const fn stream_type(&self) -> &'static str {
        match self {
            Self::JsonRpc { .. } | Self::HttpJson { .. } => EVENT_STREAM,
            Self::Grpc => GRPC,
        }
    }

    /// The bytes of a unary answer as the journal keeps them, and as they are sent.
    pub(super) fn unary(&self, object: Object) -> (Bytes, Bytes) {
        match self {
            Self::Grpc => grpc_bytes(&object),
            Self::JsonRpc { id } => same(jsonrpc::success_text(id, &object.into_text()).into()),
            Self::HttpJson { .. } => same(object.into_text().into()),
        }
    }

    /// The same for an item of a stream.
    pub(super) fn item(&self, object: Object) -> (Bytes, Bytes) {
        match self {
            Self::Grpc => grpc_bytes(&object),
            Self::JsonRpc { id } => same(sse::event(&jsonrpc::success_text(id, &object.into_text())).into()),
            Self::HttpJson { .. } => same(sse::event(&object.into_text()).into()),
        }
    }

    /// How an object is read back from those bytes.
    pub(super) fn reading(&self, operation: Operation, object: &Object) -> Reading {
        match (self, operation.is_streaming()) {
            (Self::Grpc, _) => Reading::Proto(object.descriptor.clone()),
            (Self::JsonRpc { .. }, false) => Reading::Result,
            (Self::JsonRpc { .. }, true) => Reading::EventResult,
            (Self::HttpJson { .. }, false) => Reading::Json,
            (Self::HttpJson { .. }, true) => Reading::EventJson,
        }
    }

    /// How the bytes of one item of an answer to that operation are framed.
    pub(super) const fn of_item(&self, operation: Operation) -> WireFraming {
        match self {
            Self::Grpc => WireFraming::GrpcMessage,
            Self::JsonRpc { .. } | Self::HttpJson { .. } if operation.is_streaming() => WireFraming::Event,
            Self::JsonRpc { .. } | Self::HttpJson { .. } => WireFraming::Body,
        }
    }

    /// What follows the last item of an answer.
    pub(super) fn trailers(&self) -> Option<HeaderMap> {
        matches!(self, Self::Grpc)
            .then(|| HeaderMap::from_iter([(grpc_name("grpc-status"), HeaderValue::from_static("0"))]))
    }

    /// An error instead of an answer. `status` overrides the HTTP status where HTTP itself has a better one.
    pub(super) fn error(&self, refusal: &Refusal, table: ErrorTable, status: Option<StatusCode>) -> ErrorAnswer {
        match self {
            Self::JsonRpc { id } => json_rpc_error(id, refusal, status),
            Self::HttpJson { .. } => http_json_error(refusal, table, status),
            Self::Grpc => grpc_error(refusal, table),
        }
    }
}

fn same(bytes: Bytes) -> (Bytes, Bytes) {
    (bytes.clone(), bytes)
}

fn grpc_bytes(object: &Object) -> (Bytes, Bytes) {
    let framed = grpc::frame(object.proto());
    (framed.slice(grpc::PREFIX..), framed)
}

fn words(refusal: &Refusal) -> String {
    match refusal {
        Refusal::A2a(error) => error.message.clone(),
        Refusal::Bare { message, .. } | Refusal::Later { message, .. } => message.clone(),
    }
}

fn reason(refusal: &Refusal) -> Option<String> {
    match refusal {
        Refusal::A2a(error) => Some(error.kind.reason().to_owned()).filter(|reason| !reason.is_empty()),
        Refusal::Bare { .. } | Refusal::Later { .. } => None,
    }
}

fn json_error(status: StatusCode, body: &Value, code: String, refusal: &Refusal) -> ErrorAnswer {
    ErrorAnswer {
        status,
        headers: HeaderMap::from_iter([(http::header::CONTENT_TYPE, HeaderValue::from_static(JSON))]),
        body: body.to_string().into(),
        error: WireError { code, message: words(refusal), reason: reason(refusal) },
    }
}

fn json_rpc_error(id: &Value, refusal: &Refusal, status: Option<StatusCode>) -> ErrorAnswer {
    let error = match refusal {
        Refusal::A2a(error) => error.to_jsonrpc(),
        Refusal::Bare { code, message } | Refusal::Later { code, message, .. } => {
            json!({ "code": code, "message": message })
        }
    };
    let code = error["code"].to_string();
    json_error(status.unwrap_or(StatusCode::OK), &jsonrpc::failure(id, error), code, refusal)
}

fn http_json_error(refusal: &Refusal, table: ErrorTable, status: Option<StatusCode>) -> ErrorAnswer {
    let (code, mut body) = match refusal {
        Refusal::A2a(error) => (http_status(error.kind, table), error.to_rest()),
        Refusal::Bare { code, message } | Refusal::Later { code, message, .. } => {
            let code = u16::try_from(*code).unwrap_or(500);
            let name = grpc_code_name(canonical_code(code));
            (code, json!({ "error": { "code": code, "status": name, "message": message, "details": [] } }))
        }
    };
    let status = status.or_else(|| StatusCode::from_u16(code).ok()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    body["error"]["code"] = json!(status.as_u16());
    json_error(status, &body, status.as_u16().to_string(), refusal)
}

fn grpc_error(refusal: &Refusal, table: ErrorTable) -> ErrorAnswer {
    let (code, details) = match refusal {
        Refusal::A2a(error) => {
            let code = grpc_code(error.kind, table);
            let details = error.to_grpc_details();
            // The status inside the details says the same code as the trailer.
            let details = Status::decode(details.as_slice()).map(|status| Status { code, ..status }.encode_to_vec());
            (code, details.ok().filter(|_| !error.kind.reason().is_empty()))
        }
        Refusal::Bare { code, .. } => (i32::try_from(*code).unwrap_or(2), None),
        Refusal::Later { code, message, seconds } => {
            let code = i32::try_from(*code).unwrap_or(2);
            (code, Some(retry_details(code, message, Duration::from_secs(u64::from(*seconds)))))
        }
    };
    let message = words(refusal);
    let mut headers = HeaderMap::from_iter([
        (http::header::CONTENT_TYPE, HeaderValue::from_static(GRPC)),
        (grpc_name("grpc-status"), HeaderValue::from(code)),
    ]);
    let texts = [
        ("grpc-message", Some(utf8_percent_encode(&message, GRPC_MESSAGE).to_string())),
        ("grpc-status-details-bin", details.map(|details| STANDARD_NO_PAD.encode(details))),
    ];
    for (name, text) in texts {
        if let Some(value) = text.and_then(|text| HeaderValue::try_from(text).ok()) {
            headers.insert(grpc_name(name), value);
        }
    }
    let error = WireError { code: grpc_code_name(code).to_owned(), message, reason: reason(refusal) };
    ErrorAnswer { status: StatusCode::OK, headers, body: Bytes::new(), error }
}

const fn grpc_name(name: &'static str) -> http::HeaderName {
    http::HeaderName::from_static(name)
}

/// Where the 1.0.0 text differs from 1.0.1.
fn grpc_code(kind: ErrorKind, table: ErrorTable) -> i32 {
    match (table, kind) {
        (
            ErrorTable::V1_0_0,
            ErrorKind::PushNotificationNotSupported | ErrorKind::UnsupportedOperation | ErrorKind::VersionNotSupported,
        ) => 12,
        _ => kind.grpc_code(),
    }
}

fn http_status(kind: ErrorKind, table: ErrorTable) -> u16 {
    match (table, kind) {
        (ErrorTable::V1_0_0, ErrorKind::ContentTypeNotSupported) => 415,
        (ErrorTable::V1_0_0, ErrorKind::TaskNotCancelable) => 409,
        (ErrorTable::V1_0_0, ErrorKind::InvalidAgentResponse) => 502,
        _ => kind.http_status(),
    }
}

/// The status name that belongs to a bare HTTP status, as google.api.http maps them.
const fn canonical_code(http: u16) -> i32 {
    match http {
        400 => 3,
        401 => 16,
        403 => 7,
        404 => 5,
        409 => 10,
        429 => 8,
        501 | 405 => 12,
        503 => 14,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::A2aError;

    use super::*;

    /// JSON-RPC code, gRPC code and HTTP status of an error.
    fn codes(kind: ErrorKind, table: ErrorTable) -> (String, String, u16) {
        let refusal = Refusal::A2a(A2aError::new(kind, "words"));
        let said = |framing: Framing| framing.error(&refusal, table, None);
        let rest = said(Framing::HttpJson { media: JSON });
        assert_eq!(rest.error.code, rest.status.as_str());
        (said(Framing::JsonRpc { id: json!(1) }).error.code, said(Framing::Grpc).error.code, rest.status.as_u16())
    }

    #[test]
    fn the_older_table_differs_in_six_places() {
        let mut differing = Vec::new();
        for kind in ErrorKind::all() {
            let (old, new) = (codes(kind, ErrorTable::V1_0_0), codes(kind, ErrorTable::V1_0_1));
            assert_eq!(old.0, new.0, "JSON-RPC codes are the same");
            if old != new {
                differing.push(format!("{kind}: {} {} instead of {} {}", old.1, old.2, new.1, new.2));
            }
        }
        let expected = [
            "TaskNotCancelable: FAILED_PRECONDITION 409 instead of FAILED_PRECONDITION 400",
            "PushNotificationNotSupported: UNIMPLEMENTED 400 instead of FAILED_PRECONDITION 400",
            "UnsupportedOperation: UNIMPLEMENTED 400 instead of FAILED_PRECONDITION 400",
            "ContentTypeNotSupported: INVALID_ARGUMENT 415 instead of INVALID_ARGUMENT 400",
            "InvalidAgentResponse: INTERNAL 502 instead of INTERNAL 500",
            "VersionNotSupported: UNIMPLEMENTED 400 instead of FAILED_PRECONDITION 400",
        ];
        assert_eq!(differing, expected);
    }

    #[test]
    fn grpc_details_repeat_the_code_of_the_table() {
        let refusal = Refusal::A2a(A2aError::new(ErrorKind::VersionNotSupported, "words"));
        for (table, code) in [(ErrorTable::V1_0_0, 12), (ErrorTable::V1_0_1, 9)] {
            let headers = Framing::Grpc.error(&refusal, table, None).headers;
            let details = STANDARD_NO_PAD.decode(&headers["grpc-status-details-bin"]).unwrap();
            assert_eq!(Status::decode(details.as_slice()).unwrap().code, code);
            assert_eq!(headers["grpc-status"], code.to_string());
        }
    }
}
