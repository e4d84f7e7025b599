//! The token endpoint over HTTP (RFC 6749 §3.2 and §5).

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use gauntlet_evidence::RequestClass;
use gauntlet_evidence::journal::WireError;
use http::header::{ALLOW, AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderValue, Method, Response, StatusCode};
use percent_encoding::percent_decode_str;
use serde_json::json;

use super::Arrival;
use super::answer::{self, Body};
use crate::double::token::{TokenError, TokenRequest, TokenServer};
use crate::journal::{Object, Reading, Told};
use crate::peer::Peer;

/// Where tokens are asked for.
pub(crate) const PATH: &str = "/token";

pub(super) fn serve(peer: &Peer, server: &TokenServer, arrival: &Arrival) -> Response<Body> {
    let head = &arrival.head;
    let class = if head.uri.path() == PATH { RequestClass::Discovery } else { RequestClass::Other };
    let exchange = super::begin(peer, arrival, class.clone(), None, Vec::new());
    if class == RequestClass::Other {
        return answer::plain(exchange, StatusCode::NOT_FOUND, Vec::new(), "tokens are issued at /token");
    }
    if head.method != Method::POST {
        let allow = vec![(ALLOW, HeaderValue::from_static("POST"))];
        return answer::plain(exchange, StatusCode::METHOD_NOT_ALLOWED, allow, "tokens are asked for by POST");
    }
    let granted = match arrival.media_type().as_deref() {
        Some("application/x-www-form-urlencoded") => server.grant(&read(arrival)),
        _ => Err(TokenError { code: "invalid_request", why: "the parameters are to be a form".to_owned() }),
    };
    let mut response =
        Response::builder().header(CACHE_CONTROL, "no-store").header(CONTENT_TYPE, "application/json;charset=UTF-8");
    match granted {
        Ok(object) => {
            let bytes = Bytes::from(object.to_string());
            let told = Told {
                object: Object::InBytes(Reading::Json),
                error: None,
                raw: bytes.clone(),
                stamps: Vec::new(),
                vouched: None,
            };
            answer::whole(exchange, response, bytes, Some(told))
        }
        Err(TokenError { code, why }) => {
            let status = if code == "invalid_client" { StatusCode::UNAUTHORIZED } else { StatusCode::BAD_REQUEST };
            if status == StatusCode::UNAUTHORIZED && head.headers.contains_key(AUTHORIZATION) {
                response = response.header(WWW_AUTHENTICATE, "Basic realm=\"tokens\"");
            }
            let bytes = Bytes::from(json!({ "error": code, "error_description": why }).to_string());
            let error = WireError { code: code.to_owned(), message: why, reason: None };
            let told = Told {
                object: Object::Nothing,
                error: Some(error),
                raw: bytes.clone(),
                stamps: Vec::new(),
                vouched: None,
            };
            answer::whole(exchange, response.status(status), bytes, Some(told))
        }
    }
}

fn read(arrival: &Arrival) -> TokenRequest {
    let parameters = form_urlencoded::parse(&arrival.body).into_owned().collect();
    let header = arrival.header(AUTHORIZATION.as_str());
    TokenRequest { parameters, basic: header.map(basic) }
}

/// Id and secret are form-encoded before they are put together (RFC 6749 §2.3.1).
fn basic(header: &str) -> Option<(String, String)> {
    let (scheme, encoded) = header.split_once(' ')?;
    let decoded = STANDARD.decode(encoded.trim()).ok().filter(|_| scheme.eq_ignore_ascii_case("basic"))?;
    let text = String::from_utf8(decoded).ok()?;
    let (id, secret) = text.split_once(':')?;
    let plain = |text: &str| {
        let text = text.replace('+', " ");
        percent_decode_str(&text).decode_utf8().ok().map(Cow::into_owned)
    };
    Some((plain(id)?, plain(secret)?))
}
