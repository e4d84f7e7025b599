//! What a card says it serves, read as leniently as can be: a card with mistakes is audited too, as far as it goes.

use gauntlet_card::{Options, migrate};
use gauntlet_wire::{Binding, ProtocolVersion};
use serde_json::Value;

/// An interface that a card lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// JSON pointer to its url in the card.
    pub pointer: String,
    /// As the card spells it.
    pub url: String,
    /// The binding as the card spells it.
    pub protocol_binding: String,
    /// The binding, where A2A defines it.
    pub binding: Option<Binding>,
    /// The version as the card spells it.
    pub protocol_version: String,
    /// What every request has to repeat.
    pub tenant: Option<String>,
}

impl Listed {
    fn current(card: &Value) -> Vec<Self> {
        let entries = card["supportedInterfaces"].as_array().into_iter().flatten().enumerate();
        let listed = entries.map(|(index, entry)| {
            let pointer = format!("/supportedInterfaces/{index}/url");
            Self::new(pointer, &entry["url"], &entry["protocolBinding"], &entry["protocolVersion"]).of(&entry["tenant"])
        });
        listed.collect()
    }

    /// The main url with the preferred transport, and the additional interfaces that are not the same again.
    fn before_1_0(card: &Value) -> Vec<Self> {
        let text = |value: &Value, otherwise: &str| Value::from(value.as_str().unwrap_or(otherwise));
        let version = text(&card["protocolVersion"], "0.3");
        let main = text(&card["preferredTransport"], "JSONRPC");
        let mut listed = vec![Self::new("/url".to_owned(), &card["url"], &main, &version)];
        for (index, entry) in card["additionalInterfaces"].as_array().into_iter().flatten().enumerate() {
            let pointer = format!("/additionalInterfaces/{index}/url");
            let one = Self::new(pointer, &entry["url"], &entry["transport"], &version);
            let known = |other: &Self| other.url == one.url && other.protocol_binding == one.protocol_binding;
            if !listed.iter().any(known) {
                listed.push(one);
            }
        }
        listed
    }

    fn new(pointer: String, url: &Value, binding: &Value, version: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Self {
            pointer,
            url: text(url),
            protocol_binding: text(binding),
            binding: text(binding).parse().ok(),
            protocol_version: text(version),
            tenant: None,
        }
    }

    fn of(self, tenant: &Value) -> Self {
        Self { tenant: tenant.as_str().filter(|tenant| !tenant.is_empty()).map(str::to_owned), ..self }
    }

    /// The version, where it is one.
    pub(crate) fn version(&self) -> Option<ProtocolVersion> {
        self.protocol_version.parse().ok()
    }
}

/// What a card declares.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Declared {
    pub(crate) interfaces: Vec<Listed>,
    pub(crate) streaming: Option<bool>,
    pub(crate) push: Option<bool>,
    pub(crate) extended_card: Option<bool>,
    /// The extensions without which no call is taken, as A2A-Extensions names them.
    pub(crate) extensions: String,
    /// Whether nobody is to be let in without credentials.
    pub(crate) secured: bool,
}

impl Declared {
    /// Reads a card; one of 0.3 by its form in 1.0.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let card = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let Ok(card) = serde_json::from_slice::<Value>(card) else { return Self::default() };
        let older = migrate(bytes, &Options::default()).ok();
        let form = older.as_ref().map_or(&card, |migrated| &migrated.card);
        let interfaces = if older.is_some() { Listed::before_1_0(&card) } else { Listed::current(&card) };
        let capability = |name: &str| form["capabilities"][name].as_bool();
        let extensions = form["capabilities"]["extensions"].as_array().into_iter().flatten();
        let required = extensions.filter(|extension| extension["required"] == true);
        let extensions: Vec<&str> = required.filter_map(|extension| extension["uri"].as_str()).collect();
        let requirements = form["securityRequirements"].as_array().map_or(&[][..], Vec::as_slice);
        // A requirement without schemes lets everybody in.
        let open = |requirement: &Value| requirement["schemes"].as_object().is_none_or(serde_json::Map::is_empty);
        Self {
            interfaces,
            streaming: capability("streaming"),
            push: capability("pushNotifications"),
            extended_card: capability("extendedAgentCard"),
            extensions: extensions.join(","),
            secured: !requirements.is_empty() && !requirements.iter().any(open),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cards_of_both_editions_are_read_and_mistakes_do_no_harm() {
        let card = json!({ "supportedInterfaces": [
            { "url": "http://127.0.0.1:1/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0", "tenant": "acme" },
            { "url": 7 }, "x",
        ], "capabilities": { "streaming": true } });
        let declared = Declared::of(card.to_string().as_bytes());
        assert_eq!(declared.interfaces.len(), 3);
        assert_eq!(declared.interfaces[0].binding, Some(Binding::JsonRpc));
        assert_eq!(declared.interfaces[0].tenant.as_deref(), Some("acme"));
        assert_eq!(declared.interfaces[2].pointer, "/supportedInterfaces/2/url");
        assert_eq!((declared.streaming, declared.push), (Some(true), None));

        let older = json!({ "name": "a", "protocolVersion": "0.3.0", "url": "https://a.example.com/rpc",
            "preferredTransport": "JSONRPC", "additionalInterfaces": [{ "url": "https://a.example.com/g", "transport": "GRPC" }] });
        let declared = Declared::of(older.to_string().as_bytes());
        let pointers: Vec<&str> = declared.interfaces.iter().map(|listed| listed.pointer.as_str()).collect();
        assert_eq!(pointers, ["/url", "/additionalInterfaces/0/url"]);
        assert_eq!(Declared::of(b"<html>"), Declared::default());
    }

    #[test]
    fn a_requirement_without_schemes_lets_everybody_in() {
        let secured = |requirements: Value| {
            Declared::of(
                json!({ "supportedInterfaces": [], "securityRequirements": requirements }).to_string().as_bytes(),
            )
            .secured
        };
        assert!(secured(json!([{ "schemes": { "b": {} } }])));
        assert!(!secured(json!([{ "schemes": { "b": {} } }, { "schemes": {} }])));
        assert!(!secured(json!([])));
    }
}
