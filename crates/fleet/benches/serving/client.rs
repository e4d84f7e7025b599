//! The least a client can do: prepared bytes out, the answer's bytes in.

use bytes::Bytes;
use gauntlet_wire::{Binding, Operation, jsonrpc, protojson, rest};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::json;
use tokio::net::TcpStream;

/// What is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answers {
    /// SendMessage.
    Whole,
    /// SendStreamingMessage.
    Stream,
}

enum Connection {
    Http1(http1::SendRequest<Full<Bytes>>),
    Http2(http2::SendRequest<Full<Bytes>>),
}

/// One connection that repeats one request.
pub(crate) struct Caller {
    connection: Connection,
    uri: String,
    content_type: &'static str,
    body: Bytes,
}

impl Caller {
    /// Connects to `host:port`.
    pub(crate) async fn connect(binding: Binding, authority: &str, answers: Answers) -> Self {
        let operation = match answers {
            Answers::Whole => Operation::SendMessage,
            Answers::Stream => Operation::SendStreamingMessage,
        };
        let message = json!({ "message": {
            "messageId": "m-1", "role": "ROLE_USER", "parts": [{ "text": "Classify return 4411", "mediaType": "text/plain" }],
        }});
        let io = TcpStream::connect(authority).await.expect("the server listens");
        io.set_nodelay(true).expect("a socket option");
        let io = TokioIo::new(io);
        let connection = if binding == Binding::Grpc {
            let (send, connection) =
                http2::Builder::new(TokioExecutor::new()).handshake(io).await.expect("the server speaks HTTP/2");
            tokio::spawn(connection);
            Connection::Http2(send)
        } else {
            let (send, connection) = http1::handshake(io).await.expect("the server speaks HTTP/1.1");
            tokio::spawn(connection);
            Connection::Http1(send)
        };
        let (path, content_type, body) = match binding {
            Binding::JsonRpc => {
                let body = jsonrpc::request(&json!(1), operation.name(), message).to_string().into_bytes();
                ("/".to_owned(), "application/json", body)
            }
            Binding::HttpJson => {
                let call = rest::call(operation, &message);
                (call.path_and_query, "application/json", call.body.unwrap_or_default().to_string().into_bytes())
            }
            Binding::Grpc => {
                let message = protojson::json_to_bytes(&operation.request(), &message).expect("a legal message");
                let length = u32::try_from(message.len()).expect("a short message").to_be_bytes();
                (operation.grpc_path(), "application/grpc", [&[0], &length[..], &message].concat())
            }
        };
        Self { connection, uri: format!("http://{authority}{path}"), content_type, body: body.into() }
    }

    /// Makes the call and reads the answer to its end.
    pub(crate) async fn call(&mut self) {
        let request = http::Request::post(&self.uri)
            .header("content-type", self.content_type)
            .header("host", "127.0.0.1")
            .header("a2a-version", "1.0")
            .header("te", "trailers")
            .body(Full::new(self.body.clone()))
            .expect("a legal request");
        let response = match &mut self.connection {
            Connection::Http1(send) => {
                send.ready().await.expect("the connection stays");
                send.send_request(request).await
            }
            Connection::Http2(send) => send.send_request(request).await,
        };
        let mut response = response.expect("an answer");
        assert_eq!(response.status(), 200);
        while let Some(frame) = response.body_mut().frame().await {
            let frame = frame.expect("the answer comes whole");
            if let Some(status) = frame.trailers_ref().and_then(|trailers| trailers.get("grpc-status")) {
                assert_eq!(status, "0");
            }
        }
    }
}
