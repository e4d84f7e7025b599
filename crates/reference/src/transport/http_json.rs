//! HTTP+JSON (specification §11).

use futures::{StreamExt, future, stream};
use gauntlet_wire::{A2A_MEDIA_TYPE, A2aError, Binding, ErrorKind, Operation, rest};
use http::{Method, StatusCode};
use reqwest::Response;
use serde_json::Value;

use super::{CallError, Endpoint, Events, Transport, web};

impl Transport {
    pub(super) async fn http_json_call(
        &self,
        to: &Endpoint,
        operation: Operation,
        message: &Value,
    ) -> Result<Value, CallError> {
        let response = self.http_json_send(to, operation, message, A2A_MEDIA_TYPE).await?;
        whole(response).await
    }

    pub(super) async fn http_json_open(
        &self,
        to: &Endpoint,
        operation: Operation,
        message: &Value,
    ) -> Result<Events, CallError> {
        let response = self.http_json_send(to, operation, message, web::EVENT_STREAM).await?;
        if response.status().is_success() && web::is_event_stream(&response) {
            return Ok(web::events(response, self.flaws).map(|data| item(&data?)).boxed());
        }
        let result = whole(response).await?;
        Ok(stream::once(future::ready(Ok(result))).boxed())
    }

    async fn http_json_send(
        &self,
        to: &Endpoint,
        operation: Operation,
        message: &Value,
        accept: &str,
    ) -> Result<Response, CallError> {
        let call = rest::call(operation, message);
        let url = format!("{}{}", to.interface.url.trim_end_matches('/'), call.path_and_query);
        let method: Method = call.method.parse().unwrap_or(Method::POST);
        let body = call.body.as_ref().map(|body| (A2A_MEDIA_TYPE, body));
        self.send(to, operation, (method, &url), accept, body).await
    }
}

async fn whole(response: Response) -> Result<Value, CallError> {
    if let Some(busy) = web::busy(&response) {
        return Err(busy);
    }
    let (status, challenge) = (response.status(), web::challenge(&response));
    let body = web::body(response).await?;
    if let Some(denied) = CallError::of_denial(status, challenge.as_deref(), format!("HTTP {status}")) {
        return Err(denied);
    }
    let json = serde_json::from_slice::<Value>(&body);
    if status.is_success() {
        return json.map_err(|error| CallError::Invalid(format!("not JSON: {error}")));
    }
    Err(of_answer(status, json.ok().as_ref().and_then(|json| json.get("error"))))
}

/// One item of a stream; an error may stand in its place.
fn item(data: &str) -> Result<Value, CallError> {
    let json: Value = serde_json::from_str(data).map_err(|error| CallError::Invalid(format!("not JSON: {error}")))?;
    match json.get("error") {
        None => Ok(json),
        Some(error) => {
            let code = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
            let status = code.and_then(|code| StatusCode::from_u16(code).ok());
            Err(of_answer(status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), Some(error)))
        }
    }
}

/// The ErrorInfo decides; only where there is none, the status does. Every operation has its own address, so 404 and
/// 405 speak of the operation.
fn of_answer(status: StatusCode, error: Option<&Value>) -> CallError {
    let said = error.and_then(|error| error.get("message")).and_then(Value::as_str).unwrap_or_default();
    let message = format!("HTTP {status} {said}").trim_end().to_owned();
    let details = error.and_then(|error| error.get("details"));
    if let Some(kind) = A2aError::kind_of(Binding::HttpJson, i64::from(status.as_u16()), details) {
        return CallError::of_kind(kind, message);
    }
    match status.as_u16() {
        401 => CallError::Unauthenticated(message),
        403 => CallError::forbidden(message, None),
        404 | 405 | 501 => CallError::OperationRefused { kind: None, message },
        415 => CallError::InterfaceRefused(message),
        429 | 500..=599 => CallError::Broken(message),
        400..=499 => CallError::A2a { kind: ErrorKind::InvalidRequest, message },
        _ => CallError::Invalid(message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_tell_a_missing_task_from_a_missing_route() {
        let missing_task = A2aError::new(ErrorKind::TaskNotFound, "gone").to_rest();
        assert!(of_answer(StatusCode::NOT_FOUND, missing_task.get("error")).is_unknown_task());
        let missing_route = of_answer(StatusCode::NOT_FOUND, None);
        assert!(matches!(missing_route, CallError::OperationRefused { kind: None, .. }), "{missing_route:?}");
    }

    #[test]
    fn an_error_inside_a_stream_is_an_error() {
        let inside = A2aError::new(ErrorKind::UnsupportedOperation, "no").to_rest().to_string();
        assert!(matches!(item(&inside), Err(CallError::OperationRefused { .. })));
        assert!(item(r#"{"task":{}}"#).is_ok());
    }
}
