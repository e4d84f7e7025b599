//! Who may call: what the card's `securityRequirements` demand of a request (specification §7).
//!
//! One of the requirements must be met in all its schemes. Any credentials of the right form will do for a scheme,
//! unless the fleet file lists those that it accepts, or the peer has a token server: then only tokens that were issued
//! there will do, while they live, for the audience and the scopes that are demanded.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gauntlet_faults::{Denial, ShownToken};
use gauntlet_scenario::PeerSpec;
use gauntlet_wire::rest::query_parameter;
use http::header::{AUTHORIZATION, COOKIE};
use http::request::Parts;
use serde_json::Value;

use crate::double::token::{TokenServer, Unknown};

/// Lets those in who bring what the card demands.
pub(crate) struct Guard {
    /// Any of them will do; none means that everybody may call.
    alternatives: Vec<Vec<Demand>>,
    tokens: Option<Arc<TokenServer>>,
}

/// One scheme of a requirement.
struct Demand {
    form: Form,
    /// Empty where any will do.
    accepted: Vec<String>,
    /// Who has to have issued the token, and the scopes it has to have.
    issued: Option<(Arc<TokenServer>, Vec<String>)>,
}

/// How credentials are brought.
#[derive(Debug)]
enum Form {
    /// In the Authorization header, under this scheme.
    Authorization(String),
    Header(String),
    Query(String),
    Cookie(String),
    /// By the connection itself, which is not looked at here.
    Connection,
    /// The card demands a scheme that it does not describe: nobody can bring it.
    Undescribed(String),
}

impl Guard {
    /// What this card demands of callers.
    pub(crate) fn new(card: &Value, spec: &PeerSpec, tokens: Option<Arc<TokenServer>>) -> Self {
        let requirements = card.get("securityRequirements").and_then(Value::as_array).into_iter().flatten();
        let alternatives = requirements.map(|requirement| {
            let schemes = requirement.get("schemes").and_then(Value::as_object).into_iter().flatten();
            let demands = schemes.map(|(name, scopes)| Demand {
                form: Form::of(name, card.pointer("/securitySchemes").and_then(|schemes| schemes.get(name))),
                accepted: spec.accepts.get(name).cloned().unwrap_or_default(),
                issued: tokens
                    .clone()
                    .filter(|tokens| tokens.spec().scheme == *name)
                    .map(|tokens| (tokens, words(scopes))),
            });
            demands.collect()
        });
        Self { alternatives: alternatives.collect(), tokens }
    }

    /// Whether the request may come in; gives the token it brings, where the peer's own token server issued it.
    ///
    /// # Errors
    /// What it lacks of the first alternative.
    pub(crate) fn admit(&self, request: &Parts) -> Result<Option<ShownToken>, Denial> {
        let shown = self.tokens.as_ref().and_then(|tokens| Some(tokens.shown(authorization(request, "bearer")?)));
        let mut missing = None;
        for alternative in &self.alternatives {
            match alternative.iter().find_map(|demand| demand.lacking(request, shown.as_ref())) {
                None => return Ok(shown.and_then(Result::ok)),
                Some(denied) => missing = missing.or(Some(denied)),
            }
        }
        missing.map_or_else(|| Ok(shown.and_then(Result::ok)), Err)
    }

    /// Names of the headers and query parameters that it looks for, beside Authorization and Cookie.
    pub(crate) fn names(&self) -> Arc<[String]> {
        let named = |demand: &Demand| match &demand.form {
            Form::Header(name) | Form::Query(name) => Some(name.clone()),
            Form::Authorization(_) | Form::Cookie(_) | Form::Connection | Form::Undescribed(_) => None,
        };
        self.alternatives.iter().flatten().filter_map(named).collect()
    }
}

/// The scopes of a requirement.
fn words(scopes: &Value) -> Vec<String> {
    let list = scopes.get("list").and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The credentials in the Authorization header, where they are of that scheme.
fn authorization<'r>(request: &'r Parts, scheme: &str) -> Option<&'r str> {
    let (sent, credentials) = request.headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    sent.eq_ignore_ascii_case(scheme).then(|| credentials.trim())
}

impl Form {
    fn of(name: &str, scheme: Option<&Value>) -> Self {
        let undescribed = || Self::Undescribed(name.to_owned());
        let Some((kind, details)) = scheme.and_then(Value::as_object).and_then(|scheme| scheme.iter().next()) else {
            return undescribed();
        };
        let text = |key: &str| details.get(key).and_then(Value::as_str).map(str::to_owned);
        match kind.as_str() {
            "httpAuthSecurityScheme" => text("scheme").map_or_else(undescribed, Self::Authorization),
            "oauth2SecurityScheme" | "openIdConnectSecurityScheme" => Self::Authorization("Bearer".to_owned()),
            "mtlsSecurityScheme" => Self::Connection,
            "apiKeySecurityScheme" => match (text("location").as_deref(), text("name")) {
                (Some("header"), Some(name)) => Self::Header(name),
                (Some("query"), Some(name)) => Self::Query(name),
                (Some("cookie"), Some(name)) => Self::Cookie(name),
                _ => undescribed(),
            },
            _ => undescribed(),
        }
    }
}

impl Demand {
    /// Why the request does not meet it; `None` where it does. `shown` is what the peer's token server says of the bearer
    /// token.
    fn lacking(&self, request: &Parts, shown: Option<&Result<ShownToken, Unknown>>) -> Option<Denial> {
        if let Some((tokens, scopes)) = &self.issued {
            return lacking_token(tokens, scopes, shown);
        }
        let header = |name: &str| request.headers.get(name).and_then(|value| value.to_str().ok());
        let (brought, wanted, challenge) = match &self.form {
            Form::Connection => return None,
            Form::Undescribed(name) => {
                let why = format!("the card does not describe the security scheme `{name}` that it demands");
                return Some(unauthenticated(why, "Unknown"));
            }
            Form::Authorization(scheme) => {
                let brought = authorization(request, scheme).map(|credentials| plain(scheme, credentials));
                (brought, format!("a {scheme} credential"), capitalised(scheme))
            }
            Form::Header(name) => {
                (header(name).map(str::to_owned), format!("the header `{name}`"), "ApiKey".to_owned())
            }
            Form::Query(name) => {
                let brought = request.uri.query().and_then(|query| query_parameter(query, name));
                (brought, format!("the query parameter `{name}`"), "ApiKey".to_owned())
            }
            Form::Cookie(name) => {
                let mut cookies = header(COOKIE.as_str()).unwrap_or_default().split(';').map(str::trim);
                let brought =
                    cookies.find_map(|cookie| cookie.strip_prefix(name)?.strip_prefix('=').map(str::to_owned));
                (brought, format!("the cookie `{name}`"), "ApiKey".to_owned())
            }
        };
        let challenge = format!("{challenge} realm=\"a2a\"");
        match brought.filter(|credentials| !credentials.is_empty()) {
            None => Some(unauthenticated(format!("{wanted} is required"), &challenge)),
            Some(credentials) if self.accepted.is_empty() || self.accepted.contains(&credentials) => None,
            Some(_) => {
                let challenge = format!("{challenge}, error=\"invalid_token\"");
                Some(unauthenticated(format!("{wanted} is not accepted"), &challenge))
            }
        }
    }
}

/// What a token lacks of a demand for one of the token server, with the challenges of RFC 6750 §3.
fn lacking_token(
    tokens: &TokenServer,
    scopes: &[String],
    shown: Option<&Result<ShownToken, Unknown>>,
) -> Option<Denial> {
    let invalid = |why: &str| unauthenticated(why.to_owned(), "Bearer realm=\"a2a\", error=\"invalid_token\"");
    let token = match shown {
        None => return Some(unauthenticated("an access token is required".to_owned(), "Bearer realm=\"a2a\"")),
        Some(Err(Unknown::NotIssued)) => return Some(invalid("the access token was not issued for this agent")),
        Some(Err(Unknown::Expired)) => return Some(invalid("the access token has expired")),
        Some(Ok(token)) => token,
    };
    if tokens.spec().audience.is_some() && token.audience != tokens.spec().audience {
        return Some(invalid("the access token is meant for another audience"));
    }
    let scope = scopes.iter().find(|scope| !token.scopes.contains(scope))?;
    let all = scopes.join(" ");
    Some(Denial {
        forbidden: true,
        why: format!("the access token was not granted for `{scope}`"),
        challenge: Some(format!("Bearer realm=\"a2a\", error=\"insufficient_scope\", scope=\"{all}\"")),
    })
}

fn unauthenticated(why: String, challenge: &str) -> Denial {
    Denial { forbidden: false, why, challenge: Some(challenge.to_owned()) }
}

/// What a fleet file writes: name and password of Basic, everything else as it is sent.
fn plain(scheme: &str, credentials: &str) -> String {
    let decoded = || String::from_utf8(STANDARD.decode(credentials).ok()?).ok();
    if !scheme.eq_ignore_ascii_case("basic") {
        return credentials.to_owned();
    }
    decoded().unwrap_or_else(|| credentials.to_owned())
}

/// Scheme names are case-insensitive; written as their standards write them.
fn capitalised(scheme: &str) -> String {
    let mut letters = scheme.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use gauntlet_scenario::TokenServerSpec;
    use gauntlet_wire::Binding;
    use serde_json::json;

    use super::*;
    use crate::clock::Clock;

    fn guard(requirements: &Value) -> Guard {
        let card = json!({
            "securitySchemes": {
                "token": { "httpAuthSecurityScheme": { "scheme": "bearer" } },
                "oauth": { "oauth2SecurityScheme": { "flows": {} } },
                "header": { "apiKeySecurityScheme": { "location": "header", "name": "X-Api-Key" } },
                "query": { "apiKeySecurityScheme": { "location": "query", "name": "key" } },
                "cookie": { "apiKeySecurityScheme": { "location": "cookie", "name": "sid" } },
                "mtls": { "mtlsSecurityScheme": {} },
                "name": { "httpAuthSecurityScheme": { "scheme": "basic" } },
            },
            "securityRequirements": requirements,
        });
        let mut spec = PeerSpec::healthy("vendor-a", [Binding::JsonRpc]);
        let accepted = [("header", vec!["k-1".to_owned(), "k-2".to_owned()]), ("name", vec!["ann:s3cret".to_owned()])];
        spec.accepts = accepted.map(|(name, credentials)| (name.to_owned(), credentials)).into();
        Guard::new(&card, &spec, None)
    }

    fn demands(schemes: &[&str]) -> Value {
        let schemes: serde_json::Map<_, _> =
            schemes.iter().map(|&name| (name.to_owned(), json!({ "list": [] }))).collect();
        json!({ "schemes": schemes })
    }

    fn request(uri: &str, headers: &[(&str, &str)]) -> Parts {
        let builder =
            headers.iter().fold(http::Request::post(uri), |builder, (name, value)| builder.header(*name, *value));
        builder.body(()).unwrap().into_parts().0
    }

    fn comes_in(guard: &Guard, uri: &str, headers: &[(&str, &str)]) -> bool {
        guard.admit(&request(uri, headers)).is_ok()
    }

    #[test]
    fn credentials_are_looked_for_where_the_scheme_says() {
        let bearer = &[("authorization", "Bearer t")][..];
        for (scheme, uri, headers) in [
            ("token", "/", bearer),
            ("token", "/", &[("authorization", "bearer  t")]),
            ("oauth", "/", bearer),
            ("header", "/", &[("x-api-key", "k-2")]),
            ("query", "/?a=b&key=k%201", &[]),
            ("cookie", "/", &[("cookie", "a=b; sid=s")]),
            ("mtls", "/", &[]),
        ] {
            let guard = guard(&json!([demands(&[scheme])]));
            assert!(comes_in(&guard, uri, headers), "{scheme}");
            assert_eq!(comes_in(&guard, "/", &[]), scheme == "mtls", "{scheme}");
        }
        let header = guard(&json!([demands(&["header"])]));
        assert!(!comes_in(&header, "/", &[("x-api-key", "k-3")]));
        let name = guard(&json!([demands(&["name"])]));
        assert!(comes_in(&name, "/", &[("authorization", "Basic YW5uOnMzY3JldA==")]));
        assert!(!comes_in(&name, "/", &[("authorization", "Basic YW5uOndyb25n")]));
        let token = guard(&json!([demands(&["token"])]));
        for wrong in ["Bearer", "Bearer ", "Basic t", "t"] {
            assert!(!comes_in(&token, "/", &[("authorization", wrong)]), "{wrong}");
        }
    }

    #[test]
    fn one_requirement_must_be_met_in_full() {
        let either = guard(&json!([demands(&["token", "header"]), demands(&["query"])]));
        let bearer = ("authorization", "Bearer t");
        assert!(!comes_in(&either, "/", &[bearer]));
        assert!(comes_in(&either, "/", &[bearer, ("x-api-key", "k-1")]));
        assert!(comes_in(&either, "/?key=1", &[]));
        assert!(comes_in(&guard(&json!([])), "/", &[]));
        assert!(comes_in(&guard(&json!([demands(&["token"]), demands(&[])])), "/", &[]), "an empty one is always met");
        assert!(!comes_in(&guard(&json!([demands(&["undescribed"])])), "/", &[bearer]));
    }

    #[test]
    fn who_is_not_let_in_is_told_what_to_bring() {
        let token = guard(&json!([demands(&["token"])]));
        let denied = token.admit(&request("/", &[])).unwrap_err();
        assert_eq!(denied.challenge.as_deref(), Some("Bearer realm=\"a2a\""));
        let header = guard(&json!([demands(&["header"])]));
        let denied = header.admit(&request("/", &[("x-api-key", "wrong")])).unwrap_err();
        assert_eq!(denied.why, "the header `X-Api-Key` is not accepted");
    }

    #[test]
    fn a_token_has_to_be_issued_here_alive_and_for_scope_and_audience() {
        let mut server = TokenServerSpec::of("vendor-a");
        server.audience = Some("a".to_owned());
        let clock = Clock::stepping();
        let server =
            Arc::new(TokenServer::new(server, "vendor-a", "http://127.0.0.1:1/token".to_owned(), 7, clock.clone()));
        let spec = PeerSpec::healthy("vendor-a", [Binding::JsonRpc]);
        let guard = Guard::new(&server.card(), &spec, Some(Arc::clone(&server)));
        let work = ["work".to_owned()];
        let bring = |token: &str| guard.admit(&request("/", &[("authorization", &format!("Bearer {token}"))]));
        let right = server.issue(&work, Some("a"));
        assert_eq!(bring(&right).unwrap().unwrap().scopes, work);
        assert_eq!(bring(&right).unwrap().unwrap().shown_before, 1);
        let denied = |token: &str| bring(token).map_err(|denial| (denial.forbidden, denial.why)).unwrap_err();
        assert!(denied(&server.issue(&work, Some("b"))).1.contains("another audience"));
        assert!(denied("other").1.contains("not issued"));
        let (forbidden, why) = denied(&server.issue(&[], Some("a")));
        assert!(forbidden && why.contains("not granted for `work`"), "{why}");
        clock.skip(3_600_000);
        assert!(denied(&right).1.contains("expired"));
        assert!(guard.admit(&request("/", &[])).unwrap_err().why.contains("required"));
    }
}
