//! Who may call: what the card's `securityRequirements` demand of a request (specification §7).
//!
//! One of the requirements must be met in all its schemes. Any credentials of the right form will do for a scheme,
//! unless the fleet file lists those that it accepts. Whether scopes were granted is not asked.

use gauntlet_scenario::PeerSpec;
use gauntlet_wire::rest::query_parameter;
use http::header::{AUTHORIZATION, COOKIE};
use http::request::Parts;
use serde_json::Value;

/// Lets those in who bring what the card demands.
#[derive(Debug)]
pub(crate) struct Guard {
    /// Any of them will do; none means that everybody may call.
    alternatives: Vec<Vec<Demand>>,
}

/// One scheme of a requirement.
#[derive(Debug)]
struct Demand {
    form: Form,
    /// Empty where any will do.
    accepted: Vec<String>,
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

/// Why a request is not let in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Denied {
    /// For people.
    pub(crate) why: String,
    /// For the WWW-Authenticate header.
    pub(crate) challenge: String,
}

impl Guard {
    /// What this card demands of callers.
    pub(crate) fn new(card: &Value, spec: &PeerSpec) -> Self {
        let requirements = card.get("securityRequirements").and_then(Value::as_array).into_iter().flatten();
        let alternatives = requirements.map(|requirement| {
            let schemes = requirement.get("schemes").and_then(Value::as_object).into_iter().flatten();
            let demands = schemes.map(|(name, _)| Demand {
                form: Form::of(name, card.pointer("/securitySchemes").and_then(|schemes| schemes.get(name))),
                accepted: spec.accepts.get(name).cloned().unwrap_or_default(),
            });
            demands.collect()
        });
        Self { alternatives: alternatives.collect() }
    }

    /// Whether the request may come in.
    ///
    /// # Errors
    /// What it lacks of the first alternative.
    pub(crate) fn admit(&self, request: &Parts) -> Result<(), Denied> {
        let mut missing = None;
        for alternative in &self.alternatives {
            match alternative.iter().find_map(|demand| demand.lacking(request)) {
                None => return Ok(()),
                Some(denied) => missing = missing.or(Some(denied)),
            }
        }
        missing.map_or(Ok(()), Err)
    }
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
    /// Why the request does not meet it; `None` where it does.
    fn lacking(&self, request: &Parts) -> Option<Denied> {
        let header = |name: &str| request.headers.get(name).and_then(|value| value.to_str().ok());
        let (brought, wanted, challenge) = match &self.form {
            Form::Connection => return None,
            Form::Undescribed(name) => {
                let why = format!("the card does not describe the security scheme `{name}` that it demands");
                return Some(Denied { why, challenge: "Unknown".to_owned() });
            }
            Form::Authorization(scheme) => {
                let brought = header(AUTHORIZATION.as_str()).and_then(|value| value.split_once(' '));
                let brought = brought.filter(|(sent, _)| sent.eq_ignore_ascii_case(scheme));
                let challenge = capitalised(scheme);
                (
                    brought.map(|(_, credentials)| credentials.trim().to_owned()),
                    format!("a {scheme} credential"),
                    challenge,
                )
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
            None => Some(Denied { why: format!("{wanted} is required"), challenge }),
            Some(credentials) if self.accepted.is_empty() || self.accepted.contains(&credentials) => None,
            Some(_) => {
                let challenge = format!("{challenge}, error=\"invalid_token\"");
                Some(Denied { why: format!("{wanted} is not accepted"), challenge })
            }
        }
    }
}

/// Scheme names are case-insensitive; written as their standards write them.
fn capitalised(scheme: &str) -> String {
    let mut letters = scheme.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding;
    use serde_json::json;

    use super::*;

    fn guard(requirements: &Value) -> Guard {
        let card = json!({
            "securitySchemes": {
                "token": { "httpAuthSecurityScheme": { "scheme": "bearer" } },
                "oauth": { "oauth2SecurityScheme": { "flows": {} } },
                "header": { "apiKeySecurityScheme": { "location": "header", "name": "X-Api-Key" } },
                "query": { "apiKeySecurityScheme": { "location": "query", "name": "key" } },
                "cookie": { "apiKeySecurityScheme": { "location": "cookie", "name": "sid" } },
                "mtls": { "mtlsSecurityScheme": {} },
            },
            "securityRequirements": requirements,
        });
        let mut spec = PeerSpec::healthy("vendor-a", [Binding::JsonRpc]);
        spec.accepts = [("header".to_owned(), vec!["k-1".to_owned(), "k-2".to_owned()])].into();
        Guard::new(&card, &spec)
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
        assert_eq!(denied.challenge, "Bearer realm=\"a2a\"");
        let header = guard(&json!([demands(&["header"])]));
        let denied = header.admit(&request("/", &[("x-api-key", "wrong")])).unwrap_err();
        assert_eq!(denied.why, "the header `X-Api-Key` is not accepted");
    }
}
