//! Matching what a card demands with what was given: by type, flow and scopes. What a card calls a scheme means nothing,
//! since every card has names of its own.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gauntlet_wire::v1::o_auth_flows::Flow;
use gauntlet_wire::v1::security_scheme::Scheme;
use gauntlet_wire::v1::{AgentCard, AgentSkill, SecurityRequirement};

use super::given::{Client, Credential, Kind};
use crate::flaws::{Flaws, Planted};
use crate::outcome::Refusal;

/// A credential and its place in requests.
#[derive(Debug, Clone)]
pub(super) struct Use {
    pub(super) place: Place,
    pub(super) source: Source,
    origins: Vec<String>,
}

/// Where a credential stands in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// The Authorization header, under this scheme.
    Authorization(&'static str),
    Header(String),
    Query(String),
    Cookie(String),
}

/// Where the value comes from.
#[derive(Debug, Clone)]
pub(super) enum Source {
    Given(String),
    Obtained(Wanted),
}

/// A token to be obtained.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Wanted {
    /// What the card calls the scheme; only a flaw looks at it.
    pub(super) name: String,
    pub(super) client: Client,
    pub(super) scopes: BTreeSet<String>,
}

impl Wanted {
    pub(super) fn with(&self, more: &BTreeSet<String>) -> Self {
        Self { scopes: self.scopes.union(more).cloned().collect(), ..self.clone() }
    }
}

impl Use {
    /// Whether it may be shown at an address, `host:port` or a URL.
    pub(super) fn is_meant_for(&self, url: &str) -> bool {
        self.origins.is_empty() || self.origins.iter().any(|origin| authority(origin) == authority(url))
    }

    pub(super) fn bearer(token: &str) -> Self {
        Self { place: Place::Authorization("Bearer"), source: Source::Given(token.to_owned()), origins: Vec::new() }
    }
}

fn authority(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or(rest)
}

/// Schemes with the scopes that they are wanted for. All of them are to be met.
type Demands<'c> = BTreeMap<&'c str, BTreeSet<&'c str>>;

/// Why a demand is not met.
enum Lack {
    /// It cannot be understood what is asked for.
    Ambiguous(String),
    /// Nothing that fits was given.
    Missing(String),
}

/// The first way to meet the demands of a card, and those of the skill that is to be used, in full.
///
/// # Errors
/// `auth-ambiguous` where a way might be there if the card said what it means, `auth-unsatisfied` where none is.
pub(super) fn plan(
    card: &AgentCard,
    skill: Option<&AgentSkill>,
    given: &[Credential],
    flaws: Flaws,
) -> Result<Vec<Use>, Refusal> {
    let of_skill = skill.map_or(&[][..], |skill| &skill.security_requirements);
    let mut why = None;
    for demands in ways(&card.security_requirements, of_skill) {
        let found: Result<Vec<Use>, Lack> =
            demands.iter().map(|(name, scopes)| find(card, name, scopes, given, flaws)).collect();
        match found {
            Ok(uses) => return Ok(uses),
            Err(Lack::Ambiguous(detail)) => why = Some(Refusal::new("auth-ambiguous", detail)),
            Err(Lack::Missing(detail)) => {
                why.get_or_insert_with(|| Refusal::new("auth-unsatisfied", detail));
            }
        }
    }
    why.map_or_else(|| Ok(Vec::new()), Err)
}

/// Every combination of an alternative of the card with one of the skill.
fn ways<'c>(card: &'c [SecurityRequirement], skill: &'c [SecurityRequirement]) -> Vec<Demands<'c>> {
    let alternatives = |list: &'c [SecurityRequirement]| -> Vec<Demands<'c>> {
        let demands = |requirement: &'c SecurityRequirement| {
            let schemes = requirement.schemes.iter();
            schemes.map(|(name, scopes)| (name.as_str(), scopes.list.iter().map(String::as_str).collect())).collect()
        };
        if list.is_empty() { vec![Demands::new()] } else { list.iter().map(demands).collect() }
    };
    let mut ways = Vec::new();
    for of_card in alternatives(card) {
        for of_skill in alternatives(skill) {
            let mut both = of_card.clone();
            of_skill.into_iter().for_each(|(name, scopes)| both.entry(name).or_default().extend(scopes));
            ways.push(both);
        }
    }
    ways
}

/// What meets the demand for one scheme.
fn find(
    card: &AgentCard,
    name: &str,
    scopes: &BTreeSet<&str>,
    given: &[Credential],
    flaws: Flaws,
) -> Result<Use, Lack> {
    let scheme = card.security_schemes.get(name).and_then(|scheme| scheme.scheme.as_ref());
    let Some(scheme) = scheme else {
        return Err(Lack::Ambiguous(format!("the card demands the scheme `{name}` and does not describe it")));
    };
    if flaws.has(Planted::MatchesBySchemeName) && name == "oauth2" && !matches!(scheme, Scheme::Oauth2SecurityScheme(_))
    {
        return given.first().and_then(secret).map(|secret| Use::bearer(&secret)).ok_or_else(|| missing(name, "any"));
    }
    match scheme {
        Scheme::HttpAuthSecurityScheme(http) if http.scheme.eq_ignore_ascii_case("bearer") => {
            let token = |kind: &Kind| if let Kind::Bearer(token) = kind { Some(token.clone()) } else { None };
            use_of(given, &Place::Authorization("Bearer"), token).ok_or_else(|| missing(name, "a bearer token"))
        }
        Scheme::HttpAuthSecurityScheme(http) if http.scheme.eq_ignore_ascii_case("basic") => {
            let pair = |kind: &Kind| match kind {
                Kind::Basic(user, password) => Some(STANDARD.encode(format!("{user}:{password}"))),
                _ => None,
            };
            use_of(given, &Place::Authorization("Basic"), pair).ok_or_else(|| missing(name, "a name and a password"))
        }
        Scheme::ApiKeySecurityScheme(key) => {
            let place = match key.location.as_str() {
                "query" => Place::Query(key.name.clone()),
                "cookie" => Place::Cookie(key.name.clone()),
                _ => Place::Header(key.name.clone()),
            };
            let value = |kind: &Kind| if let Kind::ApiKey(key) = kind { Some(key.clone()) } else { None };
            use_of(given, &place, value).ok_or_else(|| missing(name, "an API key"))
        }
        Scheme::Oauth2SecurityScheme(oauth) => {
            let flow = match oauth.flows.as_ref().and_then(|flows| flows.flow.as_ref()) {
                Some(flow) => flow_name(flow),
                None if flaws.has(Planted::AmbiguousAccepted) => "clientCredentials",
                None => return Err(Lack::Ambiguous(format!("the card calls `{name}` OAuth 2.0 and names no flow"))),
            };
            oauth_use(given, name, flow, scopes)
                .ok_or_else(|| missing(name, &format!("a client of the flow {flow} for these scopes")))
        }
        Scheme::OpenIdConnectSecurityScheme(_) | Scheme::MtlsSecurityScheme(_) | Scheme::HttpAuthSecurityScheme(_) => {
            Err(missing(name, "credentials of that kind"))
        }
    }
}

fn missing(name: &str, what: &str) -> Lack {
    Lack::Missing(format!("the scheme `{name}` demands {what}, which the caller has not given"))
}

fn use_of(given: &[Credential], place: &Place, value: impl Fn(&Kind) -> Option<String>) -> Option<Use> {
    given.iter().find_map(|credential| {
        let source = Source::Given(value(&credential.kind)?);
        Some(Use { place: place.clone(), source, origins: credential.origins.clone() })
    })
}

fn oauth_use(given: &[Credential], name: &str, flow: &str, scopes: &BTreeSet<&str>) -> Option<Use> {
    given.iter().find_map(|credential| {
        let source = match &credential.kind {
            Kind::Client(client) if client.flow == flow && client.allows(scopes.iter().copied()) => {
                let scopes = scopes.iter().map(|scope| (*scope).to_owned()).collect();
                Source::Obtained(Wanted { name: name.to_owned(), client: client.clone(), scopes })
            }
            Kind::Token { flow: of, scopes: granted, token }
                if of == flow && scopes.iter().all(|scope| granted.contains(*scope)) =>
            {
                Source::Given(token.clone())
            }
            _ => return None,
        };
        Some(Use { place: Place::Authorization("Bearer"), source, origins: credential.origins.clone() })
    })
}

const fn flow_name(flow: &Flow) -> &'static str {
    match flow {
        Flow::AuthorizationCode(_) => "authorizationCode",
        Flow::ClientCredentials(_) => "clientCredentials",
        Flow::DeviceCode(_) => "deviceCode",
        #[expect(deprecated, reason = "cards may still name them")]
        Flow::Implicit(_) => "implicit",
        #[expect(deprecated, reason = "cards may still name them")]
        Flow::Password(_) => "password",
    }
}

/// The first token there is, for a flaw that hands it to anybody.
pub(super) fn first_token(given: &[Credential]) -> Vec<Use> {
    given.iter().find_map(secret).map(|token| Use::bearer(&token)).into_iter().collect()
}

fn secret(credential: &Credential) -> Option<String> {
    match &credential.kind {
        Kind::Bearer(secret) | Kind::ApiKey(secret) | Kind::Token { token: secret, .. } => Some(secret.clone()),
        Kind::Basic(..) | Kind::Client(_) => None,
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
