//! Writing answers: whole ones and streams, each frame through the last fault stage, the self check and the journal.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use futures::stream;
use gauntlet_evidence::Stamp;
use gauntlet_evidence::journal::{Ending, WireError};
use gauntlet_faults::{BreakOff, BytesOutcome, BytesView, Call, FrameOutcome, Refusal, Stage};
use gauntlet_wire::v1;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};

use super::framing::{Framing, Object};
use super::invoke::Invoked;
use crate::connection::Line;
use crate::engine::{Next, Subscription};
use crate::extensions;
use crate::journal::{self, Exchange, Told};
use crate::peer::Peer;
use crate::stamps;

/// The body of any answer.
pub(crate) type Body = UnsyncBoxBody<Bytes, Cut>;

/// The answer is broken off.
#[derive(Debug, thiserror::Error)]
#[error("the answer was broken off")]
pub(crate) struct Cut;

/// A call that is not carried out.
#[derive(Clone)]
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
    finish(exchange, response, infallible(Full::new(body)), told, Ending::Complete, Vec::new())
}

/// An error of HTTP itself.
pub(super) fn plain(
    exchange: Exchange,
    status: StatusCode,
    headers: Vec<(HeaderName, HeaderValue)>,
    words: &str,
) -> Response<Body> {
    plain_stamped(exchange, status, headers, words, Vec::new())
}

/// An error of HTTP itself that faults answer with in the place of the binding.
pub(super) fn refused_by_http(
    exchange: Exchange,
    status: u16,
    headers: Vec<(String, String)>,
    stamps: Vec<Stamp>,
) -> Response<Body> {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let legal = |(name, value): (String, String)| Some((name.parse().ok()?, value.parse().ok()?));
    let words = status.canonical_reason().unwrap_or("no reason is given");
    plain_stamped(exchange, status, headers.into_iter().filter_map(legal).collect(), words, stamps)
}

fn plain_stamped(
    exchange: Exchange,
    status: StatusCode,
    headers: Vec<(HeaderName, HeaderValue)>,
    words: &str,
    stamps: Vec<Stamp>,
) -> Response<Body> {
    let mut response = Response::builder().status(status).header(CONTENT_TYPE, "text/plain; charset=utf-8");
    if let Some(there) = response.headers_mut() {
        there.extend(headers);
    }
    let body = Bytes::copy_from_slice(words.as_bytes());
    let error = WireError { code: status.as_u16().to_string(), message: words.to_owned(), reason: None };
    let told = Told { object: journal::Object::Nothing, error: Some(error), raw: body.clone(), stamps, vouched: None };
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
    let Failure { stamps, .. } = failure;
    let raw = answer.body.clone();
    let told = Told { object: journal::Object::Nothing, error: Some(answer.error), raw, stamps, vouched: None };
    whole(exchange, response, answer.body, Some(told))
}

/// How everything that answers one call goes out.
pub(super) struct Outgoing {
    pub(super) peer: Arc<Peer>,
    pub(super) framing: Framing,
    pub(super) call: Call,
    pub(super) line: Line,
    /// What faults made of the request: all that answers it is their doing.
    pub(super) misread: Vec<Stamp>,
}

/// What the engine gave, in the form of the binding.
pub(super) fn success(
    out: Outgoing,
    exchange: Exchange,
    invoked: Invoked,
    extensions: Option<HeaderValue>,
) -> Response<Body> {
    let headers = HeaderMap::from_iter(extensions.map(|extensions| (extensions::HEADER, extensions)));
    match invoked {
        Invoked::Unary(object, stamps) => unary(&out, exchange, object, stamps, headers),
        Invoked::Stream { first, stamps, rest } => {
            let first = Item { message: *first, stamps, last: rest.is_none() };
            streaming(Streaming { out, first: Some(first), rest, index: 0 }, exchange, headers)
        }
    }
}

fn unary(
    out: &Outgoing,
    exchange: Exchange,
    mut object: Object,
    mut stamps: Vec<Stamp>,
    headers: HeaderMap,
) -> Response<Body> {
    let Outgoing { peer, framing, call, line, .. } = out;
    let (outcome, bites) = object.pass(&peer.faults, call, 0, true);
    let mut response = Response::builder().header(CONTENT_TYPE, framing.unary_type());
    if let Some(there) = response.headers_mut() {
        there.extend(headers);
    }
    if matches!(outcome, FrameOutcome::Drop | FrameOutcome::EndBefore) {
        let body = Full::default().with_trailers(std::future::ready(framing.trailers().map(Ok)));
        return finish(exchange, response, infallible(body), None, Ending::Early, bites);
    }
    stamps.extend(bites);
    let Written { told, mut pieces, broken, stamps: left } = out.write(object, stamps, 0, true, Framing::unary);
    let ending = match (&told, broken) {
        (_, Some(_)) => Ending::Cut,
        (None, None) => Ending::Early,
        (Some(_), None) => Ending::Complete,
    };
    let body = if pieces.len() == 1 && broken.is_none() {
        let whole = Full::new(pieces.pop_front().unwrap_or_default());
        infallible(whole.with_trailers(std::future::ready(framing.trailers().map(Ok))))
    } else {
        let trailers = framing.trailers().filter(|_| broken.is_none());
        let frames = pieces.into_iter().map(Frame::data).chain(trailers.map(Frame::trailers)).collect();
        frames_to_the_end(State::Closing(frames, broken.map(|how| (how, line.clone()))))
    };
    finish(exchange, response, body, told, ending, left)
}

/// What of a frame goes out.
struct Written {
    /// What the journal keeps of it; `None` where nothing goes out.
    told: Option<Told>,
    pieces: VecDeque<Bytes>,
    /// How the answer is broken off after it, where it is.
    broken: Option<BreakOff>,
    /// For the end of the answer, or the next frame where this one does not go out.
    stamps: Vec<Stamp>,
}

impl Outgoing {
    /// Lets the faults of the last stage at a frame, and checks what no fault has touched. `encode` gives its bytes as
    /// the journal keeps them and as they go out.
    fn write(
        &self,
        object: Object,
        mut stamps: Vec<Stamp>,
        index: u32,
        last: bool,
        encode: impl FnOnce(&Framing, Object) -> (Bytes, Bytes),
    ) -> Written {
        let Self { peer, framing, call, .. } = self;
        let misread: Vec<_> = self.misread.iter().filter(|stamp| !stamps.contains(stamp)).cloned().collect();
        stamps.extend(misread);
        let (reading, vouched) = (framing.reading(call.operation, &object), object.vouched());
        let rewritten = peer.faults.hooks(Stage::BytesWritten);
        let json = if rewritten { object.json() } else { None };
        let (raw, bytes) = encode(framing, object);
        let told = |object, raw, stamps| Told { object, error: None, raw, stamps, vouched };
        let in_bytes = journal::Object::InBytes(reading);
        if !rewritten {
            return Written::whole(told(in_bytes, raw, stamps), bytes);
        }
        let mut pieces = vec![bytes.to_vec()];
        let kind = framing.of_item(call.operation);
        let (outcome, bites) =
            peer.faults.bytes(&mut BytesView { call, framing: kind, index, last, pieces: &mut pieces });
        if bites.is_empty() {
            return Written::whole(told(in_bytes, raw, stamps), bytes);
        }
        let bites = stamps::of(bites);
        stamps.extend(bites.iter().cloned());
        let written = Bytes::from(pieces.concat());
        let known = json.map(Arc::new).map_or(journal::Object::Nothing, journal::Object::Known);
        let pieces = pieces.into_iter().map(Bytes::from).collect();
        match outcome {
            BytesOutcome::Drop => Written { told: None, pieces: VecDeque::new(), broken: None, stamps },
            BytesOutcome::Send => {
                Written { told: Some(told(known, written, stamps)), pieces, broken: None, stamps: Vec::new() }
            }
            // Nobody can tell what half an object says.
            BytesOutcome::BreakOff(how) => Written {
                told: Some(told(journal::Object::Nothing, written, stamps)),
                pieces,
                broken: Some(how),
                stamps: bites,
            },
        }
    }
}

impl Written {
    fn whole(told: Told, bytes: Bytes) -> Self {
        Self { told: Some(told), pieces: VecDeque::from([bytes]), broken: None, stamps: Vec::new() }
    }
}

/// A body that cannot fail.
fn infallible<B>(body: B) -> Body
where
    B: http_body::Body<Data = Bytes, Error = std::convert::Infallible> + Send + 'static,
{
    body.map_err(|never| match never {}).boxed_unsync()
}

fn finish(
    exchange: Exchange,
    response: http::response::Builder,
    body: Body,
    told: Option<Told>,
    how: Ending,
    stamps: Vec<Stamp>,
) -> Response<Body> {
    // Our own header names and values are legal; a builder that failed anyway must not look like an answer.
    let response = response.body(body).unwrap_or_else(|_| {
        let mut response = Response::new(infallible(Full::default()));
        *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
        response
    });
    let (head, body) = response.into_parts();
    exchange.finish(&head, told, how, stamps);
    Response::from_parts(head, body)
}

/// A stream that is being written.
struct Streaming {
    out: Outgoing,
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
    let framing = &streaming.out.framing;
    let (mut head, ()) = Response::new(()).into_parts();
    head.headers = headers;
    head.headers.insert(CONTENT_TYPE, HeaderValue::from_static(framing.stream_type()));
    if !matches!(framing, Framing::Grpc) {
        head.headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    }
    exchange.answered(&head);
    let trailers = framing.trailers();
    let open = Open { streaming, exchange, held_back: Vec::new(), ready: VecDeque::new() };
    Response::from_parts(head, frames_to_the_end(State::Open(Box::new(open), trailers)))
}

fn frames_to_the_end(state: State) -> Body {
    let frames = stream::unfold(state, |state| async {
        match state {
            State::Open(open, trailers) => open.next(trailers).await,
            State::Closing(mut frames, broken) => match (frames.pop_front(), broken) {
                (Some(frame), broken) => Some((Ok(frame), State::Closing(frames, broken))),
                (None, None) => None,
                (None, Some((BreakOff::Close, _))) => Some((Err(Cut), State::Closing(frames, None))),
                (None, Some((BreakOff::Reset, line))) => {
                    line.break_off();
                    // The connection ends, and this with it, as soon as what came before is written.
                    std::future::pending().await
                }
            },
        }
    });
    StreamBody::new(frames).boxed_unsync()
}

enum State {
    Open(Box<Open>, Option<HeaderMap>),
    /// All has been said and journalled; these frames are left to be written, and then the answer may be broken off.
    Closing(VecDeque<Frame<Bytes>>, Option<(BreakOff, Line)>),
}

struct Open {
    streaming: Streaming,
    exchange: Exchange,
    /// Stamps of frames that were dropped, for the next entry that there is.
    held_back: Vec<Stamp>,
    /// Pieces of a frame that has been journalled.
    ready: VecDeque<Bytes>,
}

/// How a stream ends.
enum End {
    /// As the trailers say.
    Clean(Ending, Option<HeaderMap>),
    Broken(BreakOff),
}

impl Open {
    /// The next frame. The end is journalled together with the last frame, before the other side can act on it.
    async fn next(mut self: Box<Self>, trailers: Option<HeaderMap>) -> Option<(Result<Frame<Bytes>, Cut>, State)> {
        loop {
            if let Some(piece) = self.ready.pop_front() {
                return Some((Ok(Frame::data(piece)), State::Open(self, trailers)));
            }
            let item = match self.streaming.item().await {
                Ok(Some(item)) => item,
                Ok(None) => return self.close(End::Clean(Ending::Complete, trailers)),
                Err(Cut) => {
                    self.exchange.end(Ending::Cut, self.held_back);
                    return Some((Err(Cut), State::Closing(VecDeque::new(), None)));
                }
            };
            let Streaming { out, index: next, .. } = &mut self.streaming;
            let index = *next;
            *next += 1;
            let mut object = Object::of(&item.message, &out.framing, &out.peer.faults);
            let (outcome, bites) = object.pass(&out.peer.faults, &out.call, index, item.last);
            let mut stamps = item.stamps;
            match outcome {
                FrameOutcome::Drop => self.held_back.extend(bites),
                FrameOutcome::EndBefore => {
                    self.held_back.extend(bites);
                    return self.close(End::Clean(Ending::Early, trailers));
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
                    let written = out.write(object, stamps, index, item.last, Framing::item);
                    self.held_back.extend(written.stamps);
                    self.ready = written.pieces;
                    if let Some(told) = written.told {
                        self.exchange.frame(told);
                    }
                    match written.broken {
                        Some(how) => return self.close(End::Broken(how)),
                        None if ends_early => return self.close(End::Clean(Ending::Early, trailers)),
                        None if item.last => return self.close(End::Clean(Ending::Complete, trailers)),
                        None => {}
                    }
                }
            }
        }
    }

    /// Ends after what is ready.
    fn close(self, end: End) -> Option<(Result<Frame<Bytes>, Cut>, State)> {
        let (how, trailers, broken) = match end {
            End::Clean(how, trailers) => (how, trailers, None),
            End::Broken(how) => (Ending::Cut, None, Some((how, self.streaming.out.line))),
        };
        self.exchange.end(how, self.held_back);
        let mut frames: VecDeque<_> =
            self.ready.into_iter().map(Frame::data).chain(trailers.map(Frame::trailers)).collect();
        let nothing = || broken.is_some().then(|| Frame::data(Bytes::new()));
        let first = frames.pop_front().or_else(nothing)?;
        Some((Ok(first), State::Closing(frames, broken)))
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
