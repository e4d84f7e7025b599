//! What a request is, as far as method, path and content type tell.

use gauntlet_evidence::RequestClass;
use gauntlet_wire::rest::{self, Match, RouteError};
use gauntlet_wire::{Binding, CARD_PATH};
use http::request::Parts;
use http::{Method, StatusCode};

use crate::engine::essence;
use crate::listener::Endpoint;

/// Where cards were before 0.3; clients may look there after a 404.
const LEGACY_CARD_PATH: &str = "/.well-known/agent.json";

pub(super) enum Target {
    Card,
    /// Interfaces by index.
    JsonRpc(Vec<usize>),
    HttpJson(Vec<usize>, Match),
    Grpc(Vec<usize>),
    Nothing {
        class: RequestClass,
        status: StatusCode,
        /// For the Allow header.
        allow: Option<String>,
        /// Whether it stands below an HTTP+JSON interface, whose errors have a form.
        http_json: bool,
    },
}

pub(super) fn route(endpoint: &Endpoint, head: &Parts) -> Target {
    let path = head.uri.path();
    if endpoint.serves_card && path == CARD_PATH {
        return match head.method {
            Method::GET | Method::HEAD => Target::Card,
            _ => nothing(RequestClass::Discovery, StatusCode::METHOD_NOT_ALLOWED, Some("GET, HEAD".to_owned())),
        };
    }
    if path == CARD_PATH || path == LEGACY_CARD_PATH {
        return nothing(RequestClass::Discovery, StatusCode::NOT_FOUND, None);
    }
    let content_type = head.headers.get(http::header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let content_type = content_type.map(essence).unwrap_or_default();
    if content_type == "application/grpc" || content_type.starts_with("application/grpc+") {
        let interfaces = endpoint.of(Binding::Grpc, |_| true);
        if interfaces.is_empty() {
            return nothing(RequestClass::Other, StatusCode::UNSUPPORTED_MEDIA_TYPE, None);
        }
        return Target::Grpc(interfaces);
    }
    let json_rpc = endpoint.of(Binding::JsonRpc, |base| path.trim_end_matches('/') == base);
    if !json_rpc.is_empty() && head.method == Method::POST {
        return Target::JsonRpc(json_rpc);
    }
    match (http_json(endpoint, head), json_rpc.is_empty()) {
        (Some(Ok((interfaces, matched))), _) => Target::HttpJson(interfaces, matched),
        (Some(Err(RouteError::MethodNotAllowed { allow })), _) => Target::Nothing {
            class: RequestClass::Other,
            status: StatusCode::METHOD_NOT_ALLOWED,
            allow: Some(allow.join(", ")),
            http_json: true,
        },
        (_, false) => nothing(RequestClass::Other, StatusCode::METHOD_NOT_ALLOWED, Some("POST".to_owned())),
        (rest, true) => Target::Nothing {
            class: RequestClass::Other,
            status: StatusCode::NOT_FOUND,
            allow: None,
            http_json: rest.is_some(),
        },
    }
}

/// The HTTP+JSON interfaces with the longest base that the path lies below, and the route there.
fn http_json(endpoint: &Endpoint, head: &Parts) -> Option<Result<(Vec<usize>, Match), RouteError>> {
    let path = head.uri.path();
    let below = |base: &str| path.strip_prefix(base).filter(|rest| rest.starts_with('/'));
    let candidates = endpoint.of(Binding::HttpJson, |base| below(base).is_some());
    let base =
        candidates.iter().map(|&index| endpoint.peer.interfaces[index].path.as_str()).max_by_key(|base| base.len())?;
    let interfaces = endpoint.of(Binding::HttpJson, |other| other == base);
    Some(rest::route(head.method.as_str(), below(base)?).map(|matched| (interfaces, matched)))
}

fn nothing(class: RequestClass, status: StatusCode, allow: Option<String>) -> Target {
    Target::Nothing { class, status, allow, http_json: false }
}

impl Endpoint {
    /// The interfaces of a binding whose base path fits.
    fn of(&self, binding: Binding, fits: impl Fn(&str) -> bool) -> Vec<usize> {
        let interfaces = &self.peer.interfaces;
        let here = self.interfaces.iter().copied();
        here.filter(|&index| interfaces[index].binding == binding && fits(&interfaces[index].path)).collect()
    }
}
