//! The JSON-RPC 2.0 envelope (specification §9).

use serde_json::{Map, Value, json};

use crate::error::{A2aError, ErrorKind};

/// A call: method and parameters under an id.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// A string or a number; the answer repeats it.
    pub id: Value,
    /// The operation's name.
    pub method: String,
    /// The request message.
    pub params: Option<Value>,
}

/// An answer as a client reads it.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The id it answers.
    pub id: Value,
    /// The response message, or what went wrong.
    pub result: Result<Value, RpcError>,
}

/// The error member of an answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message} ({code})")]
pub struct RpcError {
    /// The code.
    pub code: i64,
    /// For people.
    pub message: String,
    /// Details, an array with an ErrorInfo where the peer is an A2A server.
    pub data: Option<Value>,
}

/// Reads a request body.
///
/// # Errors
/// The id to answer under (null where none could be read) and ParseError or InvalidRequest.
pub fn parse(body: &[u8]) -> Result<Request, Box<(Value, A2aError)>> {
    let json: Value = serde_json::from_slice(body).map_err(|error| {
        Box::new((Value::Null, A2aError::new(ErrorKind::ParseError, format!("the body is not JSON: {error}"))))
    })?;
    let id = json.get("id").filter(|id| id.is_string() || id.is_number()).cloned();
    let invalid =
        |why: &str| Box::new((id.clone().unwrap_or(Value::Null), A2aError::new(ErrorKind::InvalidRequest, why)));
    let Value::Object(mut members) = json else {
        return Err(invalid("a JSON-RPC request is an object; batches are not part of A2A"));
    };
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(invalid("`jsonrpc` must be \"2.0\""));
    }
    let Some(Value::String(method)) = members.remove("method") else {
        return Err(invalid("`method` must be a string"));
    };
    let params = members.remove("params");
    if params.as_ref().is_some_and(|params| !params.is_object()) {
        return Err(invalid("`params` must be an object"));
    }
    match id.clone() {
        Some(id) => Ok(Request { id, method, params }),
        None => Err(invalid("`id` must be a string or a number")),
    }
}

/// The body of a call.
pub fn request(id: &Value, method: &str, params: Value) -> Value {
    let mut members = envelope(id);
    members.insert("method".to_owned(), json!(method));
    members.insert("params".to_owned(), params);
    Value::Object(members)
}

/// The body of an answer.
pub fn success(id: &Value, result: Value) -> Value {
    let mut members = envelope(id);
    members.insert("result".to_owned(), result);
    Value::Object(members)
}

/// The same with a result that is text already.
pub fn success_text(id: &Value, result: &str) -> String {
    let id = id.to_string();
    let mut body = String::with_capacity(r#"{"jsonrpc":"2.0","id":,"result":}"#.len() + id.len() + result.len());
    for piece in [r#"{"jsonrpc":"2.0","id":"#, &id, r#","result":"#, result, "}"] {
        body.push_str(piece);
    }
    body
}

/// The body of an error answer; `error` is [`A2aError::to_jsonrpc`] or has its members.
pub fn failure(id: &Value, error: Value) -> Value {
    let mut members = envelope(id);
    members.insert("error".to_owned(), error);
    Value::Object(members)
}

fn envelope(id: &Value) -> Map<String, Value> {
    Map::from_iter([("jsonrpc".to_owned(), json!("2.0")), ("id".to_owned(), id.clone())])
}

/// Reads an answer body.
///
/// # Errors
/// Why it is no JSON-RPC answer.
pub fn parse_response(body: &[u8]) -> Result<Reply, String> {
    let json: Value = serde_json::from_slice(body).map_err(|error| format!("not JSON: {error}"))?;
    let Value::Object(mut members) = json else { return Err("not a JSON object".to_owned()) };
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err("`jsonrpc` is not \"2.0\"".to_owned());
    }
    let id = members.remove("id").unwrap_or(Value::Null);
    match (members.remove("result"), members.remove("error")) {
        (Some(result), None) => Ok(Reply { id, result: Ok(result) }),
        (None, Some(error)) => {
            let code = error.get("code").and_then(Value::as_i64).ok_or("`error.code` is not a whole number")?;
            let message = error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
            Ok(Reply { id, result: Err(RpcError { code, message, data: error.get("data").cloned() }) })
        }
        (Some(_), Some(_)) => Err("both `result` and `error` are there".to_owned()),
        (None, None) => Err("neither `result` nor `error` is there".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn broken_requests_name_what_is_wrong_and_keep_the_id() {
        let kind = |body: &str| parse(body.as_bytes()).map_err(|rejected| (rejected.0, rejected.1.kind));
        assert_eq!(kind("{"), Err((Value::Null, ErrorKind::ParseError)));
        assert_eq!(kind("[]"), Err((Value::Null, ErrorKind::InvalidRequest)));
        assert_eq!(kind(r#"{"id":7,"method":"GetTask"}"#), Err((json!(7), ErrorKind::InvalidRequest)));
        assert_eq!(
            kind(r#"{"jsonrpc":"2.0","id":null,"method":"GetTask"}"#),
            Err((Value::Null, ErrorKind::InvalidRequest))
        );
        assert_eq!(
            kind(r#"{"jsonrpc":"2.0","id":"a","method":"GetTask","params":[]}"#),
            Err((json!("a"), ErrorKind::InvalidRequest))
        );
    }

    #[test]
    fn answers_are_either_a_result_or_an_error() {
        let id = json!(1);
        let ok = success(&id, json!({ "a": 1 })).to_string();
        assert_eq!(success_text(&id, r#"{"a":1}"#), ok);
        assert_eq!(parse_response(ok.as_bytes()).unwrap().result, Ok(json!({ "a": 1 })));
        let error = A2aError::new(ErrorKind::TaskNotFound, "gone").to_jsonrpc();
        let reply = parse_response(failure(&id, error).to_string().as_bytes()).unwrap();
        assert_eq!(reply.result.unwrap_err().code, -32001);
        assert!(parse_response(br#"{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1}}"#).is_err());
    }

    proptest! {
        #[test]
        fn nothing_makes_it_panic(body in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&body);
            let _ = parse_response(&body);
        }
    }
}
