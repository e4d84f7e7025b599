//! One connection: HTTP/1.1 or HTTP/2 with prior knowledge, as the client begins.

use std::convert::Infallible;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use gauntlet_evidence::journal::Party;
use hyper::rt::Executor;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use hyper_util::server::conn::auto;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::binding;
use crate::limits;
use crate::listener::Endpoint;
use crate::lock::lock;

/// Serves until either side closes; told to stop, lets open answers end.
pub(crate) async fn serve(stream: TcpStream, endpoint: Arc<Endpoint>, stopping: CancellationToken) {
    // Small frames must not wait for each other; failing that is no reason to refuse service.
    let _ = stream.set_nodelay(true);
    let peer = &endpoint.peer;
    let mut connection = peer.shared.journal.open(&peer.name, &endpoint.authority);
    let number = connection.number;
    let streams = StreamTasks { tasks: Arc::default(), endpoint: Arc::clone(&endpoint) };
    let mut builder = auto::Builder::new(streams.clone());
    limits::apply(&mut builder);
    let asked = AtomicBool::new(false);
    let service = service_fn(|request| {
        asked.store(true, Ordering::Relaxed);
        let endpoint = Arc::clone(&endpoint);
        async move { Ok::<_, Infallible>(binding::answer(&endpoint, number, request).await) }
    });
    {
        let mut served = pin!(builder.serve_connection(TokioIo::new(stream), service));
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
        tasks.spawn(stream);
    }
}
