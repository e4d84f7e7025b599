//! One connection: HTTP/1.1 or HTTP/2 with prior knowledge, as the client begins.

use std::convert::Infallible;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gauntlet_evidence::journal::Party;
use gauntlet_faults::Stage;
use hyper::rt::Executor;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use hyper_util::server::conn::auto;
use socket2::{SockRef, Socket};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::binding;
use crate::check::Witness;
use crate::limits;
use crate::listener::Endpoint;
use crate::lock::lock;
use crate::peer::Peer;

/// Serves until either side closes; told to stop, lets open answers end.
pub(crate) async fn serve(stream: TcpStream, endpoint: Arc<Endpoint>, stopping: CancellationToken) {
    // Small frames must not wait for each other; failing that is no reason to refuse service.
    let _ = stream.set_nodelay(true);
    let peer = &endpoint.peer;
    let mut connection = peer.shared.journal.open(&peer.name, &endpoint.authority);
    let line = Line::new(connection.number, &stream, peer);
    let streams = StreamTasks { tasks: Arc::default(), endpoint: Arc::clone(&endpoint) };
    let mut builder = auto::Builder::new(streams.clone());
    limits::apply(&mut builder);
    let asked = AtomicBool::new(false);
    let service = service_fn(|request| {
        asked.store(true, Ordering::Relaxed);
        let (endpoint, line) = (Arc::clone(&endpoint), line.clone());
        // Boxed, so that finding an answer takes no room while the answer, maybe a long stream, is being written.
        Box::pin(async move { Ok::<_, Infallible>(binding::answer(&endpoint, line, request).await) })
    });
    {
        let mut served = pin!(builder.serve_connection(TokioIo::new(stream), service));
        // Dropped before what is served, and so before the socket closes.
        let _witness = Witness(&peer.shared.troubles);
        // hyper begins to count only when it knows which HTTP is spoken, and in HTTP/2 not at all.
        let given_up = async {
            tokio::time::sleep(limits::HEAD_TIME).await;
            if asked.load(Ordering::Relaxed) {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            biased;
            () = stopping.cancelled() => {
                served.as_mut().graceful_shutdown();
                let _ = served.await;
            }
            // How it ended says little: a client that goes away in the middle is an error to hyper.
            _ = served.as_mut() => connection.closed_by = Party::Orchestrator,
            // After what is served, so that everything said before has been written.
            () = line.broken.cancelled() => line.reset_on_close(),
            () = given_up => {}
        }
    }
    // Without the connection nobody hears what they would still say.
    let mut left = std::mem::take(&mut *lock(&streams.tasks));
    left.abort_all();
    while let Some(ended) = left.join_next().await {
        peer.shared.troubles.joined(ended);
    }
}

/// What answers know of the connection they go out on.
#[derive(Clone)]
pub(crate) struct Line {
    pub(crate) number: u64,
    broken: CancellationToken,
    /// The socket once more, only where some fault may want to reset it.
    socket: Option<Arc<Socket>>,
}

impl Line {
    fn new(number: u64, stream: &TcpStream, peer: &Peer) -> Self {
        let again = || SockRef::from(stream).try_clone().ok().map(Arc::new);
        let socket = peer.faults.hooks(Stage::BytesWritten).then(again).flatten();
        Self { number, broken: CancellationToken::new(), socket }
    }

    /// Resets the connection once everything that was said is written.
    pub(crate) fn break_off(&self) {
        self.broken.cancel();
    }

    /// Lets the other side see a reset instead of an orderly end.
    fn reset_on_close(&self) {
        if let Some(socket) = &self.socket {
            // Where the system does not do it, the connection still closes without a word.
            let _ = socket.set_linger(Some(Duration::ZERO));
        }
    }
}

/// Owns the tasks that HTTP/2 spawns for its streams; they end with the connection.
#[derive(Clone)]
struct StreamTasks {
    tasks: Arc<Mutex<JoinSet<()>>>,
    endpoint: Arc<Endpoint>,
}

impl<F> Executor<F> for StreamTasks
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, stream: F) {
        let mut tasks = lock(&self.tasks);
        while let Some(ended) = tasks.try_join_next() {
            self.endpoint.peer.shared.troubles.joined(ended);
        }
        let endpoint = Arc::clone(&self.endpoint);
        tasks.spawn(async move {
            let stream = pin!(stream);
            let _witness = Witness(&endpoint.peer.shared.troubles);
            stream.await;
        });
    }
}
