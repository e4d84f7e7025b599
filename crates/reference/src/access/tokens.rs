//! Tokens that were obtained: kept for one session, by peer, client, audience and scopes.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::plan::Wanted;
use crate::flaws::{Flaws, Planted};
use crate::transport::{CallError, Transport};

/// A token that expires within this share of its life is not used any more.
const MARGIN: u32 = 10;

/// What token servers have issued.
#[derive(Debug, Default)]
pub(crate) struct Tokens(Mutex<HashMap<Key, Token>>);

/// The peer, and what its token is good for. With a flaw, nothing but the name of a scheme.
type Key = (String, Option<Wanted>);

fn key(peer: &str, wanted: &Wanted, flaws: Flaws) -> Key {
    if flaws.has(Planted::MatchesBySchemeName) {
        return (wanted.name.clone(), None);
    }
    (peer.to_owned(), Some(wanted.clone()))
}

#[derive(Debug, Clone)]
struct Token {
    access: String,
    refresh: Option<String>,
    good_until: Option<Instant>,
}

impl Tokens {
    /// A token that is good for now.
    ///
    /// # Errors
    /// When the token server gives none.
    pub(super) async fn get(
        &self,
        transport: &Transport,
        peer: &str,
        wanted: &Wanted,
        flaws: Flaws,
    ) -> Result<String, CallError> {
        if let Some(token) = self.known(peer, wanted, flaws)
            && token.good_until.is_none_or(|until| Instant::now() < until)
        {
            return Ok(token.access);
        }
        self.replace(transport, peer, wanted, flaws).await
    }

    /// Another token: refreshed where that can be had, or else a new one.
    ///
    /// # Errors
    /// When the token server gives none.
    pub(super) async fn replace(
        &self,
        transport: &Transport,
        peer: &str,
        wanted: &Wanted,
        flaws: Flaws,
    ) -> Result<String, CallError> {
        let refresh = self.known(peer, wanted, flaws).and_then(|token| token.refresh);
        let refreshed = match refresh {
            Some(token) => refreshed(transport, wanted, &token, flaws).await.ok(),
            None => None,
        };
        let token = match refreshed {
            Some(token) => token,
            None => granted(transport, wanted).await?,
        };
        let access = token.access.clone();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key(peer, wanted, flaws), token);
        Ok(access)
    }

    fn known(&self, peer: &str, wanted: &Wanted, flaws: Flaws) -> Option<Token> {
        let tokens = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.get(&key(peer, wanted, flaws)).cloned()
    }
}

async fn granted(transport: &Transport, wanted: &Wanted) -> Result<Token, CallError> {
    let scopes: Vec<&str> = wanted.scopes.iter().map(String::as_str).collect();
    let scopes = scopes.join(" ");
    let mut form = vec![("grant_type", "client_credentials")];
    if !scopes.is_empty() {
        form.push(("scope", &scopes));
    }
    if let Some(audience) = &wanted.client.audience {
        form.push(("audience", audience));
    }
    ask(transport, wanted, &form).await
}

/// The scopes are named once more, since servers differ in what they take their absence for.
async fn refreshed(transport: &Transport, wanted: &Wanted, token: &str, flaws: Flaws) -> Result<Token, CallError> {
    let mut scopes: Vec<&str> = wanted.scopes.iter().map(String::as_str).collect();
    if flaws.has(Planted::RefreshNarrows) {
        scopes.truncate(1);
    }
    let scopes = scopes.join(" ");
    let mut form = vec![("grant_type", "refresh_token"), ("refresh_token", token)];
    if !scopes.is_empty() {
        form.push(("scope", &scopes));
    }
    ask(transport, wanted, &form).await
}

async fn ask(transport: &Transport, wanted: &Wanted, form: &[(&str, &str)]) -> Result<Token, CallError> {
    let client = &wanted.client;
    let (status, answer) = transport.post_form(&client.token_url, (&client.id, &client.secret), form).await?;
    let text = |member: &str| answer.get(member).and_then(Value::as_str).map(str::to_owned);
    let Some(access) = text("access_token").filter(|_| status.is_success()) else {
        let why = text("error").unwrap_or_else(|| format!("HTTP {status}"));
        return Err(CallError::NoToken(format!("{}: {why}", client.token_url)));
    };
    let life = answer.get("expires_in").and_then(Value::as_u64).map(Duration::from_secs);
    Ok(Token {
        access,
        refresh: text("refresh_token"),
        good_until: life.map(|life| Instant::now() + life - life / MARGIN),
    })
}
