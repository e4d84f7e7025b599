//! The peer's card: a legal one, with what the fleet file says merged over it, and what faults make of it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Mutex;

use bytes::Bytes;
use gauntlet_evidence::{InterfaceState, Stamp};
use gauntlet_faults::{FaultSet, Listen};
use gauntlet_scenario::PeerSpec;
use gauntlet_wire::Binding;
use serde_json::{Map, Value, json};

use crate::clock::Clock;
use crate::engine::{Abilities, essence};
use crate::lock::lock;
use crate::peer::Interface;
use crate::stamps;

/// The card of a peer, before and after its faults.
#[derive(Debug)]
pub(crate) struct Card {
    legal: Value,
    /// For callers that ask for it.
    extended: Option<Value>,
    pub(crate) last_modified: String,
    /// Whether the fleet file had a say in it; then its legality is not the fleet's to vouch for.
    pub(crate) written_by_user: bool,
    pub(crate) abilities: Abilities,
    last_served: Mutex<Value>,
    /// Of the interfaces at whose addresses nobody listens.
    unreachable: Vec<Stamp>,
}

/// A card as it goes out once: faults may change it from one fetch to the next.
#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) bytes: Bytes,
    pub(crate) etag: String,
    pub(crate) stamps: Vec<Stamp>,
}

impl Card {
    /// `secured` is what a token server adds. `rehearsal` is a copy of the peer's faults that is used once, so that their
    /// counters start with the first fetch.
    pub(crate) fn new(
        spec: &PeerSpec,
        secured: Option<&Value>,
        interfaces: &[Interface],
        rehearsal: &FaultSet,
        clock: &Clock,
    ) -> Self {
        let mut legal = legal(spec, interfaces);
        secured.into_iter().for_each(|secured| merge(&mut legal, secured));
        merge(&mut legal, &spec.card);
        // A capability that is not declared is not there.
        let can = |capability: &str| {
            let pointer = format!("/capabilities/{capability}");
            legal.pointer(&pointer).and_then(Value::as_bool).unwrap_or(false)
        };
        let (streaming, push, extended_card) = (can("streaming"), can("pushNotifications"), can("extendedAgentCard"));
        let extended = spec.extended_card.as_ref().map(|patch| {
            let mut extended = legal.clone();
            merge(&mut extended, patch);
            extended
        });
        let mut faulty = legal.clone();
        rehearsal.card(&mut faulty);
        // What a fault adds to the card the agent can read; what it takes away the agent still can.
        let input_modes = input_modes(&legal).chain(input_modes(&faulty)).collect();
        Self {
            legal,
            extended,
            last_modified: httpdate::fmt_http_date(clock.began()),
            written_by_user: spec.card.as_object().is_some_and(|members| !members.is_empty())
                || !spec.skills.is_empty(),
            abilities: Abilities { streaming, push, extended_card, input_modes },
            last_served: Mutex::new(faulty),
            unreachable: interfaces
                .iter()
                .enumerate()
                .filter_map(|(index, interface)| unreachable(rehearsal, index, interface))
                .collect(),
        }
    }

    /// As it is without faults: what the peer keeps to.
    pub(crate) const fn declared(&self) -> &Value {
        &self.legal
    }

    /// The extended one, where there is one.
    pub(crate) const fn extended(&self) -> Option<&Value> {
        self.extended.as_ref()
    }

    /// Renders it for a fetch.
    pub(crate) fn serve(&self, faults: &FaultSet) -> Served {
        let mut value = self.legal.clone();
        let mut stamps = stamps::of(faults.card(&mut value));
        stamps.extend_from_slice(&self.unreachable);
        let bytes = Bytes::from(value.to_string());
        *lock(&self.last_served) = value;
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        Served { etag: format!("\"{:016x}\"", hasher.finish()), bytes, stamps }
    }

    /// As it was last served, or would be.
    pub(crate) fn current(&self) -> Value {
        lock(&self.last_served).clone()
    }
}

/// The interfaces as a card declares them; entries of a binding that A2A does not define are left out.
pub(crate) fn interfaces(card: &Value) -> Vec<InterfaceState> {
    let entries = card.get("supportedInterfaces").and_then(Value::as_array).into_iter().flatten();
    let declared = entries.filter_map(|entry| {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(InterfaceState {
            url: text("url")?,
            binding: text("protocolBinding")?.parse::<Binding>().ok()?,
            version: text("protocolVersion").unwrap_or_default(),
            tenant: text("tenant"),
        })
    });
    declared.collect()
}

fn legal(spec: &PeerSpec, interfaces: &[Interface]) -> Value {
    let entries = interfaces.iter().map(|interface| {
        let mut entry = json!({
            "url": interface.url,
            "protocolBinding": interface.binding.name(),
            "protocolVersion": spec.protocol,
        });
        if let Some(tenant) = &interface.tenant {
            entry["tenant"] = json!(tenant);
        }
        entry
    });
    let skills = if spec.skills.is_empty() { vec![json!({ "id": "work" })] } else { spec.skills.clone() };
    json!({
        "name": spec.name,
        "description": format!("{}, an agent that does what it is asked", spec.name),
        "supportedInterfaces": entries.collect::<Vec<_>>(),
        "version": "1.0.0",
        "capabilities": { "streaming": true, "pushNotifications": false },
        "defaultInputModes": ["text/plain", "application/json"],
        "defaultOutputModes": ["text/plain", "application/json"],
        "skills": skills.into_iter().map(complete_skill).collect::<Vec<_>>(),
    })
}

/// Where nobody listens, nothing can be journalled; what tells of it on the wire is the address in the card.
fn unreachable(faults: &FaultSet, index: usize, interface: &Interface) -> Option<Stamp> {
    let (Listen::Refuse, bite) = faults.listen(interface.binding, index)?;
    Some(Stamp { pointers: vec![format!("/supportedInterfaces/{index}/url")], ..stamps::one(bite) })
}

/// Fills in the members that a skill must have.
fn complete_skill(skill: Value) -> Value {
    let Value::Object(given) = skill else { return skill };
    let id = given.get("id").and_then(Value::as_str).unwrap_or("work").to_owned();
    let mut complete = Map::new();
    complete.insert("id".to_owned(), json!(id));
    complete.insert("name".to_owned(), json!(id));
    complete.insert("description".to_owned(), json!(format!("Does {id}")));
    complete.insert("tags".to_owned(), json!([id]));
    complete.extend(given);
    Value::Object(complete)
}

/// RFC 7396: an object merges, null removes, anything else replaces.
fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    let Value::Object(target) = target else { return };
    for (key, value) in patch {
        if value.is_null() {
            target.shift_remove(key);
        } else {
            merge(target.entry(key.clone()).or_insert(Value::Null), value);
        }
    }
}

fn input_modes(card: &Value) -> impl Iterator<Item = String> {
    let skills = card.get("skills").and_then(Value::as_array).into_iter().flatten();
    let lists = skills.filter_map(|skill| skill.get("inputModes")).chain(card.get("defaultInputModes"));
    lists.filter_map(Value::as_array).flatten().filter_map(Value::as_str).map(essence)
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::protojson::{self, Unknown};

    use super::*;

    fn card(spec: &PeerSpec) -> Card {
        let interfaces: Vec<_> =
            spec.interfaces.iter().map(|interface| Interface::new(interface, "127.0.0.1:4000".to_owned())).collect();
        Card::new(spec, None, &interfaces, &FaultSet::default(), &Clock::stepping())
    }

    #[test]
    fn the_card_of_a_healthy_peer_is_legal() {
        let card = card(&PeerSpec::healthy("vendor-a", Binding::ALL)).current();
        let descriptor = gauntlet_wire::message("AgentCard").unwrap();
        let message = protojson::dynamic_from_json(&descriptor, &card, Unknown::Refuse).unwrap();
        assert_eq!(protojson::missing_required(&message), None);
        let urls: Vec<_> = interfaces(&card).into_iter().map(|interface| interface.url).collect();
        assert_eq!(urls, ["http://127.0.0.1:4000", "127.0.0.1:4000", "http://127.0.0.1:4000"]);
    }

    #[test]
    fn the_fleet_file_is_merged_over_it_and_decides_what_the_agent_can_do() {
        let mut spec = PeerSpec::healthy("vendor-a", [Binding::JsonRpc]);
        spec.card = json!({ "capabilities": { "streaming": false, "pushNotifications": null }, "defaultInputModes": ["text/csv"] });
        spec.skills = vec![json!({ "id": "classify", "tags": ["returns"], "inputModes": ["image/png"] })];
        let card = card(&spec);
        let value = card.current();
        assert_eq!(value["capabilities"], json!({ "streaming": false }));
        assert_eq!(value["skills"][0]["tags"], json!(["returns"]));
        assert_eq!(value["skills"][0]["name"], json!("classify"));
        assert!(!card.abilities.streaming);
        assert_eq!(card.abilities.input_modes.into_iter().collect::<Vec<_>>(), ["image/png", "text/csv"]);
    }
}
