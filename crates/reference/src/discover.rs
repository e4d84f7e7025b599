//! Finding out what a peer says of itself.

use std::sync::Arc;

use gauntlet_card::Card;
use gauntlet_evidence::contract::{Delegation, PeerAddress};
use gauntlet_wire::protojson::{self, Unknown};
use gauntlet_wire::{CARD_PATH, Operation, v1};
use http::StatusCode;
use serde_json::json;

use crate::access::Access;
use crate::flaws::{Flaws, Planted};
use crate::memory::Session;
use crate::outcome::Refusal;
use crate::select;
use crate::transport::Transport;

/// The card of a peer: the one the session knows, or a fresh one.
///
/// # Errors
/// When it cannot be had or is not legal.
pub(crate) async fn card(
    transport: &Transport,
    session: &mut Session,
    peer: &PeerAddress,
    flaws: Flaws,
) -> Result<Arc<Card>, Refusal> {
    if let Some(card) = session.card(&peer.card_url) {
        return Ok(card);
    }
    let bytes = fetch(transport, peer, flaws).await?;
    if flaws.has(Planted::CardStrict) {
        let document = serde_json::from_slice(&bytes).unwrap_or_default();
        protojson::from_json::<v1::AgentCard>(&document, Unknown::Refuse)
            .map_err(|error| Refusal { layer: Some("schema"), ..Refusal::new("card-illegal", error.to_string()) })?;
    }
    let card = Arc::new(Card::parse(&bytes)?);
    session.keep_card(&peer.card_url, &card);
    Ok(card)
}

/// The extended card, where the peer declares one and shows it to the caller; it takes the place of the public one for the
/// rest of the session. It is asked for once. Without one, the public card is what there is.
pub(crate) async fn extended(
    transport: &Transport,
    session: &mut Session,
    peer: &PeerAddress,
    (card, delegation): (Arc<Card>, &Delegation),
    flaws: Flaws,
) -> Arc<Card> {
    if card.capabilities.extended_agent_card != Some(true) || !session.asks_for_extended_card(&peer.card_url) {
        return card;
    }
    let Ok(access) = Access::new(&card, delegation, &peer.name, &session.tokens, flaws) else { return card };
    let Ok(mut endpoints) = select::endpoints(&card, delegation, flaws) else { return card };
    let Some(mut endpoint) = endpoints.find(|endpoint| access.fits(&endpoint.interface)) else { return card };
    endpoint.access = Some(access).filter(|_| !flaws.has(Planted::ExtendedCardOpenly));
    let Ok(told) = transport.call(&endpoint, Operation::GetExtendedAgentCard, json!({})).await else { return card };
    let Ok(extended) = Card::parse(told.to_string().as_bytes()) else { return card };
    if flaws.has(Planted::ExtendedCardForgotten) {
        return card;
    }
    let extended = Arc::new(extended);
    session.keep_card(&peer.card_url, &extended);
    extended
}

/// The card's bytes: from its own path, and only where nothing is there from the path of older versions.
async fn fetch(transport: &Transport, peer: &PeerAddress, flaws: Flaws) -> Result<Vec<u8>, Refusal> {
    let legacy = legacy_url(&peer.card_url);
    let mut urls = vec![Some(peer.card_url.clone()), legacy];
    if flaws.has(Planted::LegacyCardPathFirst) {
        urls.reverse();
    }
    let mut missing = Refusal::unreachable_card(format!("{}: no card", peer.card_url));
    for url in urls.into_iter().flatten() {
        let fetched = transport.fetch_card(&url).await;
        let (status, body) = fetched.map_err(|error| Refusal::unreachable_card(format!("{url}: {error}")))?;
        match status {
            StatusCode::OK => return Ok(body),
            StatusCode::NOT_FOUND => missing = Refusal::unreachable_card(format!("{url}: HTTP {status}")),
            _ => return Err(Refusal::unreachable_card(format!("{url}: HTTP {status}"))),
        }
    }
    Err(missing)
}

/// Where older versions kept the card.
fn legacy_url(card_url: &str) -> Option<String> {
    card_url.strip_suffix(CARD_PATH).map(|origin| format!("{origin}/.well-known/agent.json"))
}
