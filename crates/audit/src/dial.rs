//! Sockets, TLS and HTTP, one connection for each exchange. `--local` is enforced here, where addresses are known.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HOST, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use crate::AuditError;

/// What is said of a server without TLS.
pub(crate) const NOT_TLS: &str = "what answers there is not TLS";

/// The media type of streams.
pub(crate) const EVENT_STREAM: &str = "text/event-stream";

/// No more of a body is read.
const LIMIT: usize = 1 << 20;

/// A host, and how it is spoken to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) secure: bool,
    /// Without the brackets of IPv6.
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl Place {
    /// As it stands in a Host header.
    pub(crate) fn authority(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        let usual = if self.secure { 443 } else { 80 };
        if self.port == usual { host } else { format!("{host}:{}", self.port) }
    }
}

/// Which HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Http {
    One,
    /// As gRPC has it: with prior knowledge, or by ALPN.
    Two,
}

/// A request, before it is known over which HTTP it goes.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub(crate) method: Method,
    pub(crate) path_and_query: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// What came back.
#[derive(Debug, Clone)]
pub(crate) struct Got {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    pub(crate) trailers: HeaderMap,
}

impl Got {
    pub(crate) fn header(&self, name: impl http::header::AsHeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The media type without parameters, in lower case; empty where there is none.
    pub(crate) fn media_type(&self) -> String {
        let whole = self.header(CONTENT_TYPE).unwrap_or_default();
        whole.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }
}

/// How far it came.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DialError {
    /// It may not be contacted.
    #[error("{0}")]
    Forbidden(String),
    /// No connection.
    #[error("{0}")]
    Unreachable(String),
    /// A connection, and no TLS on it.
    #[error("{0}")]
    Tls(String),
    /// A connection, and no answer on it.
    #[error("{0}")]
    Silent(String),
    /// A connection, and what came back on it is not this HTTP.
    #[error("{0}")]
    Garbled(String),
}

trait Io: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Io for T {}

/// Opens connections.
#[derive(Debug)]
pub(crate) struct Dialer {
    local: bool,
    patience: Duration,
    tls: ClientConfig,
}

impl Dialer {
    pub(crate) fn new(local: bool, patience: Duration) -> Result<Self, AuditError> {
        let unfit = |error: rustls::Error| AuditError::Tls(error.to_string());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let builder = builder.map_err(unfit)?.with_platform_verifier().map_err(unfit)?;
        Ok(Self { local, patience, tls: builder.with_no_client_auth() })
    }

    /// Sends a request and reads the answer, until it ends or `enough` has been read of its body.
    ///
    /// # Errors
    /// How far it came.
    pub(crate) async fn exchange(
        &self,
        place: &Place,
        http: Http,
        request: Sent,
        enough: impl FnMut(&HeaderMap, &[u8]) -> bool + Send,
    ) -> Result<Got, DialError> {
        let connecting = timeout(self.patience, self.connect(place, http)).await;
        let late = |what: &str| format!("{what} within {} s", self.patience.as_secs_f64());
        let stream = connecting.map_err(|_| DialError::Unreachable(late("no connection")))??;
        let answered = timeout(self.patience, over(stream, place, http, request, enough)).await;
        answered.map_err(|_| DialError::Silent(late("no answer")))?
    }

    async fn connect(&self, place: &Place, http: Http) -> Result<Box<dyn Io>, DialError> {
        let unreachable = |error: std::io::Error| DialError::Unreachable(words(&error));
        let found = lookup_host((place.host.as_str(), place.port)).await.map_err(unreachable)?;
        let found: Vec<SocketAddr> = found.collect();
        let outside = found.iter().find(|address| !address.ip().to_canonical().is_loopback());
        if let Some(outside) = outside.filter(|_| self.local) {
            let words = format!("{} is {}, and only loopback may be contacted", place.host, outside.ip());
            return Err(DialError::Forbidden(words));
        }
        let tcp = TcpStream::connect(&*found).await.map_err(unreachable)?;
        if !place.secure {
            return Ok(Box::new(tcp));
        }
        let mut config = self.tls.clone();
        config.alpn_protocols = match http {
            Http::One => vec![b"http/1.1".to_vec()],
            Http::Two => vec![b"h2".to_vec()],
        };
        let name = ServerName::try_from(place.host.clone());
        let name = name.map_err(|_| DialError::Tls(format!("`{}` is no name for a certificate", place.host)))?;
        let tls = TlsConnector::from(Arc::new(config)).connect(name, tcp).await;
        let tls = tls.map_err(|error| {
            let words = words(&error);
            let plain = words.contains("InvalidContentType");
            DialError::Tls(if plain { NOT_TLS.to_owned() } else { words })
        })?;
        if http == Http::Two && tls.get_ref().1.alpn_protocol() != Some(b"h2") {
            return Err(DialError::Tls("HTTP/2 is not agreed on by ALPN, which gRPC demands".to_owned()));
        }
        Ok(Box::new(tls))
    }
}

async fn over(
    stream: Box<dyn Io>,
    place: &Place,
    http: Http,
    request: Sent,
    mut enough: impl FnMut(&HeaderMap, &[u8]) -> bool + Send,
) -> Result<Got, DialError> {
    // A server that speaks HTTP/1.1 alone closes the connection on whoever begins with HTTP/2, or answers as it can.
    let silent = |error: hyper::Error| match http == Http::Two || error.is_parse() {
        true => DialError::Garbled(words(&error)),
        false => DialError::Silent(words(&error)),
    };
    // Owns what moves the bytes, and ends it with the exchange.
    let mut connection = JoinSet::new();
    let response = match http {
        Http::One => {
            let (mut sender, driver) =
                hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(silent)?;
            connection.spawn(async move { _ = driver.await });
            sender.send_request(prepared(request, place, http)?).await.map_err(silent)?
        }
        Http::Two => {
            let handshake = hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream));
            let (mut sender, driver) = handshake.await.map_err(silent)?;
            connection.spawn(async move { _ = driver.await });
            sender.send_request(prepared(request, place, http)?).await.map_err(silent)?
        }
    };
    read(response, &mut enough).await
}

/// The request as this HTTP wants it: HTTP/1.1 has the host in a header, HTTP/2 in the url.
fn prepared(request: Sent, place: &Place, http: Http) -> Result<Request<Full<Bytes>>, DialError> {
    let unfit = |error: &dyn std::error::Error| DialError::Unreachable(format!("no request can be made: {error}"));
    let authority = place.authority();
    let scheme = if place.secure { "https" } else { "http" };
    let uri = match http {
        Http::One => request.path_and_query,
        Http::Two => format!("{scheme}://{authority}{}", request.path_and_query),
    };
    let mut ready =
        Request::builder().method(request.method).uri(uri).body(Full::new(request.body)).map_err(|e| unfit(&e))?;
    *ready.headers_mut() = request.headers;
    if http == Http::One {
        ready.headers_mut().insert(HOST, HeaderValue::try_from(authority).map_err(|error| unfit(&error))?);
    }
    let agent = HeaderValue::from_static(concat!("gauntlet/", env!("CARGO_PKG_VERSION")));
    ready.headers_mut().insert(USER_AGENT, agent);
    Ok(ready)
}

async fn read(
    response: Response<Incoming>,
    enough: &mut (impl FnMut(&HeaderMap, &[u8]) -> bool + Send),
) -> Result<Got, DialError> {
    let (head, mut incoming) = response.into_parts();
    let mut got = Got { status: head.status, headers: head.headers, body: Vec::new(), trailers: HeaderMap::new() };
    while let Some(frame) = incoming.frame().await {
        let frame = match frame {
            Ok(frame) => frame,
            // Of a stream that has begun it is known that somebody streams there.
            Err(_) if got.media_type() == EVENT_STREAM => break,
            Err(error) => return Err(DialError::Silent(format!("the answer broke off: {}", words(&error)))),
        };
        match frame.into_data() {
            Ok(data) => {
                let room = LIMIT.saturating_sub(got.body.len());
                got.body.extend_from_slice(&data[..data.len().min(room)]);
                if data.len() > room || enough(&got.headers, &got.body) {
                    break;
                }
            }
            Err(frame) => got.trailers.extend(frame.into_trailers().unwrap_or_default()),
        }
    }
    Ok(got)
}

/// A header of a request.
pub(crate) fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), String> {
    let name = HeaderName::try_from(name).map_err(|error| error.to_string())?;
    Ok((name, HeaderValue::try_from(value).map_err(|error| error.to_string())?))
}

/// An error and what caused it, each once: the outermost words alone seldom say why.
fn words(error: &(dyn std::error::Error + 'static)) -> String {
    let mut words: Vec<String> = Vec::new();
    for error in std::iter::successors(Some(error), |error| error.source()) {
        let said = error.to_string();
        if !words.iter().any(|before| before.contains(&said)) {
            words.push(said);
        }
    }
    words.join(": ")
}
