//! The many ways in which one and the same request may be written.

use gauntlet_evidence::RequestClass;
use gauntlet_scenario::{InterfaceSpec, PeerSpec};
use gauntlet_wire::{Binding, Operation, jsonrpc};
use reqwest::{Client as Http, Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};

use crate::{client, fleet, fleet_with, healthy, says, state};

async fn answer(request: RequestBuilder) -> (StatusCode, Value) {
    let response = request.send().await.unwrap();
    (response.status(), serde_json::from_slice(&response.bytes().await.unwrap()).unwrap())
}

fn json_rpc(url: &str, method: &str, params: Value) -> RequestBuilder {
    let body = jsonrpc::request(&json!(7), method, params).to_string();
    Http::new().post(url).header("content-type", "application/json").header("a2a-version", "1.0").body(body)
}

#[tokio::test]
async fn params_in_snake_case_mean_the_same() {
    let fleet = fleet("[ask: which?, complete]").await;
    let url = &state(&fleet).interfaces[0].url;
    fleet.expect(&crate::delegation("d-1", "d-1:aaaa"), false);
    let message = json!({ "message_id": "m-1", "context_id": "c-1", "role": "ROLE_USER", "parts": [{ "text": "go" }] });
    let begun = answer(json_rpc(url, "SendMessage", json!({ "message": message }))).await.1["result"]["task"].clone();
    assert_eq!(begun["contextId"], "c-1");
    let mut second = message.clone();
    second["task_id"] = begun["id"].clone();
    let done = answer(json_rpc(
        url,
        "SendMessage",
        json!({
            "message": second, "configuration": { "history_length": 1 }
        }),
    ));
    let done = done.await.1["result"]["task"].clone();
    assert_eq!((&done["id"], &done["status"]["state"]), (&begun["id"], &json!("TASK_STATE_COMPLETED")));
    assert_eq!(done["history"].as_array().unwrap().len(), 1);
    let page = answer(json_rpc(url, "ListTasks", json!({ "page_size": 1, "include_artifacts": true })));
    assert_eq!(page.await.1["result"]["pageSize"], 1);
    let classes = crate::journal::classes(&fleet.journal());
    let follow_up = RequestClass::FollowUp(Some("d-1".to_owned()));
    assert_eq!(classes[..2], [RequestClass::Dispatch("d-1".to_owned()), follow_up]);
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn the_version_may_stand_in_the_query() {
    let fleet = fleet_with(healthy(), &[]).await;
    let url = &state(&fleet).interfaces[0].url;
    let body = jsonrpc::request(&json!(7), "ListTasks", json!({})).to_string();
    let post = |query: &str| {
        Http::new().post(format!("{url}{query}")).header("content-type", "application/json").body(body.clone())
    };
    for query in ["?A2A-Version=1.0", "?a2a-version=1.0.3&other=1"] {
        assert_eq!(answer(post(query)).await.1["result"]["totalSize"], 0, "{query}");
    }
    for query in ["", "?A2A-Version=", "?A2A-Version=99.0"] {
        assert_eq!(answer(post(query)).await.1["error"]["code"], -32009, "{query}");
    }
    // What the header says counts.
    let both = answer(post("?A2A-Version=1.0").header("a2a-version", "99.0")).await.1;
    assert_eq!(both["error"]["code"], -32009);
    let rest = Http::new().get(format!("{url}/tasks?A2A-Version=1.0&pageSize=3"));
    assert_eq!(answer(rest).await.1["pageSize"], 3);
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn a_tenant_may_stand_in_path_query_or_body() {
    let mut spec = PeerSpec::healthy("vendor-a", []);
    let tenant =
        |binding, tenant: &str| InterfaceSpec { tenant: Some(tenant.to_owned()), ..InterfaceSpec::new(binding) };
    spec.interfaces =
        vec![tenant(Binding::HttpJson, "acme"), tenant(Binding::HttpJson, "other"), tenant(Binding::JsonRpc, "acme")];
    let fleet = fleet_with(spec, &[]).await;
    let url = &state(&fleet).interfaces[0].url;
    let request =
        |method: Method, path: &str| Http::new().request(method, format!("{url}{path}")).header("a2a-version", "1.0");
    let ok = StatusCode::OK;
    assert_eq!(answer(request(Method::GET, "/acme/tasks")).await.0, ok);
    assert_eq!(answer(request(Method::GET, "/other/tasks")).await.0, ok);
    assert_eq!(answer(request(Method::GET, "/tasks?tenant=acme")).await.0, ok);
    assert_eq!(answer(request(Method::GET, "/tasks?tenant=nobody")).await.0, StatusCode::BAD_REQUEST);
    assert_eq!(answer(request(Method::GET, "/tasks")).await.0, StatusCode::BAD_REQUEST);
    let mut message = says("go");
    message["tenant"] = json!("acme");
    let post =
        |path: &str| request(Method::POST, path).header("content-type", "application/json").body(message.to_string());
    assert_eq!(answer(post("/message:send")).await.0, ok);
    assert_eq!(answer(post("/nobody/message:send")).await.0, StatusCode::BAD_REQUEST, "the path counts");
    let by_rpc = answer(json_rpc(url, "SendMessage", message.clone())).await.1;
    assert_eq!(by_rpc["result"]["task"]["status"]["state"], "TASK_STATE_COMPLETED");
    let tenants: Vec<_> = fleet
        .journal()
        .into_iter()
        .filter_map(|entry| match entry.event {
            gauntlet_evidence::JournalEvent::Request(request) => Some(request.tenant),
            _ => None,
        })
        .collect();
    assert_eq!(tenants[..3], [Some("acme".to_owned()), Some("other".to_owned()), Some("acme".to_owned())]);
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn both_verbs_subscribe_and_bodies_may_be_empty_or_of_either_type() {
    let fleet = fleet("[ask: which?, complete]").await;
    let url = &state(&fleet).interfaces[2].url;
    let begin = async || {
        let begun = client(&fleet, Binding::HttpJson).call(Operation::SendMessage, says("go")).await.unwrap();
        begun["task"]["id"].as_str().unwrap().to_owned()
    };
    let request =
        |method: Method, path: String| Http::new().request(method, format!("{url}{path}")).header("a2a-version", "1.0");
    let id = begin().await;
    for method in [Method::GET, Method::POST] {
        let stream =
            request(method.clone(), format!("/tasks/{id}:subscribe")).header("content-type", "application/json");
        let mut stream = stream.send().await.unwrap();
        assert_eq!(stream.headers()["content-type"], "text/event-stream", "{method}");
        let first = stream.chunk().await.unwrap().unwrap();
        assert!(first.starts_with(b"data: {\"task\":"), "{first:?}");
    }
    for media in [None, Some("application/json"), Some("application/a2a+json")] {
        for body in ["", "{}", "{\"metadata\":{\"why\":\"changed my mind\"}}"] {
            let id = begin().await;
            let cancel = request(Method::POST, format!("/tasks/{id}:cancel"));
            let cancel = match media {
                Some(media) => cancel.header("content-type", media),
                None if body.is_empty() => cancel,
                None => continue,
            };
            let (status, task) = answer(cancel.body(body)).await;
            assert_eq!(
                (status, &task["status"]["state"]),
                (StatusCode::OK, &json!("TASK_STATE_CANCELED")),
                "{media:?} {body}"
            );
        }
    }
    let get =
        request(Method::GET, format!("/tasks/{id}")).header("accept", "application/a2a+json").send().await.unwrap();
    assert_eq!(get.headers()["content-type"], "application/a2a+json");
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn what_http_json_does_not_serve_is_refused_in_its_form() {
    let fleet = fleet_with(PeerSpec::healthy("vendor-a", [Binding::HttpJson]), &[]).await;
    let url = &state(&fleet).interfaces[0].url;
    for (method, path, status) in [
        (Method::GET, "/nowhere", StatusCode::NOT_FOUND),
        (Method::POST, "/tasks/1:archive", StatusCode::NOT_FOUND),
        (Method::PUT, "/message:send", StatusCode::METHOD_NOT_ALLOWED),
    ] {
        let (answered, body) = answer(Http::new().request(method, format!("{url}{path}"))).await;
        assert_eq!((answered, &body["error"]["code"]), (status, &json!(status.as_u16())), "{path}");
    }
    let empty = Http::new().post(format!("{url}/message:send")).header("a2a-version", "1.0");
    assert_eq!(answer(empty).await.0, StatusCode::BAD_REQUEST);
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn the_same_message_id_begins_work_again_and_is_kept_each_time() {
    for binding in Binding::ALL {
        let fleet = fleet("[ask: more?, ask: more?, complete]").await;
        let client = client(&fleet, binding);
        let begin = async || client.call(Operation::SendMessage, says("go")).await.unwrap()["task"]["id"].clone();
        let (first, second) = (begin().await, begin().await);
        assert_ne!(first, second, "{binding}");
        for _ in 0..2 {
            client.call(Operation::SendMessage, crate::says_with("go", &json!({ "taskId": first }))).await.unwrap();
        }
        let task = client.call(Operation::GetTask, json!({ "id": first })).await.unwrap();
        let mine = task["history"].as_array().unwrap().iter().filter(|message| message["messageId"] == "m-1");
        assert_eq!(mine.count(), 3);
        fleet.stop().await.unwrap();
    }
}
