//! Getting a card as a careful caller does: a few redirects are followed, none out of TLS, and none from elsewhere into this
//! machine or its network.

use bytes::Bytes;
use gauntlet_card::{Reach, reach};
use gauntlet_wire::CARD_PATH;
use http::header::{ACCEPT, ETAG, IF_NONE_MATCH, LOCATION};
use http::{HeaderMap, HeaderValue, Method, Uri};

use crate::AuditError;
use crate::dial::{DialError, Dialer, Got, Http, Place, Sent};

/// More leads nowhere.
const REDIRECTS: usize = 5;

/// What became of asking for the card.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// What was asked for.
    pub asked: String,
    /// Where it led, through redirects.
    pub url: String,
    /// The document, where there is one.
    pub bytes: Option<Vec<u8>>,
    pub(crate) place: Place,
    /// The origin changed on the way.
    pub(crate) strayed: bool,
    /// The last answer, or why there is none.
    pub(crate) answer: Result<Got, Lost>,
    /// The status for whoever has this very card already; none where the card has no ETag.
    pub(crate) again: Option<Result<u16, DialError>>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lost {
    Dial(DialError),
    /// A redirect that may not be followed.
    Redirect(String),
}

/// Fetches the card of a url; an origin means the card there.
pub(crate) async fn card(dialer: &Dialer, url: &str) -> Result<Fetched, AuditError> {
    let wrong = |why: String| AuditError::Url(url.to_owned(), why);
    let mut here = card_url(url).map_err(wrong)?;
    let first = here.clone();
    let mut fetched = Fetched {
        asked: first.to_string(),
        url: first.to_string(),
        bytes: None,
        place: place(&first).map_err(wrong)?,
        strayed: false,
        answer: Err(Lost::Redirect(format!("more than {REDIRECTS} redirects"))),
        again: None,
    };
    for _ in 0..=REDIRECTS {
        let got = get(dialer, &here, None).await;
        let got = match got {
            Err(DialError::Forbidden(why)) if here == first => return Err(AuditError::Outside(why)),
            Ok(got) if got.status.is_redirection() => got,
            other => {
                fetched.answer = other.map_err(Lost::Dial);
                break;
            }
        };
        match redirected(&here, got.header(LOCATION)) {
            Ok(to) => here = to,
            Err(why) => {
                fetched.answer = Err(Lost::Redirect(why));
                break;
            }
        }
        (fetched.url, fetched.place) = (here.to_string(), place(&here).map_err(wrong)?);
        fetched.strayed |= place(&first).ok().as_ref() != Some(&fetched.place);
    }
    if let Ok(got) = &fetched.answer
        && got.status == 200
    {
        if let Some(tag) = got.headers.get(ETAG) {
            let again = get(dialer, &here, Some(tag)).await;
            fetched.again = Some(again.map(|got| got.status.as_u16()));
        }
        fetched.bytes = Some(got.body.clone());
    }
    Ok(fetched)
}

async fn get(dialer: &Dialer, uri: &Uri, known: Option<&HeaderValue>) -> Result<Got, DialError> {
    let place = place(uri).map_err(DialError::Unreachable)?;
    let mut headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static("application/json"))]);
    headers.extend(known.map(|tag| (IF_NONE_MATCH, tag.clone())));
    let path_and_query = uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str).to_owned();
    let request = Sent { method: Method::GET, path_and_query, headers, body: Bytes::new() };
    dialer.exchange(&place, Http::One, request, |_, _| false).await
}

/// Host, port and scheme of a url.
pub(crate) fn place(uri: &Uri) -> Result<Place, String> {
    let secure = match uri.scheme_str() {
        Some("https") => true,
        Some("http") => false,
        _ => return Err("use http or https".to_owned()),
    };
    let host = uri.host().filter(|host| !host.is_empty()).ok_or("it names no host")?;
    let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    Ok(Place { secure, host, port: uri.port_u16().unwrap_or(if secure { 443 } else { 80 }) })
}

/// The address of a card: an origin means the card there.
///
/// # Errors
/// Why it is none.
pub fn card_url(url: &str) -> Result<Uri, String> {
    let read = |text: &str| text.parse::<Uri>().map_err(|error| error.to_string());
    let uri = read(url)?;
    place(&uri)?;
    match (uri.path(), uri.query()) {
        ("/", None) => read(&format!("{}{CARD_PATH}", url.trim_end_matches('/'))),
        _ => Ok(uri),
    }
}

/// Where a redirect leads, if a careful caller follows it.
///
/// # Errors
/// Why not.
pub fn redirected(from: &Uri, location: Option<&str>) -> Result<Uri, String> {
    let location = location.ok_or("a redirect to nowhere")?;
    let absolute = match location.starts_with('/') && !location.starts_with("//") {
        true => {
            let authority = from.authority().map(ToString::to_string).unwrap_or_default();
            format!("{}://{authority}{location}", from.scheme_str().unwrap_or("https"))
        }
        false => location.to_owned(),
    };
    let to: Uri = absolute.parse().map_err(|_| format!("a redirect to `{location}`, which is no url"))?;
    place(&to).map_err(|_| format!("a redirect to `{location}`, which is not http"))?;
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
        for wrong in ["https://", "a.example.com", "ftp://a.example.com", "/card", ""] {
            assert!(card_url(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn redirects_lead_neither_out_of_tls_nor_inward() {
        let follow =
            |from: &str, location: &str| redirected(&from.parse().unwrap(), Some(location)).map(|url| url.to_string());
        let from = "https://a.example.com/x";
        assert_eq!(follow(from, "/card").unwrap(), "https://a.example.com/card");
        assert_eq!(follow(from, "https://b.example.com/card").unwrap(), "https://b.example.com/card");
        for refused in [
            "http://a.example.com/card",
            "https://169.254.169.254/",
            "https://localhost/",
            "ftp://b/",
            "card",
            "//b/card",
        ] {
            assert!(follow(from, refused).is_err(), "{refused}");
        }
        assert!(follow("http://127.0.0.1:1/", "http://127.0.0.1:2/card").is_ok());
        assert!(redirected(&from.parse().unwrap(), None).is_err());
    }
}
