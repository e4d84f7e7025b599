//! How much a client may ask for at once and how long it may take to ask.
//!
//! A peer must go on serving others whatever one client does, so nothing a client sends may cost without bound. Every
//! limit is far above what a conforming client needs. What is not listed here is bounded by hyper in a way that suits:
//! 100 header fields per HTTP/1 request (431 beyond), frames of 16 KiB, windows of 1 MiB.

use std::time::Duration;

use hyper_util::rt::TokioTimer;
use hyper_util::server::conn::auto;

/// The longest request body that is read, in bytes; 413 beyond. A message with a few files in it is well below.
pub(crate) const BODY: usize = 1 << 20;

/// The longest request head in bytes, with 431 beyond. Tokens and long queries take a few KiB.
const HEAD: u32 = 64 << 10;

/// Tasks that a peer remembers; beyond, the oldest make room once they have ended, and are not found any more. Nobody
/// pages through so many, and a peer that is under load for hours must not grow without end.
pub(crate) const TASKS: usize = 20_000;

/// How long a connection may go without a whole request head, before its first request and, in HTTP/1, between two.
/// Common clients give up idle connections of their pools after 90 s at the latest, so they never see one closed.
pub(crate) const HEAD_TIME: Duration = Duration::from_secs(120);

/// How long a request body may take to arrive; 408 beyond. Bodies are short and come over loopback.
pub(crate) const BODY_TIME: Duration = Duration::from_secs(60);

/// Requests that may be open on one HTTP/2 connection. gRPC clients put all on one, and wait without a word where
/// the limit is low.
const STREAMS: u32 = 16_384;

/// Streams that a client may have reset before the peer came to look at them. Rapid reset (CVE-2023-44487) needs this
/// to be without bound; a client that gives up many calls at once must not lose its connection.
const UNSEEN_RESETS: usize = 1024;

/// Streams that the peer may have reset because of what the client did wrong on them.
const BROKEN_STREAMS: usize = 1024;

/// Bytes of answers that wait for a client that does not read, for each HTTP/2 stream.
const UNSENT: usize = 64 << 10;

/// Connections that are open at one address. More wait in the backlog until one of them closes.
pub(crate) const CONNECTIONS: usize = 32_768;

/// Connections that wait to be accepted. The system may allow fewer.
pub(crate) const BACKLOG: i32 = 4096;

/// How long accepting rests where the system has no descriptor left and none of our own connections closes meanwhile.
pub(crate) const ACCEPT_REST: Duration = Duration::from_millis(50);

/// Sets what concerns single connections.
pub(crate) fn apply<E>(builder: &mut auto::Builder<E>) {
    let head = usize::try_from(HEAD).unwrap_or(usize::MAX);
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(head);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(HEAD)
        .max_concurrent_streams(STREAMS)
        .max_pending_accept_reset_streams(UNSEEN_RESETS)
        .max_local_error_reset_streams(BROKEN_STREAMS)
        .max_send_buf_size(UNSENT);
}
