//! TLS for webhooks, with the certificates that the system trusts (on Linux, `SSL_CERT_FILE` names others).

use std::io;
use std::sync::{Arc, LazyLock};

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// Made when the first webhook needs it: reading what the system trusts takes a while.
static CONFIG: LazyLock<Result<Arc<ClientConfig>, rustls::Error>> = LazyLock::new(|| {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(Arc::new(config.with_platform_verifier()?.with_no_client_auth()))
});

/// Begins TLS with a server whose certificate is for that host.
///
/// # Errors
/// There is no TLS, or the certificate is not one that is trusted for the host.
pub(super) async fn connect(host: &str, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
    let config = CONFIG.clone().map_err(io::Error::other)?;
    let host = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
    TlsConnector::from(config).connect(host, stream).await
}
