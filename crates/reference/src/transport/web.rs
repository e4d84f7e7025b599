//! What the two HTTP bindings and card discovery share.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use form_urlencoded::{Serializer, byte_serialize};
use futures::stream::{self, BoxStream};
use futures::{StreamExt, TryStreamExt};
use gauntlet_wire::sse::{self, Decoder};
use gauntlet_wire::{Operation, VERSION_HEADER};
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, COOKIE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{Method, StatusCode};
use reqwest::Response;
use serde_json::Value;

use super::{CallError, Endpoint, LIMIT, Place, Transport};
use crate::flaws::{Flaws, Planted};

/// Media type of streams.
pub(super) const EVENT_STREAM: &str = "text/event-stream";

impl Transport {
    /// Fetches a card: status and body.
    ///
    /// # Errors
    /// When there is no answer, or an unreasonably long one.
    pub(crate) async fn fetch_card(&self, url: &str) -> Result<(StatusCode, Vec<u8>), CallError> {
        let response = self.http.get(url).header(ACCEPT, "application/json").send().await.map_err(not_sent)?;
        Ok((response.status(), body(response).await?))
    }

    /// Posts a form as a client that shows who it is: status and JSON, null where the answer is none.
    ///
    /// # Errors
    /// When there is no answer, or an unreasonably long one.
    pub(crate) async fn post_form(
        &self,
        url: &str,
        (id, secret): (&str, &str),
        form: &[(&str, &str)],
    ) -> Result<(StatusCode, Value), CallError> {
        // Form-encoded before they are put together (RFC 6749 §2.3.1).
        let plain = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
        let body = Serializer::new(String::new()).extend_pairs(form).finish();
        let request = self.http.post(url).basic_auth(plain(id), Some(plain(secret))).header(ACCEPT, "application/json");
        let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(body);
        let no_token = |error: CallError| CallError::NoToken(format!("{url}: {error}"));
        let response = request.send().await.map_err(|error| no_token(not_sent(error)))?;
        let status = response.status();
        let answer = self::body(response).await.map_err(no_token)?;
        Ok((status, serde_json::from_slice(&answer).unwrap_or_default()))
    }

    /// Sends a request of an operation.
    pub(super) async fn send(
        &self,
        to: &Endpoint,
        operation: Operation,
        (method, url): (Method, &str),
        accept: &str,
        json: Option<(&str, &Value)>,
    ) -> Result<Response, CallError> {
        let mut url = url.to_owned();
        let mut headers = Vec::new();
        for (place, value) in self.credentials(to, operation).await? {
            match place {
                Place::Authorization(scheme) => headers.push((AUTHORIZATION.as_str(), format!("{scheme} {value}"))),
                Place::Header(name) => headers.push((name.as_str(), value)),
                Place::Cookie(name) => headers.push((COOKIE.as_str(), format!("{name}={value}"))),
                Place::Query(name) => {
                    let pair = Serializer::new(String::new()).append_pair(name, &value).finish();
                    url = format!("{url}{}{pair}", if url.contains('?') { '&' } else { '?' });
                }
            }
        }
        let request = self.http.request(method, url).header(ACCEPT, accept);
        let mut request = headers.into_iter().fold(request, |request, (name, value)| request.header(name, value));
        if let Some(version) = self.version(to, operation) {
            request = request.header(VERSION_HEADER, version);
        }
        if let Some((media_type, json)) = json {
            request = request.header(CONTENT_TYPE, media_type).body(json.to_string());
        }
        request.send().await.map_err(not_sent)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the shape map_err wants")]
fn not_sent(error: reqwest::Error) -> CallError {
    let detail = with_causes(&error);
    if error.is_connect() || error.is_builder() { CallError::Unreachable(detail) } else { CallError::Broken(detail) }
}

/// An error and what caused it: the outermost words alone seldom say why.
pub(super) fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |words, cause| format!("{words}: {cause}"))
}

/// The whole body, as far as it is of a sane size.
pub(super) async fn body(response: Response) -> Result<Vec<u8>, CallError> {
    let mut pieces = response.bytes_stream();
    let mut whole = Vec::new();
    while let Some(piece) = pieces.try_next().await.map_err(|error| CallError::Broken(with_causes(&error)))? {
        if whole.len() + piece.len() > LIMIT {
            return Err(CallError::Invalid(format!("the answer is longer than {LIMIT} bytes")));
        }
        whole.extend_from_slice(&piece);
    }
    Ok(whole)
}

/// The challenge of an answer.
pub(super) fn challenge(response: &Response) -> Option<String> {
    response.headers().get(WWW_AUTHENTICATE)?.to_str().ok().map(str::to_owned)
}

/// The error of a peer that is busy and says in seconds when to come back. Dates are not waited for: clocks differ.
pub(super) fn busy(response: &Response) -> Option<CallError> {
    let status = response.status();
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    let is_busy = matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
    is_busy.then(|| CallError::Busy { retry_after: Duration::from_secs(seconds), message: format!("HTTP {status}") })
}

/// Whether an answer is a stream of events.
pub(super) fn is_event_stream(response: &Response) -> bool {
    let media_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    media_type.is_some_and(|media_type| media_type.trim_start().to_ascii_lowercase().starts_with(EVENT_STREAM))
}

/// The data of each event. An event that no blank line closed is dropped, as the standard has it: how the task stands
/// is then asked for.
pub(super) fn events(response: Response, flaws: Flaws) -> BoxStream<'static, Result<String, CallError>> {
    let reader = Reader {
        pieces: response.bytes_stream().boxed(),
        decoder: Decoder::default(),
        by_line: flaws.has(Planted::SseByLine).then(String::new),
        ready: VecDeque::new(),
        undecided: 0,
    };
    stream::try_unfold(reader, |mut reader| async move {
        let next = reader.next().await?;
        Ok(next.map(|data| (data, reader)))
    })
    .boxed()
}

struct Reader {
    pieces: BoxStream<'static, reqwest::Result<Bytes>>,
    decoder: Decoder,
    /// What a flaw reads instead of events: lines, the last of which has not ended yet.
    by_line: Option<String>,
    ready: VecDeque<sse::Event>,
    /// Bytes since the last event, so that an endless one is noticed.
    undecided: usize,
}

impl Reader {
    async fn next(&mut self) -> Result<Option<String>, CallError> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(Some(event.data));
            }
            let Some(piece) = self.pieces.next().await else { return Ok(None) };
            let piece = piece.map_err(|error| CallError::Broken(with_causes(&error)))?;
            match &mut self.by_line {
                None => self.ready.extend(self.decoder.push(&piece)),
                Some(unread) => {
                    unread.push_str(&String::from_utf8_lossy(&piece));
                    while let Some((line, rest)) = unread.split_once('\n') {
                        let data = line.strip_prefix("data: ").map(|data| data.trim_end().to_owned());
                        self.ready.extend(data.map(|data| sse::Event { event: None, data }));
                        *unread = rest.to_owned();
                    }
                }
            }
            self.undecided = if self.ready.is_empty() { self.undecided + piece.len() } else { 0 };
            if self.undecided > LIMIT {
                return Err(CallError::Invalid(format!("an event is longer than {LIMIT} bytes")));
            }
        }
    }
}
