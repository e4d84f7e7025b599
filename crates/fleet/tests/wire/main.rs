//! Peers as raw clients see them, over real sockets, on every binding.

#![expect(clippy::unwrap_used, reason = "in a test, a panic with its place is the report")]

mod access;
mod client;
mod conversations;
mod defects;
mod exchanges;
mod hostile;
mod http_details;
mod journal;
mod lifecycle;
mod listing;
mod push;
mod raw;
mod receiver;
mod spellings;
mod tokens;

use client::Client;
use gauntlet_evidence::{Delegation, PeerState};
use gauntlet_fleet::{Clock, Fleet, FleetOptions, PeerPlan};
use gauntlet_scenario::{Behaviour, DefectUse, Library, PeerSpec, Place};
use gauntlet_wire::Binding;
use serde_json::{Value, json};

/// One peer on all bindings, running a script given as YAML.
async fn fleet(behaviour: &str) -> Fleet {
    fleet_with(PeerSpec { behaviour: Behaviour::parse(behaviour, "test.yaml").unwrap(), ..healthy() }, &[]).await
}

fn healthy() -> PeerSpec {
    PeerSpec::healthy("vendor-a", Binding::ALL)
}

/// A peer with defects: each an id and its arguments as YAML.
async fn fleet_with(spec: PeerSpec, defects: &[(&str, Option<&str>)]) -> Fleet {
    let always: Vec<_> = defects.iter().map(|(id, arguments)| (*id, *arguments, None)).collect();
    fleet_when(spec, &always).await
}

/// A peer with defects: each an id, its arguments and its conditions as YAML.
async fn fleet_when(spec: PeerSpec, defects: &[(&str, Option<&str>, Option<&str>)]) -> Fleet {
    let library = Library::embedded().unwrap();
    let defects = defects.iter().map(|(id, arguments, when)| {
        let used = DefectUse::parse(id, *arguments, *when, Place::whole("test", id)).unwrap();
        library.apply(&used, &spec).unwrap()
    });
    let plan = PeerPlan { defects: defects.collect(), spec };
    let options = FleetOptions { seed: 7, clock: Clock::stepping(), ..FleetOptions::default() };
    Fleet::start(vec![plan], options).await.unwrap()
}

/// A client of the first interface of that binding.
fn client(fleet: &Fleet, binding: Binding) -> Client {
    let state = state(fleet);
    let interface = state.interfaces.iter().find(|interface| interface.binding == binding).unwrap();
    Client::new(binding, &interface.url)
}

fn state(fleet: &Fleet) -> PeerState {
    fleet.states().remove(0)
}

/// A SendMessage request with that text.
fn says(text: &str) -> Value {
    json!({ "message": { "messageId": "m-1", "role": "ROLE_USER", "parts": [{ "text": text }] } })
}

/// The same request with members of the message added.
fn says_with(text: &str, members: &Value) -> Value {
    let mut request = says(text);
    request["message"].as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    request
}

fn delegation(id: &str, marker: &str) -> Delegation {
    serde_json::from_value(json!({
        "id": id, "session": "s", "marker": marker, "peers": [], "message": { "parts": [] }, "deadlineMs": 1000,
    }))
    .unwrap()
}
