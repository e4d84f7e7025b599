//! One operation on one interface: how it is asked for in each binding. What comes back is an [`Answer`].

mod answer;
pub(crate) mod older;

use bytes::Bytes;
use gauntlet_card::{Reach, reach};
use gauntlet_wire::sse::Decoder;
use gauntlet_wire::{A2A_MEDIA_TYPE, Binding, EXTENSIONS_HEADER, Operation, VERSION_HEADER, jsonrpc, protojson, rest};
use http::header::{ACCEPT, CONTENT_TYPE, TE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};
use serde_json::{Value, json};

pub use answer::{Answer, Reading};

use self::answer::grpc_message;
use crate::Listed;
use crate::dial::{EVENT_STREAM, Http, Place, Sent, header};
use crate::fetch::place;

const GRPC: &str = "application/grpc";

/// Where an interface is, and over which HTTP; without TLS where `secure` says so for a url that leaves it open.
pub(crate) fn address(listed: &Listed, binding: Binding, secure: Option<bool>) -> Result<(Place, Http), String> {
    if binding != Binding::Grpc {
        let uri: Uri = listed.url.parse().map_err(|_| format!("`{}` is no url", listed.url))?;
        return Ok((place(&uri).map_err(|why| format!("`{}` cannot be dialled: {why}", listed.url))?, Http::One));
    }
    let (scheme, rest) =
        listed.url.split_once("://").map_or((None, listed.url.as_str()), |(scheme, rest)| (Some(scheme), rest));
    let authority = rest.split('/').next().unwrap_or(rest);
    let uri: Uri =
        format!("http://{authority}/").parse().map_err(|_| format!("`{}` is no host and port", listed.url))?;
    let host = uri.host().filter(|host| !host.is_empty()).ok_or_else(|| format!("`{}` names no host", listed.url))?;
    let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    let secure = match scheme {
        Some("https") => true,
        Some("http") => false,
        _ => secure.unwrap_or(reach(&host) != Reach::Loopback),
    };
    let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
    Ok((Place { secure, host, port }, Http::Two))
}

/// A call of an operation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) binding: Binding,
    pub(crate) operation: Operation,
    /// The request as ProtoJSON, tenant and all.
    pub(crate) message: &'a Value,
    /// What A2A-Version says.
    pub(crate) version: &'a str,
    /// In the words of A2A 0.3.
    pub(crate) older: bool,
    /// HTTP+JSON subscribes by GET: the specification's table says POST, its proto GET.
    pub(crate) by_get: bool,
    pub(crate) credentials: &'a [(String, String)],
    /// What A2A-Extensions says; nothing where it is empty.
    pub(crate) extensions: &'a str,
}

impl Call<'_> {
    /// The request that makes the call.
    pub(crate) fn request(&self, url: &str) -> Result<Sent, String> {
        let accept = if self.operation.is_streaming() { EVENT_STREAM } else { "application/json" };
        let below = |path: &str| {
            let uri: Uri = url.parse().map_err(|_| format!("`{url}` is no url"))?;
            let base = uri.path().trim_end_matches('/');
            Ok::<String, String>(match (path, uri.query()) {
                ("", Some(query)) => format!("{}?{query}", uri.path()),
                ("", None) => uri.path().to_owned(),
                _ => format!("{base}{path}"),
            })
        };
        let absent = || format!("A2A 0.3 has no {} there", self.operation);
        let (method, path_and_query, body, content) = match self.binding {
            Binding::JsonRpc => {
                let (name, params) = match self.older {
                    true => {
                        (older::method(self.operation).ok_or_else(absent)?, older::params(self.operation, self.message))
                    }
                    false => (self.operation.name(), self.message.clone()),
                };
                let body = jsonrpc::request(&json!(1), name, params).to_string();
                (Method::POST, below("")?, Bytes::from(body), Some("application/json"))
            }
            Binding::HttpJson => {
                let (method, path, body) = if self.older {
                    older::rest(self.operation, self.message).ok_or_else(absent)?
                } else {
                    let call = rest::call(self.operation, self.message);
                    (call.method, call.path_and_query, call.body)
                };
                let method = if self.by_get { "GET" } else { method };
                let method = method.parse().map_err(|_| "no such method".to_owned())?;
                let media_type = if self.older { "application/json" } else { A2A_MEDIA_TYPE };
                let content = body.as_ref().map(|_| media_type);
                (method, below(&path)?, body.map_or_else(Bytes::new, |body| body.to_string().into()), content)
            }
            Binding::Grpc => {
                let (path, message) = if self.older {
                    older::grpc(self.operation, self.message).ok_or_else(absent)?
                } else {
                    let message = protojson::json_to_bytes(&self.operation.request(), self.message);
                    (self.operation.grpc_path(), message.map_err(|error| error.to_string())?)
                };
                let length = u32::try_from(message.len()).map_err(|error| error.to_string())?;
                let framed = [&[0], &length.to_be_bytes()[..], &message].concat();
                (Method::POST, path, framed.into(), Some(GRPC))
            }
        };
        let mut headers = HeaderMap::new();
        headers.extend(content.map(|content| (CONTENT_TYPE, HeaderValue::from_static(content))));
        match self.binding {
            Binding::Grpc => headers.insert(TE, HeaderValue::from_static("trailers")),
            _ => headers.insert(ACCEPT, HeaderValue::from_static(accept)),
        };
        let version = (VERSION_HEADER.to_owned(), self.version.to_owned());
        let extensions = (if self.older { "X-A2A-Extensions" } else { EXTENSIONS_HEADER }, self.extensions);
        let extensions = (extensions.0.to_owned(), extensions.1.to_owned());
        let extensions = Some(&extensions).filter(|(_, named)| !named.is_empty());
        for (name, value) in self.credentials.iter().chain([&version]).chain(extensions) {
            let (name, value): (HeaderName, HeaderValue) = header(name, value)?;
            headers.insert(name, value);
        }
        Ok(Sent { method, path_and_query, headers, body })
    }

    /// Whether what came so far is all there is to know: of a stream, the first item.
    pub(crate) fn is_enough(&self, headers: &HeaderMap, body: &[u8]) -> bool {
        if !self.operation.is_streaming() {
            return false;
        }
        match self.binding {
            Binding::Grpc => grpc_message(body).is_some(),
            _ => {
                headers.get(CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(EVENT_STREAM.as_bytes()))
                    && !Decoder::default().push(body).is_empty()
            }
        }
    }
}
