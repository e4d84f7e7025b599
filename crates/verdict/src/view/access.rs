//! Credentials: what cards demand, what callers were given, what token servers issued, and what requests bring.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gauntlet_evidence::contract::Delegation;
use gauntlet_evidence::{Exchange, RequestClass, SECRET_OF_CREDENTIAL};
use gauntlet_wire::rest::query_parameter;
use serde_json::Value;

use super::interface::authority;
use super::{Card, View};

/// Shorter values occur by chance.
const TELLING: usize = 6;

/// A scheme that a card demands, and the scopes it is wanted for.
#[derive(Debug, Clone, PartialEq)]
pub struct Demand<'a> {
    /// What the card calls the scheme.
    pub name: &'a str,
    /// The scopes.
    pub scopes: Vec<&'a str>,
    /// What the scheme is.
    pub form: Form<'a>,
}

/// What a scheme is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form<'a> {
    /// OAuth 2.0 of that flow; without one nobody knows what it means.
    OAuth2(Option<&'a str>),
    /// A bearer token.
    Bearer,
    /// Name and password.
    Basic,
    /// An API key in a header.
    Header(&'a str),
    /// An API key in the query.
    Query(&'a str),
    /// An API key in a cookie.
    Cookie(&'a str),
    /// Something that is not looked at here.
    Other,
    /// The card does not describe it.
    Undescribed,
}

/// A token that a peer's token server issued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issued<'a> {
    /// The peer.
    pub peer: &'a str,
    /// The token.
    pub token: &'a str,
    /// What it was granted for.
    pub scopes: Vec<&'a str>,
    /// Whom it is meant for, where that was asked for.
    pub audience: Option<String>,
}

/// How a request meets a demand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Brought {
    /// It brings nothing of that form.
    Nothing,
    /// It brings something else than what is right here: why.
    Wrong(String),
    /// It does.
    Right,
}

/// A call that was not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Denied {
    /// The journal entry that says so.
    pub entry: u64,
    /// 403 or PERMISSION_DENIED; otherwise 401 or UNAUTHENTICATED.
    pub forbidden: bool,
}

impl<'a> Card<'a> {
    /// What the card demands of callers: any of these, in full. Empty where everybody may call.
    pub fn demands(self) -> Vec<Vec<Demand<'a>>> {
        alternatives(self.0, self.0)
    }

    /// What a skill demands besides.
    pub fn demands_of_skill(self, skill: &str) -> Vec<Vec<Demand<'a>>> {
        self.skill(skill).map_or_else(Vec::new, |skill| alternatives(self.0, skill))
    }

    /// Whether every alternative holds a scheme of which nobody can know what it means.
    pub fn demands_are_ambiguous(self) -> bool {
        let demands = self.demands();
        !demands.is_empty() && demands.iter().all(|all| all.iter().any(Demand::is_ambiguous))
    }
}

fn alternatives<'a>(card: &'a Value, holder: &'a Value) -> Vec<Vec<Demand<'a>>> {
    let requirements = holder.get("securityRequirements").and_then(Value::as_array).into_iter().flatten();
    let demands = requirements.map(|requirement| {
        let schemes = requirement.get("schemes").and_then(Value::as_object).into_iter().flatten();
        let demands = schemes.map(|(name, scopes)| Demand {
            name,
            scopes: texts(scopes.get("list")),
            form: Form::of(card.get("securitySchemes").and_then(|schemes| schemes.get(name))),
        });
        demands.collect()
    });
    demands.collect()
}

fn texts(list: Option<&Value>) -> Vec<&str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

impl<'a> Form<'a> {
    fn of(scheme: Option<&'a Value>) -> Self {
        let described = scheme.and_then(Value::as_object).and_then(|scheme| scheme.iter().next());
        let Some((kind, details)) = described else { return Self::Undescribed };
        let text = |key: &str| details.get(key).and_then(Value::as_str);
        match kind.as_str() {
            "oauth2SecurityScheme" => {
                let flows = details.get("flows").and_then(Value::as_object);
                Self::OAuth2(flows.and_then(|flows| flows.keys().next()).map(String::as_str))
            }
            "httpAuthSecurityScheme" => match text("scheme").map(str::to_ascii_lowercase).as_deref() {
                Some("bearer") => Self::Bearer,
                Some("basic") => Self::Basic,
                _ => Self::Other,
            },
            "apiKeySecurityScheme" => match (text("location"), text("name")) {
                (Some("header"), Some(name)) => Self::Header(name),
                (Some("query"), Some(name)) => Self::Query(name),
                (Some("cookie"), Some(name)) => Self::Cookie(name),
                _ => Self::Other,
            },
            _ => Self::Other,
        }
    }
}

impl Demand<'_> {
    /// Whether nobody can know what it means.
    pub fn is_ambiguous(&self) -> bool {
        matches!(self.form, Form::OAuth2(None) | Form::Undescribed)
    }

    /// Whether a credential is what it asks for: of that type, flow and scopes, whatever the card calls it.
    pub fn fits(&self, credential: &Value) -> bool {
        let scheme = credential.get("scheme").and_then(Value::as_str).unwrap_or_default();
        match self.form {
            Form::OAuth2(Some(flow)) => {
                let granted = texts(credential.get("scopes"));
                scheme == "oauth2"
                    && credential.get("flow").and_then(Value::as_str) == Some(flow)
                    && (granted.is_empty() || self.scopes.iter().all(|scope| granted.contains(scope)))
            }
            Form::Bearer => scheme == "bearer",
            Form::Basic => scheme == "basic",
            Form::Header(_) | Form::Query(_) | Form::Cookie(_) => scheme == "apiKey",
            Form::OAuth2(None) | Form::Other | Form::Undescribed => false,
        }
    }

    /// What a request brings in the place where this scheme has it.
    pub fn value(&self, exchange: &Exchange<'_>) -> Option<String> {
        let request = exchange.request;
        let authorization = |wanted: &str| {
            let (scheme, value) = request.header("authorization")?.split_once(' ')?;
            scheme.eq_ignore_ascii_case(wanted).then(|| value.trim().to_owned())
        };
        let value = match self.form {
            Form::OAuth2(_) | Form::Bearer => authorization("bearer"),
            Form::Basic => authorization("basic"),
            Form::Header(name) => request.header(&name.to_ascii_lowercase()).map(str::to_owned),
            Form::Query(name) => {
                let query = request.path.split_once('?').and_then(|(_, query)| query_parameter(query, name));
                // There is no query in gRPC; metadata stands for it.
                query.or_else(|| request.header(&name.to_ascii_lowercase()).map(str::to_owned))
            }
            Form::Cookie(name) => {
                let cookies = request.header("cookie").unwrap_or_default().split(';').map(str::trim);
                cookies
                    .filter_map(|cookie| cookie.split_once('='))
                    .find(|(key, _)| *key == name)
                    .map(|(_, v)| v.to_owned())
            }
            Form::Other | Form::Undescribed => None,
        };
        value.filter(|value| !value.is_empty())
    }
}

impl<'a> View<'a> {
    /// The tokens that token servers issued, in order.
    pub fn issued(&self) -> Vec<Issued<'a>> {
        let answers = self.exchanges.iter().flat_map(|x| x.frames.iter().map(move |(_, frame)| (x, frame)));
        let issued = answers.filter_map(|(x, frame)| {
            let object = frame.object.as_ref().filter(|_| x.request.class == RequestClass::Discovery)?;
            let form = x.request.body.text().unwrap_or_default().replace('+', " ");
            Some(Issued {
                peer: x.peer,
                token: object.get("access_token")?.as_str()?,
                scopes: object.get("scope").and_then(Value::as_str).unwrap_or_default().split_whitespace().collect(),
                audience: query_parameter(&form, "audience").or_else(|| query_parameter(&form, "resource")),
            })
        });
        issued.collect()
    }

    /// The credentials that a delegation was given for a peer.
    pub fn given(&self, delegation: &'a Delegation, peer: &str) -> &'a [Value] {
        delegation.credentials.get(peer).map_or(&[], Vec::as_slice)
    }

    /// The first alternative that the credentials given for a peer meet in full.
    pub fn met_by<'d>(&self, alternatives: &'d [Vec<Demand<'a>>], given: &[Value]) -> Option<&'d Vec<Demand<'a>>> {
        let met = |demand: &Demand<'_>| given.iter().any(|credential| demand.fits(credential));
        alternatives.iter().find(|all| all.iter().all(met))
    }

    /// How a request to a peer meets a demand, with what was given for that peer.
    pub fn brought(&self, exchange: &Exchange<'a>, demand: &Demand<'_>, given: &[Value]) -> Brought {
        let Some(value) = demand.value(exchange) else { return Brought::Nothing };
        let text =
            |credential: &'_ Value, member: &str| credential.get(member).and_then(Value::as_str).map(str::to_owned);
        let fitting = || given.iter().filter(|credential| demand.fits(credential));
        let is_given = fitting().any(|credential| match demand.form {
            Form::Basic => {
                let pair = text(credential, "username").zip(text(credential, "password"));
                let decoded = STANDARD.decode(&value).ok().and_then(|bytes| String::from_utf8(bytes).ok());
                pair.map(|(name, password)| format!("{name}:{password}")) == decoded && decoded.is_some()
            }
            Form::Header(_) | Form::Query(_) | Form::Cookie(_) => text(credential, "key") == Some(value.clone()),
            _ => text(credential, "token") == Some(value.clone()),
        });
        if is_given {
            return Brought::Right;
        }
        if !matches!(demand.form, Form::OAuth2(_)) {
            return Brought::Wrong("it is not the one that was given for this".to_owned());
        }
        let issued = self.issued();
        let Some(token) = issued.iter().find(|issued| issued.token == value) else {
            return Brought::Wrong("no token server has issued it".to_owned());
        };
        if token.peer != exchange.peer {
            return Brought::Wrong(format!("it is a token of {}", token.peer));
        }
        if let Some(scope) = demand.scopes.iter().find(|scope| !token.scopes.contains(scope)) {
            return Brought::Wrong(format!("it was obtained without the scope `{scope}`"));
        }
        // Those that came of a refresh keep the audience of the first.
        let audience = fitting().find_map(|credential| text(credential, "audience"));
        let first =
            issued.iter().filter(|issued| issued.peer == token.peer).find_map(|issued| issued.audience.as_ref());
        match audience {
            Some(audience) if token.audience.as_ref().or(first) != Some(&audience) => {
                Brought::Wrong(format!("it was obtained without the audience `{audience}`"))
            }
            _ => Brought::Right,
        }
    }

    /// Whether a credential is meant for the address a request came in on: one of its origins, or its token server.
    pub fn is_meant_for(&self, exchange: &Exchange<'_>, credential: &Value) -> bool {
        let origins = texts(credential.get("origins"));
        let token_url = credential.get("tokenUrl").and_then(Value::as_str);
        let listener = self.listener(exchange);
        origins.is_empty() || origins.into_iter().chain(token_url).any(|url| listener == Some(authority(url)))
    }

    /// Whether a call was not let in.
    pub fn denied(&self, exchange: &Exchange<'a>) -> Option<Denied> {
        exchange.request.operation?;
        let failure = self.failure(exchange)?;
        let forbidden = match (&*failure.code, exchange.status) {
            ("PERMISSION_DENIED", _) | (_, Some(403)) => true,
            ("UNAUTHENTICATED", _) | (_, Some(401)) => false,
            _ => return None,
        };
        Some(Denied { entry: failure.entry, forbidden })
    }

    /// Whether following a task was denied: how it stands cannot be known then.
    pub fn is_denied_on(&self, peer: &str, task: &str) -> bool {
        self.exchanges.iter().any(|x| x.peer == peer && x.request.task_id() == Some(task) && self.denied(x).is_some())
    }
}

/// The secrets of a credential.
pub fn secrets(credential: &Value) -> impl Iterator<Item = &str> {
    let texts = SECRET_OF_CREDENTIAL.into_iter().filter_map(|member| credential.get(member)?.as_str());
    texts.filter(|secret| secret.len() >= TELLING)
}

/// Whether a request carries a secret: in headers, path or body, plain or in base64.
pub fn carries(exchange: &Exchange<'_>, secret: &str) -> bool {
    let request = exchange.request;
    let basic = |value: &str| {
        let encoded = value.strip_prefix("Basic ").or_else(|| value.strip_prefix("basic "));
        let decoded = encoded.and_then(|encoded| STANDARD.decode(encoded.trim()).ok());
        decoded.is_some_and(|decoded| String::from_utf8_lossy(&decoded).contains(secret))
    };
    request.headers.iter().any(|(_, value)| value.contains(secret) || basic(value))
        || request.path.contains(secret)
        || request.body.text().is_some_and(|body| body.contains(secret))
        || request.message.as_ref().is_some_and(|message| message.to_string().contains(secret))
}
