//! Whether a request, as it came, is one of A2A 1.0. Stricter than any receiver has to be.

use gauntlet_evidence::{Exchange, Request, RequestClass};
use gauntlet_wire::protojson::{Unknown, dynamic_from_json, missing_required};
use gauntlet_wire::rest::{self, RouteError};
use gauntlet_wire::{A2A_MEDIA_TYPE, Binding, Operation, ProtocolVersion};
use prost_reflect::{Kind, MessageDescriptor};
use serde_json::Value;

use crate::view::{View, below, binding_of};

/// What a look at a request comes to.
pub(super) enum Finding {
    Valid,
    NotJudged,
    Invalid(String),
}

/// Looks at a request: method, path, content type, envelope, names, enums, required fields.
pub(super) fn problem(view: &View<'_>, x: &Exchange<'_>) -> Finding {
    let request = x.request;
    let meant = request.operation.is_some()
        || request.method != "GET" && request.method != "HEAD" && request.method != "OPTIONS";
    let (true, Some(binding)) = (meant, binding_of(x)) else { return Finding::NotJudged };
    let Some((_, interface)) = view.interface(x) else {
        // A peer that serves the request nonetheless knows better where its interfaces are.
        return match request.class {
            RequestClass::Other => {
                Finding::Invalid(format!("{} {} is no {binding} interface of its card", request.method, request.path))
            }
            _ => Finding::NotJudged,
        };
    };
    if interface.version.parse::<ProtocolVersion>().is_ok_and(|version| version.major != 1) {
        return Finding::NotJudged;
    }
    let result = match binding {
        Binding::JsonRpc => jsonrpc(request, below(interface, x).unwrap_or_default()),
        Binding::HttpJson => rest(request, below(interface, x).unwrap_or_default()),
        Binding::Grpc => grpc(request),
    };
    match result {
        Ok(()) => Finding::Valid,
        Err(problem) => Finding::Invalid(problem),
    }
}

fn jsonrpc(request: &Request, path: &str) -> Result<(), String> {
    if request.method != "POST" {
        return Err(format!("JSON-RPC is called by POST, not {}", request.method));
    }
    if !path.trim_matches('/').is_empty() {
        return Err(format!("{} is below the url of the interface", request.path));
    }
    media_type(request, &["application/json"])?;
    let Some(body) = body(request)? else { return Ok(()) };
    if body.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err("`jsonrpc` is not \"2.0\"".to_owned());
    }
    if !matches!(body.get("id"), Some(Value::String(_) | Value::Number(_))) {
        return Err("`id` is neither a string nor a number".to_owned());
    }
    let method = body.get("method").and_then(Value::as_str).unwrap_or_default();
    let operation: Operation = method.parse().map_err(|_| format!("`{method}` is no method of A2A 1.0"))?;
    match body.get("params") {
        None => message(operation, &Value::Object(serde_json::Map::new())),
        Some(params @ Value::Object(_)) => message(operation, params),
        Some(_) => Err("`params` is not an object".to_owned()),
    }
}

fn rest(request: &Request, path: &str) -> Result<(), String> {
    let found = rest::route(&request.method, path).map_err(|error| match error {
        RouteError::NotFound => format!("{} {path} is no route of A2A 1.0", request.method),
        RouteError::MethodNotAllowed { allow } => {
            format!("{path} is not called by {}, but by {}", request.method, allow.join(" or "))
        }
    })?;
    let body = body(request)?;
    if body.is_some() {
        media_type(request, &["application/json", A2A_MEDIA_TYPE])?;
    } else if found.operation.sends_message() {
        return if request.message.is_some() { Ok(()) } else { Err("there is no body".to_owned()) };
    }
    let query = request.path.split_once('?').map(|(_, query)| query);
    let whole = found.message(query, body).map_err(|error| error.message)?;
    message(found.operation, &whole)
}

fn grpc(request: &Request) -> Result<(), String> {
    if request.method != "POST" {
        return Err(format!("gRPC is called by POST, not {}", request.method));
    }
    let path = request.path.split('?').next().unwrap_or_default();
    let operation = Operation::from_grpc_path(path).ok_or_else(|| format!("{path} is no method of A2A 1.0"))?;
    media_type(request, &["application/grpc", "application/grpc+proto"])?;
    // Fields unknown to the proto do not survive decoding, and that is as protobuf has it.
    request.message.as_ref().map_or(Ok(()), |read| message(operation, read))
}

fn media_type(request: &Request, allowed: &[&str]) -> Result<(), String> {
    let sent = request.header("content-type").unwrap_or("none");
    let essence = sent.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if allowed.contains(&essence.as_str()) {
        Ok(())
    } else {
        Err(format!("content type {sent} instead of {}", allowed.join(" or ")))
    }
}

/// The body as JSON; none where there is none, or where the journal had no room for it.
fn body(request: &Request) -> Result<Option<Value>, String> {
    match request.body.text() {
        Some("") if request.method == "POST" && request.message.is_none() && request.operation.is_none() => {
            Err("there is no body".to_owned())
        }
        Some("") => Ok(None),
        Some(text) => serde_json::from_str(text).map(Some).map_err(|error| format!("the body is not JSON: {error}")),
        None => Err("the body is not UTF-8".to_owned()),
    }
}

fn message(operation: Operation, json: &Value) -> Result<(), String> {
    let descriptor = operation.request();
    spelling(&descriptor, json, "")?;
    let read = dynamic_from_json(&descriptor, json, Unknown::Refuse).map_err(|error| error.to_string())?;
    match missing_required(&read) {
        Some(pointer) => Err(format!("{operation} lacks the required {pointer}")),
        None => Ok(()),
    }
}

/// What parsers forgive: snake_case names, enums as numbers, parts without content.
fn spelling(descriptor: &MessageDescriptor, json: &Value, at: &str) -> Result<(), String> {
    if descriptor.package_name() == "google.protobuf" {
        return Ok(());
    }
    let Some(members) = json.as_object() else { return Ok(()) };
    for (name, value) in members {
        let pointer = format!("{at}/{name}");
        let Some(field) = descriptor.get_field_by_json_name(name) else {
            let known = descriptor.get_field_by_name(name).map(|field| format!(", it is spelt {}", field.json_name()));
            return Err(format!("{} has no member {pointer}{}", descriptor.name(), known.unwrap_or_default()));
        };
        let items: Vec<(String, &Value)> = match value {
            Value::Array(items) if field.is_list() => {
                items.iter().enumerate().map(|(nth, item)| (format!("{pointer}/{nth}"), item)).collect()
            }
            Value::Object(_) if field.is_map() => Vec::new(),
            other => vec![(pointer, other)],
        };
        for (pointer, item) in items {
            match field.kind() {
                Kind::Enum(values) if item.is_string() => {
                    let name = item.as_str().unwrap_or_default();
                    if values.get_value_by_name(name).is_none() {
                        return Err(format!("{pointer} is {name}, which is no {}", values.name()));
                    }
                }
                Kind::Enum(values) if item.is_number() => {
                    return Err(format!("{pointer} is a number, not the name of a {}", values.name()));
                }
                Kind::Message(inner) => spelling(&inner, item, &pointer)?,
                _ => {}
            }
        }
    }
    let contents = ["text", "raw", "url", "data"].into_iter().filter(|content| members.contains_key(*content)).count();
    if descriptor.full_name() == "lf.a2a.v1.Part" && contents != 1 {
        return Err(format!("{at} has {contents} of text, raw, url and data instead of one"));
    }
    Ok(())
}
