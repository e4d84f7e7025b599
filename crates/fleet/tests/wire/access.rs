//! What callers must bring: credentials and extensions; and what they then may see: the extended card.

use gauntlet_scenario::PeerSpec;
use gauntlet_wire::{Binding, ErrorKind, Operation};
use serde_json::{Value, json};

use crate::client::Refused;
use crate::{client, fleet_with, healthy, says};

const EXTENDED: Operation = Operation::GetExtendedAgentCard;

fn with_card(card: Value) -> PeerSpec {
    PeerSpec { card, ..healthy() }
}

/// Takes a bearer token, or a key in a header.
fn guarded() -> PeerSpec {
    let mut spec = with_card(json!({
        "capabilities": { "extendedAgentCard": true },
        "securitySchemes": {
            "token": { "httpAuthSecurityScheme": { "scheme": "bearer" } },
            "key": { "apiKeySecurityScheme": { "location": "header", "name": "X-Api-Key" } },
        },
        "securityRequirements": [
            { "schemes": { "token": { "list": [] } } },
            { "schemes": { "key": { "list": [] } } },
        ],
    }));
    spec.accepts = [("token".to_owned(), vec!["t-1".to_owned()])].into();
    spec.extended_card = Some(json!({ "description": "more for those who ask", "skills": [
        { "id": "secret", "name": "Secret", "description": "Does what few know", "tags": ["secret"] },
    ] }));
    spec
}

#[tokio::test]
async fn who_brings_no_accepted_credentials_is_sent_away_on_every_binding() {
    let fleet = fleet_with(guarded(), &[]).await;
    for (binding, code) in
        [(Binding::JsonRpc, "-32000"), (Binding::HttpJson, "401"), (Binding::Grpc, "UNAUTHENTICATED")]
    {
        let refused = Refused { code: code.to_owned(), kind: None };
        for headers in
            [&[][..], &[("authorization", "Bearer t-2")], &[("authorization", "Basic t-1")], &[("x-api-key", "")]]
        {
            let client = client(&fleet, binding).with_headers(headers);
            let answer = client.call(Operation::SendMessage, says("go")).await;
            assert_eq!(answer.unwrap_err(), refused, "{binding} {headers:?}");
            let answer = client.stream(Operation::SendStreamingMessage, says("go")).await;
            assert_eq!(answer.err().unwrap(), refused);
            assert_eq!(client.call(EXTENDED, json!({})).await.unwrap_err(), refused);
        }
        for headers in [[("authorization", "bearer t-1")], [("x-api-key", "any")]] {
            let client = client(&fleet, binding).with_headers(&headers);
            assert!(client.call(Operation::SendMessage, says("go")).await.is_ok(), "{binding} {headers:?}");
        }
        if binding != Binding::Grpc {
            let answer = client(&fleet, binding).send(Operation::SendMessage, &says("go")).await;
            assert_eq!(answer.status(), 401);
            assert_eq!(answer.headers()["www-authenticate"], "Bearer realm=\"a2a\"");
            assert_eq!(answer.headers()["content-type"], "application/json");
        }
    }
    assert_eq!(crate::state(&fleet).tasks.len(), 6, "nobody else reached the agent");
    // The card itself is for all.
    assert!(reqwest::get(&fleet.addresses()[0].card_url).await.unwrap().status().is_success());
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn the_extended_card_is_the_card_and_more() {
    let fleet = fleet_with(guarded(), &[]).await;
    for binding in Binding::ALL {
        let client = client(&fleet, binding).with_headers(&[("authorization", "Bearer t-1")]);
        let extended = client.call(EXTENDED, json!({})).await.unwrap();
        assert_eq!(extended["description"], "more for those who ask", "{binding}");
        assert_eq!(extended["skills"][0]["id"], "secret");
        assert_eq!(extended["supportedInterfaces"], crate::state(&fleet).card["supportedInterfaces"]);
    }
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn an_extended_card_that_is_not_there_is_refused_in_the_right_words() {
    let declared = with_card(json!({ "capabilities": { "extendedAgentCard": true } }));
    let kept_quiet = PeerSpec { extended_card: Some(json!({ "description": "more" })), ..healthy() };
    for (spec, kind) in
        [(declared, ErrorKind::ExtendedAgentCardNotConfigured), (kept_quiet, ErrorKind::UnsupportedOperation)]
    {
        let fleet = fleet_with(spec, &[]).await;
        for binding in Binding::ALL {
            let refused = client(&fleet, binding).call(EXTENDED, json!({})).await.unwrap_err();
            assert_eq!(refused.kind, Some(kind), "{binding}");
        }
        fleet.stop().await.unwrap();
    }
}

#[tokio::test]
async fn a_required_extension_must_be_supported_and_those_in_use_are_named() {
    let spec = with_card(json!({ "capabilities": { "extensions": [
        { "uri": "urn:must", "required": true }, { "uri": "urn:may" },
    ] } }));
    let fleet = fleet_with(spec, &[]).await;
    for binding in Binding::ALL {
        for headers in [&[][..], &[("a2a-extensions", "urn:may, urn:other")]] {
            let client = client(&fleet, binding).with_headers(headers);
            let refused = client.call(Operation::SendMessage, says("go")).await.unwrap_err();
            assert_eq!(refused.kind, Some(ErrorKind::ExtensionSupportRequired), "{binding}");
            let stream = client.stream(Operation::SendStreamingMessage, says("go")).await;
            assert_eq!(stream.err().unwrap().kind, Some(ErrorKind::ExtensionSupportRequired));
        }
        let client = client(&fleet, binding).with_headers(&[("a2a-extensions", "urn:other,urn:must")]);
        assert!(client.call(Operation::SendMessage, says("go")).await.is_ok());
        if binding != Binding::Grpc {
            for (operation, request) in [
                (Operation::SendMessage, says("go")),
                (Operation::SendStreamingMessage, says("go")),
                (Operation::ListTasks, json!({})),
            ] {
                let answer = client.send(operation, &request).await;
                assert_eq!(answer.headers()["a2a-extensions"], "urn:must", "{operation} over {binding}");
            }
        }
    }
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn extensions_that_nobody_knows_change_nothing() {
    let fleet = fleet_with(healthy(), &[]).await;
    for binding in Binding::ALL {
        let client = client(&fleet, binding).with_headers(&[("a2a-extensions", "urn:a, urn:b")]);
        assert!(client.call(Operation::SendMessage, says("go")).await.is_ok());
    }
    let answer = client(&fleet, Binding::JsonRpc).send(Operation::SendMessage, &says("go")).await;
    assert!(answer.headers().get("a2a-extensions").is_none());
    fleet.stop().await.unwrap();
}
