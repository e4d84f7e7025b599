//! The HTTP+JSON binding (specification §11): routes and how requests are spread over path, query and body.
//!
//! Everything is read from the `google.api.http` options of the proto.

use std::sync::LazyLock;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use prost_reflect::{FieldDescriptor, Kind, Value as ReflectValue};
use serde_json::{Map, Value, json};

use crate::error::{A2aError, ErrorKind};
use crate::{Operation, VERSION_HEADER, pool};

/// What a path variable or query value may hold unescaped.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

struct Route {
    operation: Operation,
    method: &'static str,
    /// `/tasks/{id}:cancel` as `["tasks", {id}]` and the verb `cancel`.
    segments: Vec<Segment>,
    verb: Option<String>,
    has_body: bool,
}

enum Segment {
    Literal(String),
    Variable(String),
}

static ROUTES: LazyLock<Vec<Route>> = LazyLock::new(|| {
    let extension = pool().get_extension_by_name("google.api.http").expect("annotations.proto is compiled in");
    let mut routes = Vec::new();
    for operation in Operation::ALL {
        let options = operation.method().options();
        let rule = options.get_extension(&extension);
        add_rule(&mut routes, operation, &rule);
    }
    routes
});

fn add_rule(routes: &mut Vec<Route>, operation: Operation, rule: &ReflectValue) {
    let Some(rule) = rule.as_message() else { return };
    let text = |name: &str| {
        rule.get_field_by_name(name).and_then(|value| value.as_str().map(str::to_owned)).filter(|text| !text.is_empty())
    };
    for method in ["GET", "POST", "DELETE"] {
        if let Some(template) = text(&method.to_ascii_lowercase()) {
            let (segments, verb) = parse_template(&template);
            routes.push(Route { operation, method, segments, verb, has_body: text("body").is_some() });
        }
    }
    if let Some(more) = rule.get_field_by_name("additional_bindings") {
        for rule in more.as_list().unwrap_or_default() {
            add_rule(routes, operation, rule);
        }
    }
}

fn parse_template(template: &str) -> (Vec<Segment>, Option<String>) {
    let (path, verb) = match template.rsplit_once(':') {
        Some((path, verb)) => (path, Some(verb.to_owned())),
        None => (template, None),
    };
    let segments = path
        .split('/')
        .skip(1)
        .map(|segment| match segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            Some(variable) => Segment::Variable(variable.split('=').next().unwrap_or(variable).to_owned()),
            None => Segment::Literal(segment.to_owned()),
        })
        .collect();
    (segments, verb)
}

/// A request that fits a route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// The operation.
    pub operation: Operation,
    /// The tenant in the path.
    pub tenant: Option<String>,
    /// Path variables other than the tenant: proto field name and decoded value.
    pub variables: Vec<(String, String)>,
    has_body: bool,
}

/// A request that fits none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RouteError {
    /// No route has this path.
    #[error("no route of A2A has this path")]
    NotFound,
    /// Some route has the path, but not with this method.
    #[error("this path takes {}", allow.join(", "))]
    MethodNotAllowed {
        /// The methods it takes.
        allow: Vec<String>,
    },
}

/// Finds the route of a path below the interface's base: raw (still percent-encoded) and without its query. A colon
/// that is percent-encoded belongs to a variable and never begins a verb.
///
/// # Errors
/// When no route fits, says whether another method would.
pub fn route(method: &str, path: &str) -> Result<Match, RouteError> {
    let mut allow = Vec::new();
    // Routes without a tenant come first in the proto, so `/tasks` is never read as a tenant.
    for route in ROUTES.iter() {
        let Some(variables) = matches(route, path) else { continue };
        if route.method != method {
            if !allow.iter().any(|known| known == route.method) {
                allow.push(route.method.to_owned());
            }
            continue;
        }
        let (tenant, variables) = variables.into_iter().partition::<Vec<_>, _>(|(name, _)| name == "tenant");
        let tenant = tenant.into_iter().next().map(|(_, value)| value);
        return Ok(Match { operation: route.operation, tenant, variables, has_body: route.has_body });
    }
    if allow.is_empty() { Err(RouteError::NotFound) } else { Err(RouteError::MethodNotAllowed { allow }) }
}

/// Every route as the specification writes it: operation, method, and the path with its variables in braces, such as
/// `/tasks/{id}:cancel`.
pub fn routes() -> impl Iterator<Item = (Operation, &'static str, String)> {
    ROUTES.iter().map(|route| {
        let segments = route.segments.iter().map(|segment| match segment {
            Segment::Literal(literal) => format!("/{literal}"),
            Segment::Variable(name) => format!("/{{{name}}}"),
        });
        let verb = route.verb.iter().map(|verb| format!(":{verb}"));
        (route.operation, route.method, segments.chain(verb).collect())
    })
}

fn matches(route: &Route, path: &str) -> Option<Vec<(String, String)>> {
    let path = path.strip_prefix('/')?;
    let path = match &route.verb {
        Some(verb) => path.strip_suffix(verb.as_str())?.strip_suffix(':')?,
        None => path,
    };
    let pieces: Vec<&str> = path.split('/').collect();
    if pieces.len() != route.segments.len() {
        return None;
    }
    let mut variables = Vec::new();
    for (index, (piece, segment)) in pieces.iter().zip(&route.segments).enumerate() {
        match segment {
            Segment::Literal(literal) if literal == piece => {}
            Segment::Variable(name) if !piece.is_empty() => {
                let is_last = index + 1 == pieces.len();
                // `/tasks/7:archive` is an unknown verb, not the task "7:archive".
                if is_last && piece.contains(':') {
                    return None;
                }
                variables.push((name.clone(), percent_decode_str(piece).decode_utf8().ok()?.into_owned()));
            }
            _ => return None,
        }
    }
    Some(variables)
}

impl Match {
    /// Puts the request message together from path, query and body, as ProtoJSON.
    ///
    /// Unknown query parameters are ignored, as unknown members are. `A2A-Version` in the query is no field.
    ///
    /// # Errors
    /// InvalidParams when a query value does not fit its field, or the body is no object.
    pub fn message(&self, query: Option<&str>, body: Option<Value>) -> Result<Value, A2aError> {
        let invalid = |why: String| A2aError::new(ErrorKind::InvalidParams, why);
        let mut message = match body {
            Some(Value::Object(members)) if self.has_body => members,
            None => Map::new(),
            Some(_) if self.has_body => return Err(invalid("the body must be a JSON object".to_owned())),
            Some(_) => Map::new(),
        };
        let descriptor = self.operation.request();
        for (key, value) in query.into_iter().flat_map(pairs) {
            if key.eq_ignore_ascii_case(VERSION_HEADER) {
                continue;
            }
            let Some(field) = descriptor.get_field_by_json_name(&key).or_else(|| descriptor.get_field_by_name(&key))
            else {
                continue;
            };
            let value = query_value(&field, &value)
                .ok_or_else(|| invalid(format!("`{key}={value}` does not fit `{key}`")).at(field.json_name()))?;
            message.insert(field.json_name().to_owned(), value);
        }
        let variables = self.variables.iter().map(|(name, value)| (name.as_str(), value));
        for (name, value) in variables.chain(self.tenant.as_ref().map(|tenant| ("tenant", tenant))) {
            let name = descriptor.get_field_by_name(name).map_or(name.to_owned(), |field| field.json_name().to_owned());
            message.insert(name, json!(value));
        }
        Ok(Value::Object(message))
    }
}

fn pairs(query: &str) -> impl Iterator<Item = (String, String)> {
    let decode = |text: &str| percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned();
    query.split('&').filter(|pair| !pair.is_empty()).map(move |pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decode(key), decode(value))
    })
}

/// The first value of a query parameter, decoded.
pub fn query_parameter(query: &str, name: &str) -> Option<String> {
    pairs(query).find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

fn query_value(field: &FieldDescriptor, text: &str) -> Option<Value> {
    match field.kind() {
        Kind::String | Kind::Enum(_) => Some(json!(text)),
        Kind::Bool => text.parse::<bool>().ok().map(Value::from),
        Kind::Int32 | Kind::Int64 => text.parse::<i64>().ok().map(Value::from),
        // Timestamps are the only messages that stand in a query.
        Kind::Message(message) if message.full_name() == "google.protobuf.Timestamp" => Some(json!(text)),
        _ => None,
    }
}

/// A request as a client sends it.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// HTTP method.
    pub method: &'static str,
    /// Below the interface's url.
    pub path_and_query: String,
    /// JSON body.
    pub body: Option<Value>,
}

/// Spreads a request message (ProtoJSON, tenant included) over path, query and body. SubscribeToTask goes by POST, as
/// the specification's table and the SDKs have it.
pub fn call(operation: Operation, message: &Value) -> Call {
    let mut members = message.as_object().cloned().unwrap_or_default();
    let has_tenant = members.get("tenant").and_then(Value::as_str).is_some_and(|tenant| !tenant.is_empty());
    let wants_post = operation == Operation::SubscribeToTask;
    let route = ROUTES
        .iter()
        .filter(|route| route.operation == operation && (!wants_post || route.method == "POST"))
        .find(|route| has_tenant == matches!(route.segments.first(), Some(Segment::Variable(name)) if name == "tenant"))
        .expect("the proto gives every operation a route with and one without a tenant");
    let descriptor = operation.request();
    let mut path_and_query = String::new();
    for segment in &route.segments {
        path_and_query.push('/');
        match segment {
            Segment::Literal(literal) => path_and_query.push_str(literal),
            Segment::Variable(name) => {
                let json_name =
                    descriptor.get_field_by_name(name).map_or(name.clone(), |field| field.json_name().to_owned());
                let value = members.remove(&json_name);
                path_and_query
                    .extend(utf8_percent_encode(value.as_ref().and_then(Value::as_str).unwrap_or_default(), ESCAPED));
            }
        }
    }
    if let Some(verb) = &route.verb {
        path_and_query.push(':');
        path_and_query.push_str(verb);
    }
    if !has_tenant {
        members.remove("tenant");
    }
    if route.has_body {
        return Call { method: route.method, path_and_query, body: Some(Value::Object(members)) };
    }
    for (index, (key, value)) in members.iter().enumerate() {
        path_and_query.push(if index == 0 { '?' } else { '&' });
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        path_and_query.extend([key.as_str(), "="]);
        path_and_query.extend(utf8_percent_encode(&text, ESCAPED));
    }
    Call { method: route.method, path_and_query, body: None }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn verbs_are_split_off_the_raw_path_only() {
        let matched = route("POST", "/tasks/a%3Acancel:cancel").unwrap();
        assert_eq!(matched.operation, Operation::CancelTask);
        assert_eq!(matched.variables, [("id".to_owned(), "a:cancel".to_owned())]);
        let get = route("GET", "/tasks/a%3Acancel").unwrap();
        assert_eq!((get.operation, get.variables[0].1.as_str()), (Operation::GetTask, "a:cancel"));
        assert_eq!(route("POST", "/tasks/a:archive"), Err(RouteError::NotFound));
    }

    #[test]
    fn wrong_methods_name_the_right_ones() {
        assert_eq!(route("GET", "/message:send"), Err(RouteError::MethodNotAllowed { allow: vec!["POST".to_owned()] }));
        let subscribe = route("PUT", "/tasks/1:subscribe").unwrap_err();
        assert_eq!(subscribe, RouteError::MethodNotAllowed { allow: vec!["GET".to_owned(), "POST".to_owned()] });
        assert_eq!(route("GET", "/nowhere/at/all/really"), Err(RouteError::NotFound));
    }

    #[test]
    fn tenants_stand_in_front_and_reach_the_message() {
        let matched = route("POST", "/acme/message:send").unwrap();
        assert_eq!(matched.tenant.as_deref(), Some("acme"));
        let message = matched.message(None, Some(json!({ "message": {} }))).unwrap();
        assert_eq!(message, json!({ "message": {}, "tenant": "acme" }));
        assert_eq!(route("GET", "/tasks").unwrap().tenant, None);
    }

    #[test]
    fn query_values_take_the_type_of_their_field() {
        let matched = route("GET", "/tasks").unwrap();
        let message = matched.message(Some("pageSize=5&includeArtifacts=true&A2A-Version=1.0&later=1"), None).unwrap();
        assert_eq!(message, json!({ "pageSize": 5, "includeArtifacts": true }));
        assert!(matched.message(Some("pageSize=many"), None).is_err());
    }

    proptest! {
        /// What the client side spreads out, the server side puts together again.
        #[test]
        fn calls_survive_the_way(id in "[^\u{0}]{1,12}", tenant in proptest::option::of("[a-z/:% ]{1,8}"), length in proptest::option::of(0i32..9)) {
            let mut message = json!({ "id": id });
            if let Some(tenant) = &tenant { message["tenant"] = json!(tenant); }
            if let Some(length) = length { message["historyLength"] = json!(length); }
            for operation in [Operation::GetTask, Operation::SubscribeToTask, Operation::CancelTask] {
                let mut message = message.clone();
                if operation != Operation::GetTask { message.as_object_mut().unwrap().remove("historyLength"); }
                let call = call(operation, &message);
                let (path, query) = call.path_and_query.split_once('?').map_or((call.path_and_query.as_str(), None), |(p, q)| (p, Some(q)));
                let matched = route(call.method, path).unwrap();
                prop_assert_eq!(matched.operation, operation);
                prop_assert_eq!(matched.message(query, call.body).unwrap(), message);
            }
        }
    }
}
