//! The typed view of a card that callers can use.

use gauntlet_wire::v1;
use gauntlet_wire::{Binding, ProtocolVersion};

use gauntlet_wire::protojson::{self, Unknown};

use crate::edition::Edition;
use crate::options::{Options, Purpose};
use crate::problem::CardProblem;
use crate::report::Layer;
use crate::validate::validate;

/// What an agent says of itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// The agent's name.
    pub name: String,
    /// Where it can be reached, the preferred way first. Never empty.
    pub interfaces: Vec<Interface>,
    /// The optional parts of the protocol.
    pub capabilities: Capabilities,
    /// Media types it takes, unless a skill says otherwise.
    pub default_input_modes: Vec<String>,
    /// Media types it produces, unless a skill says otherwise.
    pub default_output_modes: Vec<String>,
    /// What it can do.
    pub skills: Vec<Skill>,
    /// The whole card as a message, for what the view leaves out.
    pub document: v1::AgentCard,
}

/// One address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Interface {
    /// As the card spells it: a URL, or `host:port` for gRPC.
    pub url: String,
    /// The binding as the card spells it; a URI for bindings that A2A does not define.
    pub protocol_binding: String,
    /// The binding, where A2A defines it.
    pub binding: Option<Binding>,
    /// The protocol version as the card spells it.
    pub protocol_version: String,
    /// The version, where it is one.
    pub version: Option<ProtocolVersion>,
    /// What every request to this interface has to repeat.
    pub tenant: Option<String>,
}

/// The optional parts of the protocol. `None`: the card does not say, which is neither yes nor no.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// SendStreamingMessage and SubscribeToTask.
    pub streaming: Option<bool>,
    /// Push notification configurations.
    pub push_notifications: Option<bool>,
    /// GetExtendedAgentCard.
    pub extended_agent_card: Option<bool>,
}

/// One thing the agent can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// Its id, unique in the card.
    pub id: String,
    /// Media types it takes; empty means the card's defaults.
    pub input_modes: Vec<String>,
    /// Media types it produces; empty means the card's defaults.
    pub output_modes: Vec<String>,
}

impl Card {
    /// Reads a card of 1.0 as a caller does: layer by layer, unknown members skipped.
    ///
    /// Errors of layer capability do not refuse the card: a security scheme that nobody can follow, or a signature that does
    /// not hold, bars what depends on it and nothing else. A caller who is going to depend on it weighs that where it
    /// chooses schemes and interfaces; one who wants all four layers held calls [`validate`] first and asks
    /// [`Report::is_valid`](crate::Report::is_valid).
    ///
    /// # Errors
    /// The first problem of the first of the layers parse, schema and spec that fails.
    pub fn parse(bytes: &[u8]) -> Result<Self, CardProblem> {
        // A card of 0.3 lacks what 1.0 requires, and is told so.
        let options = Options { edition: Some(Edition::V1_0), ..Options::new(Purpose::Consume) };
        if let Some(problem) = CardProblem::of(&validate(bytes, &options)) {
            return Err(problem);
        }
        let value = |message: String| CardProblem {
            layer: Layer::Schema,
            rule: "schema-type",
            pointer: String::new(),
            message,
        };
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let document = serde_json::from_slice(bytes).map_err(|error| value(error.to_string()))?;
        let card = protojson::from_json::<v1::AgentCard>(&document, Unknown::Ignore);
        card.map(Self::view).map_err(|error| value(error.to_string()))
    }

    fn view(document: v1::AgentCard) -> Self {
        let declared = document.capabilities.clone().unwrap_or_default();
        Self {
            name: document.name.clone(),
            interfaces: document.supported_interfaces.iter().map(Interface::view).collect(),
            capabilities: Capabilities {
                streaming: declared.streaming,
                push_notifications: declared.push_notifications,
                extended_agent_card: declared.extended_agent_card,
            },
            default_input_modes: document.default_input_modes.clone(),
            default_output_modes: document.default_output_modes.clone(),
            skills: document.skills.iter().map(Skill::view).collect(),
            document,
        }
    }

    /// The skill of that id.
    pub fn skill(&self, id: &str) -> Option<&Skill> {
        self.skills.iter().find(|skill| skill.id == id)
    }

    /// The media types taken for a skill, or without one: a skill's own list replaces the defaults.
    pub fn input_modes<'a>(&'a self, skill: Option<&'a Skill>) -> &'a [String] {
        match skill {
            Some(skill) if !skill.input_modes.is_empty() => &skill.input_modes,
            _ => &self.default_input_modes,
        }
    }

    /// The extensions that whoever calls has to support, by uri.
    pub fn required_extensions(&self) -> impl Iterator<Item = &str> {
        let extensions = self.document.capabilities.iter().flat_map(|capabilities| &capabilities.extensions);
        extensions.filter(|extension| extension.required).map(|extension| extension.uri.as_str())
    }

    /// Whether a bearer token in the HTTP Authorization header satisfies one of the card's security requirements on
    /// its own. A card without requirements asks for none.
    pub fn requires_bearer(&self) -> bool {
        self.document.security_requirements.iter().any(|requirement| {
            !requirement.schemes.is_empty() && requirement.schemes.keys().all(|name| self.is_bearer(name))
        })
    }

    fn is_bearer(&self, scheme: &str) -> bool {
        use v1::security_scheme::Scheme;
        let scheme = self.document.security_schemes.get(scheme).and_then(|scheme| scheme.scheme.as_ref());
        // Scheme names of HTTP authentication ignore case (RFC 9110 §11.1).
        matches!(scheme, Some(Scheme::HttpAuthSecurityScheme(http)) if http.scheme.eq_ignore_ascii_case("bearer"))
    }
}

impl Interface {
    fn view(interface: &v1::AgentInterface) -> Self {
        Self {
            url: interface.url.clone(),
            protocol_binding: interface.protocol_binding.clone(),
            binding: interface.protocol_binding.parse().ok(),
            protocol_version: interface.protocol_version.clone(),
            version: interface.protocol_version.parse().ok(),
            tenant: Some(interface.tenant.clone()).filter(|tenant| !tenant.is_empty()),
        }
    }
}

impl Skill {
    fn view(skill: &v1::AgentSkill) -> Self {
        Self { id: skill.id.clone(), input_modes: skill.input_modes.clone(), output_modes: skill.output_modes.clone() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn document() -> Value {
        json!({
            "name": "vendor-a", "description": "d", "version": "1.0.0",
            "supportedInterfaces": [
                { "url": "http://127.0.0.1:1/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0.3", "tenant": "acme" },
                { "url": "x", "protocolBinding": "https://example.org/own", "protocolVersion": "1.0" },
            ],
            "capabilities": { "streaming": false },
            "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
            "skills": [
                { "id": "own", "name": "n", "description": "d", "tags": ["t"], "inputModes": ["text/csv"] },
                { "id": "plain", "name": "n", "description": "d", "tags": ["t"] },
            ],
        })
    }

    fn read(document: &Value) -> Result<Card, CardProblem> {
        Card::parse(document.to_string().as_bytes())
    }

    fn problem(document: &Value) -> (Layer, &'static str, String) {
        let problem = read(document).unwrap_err();
        (problem.layer, problem.rule, problem.pointer)
    }

    #[test]
    fn a_card_is_viewed_as_it_says() {
        let card = read(&document()).unwrap();
        assert_eq!(card.interfaces[0].binding, Some(Binding::JsonRpc));
        assert_eq!(card.interfaces[0].version, Some(ProtocolVersion::V1_0), "a patch number changes nothing");
        assert_eq!(card.interfaces[0].tenant.as_deref(), Some("acme"));
        assert_eq!((card.interfaces[1].binding, card.interfaces[1].tenant.as_ref()), (None, None));
        assert_eq!(card.capabilities, Capabilities { streaming: Some(false), ..Capabilities::default() });
    }

    #[test]
    fn skill_modes_stand_in_for_the_defaults() {
        let card = read(&document()).unwrap();
        assert_eq!(card.input_modes(card.skill("own")), ["text/csv"]);
        assert_eq!(card.input_modes(card.skill("plain")), ["text/plain"]);
        assert_eq!(card.input_modes(None), ["text/plain"]);
        assert!(card.skill("other").is_none());
    }

    #[test]
    fn unknown_members_change_nothing_wherever_they_stand() {
        let mut odd = document();
        for pointer in ["", "/supportedInterfaces/0", "/capabilities", "/skills/0"] {
            odd.pointer_mut(pointer).unwrap()["x-vendor"] = json!({ "deep": [1, null] });
        }
        assert_eq!(read(&odd), read(&document()));
    }

    #[test]
    fn each_layer_names_itself_and_the_place() {
        assert_eq!(Card::parse(b"{").unwrap_err().layer, Layer::Parse);
        assert_eq!(Card::parse(b"[]").unwrap_err().rule, "json-object");

        let mut wrong = document();
        wrong["skills"][1]["tags"] = json!("t");
        assert_eq!(problem(&wrong), (Layer::Schema, "schema-type", "/skills/1/tags".to_owned()));
        let mut wrong = document();
        wrong["capabilities"]["streaming"] = json!("yes");
        assert_eq!(problem(&wrong), (Layer::Schema, "schema-type", "/capabilities/streaming".to_owned()));

        let mut lacking = document();
        lacking["supportedInterfaces"][1].as_object_mut().unwrap().remove("protocolVersion");
        assert_eq!(
            problem(&lacking),
            (Layer::Spec, "required-interface-protocol-version", "/supportedInterfaces/1/protocolVersion".to_owned())
        );
        let mut lacking = document();
        lacking["skills"][0]["tags"] = json!([]);
        assert_eq!(problem(&lacking), (Layer::Spec, "skills-tags-nonempty", "/skills/0/tags".to_owned()));
    }

    #[test]
    fn bearer_is_required_where_it_alone_satisfies_a_requirement() {
        let mut card = document();
        card["securitySchemes"] = json!({
            "token": { "httpAuthSecurityScheme": { "scheme": "Bearer" } },
            "key": { "apiKeySecurityScheme": { "location": "header", "name": "X-Key" } },
        });
        assert!(!read(&card).unwrap().requires_bearer(), "declared is not required");
        card["securityRequirements"] = json!([{ "schemes": { "token": { "list": [] }, "key": { "list": [] } } }]);
        assert!(!read(&card).unwrap().requires_bearer(), "bearer and a key");
        card["securityRequirements"] = json!([{ "schemes": { "key": {} } }, { "schemes": { "token": {} } }]);
        assert!(read(&card).unwrap().requires_bearer(), "a key or bearer");
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = format!("{{\"x\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(Card::parse(deep.as_bytes()).unwrap_err().layer, Layer::Parse);
    }

    /// Any JSON, so that mutated cards reach the later layers too.
    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((".{0,6}", inner), 0..4).prop_map(|entries| entries.into_iter().collect()),
            ]
        })
    }

    /// Every pointer of a document.
    fn pointers(value: &Value, at: String, into: &mut Vec<String>) {
        match value {
            Value::Object(members) => {
                members.iter().for_each(|(key, member)| pointers(member, format!("{at}/{key}"), into));
            }
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(index, item)| pointers(item, format!("{at}/{index}"), into));
            }
            _ => {}
        }
        into.push(at);
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..256)) {
            prop_assert!(Card::parse(&bytes).is_err());
        }

        #[test]
        fn a_card_with_anything_anywhere_is_read_or_refused_with_a_place(at in any::<prop::sample::Index>(), with in any_json()) {
            let mut card = document();
            let mut places = Vec::new();
            pointers(&card, String::new(), &mut places);
            let place: &String = at.get(&places);
            *card.pointer_mut(place).unwrap() = with;
            if let Err(problem) = read(&card) {
                prop_assert!(problem.pointer.is_empty() || problem.pointer.starts_with('/'));
            }
        }
    }
}
