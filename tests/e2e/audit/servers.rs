//! A server that is no agent: it says what it was told to.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// Says the same to everybody, but 404 to who asks for `/missing`. Ends when it is dropped.
pub(super) struct Canned {
    port: u16,
    _tasks: JoinSet<()>,
}

impl Canned {
    pub(super) fn card(body: &str, media_type: &str) -> Self {
        Self::saying(format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {media_type}\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        ))
    }

    pub(super) fn redirect(to: &str) -> Self {
        Self::saying(format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n"))
    }

    fn saying(answer: String) -> Self {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        listener.set_nonblocking(true).expect("tokio wants it so");
        let port = listener.local_addr().expect("an address").port();
        let listener = TcpListener::from_std(listener).expect("it is a listener");
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    match stream.read_u8().await {
                        Ok(byte) => head.push(byte),
                        Err(_) => break,
                    }
                }
                let missing = head.starts_with(b"GET /missing");
                let text = if missing { "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n" } else { &answer };
                // Who has gone does not want to know.
                _ = stream.write_all(text.as_bytes()).await;
            }
        });
        Self { port, _tasks: tasks }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}
