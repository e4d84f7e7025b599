//! The webhook, where peers tell of tasks of their own accord (specification §4.3.3): who may tell what, and who hears it.
//!
//! Each task that is told of has a token of its own. Whoever shows another one is turned away.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::extract::State;
use axum::routing::post;
use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::flaws::{Flaws, Planted};
use crate::fold::Event;

const PATH: &str = "/notifications";
const TOKEN_HEADER: &str = "x-a2a-notification-token";

/// Listens on a free port of loopback until it is dropped.
#[derive(Debug)]
pub(crate) struct Webhook {
    pub(crate) url: String,
    desk: Arc<Desk>,
    _server: JoinSet<()>,
}

/// Hears what is told under one token.
#[derive(Debug)]
pub(crate) struct Hearing {
    url: String,
    token: String,
    notices: mpsc::UnboundedReceiver<Notice>,
}

/// What a notification says.
#[derive(Debug, Clone)]
pub(crate) struct Notice {
    pub(crate) event: Event,
    /// Whether it showed the token; only a flaw lets others in.
    pub(crate) authentic: bool,
}

#[derive(Debug)]
struct Desk {
    /// By token.
    inboxes: Mutex<HashMap<String, mpsc::UnboundedSender<Notice>>>,
    flaws: Flaws,
}

impl Webhook {
    /// # Errors
    /// When no port can be had.
    pub(crate) async fn start(flaws: Flaws) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}{PATH}", listener.local_addr()?);
        let desk = Arc::new(Desk { inboxes: Mutex::default(), flaws });
        let router = Router::new().route(PATH, post(take)).with_state(Arc::clone(&desk));
        let mut server = JoinSet::new();
        server.spawn(async move {
            // It only ends when it is dropped.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self { url, desk, _server: server })
    }

    /// Opens an inbox under a token that nobody has been told of.
    pub(crate) fn open(&self) -> Hearing {
        let token = if self.desk.flaws.has(Planted::TokenReused) { "the-one-token".to_owned() } else { token() };
        let (inbox, notices) = mpsc::unbounded_channel();
        self.desk.inboxes().insert(token.clone(), inbox);
        Hearing { url: self.url.clone(), token, notices }
    }

    /// Forgets the tokens under which nobody listens any more.
    pub(crate) fn tidy(&self) {
        self.desk.inboxes().retain(|_, inbox| !inbox.is_closed());
    }
}

/// 128 bits that nobody can guess: a secret must not repeat from run to run as everything else does.
fn token() -> String {
    let half = || RandomState::new().hash_one(TOKEN_HEADER);
    format!("{:016x}{:016x}", half(), half())
}

impl Hearing {
    /// What a peer is told of the webhook.
    pub(crate) fn config(&self) -> Value {
        json!({ "url": self.url, "token": self.token })
    }

    /// The next notification, however long it takes.
    pub(crate) async fn next(&mut self) -> Option<Notice> {
        self.notices.recv().await
    }
}

async fn take(State(desk): State<Arc<Desk>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let token = headers.get(TOKEN_HEADER).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let event = serde_json::from_slice(&body).ok().and_then(|json| Event::read(&json).ok());
    desk.take(token, event)
}

impl Desk {
    fn inboxes(&self) -> MutexGuard<'_, HashMap<String, mpsc::UnboundedSender<Notice>>> {
        self.inboxes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, token: &str, event: Option<Event>) -> StatusCode {
        let inboxes = self.inboxes();
        let inbox = inboxes.get(token);
        if inbox.is_none() && !self.flaws.has(Planted::TokenUnchecked) {
            return StatusCode::UNAUTHORIZED;
        }
        let Some(event) = event else { return StatusCode::BAD_REQUEST };
        match inbox {
            // What comes too late is taken all the same, even if nobody hears it.
            Some(inbox) => drop(inbox.send(Notice { event, authentic: true })),
            None => {
                inboxes.values().for_each(|inbox| drop(inbox.send(Notice { event: event.clone(), authentic: false })));
            }
        }
        if self.flaws.has(Planted::NotAcknowledged) { StatusCode::NOT_FOUND } else { StatusCode::NO_CONTENT }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::v1::TaskState;

    use super::*;

    async fn tell(hearing: &Hearing, token: &str, body: &Value) -> StatusCode {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let request = client.post(&hearing.url).header(TOKEN_HEADER, token).body(body.to_string());
        request.send().await.unwrap().status()
    }

    fn completed() -> Value {
        json!({ "statusUpdate": { "taskId": "t", "status": { "state": "TASK_STATE_COMPLETED" } } })
    }

    #[tokio::test]
    async fn whoever_shows_the_token_is_heard_and_nobody_else() {
        let webhook = Webhook::start(Flaws::default()).await.unwrap();
        let (mut mine, other) = (webhook.open(), webhook.open());
        assert_ne!(mine.token, other.token);
        assert_eq!(tell(&mine, "guessed", &completed()).await, StatusCode::UNAUTHORIZED);
        assert_eq!(tell(&mine, "", &completed()).await, StatusCode::UNAUTHORIZED);
        assert_eq!(tell(&mine, &mine.token, &json!({ "kind": "task" })).await, StatusCode::BAD_REQUEST);
        assert_eq!(tell(&mine, &mine.token, &completed()).await, StatusCode::NO_CONTENT);
        let Event::Status(update) = mine.next().await.unwrap().event else { panic!("a status was told") };
        assert_eq!(update.status.unwrap().state(), TaskState::Completed);
    }

    #[tokio::test]
    async fn what_comes_too_late_is_taken_until_it_is_forgotten() {
        let webhook = Webhook::start(Flaws::default()).await.unwrap();
        let (gone, here) = (webhook.open(), webhook.open());
        let token = gone.token.clone();
        drop(gone);
        assert_eq!(tell(&here, &token, &completed()).await, StatusCode::NO_CONTENT);
        webhook.tidy();
        assert_eq!(tell(&here, &token, &completed()).await, StatusCode::UNAUTHORIZED);
        assert_eq!(tell(&here, &here.token, &completed()).await, StatusCode::NO_CONTENT);
    }
}
