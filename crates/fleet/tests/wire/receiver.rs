//! A webhook: takes what peers post, says what it was told to say.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;

/// Longer than any of this takes; a test that reaches it has failed.
const PATIENCE: Duration = Duration::from_secs(10);

/// A request that came in.
#[derive(Debug)]
pub(crate) struct Posted {
    head: String,
    pub(crate) body: Value,
}

impl Posted {
    pub(crate) fn request_line(&self) -> &str {
        self.head.lines().next().unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.head.lines().filter_map(|line| line.split_once(": "));
        headers.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// The state it tells of.
    pub(crate) fn state(&self) -> Option<&str> {
        self.body.pointer("/statusUpdate/status/state").and_then(Value::as_str)
    }
}

/// What it does with a request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Does {
    Answer(u16),
    /// Takes the request and says nothing until the other side goes away.
    Hang,
    /// Closes the connection at once.
    HangUp,
}

/// A receiver on IPv4 loopback alone, as simple as they come: HTTP/1.0, one connection a request.
pub(crate) struct Receiver {
    port: u16,
    posted: mpsc::UnboundedReceiver<Posted>,
    gone: Arc<Notify>,
    _tasks: JoinSet<()>,
}

impl Receiver {
    /// Does these in turn, then answers 200.
    pub(crate) async fn start(script: impl IntoIterator<Item = Does>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, posted) = mpsc::unbounded_channel();
        let script = Arc::new(Mutex::new(script.into_iter().collect::<VecDeque<_>>()));
        let gone = Arc::new(Notify::new());
        let notice = Arc::clone(&gone);
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let does = script.lock().unwrap().pop_front().unwrap_or(Does::Answer(200));
                connections.spawn(take(stream, does, sender.clone(), Arc::clone(&notice)));
            }
        });
        Self { port, posted, gone, _tasks: tasks }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://localhost:{}/hook?for=a", self.port)
    }

    pub(crate) async fn next(&mut self) -> Posted {
        tokio::time::timeout(PATIENCE, self.posted.recv()).await.expect("nothing is posted").unwrap()
    }

    /// Everything up to and with the first that tells of that state.
    pub(crate) async fn until(&mut self, state: &str) -> Vec<Posted> {
        let mut all = Vec::new();
        while all.last().and_then(Posted::state) != Some(state) {
            all.push(self.next().await);
        }
        all
    }

    /// Waits until a sender has gone away from a request that was left hanging.
    pub(crate) async fn gone(&self) {
        tokio::time::timeout(PATIENCE, self.gone.notified()).await.expect("the sender stays");
    }

    /// What came in and was not looked at.
    pub(crate) fn rest(&mut self) -> Vec<Posted> {
        std::iter::from_fn(|| self.posted.try_recv().ok()).collect()
    }
}

async fn take(mut stream: TcpStream, does: Does, sender: mpsc::UnboundedSender<Posted>, gone: Arc<Notify>) {
    if matches!(does, Does::HangUp) {
        return;
    }
    let mut bytes = Vec::new();
    let posted = loop {
        assert!(stream.read_buf(&mut bytes).await.unwrap() > 0, "a request breaks off");
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let posted = Posted { head: head.to_owned(), body: Value::Null };
        let length: usize = posted.header("content-length").unwrap().parse().unwrap();
        if body.len() == length {
            break Posted { body: serde_json::from_str(body).unwrap(), ..posted };
        }
    };
    let _ = sender.send(posted);
    match does {
        Does::Answer(status) => {
            let answer = format!("HTTP/1.0 {status} Said\r\nContent-Type: text/plain\r\n\r\nwhatever");
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
        Does::Hang | Does::HangUp => {
            let _ = stream.read(&mut [0]).await;
            gone.notify_one();
        }
    }
}
