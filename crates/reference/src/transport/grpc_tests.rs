//! The gRPC side against a small server that answers in bytes too.

use std::convert::Infallible;
use std::task::{Context, Poll};

use futures::stream::{self, BoxStream};
use gauntlet_card::Interface;
use gauntlet_wire::{Binding, ErrorKind, ProtocolVersion};
use serde_json::json;
use tonic::body::Body;
use tonic::codegen::{BoxFuture, Service};
use tonic::server::{NamedService, ServerStreamingService, UnaryService};
use tonic::transport::server::TcpIncoming;
use tonic::{Response, server};

use super::*;
use crate::flaws::Flaws;

/// Says the context it finds in GetTask's metadata back, streams two items, and implements nothing else.
#[derive(Clone)]
struct Peer;

impl NamedService for Peer {
    const NAME: &'static str = "lf.a2a.v1.A2AService";
}

fn encoded(operation: Operation, json: &Value) -> Bytes {
    protojson::json_to_bytes(&operation.response(), json).unwrap().into()
}

impl UnaryService<Bytes> for Peer {
    type Response = Bytes;
    type Future = BoxFuture<Response<Bytes>, Status>;

    fn call(&mut self, request: Request<Bytes>) -> Self::Future {
        let metadata = request.metadata();
        let seen =
            ["a2a-version", "authorization"].map(|name| metadata.get(name).unwrap().to_str().unwrap().to_owned());
        let asked = protojson::bytes_to_json(&Operation::GetTask.request(), request.get_ref()).unwrap();
        let answer = json!({ "id": asked["id"], "contextId": seen.join(" "), "status": { "state": "TASK_STATE_WORKING" },
            "metadata": { "tenant": asked["tenant"] } });
        Box::pin(async move { Ok(Response::new(encoded(Operation::GetTask, &answer))) })
    }
}

impl ServerStreamingService<Bytes> for Peer {
    type Response = Bytes;
    type ResponseStream = BoxStream<'static, Result<Bytes, Status>>;
    type Future = BoxFuture<Response<Self::ResponseStream>, Status>;

    fn call(&mut self, _: Request<Bytes>) -> Self::Future {
        let item = encoded(Operation::SendStreamingMessage, &json!({ "task": { "id": "t" } }));
        let gone = Status::with_details(
            Code::NotFound,
            "gone",
            A2aError::new(ErrorKind::TaskNotFound, "gone").to_grpc_details().into(),
        );
        Box::pin(async move { Ok(Response::new(stream::iter([Ok(item), Err(gone)]).boxed())) })
    }
}

impl Service<http::Request<Body>> for Peer {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        Box::pin(async move {
            let mut grpc = server::Grpc::new(BytesCodec);
            Ok(match Operation::from_grpc_path(request.uri().path()) {
                Some(Operation::GetTask) => grpc.unary(Peer, request).await,
                Some(Operation::SendStreamingMessage) => grpc.server_streaming(Peer, request).await,
                _ => Status::unimplemented("no such method").into_http(),
            })
        })
    }
}

fn endpoint(url: &str) -> Endpoint {
    Endpoint {
        interface: Interface {
            url: url.to_owned(),
            protocol_binding: "GRPC".to_owned(),
            binding: Some(Binding::Grpc),
            protocol_version: "1.0".to_owned(),
            version: Some(ProtocolVersion::V1_0),
            tenant: Some("acme".to_owned()),
        },
        binding: Binding::Grpc,
        version: ProtocolVersion::V1_0,
        access: Some(crate::access::Access::bearer("secret")),
    }
}

#[tokio::test]
async fn calls_carry_version_tenant_and_token_and_errors_keep_their_kind() {
    let incoming = TcpIncoming::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = incoming.local_addr().unwrap().to_string();
    let served = tonic::transport::Server::builder().add_service(Peer).serve_with_incoming(incoming);
    let transport = Transport::new(Flaws::default()).unwrap();
    let to = endpoint(&address);

    let calls = async {
        let task = transport.call(&to, Operation::GetTask, json!({ "id": "t" })).await.unwrap();
        assert_eq!(task["contextId"], "1.0 Bearer secret");
        assert_eq!(task["metadata"]["tenant"], "acme");

        let request = json!({ "message": { "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "a" }] } });
        let mut items = transport.open(&to, Operation::SendStreamingMessage, request.clone()).await.unwrap();
        assert_eq!(items.next().await, Some(Ok(json!({ "task": { "id": "t" } }))));
        assert!(items.next().await.unwrap().unwrap_err().is_unknown_task());

        let refused = transport.call(&to, Operation::SendMessage, request).await.unwrap_err();
        assert!(matches!(refused, CallError::OperationRefused { .. }), "{refused:?}");
    };
    tokio::select! {
        () = calls => {}
        ended = served => panic!("the server ended: {ended:?}"),
    }
}

#[tokio::test]
async fn a_port_where_nobody_listens_is_unreachable() {
    let bound = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = bound.local_addr().unwrap().to_string();
    drop(bound);
    let transport = Transport::new(Flaws::default()).unwrap();
    let error = transport.call(&endpoint(&address), Operation::GetTask, json!({ "id": "t" })).await.unwrap_err();
    assert!(matches!(error, CallError::Unreachable(_)), "{error:?}");
}

#[test]
fn the_authority_is_found_in_every_spelling() {
    for url in ["127.0.0.1:50051", "http://127.0.0.1:50051", "https://127.0.0.1:50051/lf.a2a.v1"] {
        assert_eq!(authority(url), "127.0.0.1:50051", "{url}");
    }
}

#[test]
fn unavailable_leaves_open_what_became_of_the_call() {
    let unavailable = of_status(Status::unavailable("later"));
    assert!(matches!(unavailable, CallError::Broken(_)), "{unavailable:?}");
}

/// A web server, which says this to a content type it does not know.
#[derive(Clone)]
struct Elsewhere(&'static str);

impl NamedService for Elsewhere {
    const NAME: &'static str = Peer::NAME;
}

impl Service<http::Request<Body>> for Elsewhere {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: http::Request<Body>) -> Self::Future {
        let body = Body::new(self.0.to_owned());
        Box::pin(async { Ok(http::Response::builder().status(415).body(body).unwrap()) })
    }
}

#[tokio::test]
async fn a_server_of_something_else_is_an_interface_refused() {
    for words in ["", "Unsupported Media Type"] {
        let incoming = TcpIncoming::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = incoming.local_addr().unwrap().to_string();
        let served = tonic::transport::Server::builder().add_service(Elsewhere(words)).serve_with_incoming(incoming);
        let transport = Transport::new(Flaws::default()).unwrap();
        let to = endpoint(&address);
        tokio::select! {
            answer = transport.call(&to, Operation::GetTask, json!({ "id": "t" })) => {
                let error = answer.unwrap_err();
                assert!(matches!(error, CallError::InterfaceRefused(_)), "{error:?}");
            }
            ended = served => panic!("the server ended: {ended:?}"),
        }
    }
}
