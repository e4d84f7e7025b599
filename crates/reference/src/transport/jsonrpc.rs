//! JSON-RPC 2.0 over HTTP (specification §9).

use std::sync::atomic::Ordering;

use futures::{StreamExt, future, stream};
use gauntlet_wire::{A2aError, Binding, ErrorKind, Operation, jsonrpc};
use http::{Method, StatusCode};
use reqwest::Response;
use serde_json::{Value, json};

use super::{CallError, Endpoint, Events, Transport, web};

impl Transport {
    pub(super) async fn jsonrpc_call(
        &self,
        to: &Endpoint,
        operation: Operation,
        message: Value,
    ) -> Result<Value, CallError> {
        let (id, response) = self.jsonrpc_send(to, operation, message, "application/json").await?;
        whole(&id, response).await
    }

    pub(super) async fn jsonrpc_open(
        &self,
        to: &Endpoint,
        operation: Operation,
        message: Value,
    ) -> Result<Events, CallError> {
        let (id, response) = self.jsonrpc_send(to, operation, message, web::EVENT_STREAM).await?;
        if response.status() == StatusCode::OK && web::is_event_stream(&response) {
            let items = web::events(response, self.flaws).map(move |data| reply(&id, data?.as_bytes()));
            return Ok(items.boxed());
        }
        // An error comes as a plain answer; so does the whole result where a peer does not stream after all.
        let result = whole(&id, response).await?;
        Ok(stream::once(future::ready(Ok(result))).boxed())
    }

    async fn jsonrpc_send(
        &self,
        to: &Endpoint,
        operation: Operation,
        message: Value,
        accept: &str,
    ) -> Result<(Value, Response), CallError> {
        let id = json!(self.calls.fetch_add(1, Ordering::Relaxed) + 1);
        let request = jsonrpc::request(&id, operation.name(), message);
        let body = Some(("application/json", &request));
        let response = self.send(to, operation, (Method::POST, &to.interface.url), accept, body).await?;
        Ok((id, response))
    }
}

async fn whole(id: &Value, response: Response) -> Result<Value, CallError> {
    if let Some(busy) = web::busy(&response) {
        return Err(busy);
    }
    let (status, challenge) = (response.status(), web::challenge(&response));
    let body = web::body(response).await?;
    if let Some(denied) = CallError::of_denial(status, challenge.as_deref(), format!("HTTP {status}")) {
        return Err(denied);
    }
    if status == StatusCode::OK {
        return reply(id, &body);
    }
    // Some servers give errors an HTTP status of their own; the envelope knows better.
    match jsonrpc::parse_response(&body) {
        Ok(answer) if answer.result.is_err() => reply(id, &body),
        _ => Err(of_status(status)),
    }
}

fn reply(id: &Value, body: &[u8]) -> Result<Value, CallError> {
    let answer = jsonrpc::parse_response(body).map_err(CallError::Invalid)?;
    match answer.result {
        // A server that could not read the id answers with null.
        Err(error) if answer.id == *id || answer.id.is_null() => {
            match A2aError::kind_of(Binding::JsonRpc, error.code, error.data.as_ref()) {
                Some(kind) => Err(CallError::of_kind(kind, error.to_string())),
                None => Err(CallError::Broken(error.to_string())),
            }
        }
        Ok(result) if answer.id == *id => Ok(result),
        _ => Err(CallError::Invalid(format!("the answer is for call {}, this was call {id}", answer.id))),
    }
}

/// There is one address for all operations, so what HTTP says of it concerns the whole interface.
fn of_status(status: StatusCode) -> CallError {
    let answered = format!("HTTP {status}");
    match status.as_u16() {
        404 | 405 | 415 | 501 => CallError::InterfaceRefused(answered),
        429 | 500..=599 => CallError::Broken(answered),
        400..=499 => CallError::A2a { kind: ErrorKind::InvalidRequest, message: answered },
        _ => CallError::Invalid(answered),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_matched_by_id_and_errors_sorted_by_their_details_first() {
        let id = json!(7);
        let result = reply(&id, br#"{"jsonrpc":"2.0","id":7,"result":{"task":{}}}"#);
        assert_eq!(result, Ok(json!({ "task": {} })));
        let stray = reply(&id, br#"{"jsonrpc":"2.0","id":8,"result":{}}"#);
        assert!(matches!(stray, Err(CallError::Invalid(_))), "{stray:?}");
        let unread = reply(&id, br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}"#);
        assert!(matches!(unread, Err(CallError::OperationRefused { .. })), "{unread:?}");
        let detailed =
            br#"{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"no","data":[{"reason":"TASK_NOT_FOUND"}]}}"#;
        assert!(reply(&id, detailed).unwrap_err().is_unknown_task());
    }
}
