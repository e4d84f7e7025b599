//! Selection, from card and delegation alone.

use gauntlet_evidence::contract::{Content, Needs, Policy, Select};
use serde_json::{Value, json};

use super::*;

/// Plain text for nobody in particular.
pub(crate) fn delegation() -> Delegation {
    Delegation {
        id: "d-1".to_owned(),
        session: "s-1".to_owned(),
        principal: None,
        marker: "d-1:m".to_owned(),
        peers: Vec::new(),
        select: Select::OneInOrder,
        message: Content { parts: vec![json!({ "text": "do it (d-1:m)", "mediaType": "text/plain" })] },
        skill: None,
        accepted_output_modes: Vec::new(),
        needs: Needs::default(),
        allowed_bindings: None,
        credentials: std::collections::BTreeMap::new(),
        policy: Policy::default(),
        deadline_ms: 2000,
    }
}

/// A card whose interfaces are all three bindings at `origin`, over which `changes` are laid.
pub(crate) fn card_json(origin: &str, changes: &Value) -> Value {
    let mut card = json!({
        "name": "peer", "description": "d", "version": "1",
        "supportedInterfaces": [
            { "url": "127.0.0.1:1", "protocolBinding": "GRPC", "protocolVersion": "1.0" },
            { "url": format!("{origin}/rpc"), "protocolBinding": "JSONRPC", "protocolVersion": "1.0.2" },
            { "url": format!("{origin}/rest"), "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0" },
        ],
        "capabilities": { "streaming": true },
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [
            { "id": "plain", "name": "n", "description": "d", "tags": ["t"] },
            { "id": "table", "name": "n", "description": "d", "tags": ["t"], "inputModes": ["text/csv"] },
        ],
    });
    for (key, value) in changes.as_object().into_iter().flatten() {
        card[key] = value.clone();
    }
    card
}

#[expect(clippy::needless_pass_by_value, reason = "called with literals")]
fn card(changes: Value) -> Card {
    Card::parse(card_json("http://127.0.0.1:1", &changes).to_string().as_bytes()).unwrap()
}

fn select(card: &Card, delegation: &Delegation) -> Result<Vec<(Binding, Operation, bool)>, &'static str> {
    attempts(card, delegation, Flaws::default())
        .map(|ways| ways.iter().map(|way| (way.endpoint.binding, way.operation, way.prove_streaming)).collect())
        .map_err(|refusal| refusal.code)
}

use Operation::{SendMessage, SendStreamingMessage};

#[test]
fn interfaces_are_tried_in_the_order_of_the_card() {
    let ways = select(&card(json!({})), &delegation()).unwrap();
    assert_eq!(ways, [Binding::Grpc, Binding::JsonRpc, Binding::HttpJson].map(|binding| (binding, SendMessage, false)));
}

#[test]
fn only_allowed_bindings_are_used_and_an_absent_one_is_refused() {
    let mut work = delegation();
    work.allowed_bindings = Some(vec![Binding::HttpJson]);
    assert_eq!(select(&card(json!({})), &work), Ok(vec![(Binding::HttpJson, SendMessage, false)]));
    let jsonrpc = json!([{ "url": "http://127.0.0.1:1", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }]);
    assert_eq!(select(&card(json!({ "supportedInterfaces": jsonrpc })), &work), Err("no-shared-interface"));
}

#[test]
fn foreign_bindings_are_skipped_and_foreign_versions_told_apart() {
    let interface = |binding: &str, version: &str| json!({ "url": "http://127.0.0.1:1", "protocolBinding": binding, "protocolVersion": version });
    let of = |interfaces: Vec<Value>| select(&card(json!({ "supportedInterfaces": interfaces })), &delegation());
    let own = || interface("https://example.org/own", "1.0");
    assert_eq!(of(vec![own(), interface("JSONRPC", "1.0")]), Ok(vec![(Binding::JsonRpc, SendMessage, false)]));
    assert_eq!(of(vec![own()]), Err("no-shared-interface"));
    assert_eq!(of(vec![interface("JSONRPC", "2.0")]), Err("version-unsupported"));
}

#[test]
fn streaming_follows_the_need_and_the_declaration() {
    let of = |need, declared: Value| {
        let grpc = json!([{ "url": "127.0.0.1:1", "protocolBinding": "GRPC", "protocolVersion": "1.0" }]);
        let card = card(json!({ "supportedInterfaces": grpc, "capabilities": declared }));
        let mut work = delegation();
        work.needs.streaming = need;
        let ways: Result<Vec<_>, _> =
            select(&card, &work).map(|ways| ways.into_iter().map(|(_, operation, prove)| (operation, prove)).collect());
        ways
    };
    let (yes, no, unsaid) = (json!({ "streaming": true }), json!({ "streaming": false }), json!({}));
    assert_eq!(of(Need::Required, yes.clone()), Ok(vec![(SendStreamingMessage, true)]));
    assert_eq!(of(Need::Required, unsaid.clone()), Ok(vec![(SendStreamingMessage, true)]));
    assert_eq!(of(Need::Required, no.clone()), Ok(vec![(SendStreamingMessage, true)]), "a probe decides");
    assert_eq!(of(Need::Preferred, yes.clone()), Ok(vec![(SendStreamingMessage, false), (SendMessage, false)]));
    assert_eq!(of(Need::Preferred, unsaid), Ok(vec![(SendMessage, false)]));
    assert_eq!(of(Need::Preferred, no), Ok(vec![(SendMessage, false)]));
    assert_eq!(of(Need::Unused, yes), Ok(vec![(SendMessage, false)]));
}

#[test]
fn finding_out_by_doing_is_never_done_against_the_card() {
    let mut work = delegation();
    work.needs.streaming = Need::Required;
    work.policy.send_and_see = true;
    let proves = |declared: Value| select(&card(json!({ "capabilities": declared })), &work).unwrap()[0].2;
    assert!(!proves(json!({ "streaming": true })));
    assert!(proves(json!({ "streaming": false })));
}

#[test]
fn a_skills_own_modes_replace_the_defaults_there_and_nowhere_else() {
    let of = |skill: Option<&str>, media_type: &str| {
        let mut work = delegation();
        work.skill = skill.map(str::to_owned);
        work.message.parts = vec![json!({ "text": "a", "mediaType": media_type })];
        select(&card(json!({})), &work).map(|_| ())
    };
    assert_eq!(of(Some("table"), "text/csv"), Ok(()));
    assert_eq!(of(Some("plain"), "text/csv"), Err("mode-unsupported"));
    assert_eq!(of(None, "text/csv"), Err("mode-unsupported"));
    assert_eq!(of(Some("table"), "text/plain"), Err("mode-ambiguous"));
    assert_eq!(of(None, "Text/Plain; charset=utf-8"), Ok(()));
    assert_eq!(of(Some("other"), "text/plain"), Err("skill-unknown"));
}

#[test]
fn what_cannot_be_had_here_is_refused_rather_than_ignored() {
    let mut signed = delegation();
    signed.policy.require_signatures = true;
    assert_eq!(select(&card(json!({})), &signed), Err("card-illegal"));
}

#[test]
fn webhooks_follow_the_need_and_the_declaration() {
    let of = |need, declared: Value| {
        let grpc = json!([{ "url": "127.0.0.1:1", "protocolBinding": "GRPC", "protocolVersion": "1.0" }]);
        let card = card(json!({ "supportedInterfaces": grpc, "capabilities": declared }));
        let mut work = delegation();
        work.needs.push = need;
        let ways = attempts(&card, &work, Flaws::default()).map_err(|refusal| refusal.capability);
        ways.map(|ways| ways.iter().map(|way| (way.webhook, way.prove_push)).collect::<Vec<_>>())
    };
    let (yes, no) = (json!({ "pushNotifications": true }), json!({ "pushNotifications": false }));
    assert_eq!(of(Need::Required, yes.clone()), Ok(vec![(true, true)]));
    assert_eq!(of(Need::Required, no.clone()), Err(Some("push")));
    assert_eq!(of(Need::Required, json!({})), Err(Some("push")));
    assert_eq!(of(Need::Preferred, yes.clone()), Ok(vec![(true, false), (false, false)]));
    assert_eq!(of(Need::Preferred, no), Ok(vec![(false, false)]));
    assert_eq!(of(Need::Unused, yes), Ok(vec![(false, false)]));
}

#[test]
fn media_ranges_take_what_lies_in_them() {
    let modes = |list: &[&str]| list.iter().map(|&mode| mode.to_owned()).collect::<Vec<_>>();
    assert!(takes(&modes(&["image/*"]), "image/png"));
    assert!(!takes(&modes(&["image/*"]), "text/plain"));
    assert!(takes(&modes(&["*/*"]), "text/plain"));
}
