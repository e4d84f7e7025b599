//! A peer with a token server: what its card says, who gets a token, and who comes in with it.

use gauntlet_evidence::{JournalEvent, RequestClass};
use gauntlet_fleet::Fleet;
use gauntlet_scenario::{PeerSpec, TokenServerSpec};
use gauntlet_wire::{Binding, Operation};
use reqwest::Response;
use serde_json::{Value, json};

use crate::client::Refused;
use crate::{client, fleet_with, healthy, says};

fn with_tokens(change: impl FnOnce(&mut TokenServerSpec)) -> PeerSpec {
    let mut spec = TokenServerSpec { offers: vec!["admin".to_owned()], ..TokenServerSpec::of("vendor-a") };
    change(&mut spec);
    PeerSpec { token_server: Some(spec), ..healthy() }
}

async fn ask(fleet: &Fleet, form: &str) -> Response {
    let request = reqwest::Client::new().post(fleet.token_url("vendor-a").unwrap());
    let request = request.header("content-type", "application/x-www-form-urlencoded").body(form.to_owned());
    request.send().await.unwrap()
}

/// The answer to the right client, who asks for more.
async fn grant(fleet: &Fleet, more: &str) -> Value {
    let client = "grant_type=client_credentials&client_id=gauntlet&client_secret=client-secret-of-vendor-a";
    let answer = ask(fleet, &format!("{client}{more}")).await;
    assert_eq!(answer.headers()["cache-control"], "no-store");
    serde_json::from_str(&answer.text().await.unwrap()).unwrap()
}

#[tokio::test]
async fn the_card_tells_where_tokens_come_from_and_what_they_must_allow() {
    let fleet = fleet_with(with_tokens(|spec| spec.scheme = "corporate".to_owned()), &[]).await;
    let card = crate::state(&fleet).card;
    let flow = &card["securitySchemes"]["corporate"]["oauth2SecurityScheme"]["flows"]["clientCredentials"];
    assert_eq!(flow["tokenUrl"].as_str(), fleet.token_url("vendor-a"));
    assert!(flow["scopes"]["work"].is_string() && flow["scopes"]["admin"].is_string());
    assert_eq!(card["securityRequirements"], json!([{ "schemes": { "corporate": { "list": ["work"] } } }]));
    assert_eq!(fleet.token_url("vendor-b"), None);
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn tokens_open_the_door_on_every_binding() {
    let fleet = fleet_with(with_tokens(|spec| spec.audience = Some("a".to_owned())), &[]).await;
    let right = grant(&fleet, "&audience=a").await["access_token"].as_str().unwrap().to_owned();
    let too_little = grant(&fleet, "&audience=a&scope=admin").await["access_token"].as_str().unwrap().to_owned();
    let for_nobody = grant(&fleet, "").await["access_token"].as_str().unwrap().to_owned();
    for (binding, unknown, forbidden) in [
        (Binding::JsonRpc, "-32000", "-32000"),
        (Binding::HttpJson, "401", "403"),
        (Binding::Grpc, "UNAUTHENTICATED", "PERMISSION_DENIED"),
    ] {
        let bring =
            |token: &str| client(&fleet, binding).with_headers(&[("authorization", &format!("Bearer {token}"))]);
        assert!(bring(&right).call(Operation::SendMessage, says("go")).await.is_ok(), "{binding}");
        for (token, code) in [("other", unknown), (&for_nobody, unknown), (&too_little, forbidden)] {
            let refused = Refused { code: code.to_owned(), kind: None };
            assert_eq!(bring(token).call(Operation::SendMessage, says("go")).await.unwrap_err(), refused, "{binding}");
        }
        if binding != Binding::Grpc {
            let answer = bring(&too_little).send(Operation::SendMessage, &says("go")).await;
            assert_eq!(answer.status(), 403);
            let challenge = answer.headers()["www-authenticate"].to_str().unwrap();
            assert_eq!(challenge, "Bearer realm=\"a2a\", error=\"insufficient_scope\", scope=\"work\"");
        }
    }
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn errors_are_those_of_oauth_and_all_of_it_is_discovery() {
    let fleet = fleet_with(with_tokens(|_| {}), &[]).await;
    let answer = ask(&fleet, "grant_type=client_credentials").await;
    assert_eq!((answer.status().as_u16(), answer.headers().get("www-authenticate")), (401, None));
    let told: Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap();
    assert_eq!(told["error"], "invalid_client");
    let url = fleet.token_url("vendor-a").unwrap().to_owned();
    let http = reqwest::Client::new();
    let basic = http
        .post(&url)
        .basic_auth("gauntlet", Some("wrong"))
        .header("content-type", "application/x-www-form-urlencoded");
    let answer = basic.body("grant_type=client_credentials").send().await.unwrap();
    assert_eq!(answer.headers()["www-authenticate"], "Basic realm=\"tokens\"");
    assert_eq!(http.get(&url).send().await.unwrap().status(), 405);
    assert_eq!(http.post(&url).body("{}").send().await.unwrap().status(), 400);
    assert_eq!(http.post(url.replace("/token", "/else")).send().await.unwrap().status(), 404);
    let journal = fleet.stop().await.unwrap().journal;
    let classes = journal.iter().filter_map(|entry| match &entry.event {
        JournalEvent::Request(request) => Some((request.path.as_str(), request.class.clone())),
        _ => None,
    });
    let classes: Vec<_> = classes.collect();
    assert_eq!(classes.len(), 5);
    assert!(classes.iter().all(|(path, class)| (*path == "/token") == (*class == RequestClass::Discovery)));
}
