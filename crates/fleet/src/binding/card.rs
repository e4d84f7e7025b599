//! Serving the card, with the caching headers of specification §8.6.

use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED};
use http::{Response, StatusCode};

use super::Arrival;
use super::answer::{self, Body};
use crate::journal::{Exchange, Object, Reading, Told};
use crate::peer::Peer;

/// Short, so that a session may see its card go stale.
const MAX_AGE: &str = "max-age=60";

pub(super) fn serve(peer: &Peer, arrival: &Arrival, exchange: Exchange) -> Response<Body> {
    let card = peer.card.serve(&peer.faults);
    let is_fresh = match arrival.header(IF_NONE_MATCH.as_str()) {
        Some(known) => known.split(',').map(str::trim).any(|tag| tag == card.etag || tag == "*"),
        // A card that faults touch changes without growing older: only its tag tells.
        None if card.stamps.is_empty() => arrival.header(IF_MODIFIED_SINCE.as_str()).is_some_and(|since| {
            let (since, changed) =
                (httpdate::parse_http_date(since), httpdate::parse_http_date(&peer.card.last_modified));
            matches!((since, changed), (Ok(since), Ok(changed)) if since >= changed)
        }),
        None => false,
    };
    let response = Response::builder()
        .header(CACHE_CONTROL, MAX_AGE)
        .header(ETAG, card.etag.as_str())
        .header(LAST_MODIFIED, peer.card.last_modified.as_str());
    if is_fresh {
        return answer::whole(exchange, response.status(StatusCode::NOT_MODIFIED), bytes::Bytes::new(), None);
    }
    let told = Told {
        object: Object::InBytes(Reading::Json),
        error: None,
        raw: card.bytes.clone(),
        stamps: card.stamps,
        vouched: if peer.card.written_by_user { None } else { gauntlet_wire::message("AgentCard") },
    };
    answer::whole(exchange, response.header(CONTENT_TYPE, "application/json"), card.bytes, Some(told))
}
