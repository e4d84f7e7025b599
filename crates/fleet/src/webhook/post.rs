//! One request on a connection of its own. Nothing runs on when it is dropped.

use std::net::SocketAddr;

use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use super::tls;

/// How much of an answer is read; nobody looks at it.
const ANSWER_LIMIT: usize = 64 << 10;

/// Why there was no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoAnswer {
    #[error("no connection: {0}")]
    Connect(#[from] std::io::Error),
    #[error("no TLS: {0}")]
    Tls(std::io::Error),
    #[error("the request failed: {0}")]
    Http(#[from] hyper::Error),
}

/// Sends the request to the first of the addresses that takes a connection, over TLS where a certificate is wanted.
/// Redirects are not followed: what is sent may hold a secret that is meant for this receiver alone.
pub(super) async fn post(
    addresses: &[SocketAddr],
    certified: Option<&str>,
    request: Request<Full<Bytes>>,
) -> Result<StatusCode, NoAnswer> {
    let stream = TcpStream::connect(addresses).await?;
    match certified {
        Some(host) => send(tls::connect(host, stream).await.map_err(NoAnswer::Tls)?, request).await,
        None => send(stream, request).await,
    }
}

async fn send(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    request: Request<Full<Bytes>>,
) -> Result<StatusCode, NoAnswer> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let exchange = async move {
        let response = sender.send_request(request).await?;
        let status = response.status();
        // Read so that the receiver does not see its answer break off; whether it could be read is all the same.
        let _ = Limited::new(response.into_body(), ANSWER_LIMIT).collect().await;
        Ok(status)
    };
    // The connection ends by itself once the sender is gone.
    let (outcome, _) = tokio::join!(exchange, connection);
    outcome
}
