//! Writing answers: whole ones and streams, each frame through the last fault stage, the self check and the journal.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use futures::stream;
use gauntlet_evidence::Stamp;
use gauntlet_evidence::journal::{Ending, WireError};
use gauntlet_faults::{Call, FrameOutcome, Refusal};
use gauntlet_wire::v1;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};

use super::framing::{Framing, Object};
use super::invoke::Invoked;
use crate::engine::{Next, Subscription};
use crate::extensions;
use crate::journal::{self, Exchange, Told};
use crate::peer::Peer;

/// The body of any answer.
pub(crate) type Body = UnsyncBoxBody<Bytes, Cut>;

/// The answer is broken off.
#[derive(Debug, thiserror::Error)]
#[error("the answer was broken off")]
pub(crate) struct Cut;

/// A call that is not carried out.
pub(super) struct Failure {
    pub(super) refusal: Refusal,
    /// Empty where a healthy peer would have refused as well.
    pub(super) stamps: Vec<Stamp>,
    /// An HTTP status that says it better than the error table.
    pub(super) status: Option<StatusCode>,
    pub(super) headers: Vec<(HeaderName, HeaderValue)>,
}

/// An answer in one piece.
pub(super) fn whole(
    exchange: Exchange,
    response: http::response::Builder,
    body: Bytes,
    told: Option<Told>,
) -> Response<Body> {
    finish(exchange, response, Full::new(body), told, Ending::Complete, Vec::new())
}

/// An error of HTTP itself.
pub(super) fn plain(
    exchange: Exchange,
    status: StatusCode,
    headers: Vec<(HeaderName, HeaderValue)>,
    words: &str,
) -> Response<Body> {
    let mut response = Response::builder().status(status).header(CONTENT_TYPE, "text/plain; charset=utf-8");
    if let Some(there) = response.headers_mut() {
        there.extend(headers);
    }
    let body = Bytes::copy_from_slice(words.as_bytes());
    let error = WireError { code: status.as_u16().to_string(), message: words.to_owned(), reason: None };
    let told = Told { object: None, error: Some(error), raw: journal::raw(&body), stamps: Vec::new() };
    whole(exchange, response, body, Some(told))
}

/// A call that failed, in the form of its binding.
pub(super) fn failure(peer: &Peer, exchange: Exchange, framing: &Framing, failure: Failure) -> Response<Body> {
    let answer = framing.error(&failure.refusal, peer.errors, failure.status);
    let mut response = Response::builder().status(answer.status);
    if let Some(headers) = response.headers_mut() {
        headers.extend(answer.headers);
        headers.extend(failure.headers);
    }
    let raw = journal::raw(&answer.body);
    let told = Told { object: None, error: Some(answer.error), raw, stamps: failure.stamps };
    whole(exchange, response, answer.body, Some(told))
}

/// What the engine gave, in the form of the binding.
pub(super) fn success(
    peer: &Arc<Peer>,
    exchange: Exchange,
    framing: Framing,
    call: Call,
    invoked: Invoked,
    extensions: Option<HeaderValue>,
) -> Response<Body> {
    let headers = HeaderMap::from_iter(extensions.map(|extensions| (extensions::HEADER, extensions)));
    match invoked {
        Invoked::Unary(object, stamps) => unary(peer, exchange, &framing, &call, object, stamps, headers),
        Invoked::Stream { first, stamps, rest } => {
            let first = Item { message: *first, stamps, last: rest.is_none() };
            let peer = Arc::clone(peer);
            streaming(Streaming { peer, framing, call, first: Some(first), rest, index: 0 }, exchange, headers)
        }
    }
}

fn unary(
    peer: &Peer,
    exchange: Exchange,
    framing: &Framing,
    call: &Call,
    mut object: Object,
    mut stamps: Vec<Stamp>,
    headers: HeaderMap,
) -> Response<Body> {
    let (outcome, bites) = object.pass(&peer.faults, call, 0, true);
    let mut response = Response::builder().header(CONTENT_TYPE, framing.unary_type());
    if let Some(there) = response.headers_mut() {
        there.extend(headers);
    }
    let (body, told, how, ending) = match outcome {
        FrameOutcome::Send | FrameOutcome::EndAfter => {
            stamps.extend(bites);
            let (told, body) = frame(peer, object, stamps, |object| framing.unary(object));
            (body, Some(told), Ending::Complete, Vec::new())
        }
        FrameOutcome::Drop | FrameOutcome::EndBefore => (Bytes::new(), None, Ending::Early, bites),
    };
    let body = Full::new(body).with_trailers(std::future::ready(framing.trailers().map(Ok)));
    finish(exchange, response, body, told, how, ending)
}

/// Checks a frame that is about to be sent; gives what the journal keeps of it, and its bytes.
fn frame(
    peer: &Peer,
    object: Object,
    stamps: Vec<Stamp>,
    encode: impl FnOnce(Object) -> (Bytes, Bytes),
) -> (Told, Bytes) {
    let json = object.json();
    if stamps.is_empty()
        && object.is_ours()
        && let Some(json) = &json
    {
        peer.shared.troubles.check(&peer.name, object.descriptor(), json);
    }
    let (raw, body) = encode(object);
    (Told { object: json, error: None, raw: journal::raw(&raw), stamps }, body)
}

fn finish<B>(
    exchange: Exchange,
    response: http::response::Builder,
    body: B,
    told: Option<Told>,
    how: Ending,
    stamps: Vec<Stamp>,
) -> Response<Body>
where
    B: http_body::Body<Data = Bytes, Error = std::convert::Infallible> + Send + 'static,
{
    let body = body.map_err(|never| match never {}).boxed_unsync();
    // Our own header names and values are legal; a builder that failed anyway must not look like an answer.
    let response = response.body(body).unwrap_or_else(|_| {
        let mut response = Response::new(Full::default().map_err(|never| match never {}).boxed_unsync());
        *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
        response
    });
    let (head, body) = response.into_parts();
    exchange.finish(&head, told, how, stamps);
    Response::from_parts(head, body)
}

/// A stream that is being written.
struct Streaming {
    peer: Arc<Peer>,
    framing: Framing,
    call: Call,
    first: Option<Item>,
    /// Unset once nothing more will come.
    rest: Option<Subscription>,
    index: u32,
}

struct Item {
    message: v1::StreamResponse,
    stamps: Vec<Stamp>,
    /// Whether a healthy stream ends with it.
    last: bool,
}

fn streaming(streaming: Streaming, mut exchange: Exchange, headers: HeaderMap) -> Response<Body> {
    let (mut head, ()) = Response::new(()).into_parts();
    head.headers = headers;
    head.headers.insert(CONTENT_TYPE, HeaderValue::from_static(streaming.framing.stream_type()));
    if !matches!(streaming.framing, Framing::Grpc) {
        head.headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    }
    exchange.answered(&head);
    let trailers = streaming.framing.trailers();
    let open = Open { streaming, exchange, held_back: Vec::new() };
    let frames = stream::unfold(State::Open(Box::new(open), trailers), |state| async {
        match state {
            State::Open(open, trailers) => open.next(trailers).await,
            State::Closing(mut frames) => frames.pop_front().map(|frame| (Ok(frame), State::Closing(frames))),
        }
    });
    Response::from_parts(head, StreamBody::new(frames).boxed_unsync())
}

enum State {
    Open(Box<Open>, Option<HeaderMap>),
    /// All has been said and journalled; these frames are left to be written.
    Closing(VecDeque<Frame<Bytes>>),
}

struct Open {
    streaming: Streaming,
    exchange: Exchange,
    /// Stamps of frames that were dropped, for the next entry that there is.
    held_back: Vec<Stamp>,
}

impl Open {
    /// The next frame. The end is journalled together with the last frame, before the other side can act on it.
    async fn next(mut self: Box<Self>, trailers: Option<HeaderMap>) -> Option<(Result<Frame<Bytes>, Cut>, State)> {
        loop {
            let item = match self.streaming.item().await {
                Ok(Some(item)) => item,
                Ok(None) => return self.close(None, trailers, Ending::Complete),
                Err(Cut) => {
                    self.exchange.end(Ending::Cut, self.held_back);
                    return Some((Err(Cut), State::Closing(VecDeque::new())));
                }
            };
            let Streaming { peer, framing, call, index, .. } = &mut self.streaming;
            let mut object = Object::of(&item.message, framing);
            let (outcome, bites) = object.pass(&peer.faults, call, *index, item.last);
            *index += 1;
            let mut stamps = item.stamps;
            match outcome {
                FrameOutcome::Drop => self.held_back.extend(bites),
                FrameOutcome::EndBefore => {
                    self.held_back.extend(bites);
                    return self.close(None, trailers, Ending::Early);
                }
                FrameOutcome::Send | FrameOutcome::EndAfter => {
                    let ends_early = outcome == FrameOutcome::EndAfter && !item.last;
                    stamps.append(&mut self.held_back);
                    if ends_early {
                        self.held_back.clone_from(&bites);
                    }
                    // A lone bite that ends the stream changed nothing in the frame itself.
                    if !(ends_early && bites.len() == 1) {
                        stamps.extend(bites);
                    }
                    let (told, bytes) = frame(peer, object, stamps, |object| framing.item(object));
                    self.exchange.frame(told);
                    if ends_early {
                        return self.close(Some(bytes), trailers, Ending::Early);
                    }
                    if item.last {
                        return self.close(Some(bytes), trailers, Ending::Complete);
                    }
                    return Some((Ok(Frame::data(bytes)), State::Open(self, trailers)));
                }
            }
        }
    }

    fn close(
        self,
        last: Option<Bytes>,
        trailers: Option<HeaderMap>,
        how: Ending,
    ) -> Option<(Result<Frame<Bytes>, Cut>, State)> {
        self.exchange.end(how, self.held_back);
        let mut frames: VecDeque<_> = last.map(Frame::data).into_iter().chain(trailers.map(Frame::trailers)).collect();
        frames.pop_front().map(|frame| (Ok(frame), State::Closing(frames)))
    }
}

impl Streaming {
    async fn item(&mut self) -> Result<Option<Item>, Cut> {
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        let Some(rest) = &mut self.rest else { return Ok(None) };
        match rest.next().await {
            Next::Event(said) => {
                let last = rest.ends_in(said.phase);
                Ok(Some(Item { message: said.item.clone(), stamps: said.stamps.clone(), last }))
            }
            Next::End => Ok(None),
            Next::Stopped => Err(Cut),
        }
    }
}
