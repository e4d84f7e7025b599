//! A token server: grants client credentials and refreshes as RFC 6749 has it, for the audiences of RFC 8707.
//!
//! What it grants is pure state; how it is asked over HTTP stands in `binding::token`. Tokens repeat under a seed, and
//! their lives run on the fleet's clock.

use std::collections::HashMap;
use std::sync::Mutex;

use gauntlet_faults::ShownToken;
use gauntlet_scenario::TokenServerSpec;
use serde_json::{Value, json};

use crate::clock::Clock;
use crate::ids::Ids;
use crate::lock::lock;

/// Issues the tokens of one peer and knows them again.
pub(crate) struct TokenServer {
    spec: TokenServerSpec,
    /// Where it is asked.
    url: String,
    ids: Ids,
    clock: Clock,
    issued: Mutex<Issued>,
}

#[derive(Default)]
struct Issued {
    access: HashMap<String, Access>,
    refresh: HashMap<String, Grant>,
}

struct Access {
    token: ShownToken,
    expires_us: u64,
}

/// What a client was granted.
#[derive(Debug, Clone)]
struct Grant {
    scopes: Vec<String>,
    audience: Option<String>,
}

/// A token request: the parameters, and the credentials of an Authorization header where it had one.
#[derive(Debug, Default)]
pub(crate) struct TokenRequest {
    pub(crate) parameters: Vec<(String, String)>,
    /// `None` where there is no such header, `Some(None)` where it cannot be read.
    pub(crate) basic: Option<Option<(String, String)>>,
}

/// An error of RFC 6749 §5.2 or RFC 8707 §2.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TokenError {
    pub(crate) code: &'static str,
    pub(crate) why: String,
}

/// Why a token is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unknown {
    NotIssued,
    Expired,
}

impl TokenServer {
    pub(crate) fn new(spec: TokenServerSpec, peer: &str, url: String, seed: u64, clock: Clock) -> Self {
        // Apart from the peer's own ids: those stay as they are without a token server.
        let ids = Ids::new(seed, &format!("{peer}/token-server"));
        Self { spec, url, ids, clock, issued: Mutex::default() }
    }

    pub(crate) const fn spec(&self) -> &TokenServerSpec {
        &self.spec
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The security scheme and the requirement, as members of the card.
    pub(crate) fn card(&self) -> Value {
        let describe = |scope: &String| (scope.clone(), json!(format!("What `{scope}` allows")));
        let scopes: serde_json::Map<_, _> = self.spec.scopes.iter().chain(&self.spec.offers).map(describe).collect();
        let flow = json!({ "clientCredentials": { "tokenUrl": self.url, "scopes": scopes } });
        json!({
            "securitySchemes": { self.spec.scheme.as_str(): { "oauth2SecurityScheme": { "flows": flow } } },
            "securityRequirements": [{ "schemes": { self.spec.scheme.as_str(): { "list": self.spec.scopes } } }],
        })
    }

    /// Answers a token request.
    ///
    /// # Errors
    /// Why nothing is granted.
    pub(crate) fn grant(&self, request: &TokenRequest) -> Result<Value, TokenError> {
        let error = |code, why: &str| TokenError { code, why: why.to_owned() };
        if let Some(twice) = request.repeated() {
            return Err(error("invalid_request", &format!("`{twice}` is given more than once")));
        }
        self.authenticate(request)?;
        match request.get("grant_type") {
            None => Err(error("invalid_request", "`grant_type` is required")),
            Some("client_credentials") => self.client_credentials(request),
            Some("refresh_token") if self.spec.refresh => self.refresh(request),
            Some(other) => Err(error("unsupported_grant_type", &format!("`{other}` is not granted here"))),
        }
    }

    /// Issues a token without being asked over HTTP, for those who are given one.
    pub(crate) fn issue(&self, scopes: &[String], audience: Option<&str>) -> String {
        let grant = Grant { scopes: scopes.to_vec(), audience: audience.map(str::to_owned) };
        self.access(&grant, false)
    }

    /// The token as it was issued; each look counts as once shown.
    ///
    /// # Errors
    /// Why it is worth nothing.
    pub(crate) fn shown(&self, token: &str) -> Result<ShownToken, Unknown> {
        let now = self.clock.now_us();
        let mut issued = lock(&self.issued);
        let access = issued.access.get_mut(token).ok_or(Unknown::NotIssued)?;
        if access.expires_us <= now {
            return Err(Unknown::Expired);
        }
        let token = access.token.clone();
        access.token.shown_before += 1;
        Ok(token)
    }

    fn authenticate(&self, request: &TokenRequest) -> Result<(), TokenError> {
        let invalid = |code, why: &str| Err(TokenError { code, why: why.to_owned() });
        let in_body = request.get("client_id").zip(request.get("client_secret"));
        let (id, secret) = match (&request.basic, in_body) {
            (Some(_), Some(_)) => return invalid("invalid_request", "the client identifies itself in two ways"),
            (Some(Some((id, secret))), None) => (id.as_str(), secret.as_str()),
            (None, Some(given)) => given,
            (_, None) => return invalid("invalid_client", "the client does not say who it is"),
        };
        if id == self.spec.client_id && secret == self.spec.client_secret {
            return Ok(());
        }
        invalid("invalid_client", "there is no such client")
    }

    fn client_credentials(&self, request: &TokenRequest) -> Result<Value, TokenError> {
        let scopes = match request.scopes() {
            None => self.spec.scopes.clone(),
            Some(asked) => asked,
        };
        let known = |scope: &String| self.spec.scopes.contains(scope) || self.spec.offers.contains(scope);
        if let Some(strange) = scopes.iter().find(|scope| !known(scope)) {
            return Err(TokenError { code: "invalid_scope", why: format!("there is no scope `{strange}`") });
        }
        let audience = request.get("audience").or_else(|| request.get("resource")).map(str::to_owned);
        if let (Some(asked), Some(only)) = (&audience, &self.spec.audience)
            && asked != only
        {
            return Err(TokenError { code: "invalid_target", why: format!("no tokens are issued for `{asked}`") });
        }
        Ok(self.answer(&Grant { scopes, audience }, false))
    }

    fn refresh(&self, request: &TokenRequest) -> Result<Value, TokenError> {
        let invalid = |code, why: String| Err(TokenError { code, why });
        let Some(token) = request.get("refresh_token") else {
            return invalid("invalid_request", "`refresh_token` is required".to_owned());
        };
        // Used once: the answer brings the next one (RFC 9700 §4.14.2).
        let Some(first) = lock(&self.issued).refresh.remove(token) else {
            return invalid("invalid_grant", "the refresh token is not known, or was used before".to_owned());
        };
        let scopes = request.scopes().unwrap_or_else(|| first.scopes.clone());
        if let Some(more) = scopes.iter().find(|scope| !first.scopes.contains(scope)) {
            return invalid("invalid_scope", format!("`{more}` was not granted at first"));
        }
        Ok(self.answer(&Grant { scopes, ..first }, true))
    }

    fn answer(&self, grant: &Grant, refreshed: bool) -> Value {
        let mut answer = json!({
            "access_token": self.access(grant, refreshed),
            "token_type": "Bearer",
            "expires_in": self.spec.lifetime_s,
            "scope": grant.scopes.join(" "),
        });
        if self.spec.refresh {
            let token = self.ids.next("refresh");
            answer["refresh_token"] = json!(token);
            lock(&self.issued).refresh.insert(token, grant.clone());
        }
        answer
    }

    fn access(&self, grant: &Grant, refreshed: bool) -> String {
        let token = self.ids.next("token");
        let expires_us = self.clock.now_us().saturating_add(u64::from(self.spec.lifetime_s) * 1_000_000);
        let Grant { scopes, audience } = grant.clone();
        let access = Access { token: ShownToken { scopes, audience, refreshed, shown_before: 0 }, expires_us };
        lock(&self.issued).access.insert(token.clone(), access);
        token
    }
}

impl TokenRequest {
    /// A parameter; one without a value is as good as none (RFC 6749 §3.2).
    fn get(&self, name: &str) -> Option<&str> {
        let value = self.parameters.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
        value.filter(|value| !value.is_empty())
    }

    /// A parameter that must not be given twice, and is. Resources may be several.
    fn repeated(&self) -> Option<&str> {
        let mut names = self.parameters.iter().map(|(name, _)| name.as_str()).enumerate();
        let seen = |index: usize, name: &str| self.parameters[..index].iter().any(|(earlier, _)| earlier == name);
        names.find(|(index, name)| *name != "resource" && seen(*index, name)).map(|(_, name)| name)
    }

    fn scopes(&self) -> Option<Vec<String>> {
        self.get("scope").map(|scopes| scopes.split_ascii_whitespace().map(str::to_owned).collect())
    }
}

#[cfg(test)]
#[path = "token_tests.rs"]
mod tests;
