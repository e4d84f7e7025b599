//! The token server of a peer: what the `tokenServer` of a fleet file says.

use crate::node::{FileError, Node};
use crate::read::Fields;
use crate::yaml;

const FIELDS: &[&str] = &["scheme", "clientId", "clientSecret", "scopes", "offers", "audience", "lifetime", "refresh"];

/// No token of a mock needs to live longer than a year.
const LONGEST_LIFE: u32 = 31_536_000;

/// An OAuth 2.0 token server at an address of its own: grants client credentials (RFC 6749 §4.4) and refreshes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenServerSpec {
    /// The name of the security scheme in the peer's card.
    pub scheme: String,
    /// Who may ask for tokens.
    pub client_id: String,
    /// What the client shows for itself.
    pub client_secret: String,
    /// The scopes that the peer demands of a token, and that are granted where none are asked for.
    pub scopes: Vec<String>,
    /// Further scopes that are granted to those who ask.
    pub offers: Vec<String>,
    /// Whom a token has to be meant for; without one, the peer does not look.
    pub audience: Option<String>,
    /// How long a token lives, in seconds of the fleet's clock.
    pub lifetime_s: u32,
    /// Whether tokens can be refreshed.
    pub refresh: bool,
}

impl TokenServerSpec {
    /// What is taken for granted of the token server of a peer of that name.
    pub fn of(peer: &str) -> Self {
        Self {
            scheme: "oauth2".to_owned(),
            client_id: "gauntlet".to_owned(),
            client_secret: format!("client-secret-of-{peer}"),
            scopes: vec!["work".to_owned()],
            offers: Vec::new(),
            audience: None,
            lifetime_s: 3600,
            refresh: false,
        }
    }

    /// Reads a token server that stands outside a fleet file, such as in a step. `file` is named in errors.
    ///
    /// # Errors
    /// When it is not YAML, or has unknown keys or values.
    pub fn parse(text: &str, peer: &str, file: &str) -> Result<Self, FileError> {
        Self::read(&yaml::parse(file, text)?, peer)
    }

    /// Reads it; what is left out is as [`TokenServerSpec::of`] says.
    ///
    /// # Errors
    /// When it has unknown keys or values.
    pub(crate) fn read(node: &Node, peer: &str) -> Result<Self, FileError> {
        let fields = Fields::of(node, "`tokenServer`", FIELDS)?;
        let usual = Self::of(peer);
        let words = |key| fields.map(key, |node| node.words().map(str::to_owned));
        Ok(Self {
            scheme: words("scheme")?.unwrap_or(usual.scheme),
            client_id: words("clientId")?.unwrap_or(usual.client_id),
            client_secret: words("clientSecret")?.unwrap_or(usual.client_secret),
            scopes: fields.map("scopes", scopes)?.unwrap_or(usual.scopes),
            offers: fields.map("offers", scopes)?.unwrap_or(usual.offers),
            audience: words("audience")?,
            lifetime_s: fields.map("lifetime", |node| node.count(1, LONGEST_LIFE))?.unwrap_or(usual.lifetime_s),
            refresh: fields.map("refresh", Node::boolean)?.unwrap_or(usual.refresh),
        })
    }
}

/// Scopes are told apart by spaces on the wire (RFC 6749 §3.3), so none may hold one.
fn scopes(node: &Node) -> Result<Vec<String>, FileError> {
    let scope = |item: &Node| match item.words()? {
        text if text.bytes().all(|byte| (b'!'..=b'~').contains(&byte) && !matches!(byte, b'"' | b'\\')) => {
            Ok(text.to_owned())
        }
        text => Err(item.error(format!("`{text}` is not a scope")).help("a scope is one word of ASCII")),
    };
    node.list()?.iter().map(scope).collect()
}
