//! The control API: what the fleet is, saw and holds, for test code in any language. Loopback only; documented in
//! `docs/control-api.md`.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::{get, post};
use gauntlet_evidence::contract::PeerAddress;
use gauntlet_evidence::{JournalEntry, PeerState};
use gauntlet_scenario::UnknownName;
use gauntlet_wire::rest::query_parameter;
use http::{StatusCode, Uri, header};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::peer::{Peer, Shared};

/// What the API tells of.
pub(crate) struct Control {
    pub(crate) peers: Vec<Arc<Peer>>,
    pub(crate) addresses: Vec<PeerAddress>,
    /// Of each peer, in the same order, id and title of its defects.
    pub(crate) defects: Vec<Vec<(String, String)>>,
    pub(crate) shared: Arc<Shared>,
}

/// Serves until told to stop. An answer takes no time, so connections are not waited for.
pub(crate) async fn serve(listener: TcpListener, control: Arc<Control>, stopping: CancellationToken) {
    let troubles = &control.shared.troubles;
    let service = TowerToHyperService::new(router(Arc::clone(&control)));
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            () = stopping.cancelled() => break,
            Some(ended) = connections.join_next() => troubles.joined(ended),
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let mut builder = http1::Builder::new();
                    let connection = builder.timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service.clone());
                    // How it ended says nothing: a client that goes away in the middle is an error to hyper.
                    connections.spawn(async move { _ = connection.await });
                }
                // The other side gave up, or descriptors ran out: neither is a reason to stop accepting.
                Err(_) => tokio::task::yield_now().await,
            },
        }
    }
    connections.abort_all();
    while let Some(ended) = connections.join_next().await {
        troubles.joined(ended);
    }
}

fn router(control: Arc<Control>) -> Router {
    Router::new()
        .route("/peers", get(peers))
        .route("/journal", get(journal))
        .route("/journal/clear", post(clear))
        .route("/tasks", get(tasks))
        .fallback(nothing)
        .with_state(control)
}

async fn peers(State(control): State<Arc<Control>>) -> Response {
    let told = control.peers.iter().zip(&control.addresses).zip(&control.defects);
    let peers = told.map(|((peer, address), defects)| {
        let defects = defects.iter().map(|(id, title)| json!({ "id": id, "title": title }));
        json!({
            "name": address.name,
            "baseUrl": address.base_url,
            "cardUrl": address.card_url,
            "interfaces": peer.state().interfaces,
            "defects": defects.collect::<Vec<_>>(),
        })
    });
    answer(StatusCode::OK, &peers.collect())
}

async fn journal(State(control): State<Arc<Control>>, uri: Uri) -> Response {
    let since = match parameter(&uri, "since").map(|number| number.parse().map_err(|_| number)).transpose() {
        Ok(since) => since.unwrap_or(0),
        Err(text) => return refusal(StatusCode::BAD_REQUEST, &format!("since={text} is not the number of an entry")),
    };
    let peer = match control.named(&uri) {
        Ok(peer) => peer,
        Err(unknown) => return refusal(StatusCode::NOT_FOUND, &unknown.to_string()),
    };
    let entries = control.shared.journal.entries_after(since);
    let wanted = entries.into_iter().filter(|entry| peer.is_none_or(|peer| *peer.name == *entry.peer));
    answer(StatusCode::OK, &json!(wanted.map(JournalEntry::masked).collect::<Vec<_>>()))
}

async fn clear(State(control): State<Arc<Control>>) -> Response {
    control.shared.journal.clear();
    let mut response = Response::default();
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

async fn tasks(State(control): State<Arc<Control>>, uri: Uri) -> Response {
    let states: Vec<PeerState> = match control.named(&uri) {
        Ok(Some(peer)) => vec![peer.state()],
        Ok(None) => control.peers.iter().map(|peer| peer.state()).collect(),
        Err(unknown) => return refusal(StatusCode::NOT_FOUND, &unknown.to_string()),
    };
    answer(StatusCode::OK, &json!(states))
}

async fn nothing() -> Response {
    refusal(
        StatusCode::NOT_FOUND,
        "there is GET /peers, GET /journal?peer=&since=, GET /tasks?peer= and POST /journal/clear",
    )
}

impl Control {
    /// The peer that the query names, if it names one.
    fn named(&self, uri: &Uri) -> Result<Option<&Arc<Peer>>, UnknownName> {
        let Some(name) = parameter(uri, "peer") else { return Ok(None) };
        let names = || self.peers.iter().map(|peer| &*peer.name);
        let found = self.peers.iter().find(|peer| *peer.name == *name);
        found.map(Some).ok_or_else(|| UnknownName::new("peer", &name, names()))
    }
}

/// A query parameter; an empty one is none.
fn parameter(uri: &Uri, name: &str) -> Option<String> {
    query_parameter(uri.query()?, name).filter(|value| !value.is_empty())
}

fn refusal(status: StatusCode, words: &str) -> Response {
    answer(status, &json!({ "error": words }))
}

fn answer(status: StatusCode, value: &Value) -> Response {
    let mut response = Response::new(value.to_string().into());
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/json"));
    response
}
