//! Servers that no peer is: one that says what it was told to, and one that puts TLS before a peer.

use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::support::root;

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

/// Speaks TLS on loopback and passes on what is in it. Ends when it is dropped.
pub(super) struct Relay {
    pub(super) port: u16,
    _tasks: JoinSet<()>,
}

impl Relay {
    /// Passes on to a port, and agrees on these protocols.
    pub(super) async fn start(to: u16, protocols: &[&str]) -> Self {
        let folder = root().join("tests/e2e/tls");
        let certificate = CertificateDer::from_pem_file(folder.join("certificate.pem")).expect("a certificate");
        let key = PrivateKeyDer::from_pem_file(folder.join("key.pem")).expect("a key");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder =
            ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().expect("versions");
        let mut config =
            builder.with_no_client_auth().with_single_cert(vec![certificate], key).expect("they belong together");
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                connections.spawn(async move {
                    // Who does not like the certificate goes away.
                    let Ok(mut inside) = acceptor.accept(stream).await else { return };
                    let mut outside = TcpStream::connect(("127.0.0.1", to)).await.expect("the peer is there");
                    _ = copy_bidirectional(&mut inside, &mut outside).await;
                });
            }
        });
        Self { port, _tasks: tasks }
    }
}
