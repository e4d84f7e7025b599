//! Bare servers for comparison: they parse what they get and send it back.

use std::convert::Infallible;
use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::routing::post;
use axum::{Json, Router};
use gauntlet_wire::v1::SendMessageRequest;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tonic::server::{NamedService, UnaryService};
use tonic::transport::server::TcpIncoming;
use tonic_prost::ProstCodec;

/// Owns a server; it ends when this is dropped.
pub(crate) struct Server(JoinHandle<()>);

impl Drop for Server {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// axum with its JSON extractor.
pub(crate) async fn json() -> (Server, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let authority = listener.local_addr().expect("an address").to_string();
    let router = Router::new().route("/", post(|Json(body): Json<Value>| async { Json(body) }));
    let server = tokio::spawn(async move { axum::serve(listener, router).await.expect("axum serves") });
    (Server(server), authority)
}

/// tonic with its prost codec.
pub(crate) async fn grpc() -> (Server, String) {
    let incoming = TcpIncoming::bind("127.0.0.1:0".parse().expect("an address")).expect("a free port");
    let authority = incoming.local_addr().expect("an address").to_string();
    let server = tonic::transport::Server::builder().add_service(Echo).serve_with_incoming(incoming);
    let server = tokio::spawn(async move { server.await.expect("tonic serves") });
    (Server(server), authority)
}

#[derive(Clone)]
struct Echo;

impl NamedService for Echo {
    const NAME: &'static str = "lf.a2a.v1.A2AService";
}

impl UnaryService<SendMessageRequest> for Echo {
    type Response = SendMessageRequest;
    type Future = Ready<Result<tonic::Response<SendMessageRequest>, tonic::Status>>;

    fn call(&mut self, request: tonic::Request<SendMessageRequest>) -> Self::Future {
        ready(Ok(tonic::Response::new(request.into_inner())))
    }
}

impl tonic::codegen::Service<http::Request<tonic::body::Body>> for Echo {
    type Response = http::Response<tonic::body::Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<tonic::body::Body>) -> Self::Future {
        Box::pin(async move {
            let codec = ProstCodec::<SendMessageRequest, SendMessageRequest>::default();
            Ok(tonic::server::Grpc::new(codec).unary(Echo, request).await)
        })
    }
}
