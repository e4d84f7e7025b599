//! Where a webhook is, and whether anything may be sent there.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

use bytes::Bytes;
use http::header::HOST;
use http::{HeaderMap, Method, Request, Uri};
use http_body_util::Full;

/// A webhook's url.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Destination {
    /// Without the brackets of an IPv6 address.
    host: String,
    port: u16,
    uri: Uri,
    secure: bool,
}

/// Why nothing can be sent.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoWay {
    /// The fleet may not, and never will.
    Forbidden(String),
    /// Nobody knows the host; that may change.
    Unknown(String),
}

/// A url that no webhook has.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NotHttp;

impl FromStr for Destination {
    type Err = NotHttp;

    fn from_str(url: &str) -> Result<Self, NotHttp> {
        let uri: Uri = url.parse().map_err(|_| NotHttp)?;
        let (secure, default_port) = match uri.scheme_str() {
            Some("http") => (false, 80),
            Some("https") => (true, 443),
            _ => return Err(NotHttp),
        };
        let authority = uri.authority().ok_or(NotHttp)?;
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
        if host.is_empty() {
            return Err(NotHttp);
        }
        Ok(Self { host, port: authority.port_u16().unwrap_or(default_port), uri, secure })
    }
}

impl Destination {
    /// The addresses to try, in order. Only loopback and hosts that are allowed by name have any; no other name is
    /// even looked up.
    pub(super) async fn addresses(&self, allowed: &BTreeSet<String>) -> Result<Vec<SocketAddr>, NoWay> {
        self.is_permitted(allowed).map_err(NoWay::Forbidden)?;
        let at = |address: IpAddr| SocketAddr::new(address, self.port);
        match self.host.parse::<IpAddr>() {
            Ok(address) => Ok(vec![at(address)]),
            // Receivers listen on either; many on IPv4 alone.
            Err(_) if self.host == "localhost" => {
                Ok(vec![at(Ipv6Addr::LOCALHOST.into()), at(Ipv4Addr::LOCALHOST.into())])
            }
            Err(_) => match tokio::net::lookup_host((self.host.as_str(), self.port)).await {
                Ok(found) => Ok(found.collect()),
                Err(error) => Err(NoWay::Unknown(format!("{} is not known: {error}", self.host))),
            },
        }
    }

    /// Whether anything may be sent there: to loopback and to hosts that are allowed by name.
    pub(super) fn is_permitted(&self, allowed: &BTreeSet<String>) -> Result<(), String> {
        let is_allowed = allowed.iter().any(|name| name.eq_ignore_ascii_case(&self.host));
        let is_loopback = self.host.parse::<IpAddr>().map_or(self.host == "localhost", |address| address.is_loopback());
        if is_allowed || is_loopback {
            return Ok(());
        }
        Err(format!("{} is neither loopback nor allowed by name", self.host))
    }

    /// The name that the certificate must be for; `None` where the url is plain http.
    pub(super) fn certified(&self) -> Option<&str> {
        self.secure.then_some(self.host.as_str())
    }

    /// The request in the form that a server (not a proxy) takes.
    pub(super) fn request(&self, headers: &HeaderMap, body: Full<Bytes>) -> http::Result<Request<Full<Bytes>>> {
        let path = self.uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str);
        let host = self.uri.authority().map_or("", |authority| authority.as_str().rsplit('@').next().unwrap_or(""));
        let mut request = Request::builder().method(Method::POST).uri(path).header(HOST, host).body(body)?;
        request.headers_mut().extend(headers.clone());
        Ok(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn addresses(url: &str, allowed: &[&str]) -> Result<Vec<String>, NoWay> {
        let allowed = allowed.iter().map(|&name| name.to_owned()).collect();
        let found = url.parse::<Destination>().unwrap().addresses(&allowed).await?;
        Ok(found.iter().map(ToString::to_string).collect())
    }

    #[tokio::test]
    async fn only_loopback_and_what_is_allowed_by_name_can_be_reached() {
        assert_eq!(addresses("http://127.0.0.1:9/x", &[]).await.unwrap(), ["127.0.0.1:9"]);
        assert_eq!(addresses("http://[::1]/x", &[]).await.unwrap(), ["[::1]:80"]);
        assert_eq!(addresses("http://LOCALHOST:9", &[]).await.unwrap(), ["[::1]:9", "127.0.0.1:9"]);
        assert_eq!(addresses("http://192.0.2.1:9", &["192.0.2.1"]).await.unwrap(), ["192.0.2.1:9"]);
        for far in ["http://192.0.2.1", "http://example.com/x", "http://localhost.example.com", "https://192.0.2.1"] {
            assert!(matches!(addresses(far, &["elsewhere"]).await, Err(NoWay::Forbidden(_))), "{far}");
        }
    }

    #[test]
    fn urls_that_are_no_webhooks_are_refused() {
        for wrong in ["", "/relative", "localhost:80", "ftp://127.0.0.1", "http://", "http://:80/"] {
            assert_eq!(wrong.parse::<Destination>(), Err(NotHttp), "{wrong}");
        }
    }

    #[test]
    fn user_info_is_not_sent_as_the_host() {
        let destination: Destination = "http://me:secret@127.0.0.1:9/hook?a=1".parse().unwrap();
        let request = destination.request(&HeaderMap::new(), Full::default()).unwrap();
        assert_eq!(
            (request.uri().to_string().as_str(), &request.headers()["host"]),
            ("/hook?a=1", &"127.0.0.1:9".parse().unwrap())
        );
    }
}
