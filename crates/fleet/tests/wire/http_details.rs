//! Paths, methods, media types, tenants and the card: what HTTP itself has to say.

use gauntlet_scenario::{InterfaceSpec, PeerSpec};
use gauntlet_wire::{Binding, Operation, jsonrpc};
use reqwest::{Client as Http, StatusCode};
use serde_json::{Value, json};

use crate::client::Client;
use crate::{client, fleet_with, healthy, says, state};

#[tokio::test]
async fn the_card_is_cacheable_and_revalidated() {
    let fleet = fleet_with(healthy(), &[]).await;
    let address = fleet.addresses().remove(0);
    let http = Http::new();
    let first = http.get(&address.card_url).send().await.unwrap();
    let header = |name: &str| first.headers()[name].to_str().unwrap().to_owned();
    assert_eq!((header("content-type").as_str(), header("cache-control").as_str()), ("application/json", "max-age=60"));
    assert_eq!(header("last-modified"), "Thu, 01 Jan 2026 00:00:00 GMT");
    let tag = header("etag");
    let again = http.get(&address.card_url).header("If-None-Match", tag).send().await.unwrap();
    assert_eq!((again.status(), again.bytes().await.unwrap().len()), (StatusCode::NOT_MODIFIED, 0));
    for (since, status) in [
        ("Thu, 01 Jan 2026 00:00:00 GMT", StatusCode::NOT_MODIFIED),
        ("Wed, 31 Dec 2025 23:59:59 GMT", StatusCode::OK),
        ("the other day", StatusCode::OK),
    ] {
        let again = http.get(&address.card_url).header("If-Modified-Since", since).send().await.unwrap();
        assert_eq!(again.status(), status, "{since}");
        // The tag says it better.
        let tagged = http.get(&address.card_url).header("If-Modified-Since", since).header("If-None-Match", "\"x\"");
        assert_eq!(tagged.send().await.unwrap().status(), StatusCode::OK);
    }
    let card: Value = serde_json::from_slice(&first.bytes().await.unwrap()).unwrap();
    assert_eq!(card, state(&fleet).card);
    let posted = http.post(&address.card_url).send().await.unwrap();
    assert_eq!(
        (posted.status(), posted.headers()["allow"].to_str().unwrap()),
        (StatusCode::METHOD_NOT_ALLOWED, "GET, HEAD")
    );
    let legacy = http.get(format!("{}/.well-known/agent.json", address.base_url)).send().await.unwrap();
    assert_eq!(legacy.status(), StatusCode::NOT_FOUND);
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn json_rpc_is_posted_as_json_with_or_without_a_slash() {
    let mut spec = PeerSpec::healthy("vendor-a", []);
    spec.interfaces = vec![InterfaceSpec { path: "/rpc".to_owned(), ..InterfaceSpec::new(Binding::JsonRpc) }];
    let fleet = fleet_with(spec, &[]).await;
    let url = state(&fleet).interfaces[0].url.clone();
    assert!(url.ends_with("/rpc"));
    let http = Http::new();
    let body = jsonrpc::request(&json!(1), "GetTask", json!({ "id": "x" })).to_string();
    let post = |url: String, media: &'static str, body: String| {
        http.post(url).header("content-type", media).header("a2a-version", "1.0").body(body).send()
    };
    let code = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap()["error"]["code"].clone();
    for url in [url.clone(), format!("{url}/")] {
        let answer = post(url, "application/json; charset=utf-8", body.clone()).await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        assert_eq!(code(&answer.bytes().await.unwrap()), -32001);
    }
    let answer = post(url.clone(), "text/plain", body.clone()).await.unwrap();
    assert_eq!(answer.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert_eq!(code(&answer.bytes().await.unwrap()), -32005);
    let unknown = body.replace("GetTask", "message/send");
    assert_eq!(code(&post(url.clone(), "application/json", unknown).await.unwrap().bytes().await.unwrap()), -32601);
    let broken = post(url.clone(), "application/json", "{".to_owned()).await.unwrap();
    assert_eq!(code(&broken.bytes().await.unwrap()), -32700);
    let got = http.get(&url).send().await.unwrap();
    assert_eq!((got.status(), got.headers()["allow"].to_str().unwrap()), (StatusCode::METHOD_NOT_ALLOWED, "POST"));
    assert_eq!(http.get(format!("{url}/more")).send().await.unwrap().status(), StatusCode::NOT_FOUND);
    let grpc = post(url, "application/grpc", String::new()).await.unwrap();
    assert_eq!(grpc.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn http_json_repeats_the_media_type_and_takes_both_verbs() {
    let fleet = fleet_with(healthy(), &[]).await;
    let url = state(&fleet).interfaces[2].url.clone();
    let http = Http::new();
    let post = |path: &str, media: &'static str, body: String| {
        http.post(format!("{url}{path}")).header("content-type", media).header("a2a-version", "1.0").body(body).send()
    };
    let mut id = String::new();
    for media in ["application/a2a+json", "application/json"] {
        let answer = post("/message:send", media, says("go").to_string()).await.unwrap();
        assert_eq!(answer.headers()["content-type"], media);
        let json: Value = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap();
        json["task"]["id"].as_str().unwrap().clone_into(&mut id);
    }
    let odd = post("/message:send", "text/plain", says("go").to_string()).await.unwrap();
    assert_eq!(
        (odd.status(), odd.headers()["content-type"].to_str().unwrap()),
        (StatusCode::UNSUPPORTED_MEDIA_TYPE, "application/json")
    );
    // Without a body, and with the version in the query.
    let cancelled = http.post(format!("{url}/tasks/{id}:cancel?A2A-Version=1.0")).send().await.unwrap();
    assert_eq!(cancelled.status(), StatusCode::BAD_REQUEST);
    let body: Value = serde_json::from_slice(&cancelled.bytes().await.unwrap()).unwrap();
    assert_eq!(body["error"]["details"][0]["reason"], "TASK_NOT_CANCELABLE");
    for method in [reqwest::Method::GET, reqwest::Method::POST] {
        let request = http.request(method, format!("{url}/tasks/{id}:subscribe")).header("a2a-version", "1.0");
        let body: Value = serde_json::from_slice(&request.send().await.unwrap().bytes().await.unwrap()).unwrap();
        assert_eq!(body["error"]["details"][0]["reason"], "UNSUPPORTED_OPERATION");
    }
    let wrong = http.delete(format!("{url}/message:send")).send().await.unwrap();
    assert_eq!((wrong.status(), wrong.headers()["allow"].to_str().unwrap()), (StatusCode::METHOD_NOT_ALLOWED, "POST"));
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn a_body_has_a_limit() {
    let fleet = fleet_with(healthy(), &[]).await;
    let url = state(&fleet).interfaces[0].url.clone();
    let request = Http::new().post(url).header("content-type", "application/json");
    let answer = request.body(vec![b' '; (1 << 20) + 1]).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::PAYLOAD_TOO_LARGE);
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn an_interface_with_a_tenant_takes_no_other() {
    let mut spec = PeerSpec::healthy("vendor-a", []);
    let tenant = |binding| InterfaceSpec { tenant: Some("acme".to_owned()), ..InterfaceSpec::new(binding) };
    spec.interfaces = Binding::ALL.into_iter().map(tenant).collect();
    let fleet = fleet_with(spec, &[]).await;
    assert_eq!(state(&fleet).interfaces[0].tenant.as_deref(), Some("acme"));
    for binding in Binding::ALL {
        let client = client(&fleet, binding);
        let send = |tenant: Option<&str>| {
            let mut request = says("go");
            request.as_object_mut().unwrap().extend(tenant.map(|tenant| ("tenant".to_owned(), json!(tenant))));
            client.call(Operation::SendMessage, request)
        };
        assert!(send(Some("acme")).await.is_ok(), "{binding}");
        assert!(send(Some("other")).await.is_err());
        assert!(send(None).await.is_err());
    }
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn an_interface_may_have_a_listener_of_its_own() {
    let mut spec = PeerSpec::healthy("vendor-a", [Binding::JsonRpc]);
    spec.interfaces.push(InterfaceSpec { own_listener: true, ..InterfaceSpec::new(Binding::HttpJson) });
    let fleet = fleet_with(spec, &[]).await;
    let base = fleet.addresses()[0].base_url.clone();
    let interfaces = state(&fleet).interfaces;
    assert_eq!(interfaces[0].url, base);
    assert_ne!(interfaces[1].url, base);
    let away = Client::new(Binding::HttpJson, &interfaces[1].url);
    assert!(away.call(Operation::SendMessage, says("go")).await.is_ok());
    let here = Http::new().post(format!("{base}/message:send")).send().await.unwrap();
    assert_eq!(here.status(), StatusCode::NOT_FOUND);
    let card_away = Http::new().get(format!("{}{}", interfaces[1].url, gauntlet_wire::CARD_PATH)).send().await.unwrap();
    assert_eq!(card_away.status(), StatusCode::NOT_FOUND);
    fleet.stop().await.unwrap();
}
