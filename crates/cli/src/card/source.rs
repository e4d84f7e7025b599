//! Documents from where they are: files, standard input, and the network.
//!
//! A url is fetched as a careful caller fetches a card: bounded in time, size and redirects, and no redirect leads from
//! https to http, or from elsewhere into this machine or its network.

use std::io::Read;
use std::time::Duration;

use gauntlet_card::{Reach, reach};
use gauntlet_wire::CARD_PATH;
use ureq::http::{Response, StatusCode, Uri};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body};

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
            let to = redirected(&url, &answer).map_err(|why| failed(&url.to_string(), why))?;
            url = to;
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

/// An origin means the card there.
fn card_url(url: &str) -> Result<Uri, String> {
    let parsed: Uri = url.parse().map_err(|error: ureq::http::uri::InvalidUri| error.to_string())?;
    if parsed.path() == "/" && parsed.query().is_none() {
        return format!("{}{CARD_PATH}", url.trim_end_matches('/'))
            .parse()
            .map_err(|error: ureq::http::uri::InvalidUri| error.to_string());
    }
    Ok(parsed)
}

/// Where a redirect leads, if it may be followed.
fn redirected(from: &Uri, answer: &Response<Body>) -> Result<Uri, String> {
    let location = answer.headers().get("location").and_then(|value| value.to_str().ok());
    let location = location.ok_or("a redirect to nowhere")?;
    let to: Uri = if location.starts_with('/') {
        let authority = from.authority().map(ToString::to_string).unwrap_or_default();
        format!("{}://{authority}{location}", from.scheme_str().unwrap_or("https")).parse()
    } else {
        location.parse()
    }
    .map_err(|_| format!("a redirect to `{location}`, which is no url"))?;
    if !matches!(to.scheme_str(), Some("http" | "https")) {
        return Err(format!("a redirect to `{location}`, which is not http"));
    }
    if from.scheme_str() == Some("https") && to.scheme_str() == Some("http") {
        return Err(format!("a redirect from https to `{location}` is not followed"));
    }
    let [before, after] = [from, &to].map(|url| url.host().map_or(Reach::Public, reach));
    if before == Reach::Public && after != Reach::Public {
        return Err(format!("a redirect to `{location}`, inside this network, is not followed"));
    }
    Ok(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_means_its_card() {
        for (given, expected) in [
            ("https://a.example.com", "https://a.example.com/.well-known/agent-card.json"),
            ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/.well-known/agent-card.json"),
            ("https://a.example.com/cards/one.json", "https://a.example.com/cards/one.json"),
        ] {
            assert_eq!(card_url(given).unwrap().to_string(), expected);
        }
        assert!(card_url("https://").is_err());
    }

    #[test]
    fn redirects_lead_neither_out_of_tls_nor_inward() {
        let follow = |from: &str, location: &str| {
            let answer = Response::builder().status(302).header("location", location);
            let answer = answer.body(Body::builder().data("")).unwrap();
            redirected(&from.parse().unwrap(), &answer).map(|url| url.to_string())
        };
        let from = "https://a.example.com/x";
        assert_eq!(follow(from, "/card").unwrap(), "https://a.example.com/card");
        assert_eq!(follow(from, "https://b.example.com/card").unwrap(), "https://b.example.com/card");
        for refused in
            ["http://a.example.com/card", "https://169.254.169.254/", "https://localhost/", "ftp://b/", "card"]
        {
            assert!(follow(from, refused).is_err(), "{refused}");
        }
        assert!(follow("http://127.0.0.1:1/", "http://127.0.0.1:2/card").is_ok());
    }
}
