//! Documents from where they are: files, standard input, and the network.
//!
//! A url is fetched as a careful caller fetches a card: bounded in time, size and redirects, by the rules that an audit has
//! for redirects, and through a proxy where the machine has one.

use std::io::Read;
use std::time::Duration;

use gauntlet_audit::{card_url, redirected};
use gauntlet_wire::CARD_PATH;
use ureq::Agent;
use ureq::http::StatusCode;
use ureq::tls::{RootCerts, TlsConfig};

use crate::diagnostics::Failure;

/// How long a card may take, redirects and all.
const PATIENCE: Duration = Duration::from_secs(15);
/// More leads nowhere.
const REDIRECTS: usize = 5;

/// A document that was read.
#[derive(Debug)]
pub(crate) struct Document {
    /// What reports call it: the path, the url it came from in the end, or `-`.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// Reads a document. What is larger than `limit` bytes is cut one byte behind it, so that its size can be told.
///
/// # Errors
/// A file that cannot be read is an error of usage; a url that cannot be fetched is one of the system.
pub(crate) fn read(name: &str, limit: usize) -> Result<Document, Failure> {
    if name.starts_with("http://") || name.starts_with("https://") {
        return fetch(name, limit);
    }
    if name == "-" {
        let bytes = bounded(std::io::stdin().lock(), limit);
        let bytes = bytes.map_err(|error| Failure::Usage(format!("standard input cannot be read: {error}")))?;
        return Ok(Document { name: name.to_owned(), bytes });
    }
    let file = std::fs::File::open(name).and_then(|file| bounded(file, limit));
    let bytes = file.map_err(|error| Failure::Usage(format!("{name} cannot be read: {error}")))?;
    Ok(Document { name: name.to_owned(), bytes })
}

fn bounded(reader: impl Read, limit: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn fetch(url: &str, limit: usize) -> Result<Document, Failure> {
    let failed = |url: &str, why: String| Failure::System(format!("{url} cannot be fetched: {why}"));
    let mut url = card_url(url).map_err(|why| Failure::Usage(format!("`{url}` is no url: {why}")))?;
    let agent: Agent = Agent::config_builder()
        .timeout_global(Some(PATIENCE))
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build())
        .user_agent(concat!("gauntlet/", env!("CARGO_PKG_VERSION")))
        .build()
        .into();
    for _ in 0..=REDIRECTS {
        let answer = agent.get(&url).header("Accept", "application/json").call();
        let answer = answer.map_err(|error| failed(&url.to_string(), error.to_string()))?;
        if answer.status().is_redirection() {
            let location = answer.headers().get("location").and_then(|value| value.to_str().ok());
            url = redirected(&url, location).map_err(|why| failed(&url.to_string(), why))?;
            continue;
        }
        let name = url.to_string();
        if answer.status() != StatusCode::OK {
            let hint = match answer.status() {
                StatusCode::NOT_FOUND if url.path() == CARD_PATH => {
                    "; agents of A2A 0.2 have it at /.well-known/agent.json"
                }
                _ => "",
            };
            return Err(failed(&name, format!("HTTP {}{hint}", answer.status())));
        }
        let bytes = bounded(answer.into_body().into_reader(), limit);
        let bytes = bytes.map_err(|error| failed(&name, error.to_string()))?;
        return Ok(Document { name, bytes });
    }
    Err(failed(&url.to_string(), format!("more than {REDIRECTS} redirects")))
}
