//! Addresses as cards write them: urls, and `host:port` for gRPC.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use fluent_uri::Uri;

/// What kind of place a host is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// This machine.
    Loopback,
    /// No machine: an address to listen at.
    Unspecified,
    /// Somewhere that the public cannot reach.
    Private,
    /// Anywhere else.
    Public,
}

/// An absolute http or https url.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WebUrl<'a> {
    pub(crate) secure: bool,
    pub(crate) userinfo: bool,
    pub(crate) host: &'a str,
    pub(crate) path: &'a str,
}

impl<'a> WebUrl<'a> {
    /// Reads one; says what is wrong otherwise.
    pub(crate) fn read(text: &'a str) -> Result<Self, String> {
        let uri = Uri::parse(text).map_err(|_| match text.split_once(':') {
            None => "it is relative: a scheme such as https:// is missing".to_owned(),
            Some(_) => "it is no URL (RFC 3986)".to_owned(),
        })?;
        let scheme = uri.scheme().as_str();
        let secure = scheme.eq_ignore_ascii_case("https");
        if !secure && !scheme.eq_ignore_ascii_case("http") {
            return Err(format!("its scheme is `{scheme}`, not https"));
        }
        let authority = uri.authority().ok_or("it names no host")?;
        if authority.host().is_empty() {
            return Err("it names no host".to_owned());
        }
        if authority.port_to_u16().is_err() {
            return Err("its port is no port".to_owned());
        }
        // Of the parts that borrow, only slices of the text itself live long enough.
        let begin = text.len() - text.split_once("//").map_or("", |(_, rest)| rest).len();
        let userinfo = authority.userinfo().map_or(0, |userinfo| userinfo.as_str().len() + 1);
        let host_begin = begin + userinfo;
        let host = &text[host_begin..host_begin + authority.host().len()];
        let path_begin = begin + authority.as_str().len();
        let path = &text[path_begin..path_begin + uri.path().as_str().len()];
        Ok(Self { secure, userinfo: userinfo > 0, host, path })
    }

    pub(crate) fn reach(&self) -> Reach {
        reach(self.host)
    }
}

/// `host:port`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Authority<'a> {
    pub(crate) host: &'a str,
}

impl<'a> Authority<'a> {
    /// Reads one; says what is wrong otherwise.
    pub(crate) fn read(text: &'a str) -> Result<Self, &'static str> {
        let (host, port) = text.rsplit_once(':').ok_or("the port is missing")?;
        if port.is_empty() || !port.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err("the port is missing, or something follows it");
        }
        if !port.parse::<u16>().is_ok_and(|port| port > 0) {
            return Err("the port is not between 1 and 65535");
        }
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let is_host = match bare {
            Some(address) => address.parse::<Ipv6Addr>().is_ok(),
            None => {
                let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
                !host.is_empty() && host.bytes().all(legal)
            }
        };
        if is_host { Ok(Self { host }) } else { Err("what stands before the port is no host") }
    }
}

/// Whether a text is an absolute URI, of any scheme.
pub(crate) fn is_uri(text: &str) -> bool {
    Uri::parse(text).is_ok()
}

/// Who can reach a host, by its name or address alone; nothing is looked up.
pub fn reach(host: &str) -> Reach {
    let host = host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.');
    if let Ok(address) = host.parse::<IpAddr>() {
        return match address {
            IpAddr::V4(address) => reach_v4(address),
            IpAddr::V6(address) => reach_v6(address),
        };
    }
    let host = host.to_ascii_lowercase();
    let ends_with = |name: &str| host == name || host.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'));
    if ends_with("localhost") {
        return Reach::Loopback;
    }
    const INWARD: [&str; 8] = ["local", "internal", "lan", "home", "corp", "intranet", "localdomain", "private"];
    if !host.contains('.') || INWARD.into_iter().any(ends_with) { Reach::Private } else { Reach::Public }
}

fn reach_v4(address: Ipv4Addr) -> Reach {
    let [first, second, ..] = address.octets();
    match address {
        _ if address.is_loopback() => Reach::Loopback,
        _ if first == 0 => Reach::Unspecified,
        _ if address.is_private() || address.is_link_local() => Reach::Private,
        // Carrier-grade NAT (RFC 6598).
        _ if first == 100 && (64..128).contains(&second) => Reach::Private,
        _ => Reach::Public,
    }
}

fn reach_v6(address: Ipv6Addr) -> Reach {
    if let Some(address) = address.to_ipv4_mapped() {
        return reach_v4(address);
    }
    match address {
        _ if address.is_loopback() => Reach::Loopback,
        _ if address.is_unspecified() => Reach::Unspecified,
        _ if address.is_unique_local() || address.is_unicast_link_local() => Reach::Private,
        _ => Reach::Public,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_taken_apart() {
        let url = WebUrl::read("HTTPS://user:pw@agents.example.com:8443/a2a?x=1#y").unwrap();
        assert_eq!((url.secure, url.userinfo, url.host, url.path), (true, true, "agents.example.com", "/a2a"));
        let url = WebUrl::read("http://[::1]:8080").unwrap();
        assert_eq!((url.secure, url.userinfo, url.path, url.reach()), (false, false, "", Reach::Loopback));
        for wrong in [
            "",
            "/a2a",
            "agents.example.com",
            "agents.example.com:80",
            "ftp://a",
            "https://",
            "https:///x",
            "https://a b",
            "https:a",
            "https://a:99999/",
            "wss://a/b",
        ] {
            assert!(WebUrl::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn authorities_are_a_host_and_a_port() {
        for right in ["grpc.example.com:443", "127.0.0.1:1", "[::1]:50051", "a_b:65535"] {
            assert!(Authority::read(right).is_ok(), "{right}");
        }
        for wrong in [
            "grpc.example.com",
            "grpc.example.com:",
            ":443",
            "a:0",
            "a:65536",
            "a:443/x",
            "dns:///a:443",
            "a b:1",
            "[::1:443",
            "u@a:443",
            "https://a:443",
        ] {
            assert!(Authority::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn hosts_are_sorted_by_who_can_reach_them() {
        for (host, expected) in [
            ("localhost", Reach::Loopback),
            ("a.localhost", Reach::Loopback),
            ("127.8.9.1", Reach::Loopback),
            ("0.0.0.0", Reach::Unspecified),
            ("[::]", Reach::Unspecified),
            ("10.1.2.3", Reach::Private),
            ("169.254.169.254", Reach::Private),
            ("100.100.0.1", Reach::Private),
            ("[fd00::1]", Reach::Private),
            ("agent.internal", Reach::Private),
            ("agents", Reach::Private),
            ("notlocalhost.com", Reach::Public),
            ("8.8.8.8", Reach::Public),
            ("agents.example.com.", Reach::Public),
            ("[::ffff:10.0.0.1]", Reach::Private),
        ] {
            assert_eq!(reach(host), expected, "{host}");
        }
    }
}
