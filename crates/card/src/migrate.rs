//! The 1.0 form of a card of 0.3 or 0.2.
//!
//! What the card says stays true: the addresses still speak what they spoke, so each interface keeps the old protocol
//! version until the agent itself is upgraded.

use gauntlet_wire::Binding;
use serde_json::{Map, Value, json};

use crate::address::WebUrl;
use crate::edition::Edition;
use crate::options::Options;
use crate::shape::Shapes;
use crate::subject::SchemeKind;
use crate::validate::edition_of;

/// A card in its 1.0 form.
#[derive(Debug, Clone, PartialEq)]
pub struct Migrated {
    /// The card.
    pub card: Value,
    /// What could not be carried over, and what is left to do; sentences for people.
    pub notes: Vec<String>,
}

/// Why a card has no other form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotMigrated {
    /// It cannot be read: validate it first.
    #[error("the card cannot be read; `gauntlet card validate` says why")]
    Unreadable,
    /// It is of 1.0.
    #[error("the card is of A2A {0} already")]
    Current(Edition),
}

/// Rewrites a card of 0.3 or 0.2 as one of 1.0.
///
/// # Errors
/// When it cannot be read, or is of 1.0.
pub fn migrate(bytes: &[u8], options: &Options) -> Result<Migrated, NotMigrated> {
    let (card, edition) = edition_of(bytes, options).ok_or(NotMigrated::Unreadable)?;
    if edition.is_current() {
        return Err(NotMigrated::Current(edition));
    }
    let Value::Object(old) = card else { return Err(NotMigrated::Unreadable) };
    let mut migration = Migration { notes: Vec::new() };
    let card = migration.card(&old);
    Ok(Migrated { card, notes: migration.notes })
}

struct Migration {
    notes: Vec<String>,
}

impl Migration {
    fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    fn card(&mut self, old: &Map<String, Value>) -> Value {
        let interfaces = self.interfaces(old);
        let mut card = Map::new();
        for name in ["name", "description", "version"] {
            keep(old, name, &mut card);
        }
        card.insert("supportedInterfaces".into(), interfaces);
        for name in ["provider", "documentationUrl", "iconUrl"] {
            keep(old, name, &mut card);
        }
        card.insert("capabilities".into(), self.capabilities(old));
        if let Some(Value::Object(schemes)) = old.get("securitySchemes") {
            let schemes: Map<_, _> =
                schemes.iter().map(|(name, scheme)| (name.clone(), self.scheme(name, scheme))).collect();
            card.insert("securitySchemes".into(), schemes.into());
        }
        if let Some(security) = old.get("security") {
            card.insert("securityRequirements".into(), requirements(security));
        }
        keep(old, "defaultInputModes", &mut card);
        keep(old, "defaultOutputModes", &mut card);
        let skills = old.get("skills").and_then(Value::as_array).into_iter().flatten().map(skill);
        card.insert("skills".into(), skills.collect());
        if old.contains_key("signatures") {
            self.note("signatures were taken out: they are over the old form; sign the new one");
        }
        let known = Shapes::legacy().find("AgentCard").map(|id| Shapes::legacy().get(id));
        for key in old.keys().filter(|key| known.is_some_and(|shape| shape.field(key).is_none())) {
            self.note(format!("`{key}` was taken out: A2A does not define it"));
        }
        card.into()
    }

    fn interfaces(&mut self, old: &Map<String, Value>) -> Value {
        let version = old.get("protocolVersion").and_then(Value::as_str).and_then(|version| version.parse().ok());
        let version: gauntlet_wire::ProtocolVersion = version.unwrap_or(gauntlet_wire::ProtocolVersion::V0_3);
        self.note(format!("each interface says protocolVersion {version}: write 1.0 where the agent serves it"));
        let main = json!({
            "url": old.get("url"),
            "transport": old.get("preferredTransport").cloned().unwrap_or_else(|| "JSONRPC".into()),
        });
        let more = old.get("additionalInterfaces").and_then(Value::as_array).cloned().unwrap_or_default();
        let mut interfaces: Vec<Value> = Vec::new();
        for entry in std::iter::once(main).chain(more) {
            let (Some(url), Some(transport)) = (entry["url"].as_str(), entry["transport"].as_str()) else { continue };
            let url = if transport == Binding::Grpc.name() { self.authority(url) } else { url.to_owned() };
            let interface = json!({ "url": url, "protocolBinding": transport, "protocolVersion": version.to_string() });
            if !interfaces.contains(&interface) {
                interfaces.push(interface);
            }
        }
        interfaces.into()
    }

    /// gRPC addresses are `host:port` in 1.0.
    fn authority(&mut self, url: &str) -> String {
        let Ok(web) = WebUrl::read(url) else { return url.to_owned() };
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
        let has_port = authority.len() > web.host.len();
        let address = match (has_port, web.secure) {
            (true, _) => authority.to_owned(),
            (false, true) => format!("{authority}:443"),
            (false, false) => format!("{authority}:80"),
        };
        self.note(format!("the gRPC address `{url}` was written as `{address}`"));
        address
    }

    fn capabilities(&mut self, old: &Map<String, Value>) -> Value {
        let mut capabilities = old.get("capabilities").and_then(Value::as_object).cloned().unwrap_or_default();
        if capabilities.shift_remove("stateTransitionHistory").is_some() {
            self.note("`stateTransitionHistory` was taken out: 1.0 has no such flag");
        }
        if let Some(flag) = old.get("supportsAuthenticatedExtendedCard") {
            capabilities.insert("extendedAgentCard".into(), flag.clone());
        }
        capabilities.into()
    }

    fn scheme(&mut self, name: &str, scheme: &Value) -> Value {
        let Some((kind, member, _)) = SchemeKind::WORDS.into_iter().find(|(.., word)| scheme["type"] == *word) else {
            self.note(format!("the security scheme `{name}` is of no known type, and was kept as it is"));
            return scheme.clone();
        };
        let mut body = scheme.as_object().cloned().unwrap_or_default();
        body.shift_remove("type");
        match kind {
            SchemeKind::ApiKey => {
                if let Some(place) = body.shift_remove("in") {
                    body.insert("location".into(), place);
                }
            }
            SchemeKind::OAuth2 => self.one_flow(name, &mut body),
            _ => {}
        }
        json!({ member: body })
    }

    /// In 1.0 a scheme has one flow.
    fn one_flow(&mut self, name: &str, body: &mut Map<String, Value>) {
        const PREFERRED: [&str; 4] = ["authorizationCode", "clientCredentials", "password", "implicit"];
        let Some(Value::Object(flows)) = body.get_mut("flows") else { return };
        let Some(kept) = PREFERRED.into_iter().find(|flow| flows.contains_key(*flow)) else { return };
        let dropped: Vec<String> = flows.keys().filter(|flow| *flow != kept).cloned().collect();
        flows.retain(|flow, _| flow == kept);
        if !dropped.is_empty() {
            let dropped = dropped.join(", ");
            self.note(format!(
                "`{name}` keeps its flow {kept}; declare schemes of their own for {dropped}: 1.0 has one each"
            ));
        }
    }
}

fn keep(old: &Map<String, Value>, name: &str, card: &mut Map<String, Value>) {
    if let Some(value) = old.get(name) {
        card.insert(name.into(), value.clone());
    }
}

/// `[{name: [scopes]}]` as `[{schemes: {name: {list: [scopes]}}}]`.
fn requirements(security: &Value) -> Value {
    let alternatives = security.as_array().into_iter().flatten();
    let requirement = |alternative: &Value| {
        let named = alternative.as_object().into_iter().flatten();
        let schemes: Map<_, _> = named.map(|(name, scopes)| (name.clone(), json!({ "list": scopes }))).collect();
        json!({ "schemes": schemes })
    };
    alternatives.map(requirement).collect()
}

fn skill(skill: &Value) -> Value {
    let Value::Object(members) = skill else { return skill.clone() };
    let member = |(name, value): (&String, &Value)| match name.as_str() {
        "security" => ("securityRequirements".to_owned(), requirements(value)),
        _ => (name.clone(), value.clone()),
    };
    Value::Object(members.iter().map(member).collect())
}
