//! A server that puts TLS before another.

use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::support::root;

/// Speaks TLS on loopback and passes on what is in it. Ends when it is dropped.
pub(crate) struct Relay {
    pub(crate) port: u16,
    _tasks: JoinSet<()>,
}

impl Relay {
    /// Passes on to a port, and agrees on these protocols.
    pub(crate) async fn start(to: u16, protocols: &[&str]) -> Self {
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
                    let mut outside = TcpStream::connect(("127.0.0.1", to)).await.expect("the other server is there");
                    _ = copy_bidirectional(&mut inside, &mut outside).await;
                });
            }
        });
        Self { port, _tasks: tasks }
    }
}
