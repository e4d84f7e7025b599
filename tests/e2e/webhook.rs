//! A webhook for clients that bring none: takes what is posted, one request a connection.

use std::io;

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// A notification as it came.
pub(crate) struct Heard {
    headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Heard {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// Listens until it is dropped.
pub(crate) struct Webhook {
    pub(crate) url: String,
    heard: mpsc::UnboundedReceiver<Heard>,
    _server: JoinSet<()>,
}

impl Webhook {
    pub(crate) async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}/hook", listener.local_addr()?);
        let (told, heard) = mpsc::unbounded_channel();
        let mut server = JoinSet::new();
        server.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let service = service_fn(|request| take(request, &told));
                let mut http = http1::Builder::new();
                // A notification that is broken off is one that the check waits for in vain.
                let _ = http.keep_alive(false).serve_connection(TokioIo::new(stream), service).await;
            }
        });
        Ok(Self { url, heard, _server: server })
    }

    /// The next notification, however long it takes.
    pub(crate) async fn next(&mut self) -> io::Result<Heard> {
        self.heard.recv().await.ok_or_else(|| io::Error::other("the webhook has ended"))
    }
}

async fn take(
    request: Request<Incoming>,
    told: &mpsc::UnboundedSender<Heard>,
) -> Result<Response<Empty<Bytes>>, hyper::Error> {
    let (head, body) = request.into_parts();
    let body = body.collect().await?.to_bytes();
    // Nobody may be left to hear it.
    let _ = told.send(Heard { headers: head.headers, body });
    Ok(Response::new(Empty::new()))
}
