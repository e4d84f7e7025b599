//! What the caller gave: credentials as driver protocol 1 spells them.

use std::collections::BTreeSet;

use serde_json::Value;

/// One credential, and where it may be shown.
#[derive(Debug, Clone)]
pub(super) struct Credential {
    pub(super) kind: Kind,
    /// Empty means wherever the peer is.
    pub(super) origins: Vec<String>,
}

#[derive(Debug, Clone)]
pub(super) enum Kind {
    Bearer(String),
    ApiKey(String),
    /// Name and password.
    Basic(String, String),
    /// A client that may obtain tokens.
    Client(Client),
    /// A token of OAuth that the caller has obtained: flow, scopes, token.
    Token {
        flow: String,
        scopes: BTreeSet<String>,
        token: String,
    },
}

/// Who may obtain tokens, where, and for what.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Client {
    pub(super) flow: String,
    pub(super) token_url: String,
    pub(super) id: String,
    pub(super) secret: String,
    pub(super) audience: Option<String>,
    /// The scopes that may be asked for; empty means any.
    pub(super) scopes: BTreeSet<String>,
}

impl Client {
    /// Whether these scopes may be asked for.
    pub(super) fn allows<'s>(&self, mut scopes: impl Iterator<Item = &'s str>) -> bool {
        self.scopes.is_empty() || scopes.all(|scope| self.scopes.contains(scope))
    }
}

impl Credential {
    /// Reads one; what is of no known scheme is no use.
    pub(super) fn read(value: &Value) -> Option<Self> {
        let text = |member: &str| value.get(member).and_then(Value::as_str).map(str::to_owned);
        let list = |member: &str| {
            let items = value.get(member).and_then(Value::as_array).into_iter().flatten();
            items.filter_map(Value::as_str).map(str::to_owned)
        };
        let kind = match value.get("scheme")?.as_str()? {
            "bearer" => Kind::Bearer(text("token")?),
            "apiKey" => Kind::ApiKey(text("key")?),
            "basic" => Kind::Basic(text("username")?, text("password")?),
            "oauth2" => match text("token") {
                Some(token) => Kind::Token { flow: text("flow")?, scopes: list("scopes").collect(), token },
                None => Kind::Client(Client {
                    flow: text("flow")?,
                    token_url: text("tokenUrl")?,
                    id: text("clientId")?,
                    secret: text("clientSecret")?,
                    audience: text("audience"),
                    scopes: list("scopes").collect(),
                }),
            },
            _ => return None,
        };
        Some(Self { kind, origins: list("origins").collect() })
    }
}
