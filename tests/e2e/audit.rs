//! `gauntlet card audit` and `gauntlet probe`, against peers that serve what their cards say, and against peers that do not.

#[cfg(target_os = "linux")]
mod servers;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use gauntlet_fleet::{Binding, Fleet, Mock, Operation};
use regex::Regex;
use serde_json::{Value, json};

#[cfg(target_os = "linux")]
use self::servers::Canned;
#[cfg(target_os = "linux")]
#[cfg(target_os = "linux")]
use crate::relay::Relay;
use crate::support::root;
use crate::support::{Ran, folder, gauntlet, gauntlet_with};

/// Runs the binary beside the peers, which need the threads of the test.
async fn beside(arguments: &[&str]) -> Ran {
    trusting(arguments, None).await
}

/// The same on a machine that trusts this authority alone.
async fn trusting(arguments: &[&str], authority: Option<PathBuf>) -> Ran {
    let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
    let run = move || {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let variables: Vec<(&str, &Path)> = authority.iter().map(|file| ("SSL_CERT_FILE", file.as_path())).collect();
        gauntlet_with(folder(&[]).path(), &arguments, &variables)
    };
    tokio::task::spawn_blocking(run).await.expect("it runs")
}

async fn start(mock: Mock) -> Fleet {
    Fleet::builder().peer(mock).start().await.expect("the fleet starts")
}

/// A peer whose card declares all there is to declare.
fn mock() -> Mock {
    let capabilities = json!({ "streaming": true, "pushNotifications": true, "extendedAgentCard": true });
    Mock::named("agent")
        .card(json!({ "capabilities": capabilities }))
        .extended_card(json!({ "name": "agent, in full" }))
}

async fn fetched(url: &str) -> Value {
    let answer = reqwest::get(url).await.expect("the card is there");
    serde_json::from_slice(&answer.bytes().await.expect("all of it")).expect("it is JSON")
}

/// The same, but for the interfaces that its card lists.
fn listing(interfaces: &Value) -> Mock {
    let capabilities = json!({ "streaming": true, "pushNotifications": true, "extendedAgentCard": true });
    mock().card(json!({ "capabilities": capabilities, "supportedInterfaces": interfaces }))
}

/// The report on a peer.
async fn audited(fleet: &Fleet, more: &[&str]) -> (Value, Option<i32>) {
    let url = fleet.peer("agent").card_url();
    let ran = beside(&[&["card", "audit", "--format", "json", "--local", url], more].concat()).await;
    (serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}{}", ran.stdout, ran.stderr)), ran.code)
}

/// What is broken: checks, with the interface they were made at.
fn broken(report: &Value) -> BTreeSet<String> {
    let checks = report["live"]["checks"].as_array().expect("checks").iter();
    let broken = checks.filter(|check| check["result"] == "broken");
    broken.map(|check| format!("{} {}", check["id"].as_str().expect("an id"), check["interface"])).collect()
}

fn upheld(report: &Value) -> BTreeSet<&str> {
    let checks = report["live"]["checks"].as_array().expect("checks").iter();
    checks.filter(|check| check["result"] == "upheld").map(|check| check["id"].as_str().expect("an id")).collect()
}

/// Ports are drawn, and columns move with their digits.
fn without_ports(text: &str) -> String {
    Regex::new(r"127\.0\.0\.1:\d+").expect("it is a pattern").replace_all(text, "127.0.0.1:41200").into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_healthy_peer_is_served_as_declared_on_every_binding() {
    let fleet = start(mock()).await;
    let (report, code) = audited(&fleet, &["--send"]).await;
    assert_eq!((broken(&report), code), (BTreeSet::new(), Some(0)), "{report:#}");
    assert_eq!(
        (&report["kind"], &report["valid"], &report["next"]),
        (&json!("card-validation-report"), &json!(true), &json!("publish"))
    );
    // What depends on the card is judged by the card: all of this can be seen at one peer.
    let expected = [
        "live-card-reachable",
        "live-card-redirect",
        "live-card-media-type",
        "live-card-cache-headers",
        "live-card-etag-304",
        "live-interface-dials",
        "live-interface-answers",
        "live-open-as-declared",
        "live-interface-binding-served",
        "live-version-accepted",
        "live-handler-registered",
        "live-version-unknown-refused",
        "live-task-not-found",
        "live-error-details",
        "live-operations-served",
        "live-streaming-as-declared",
        "live-push-as-declared",
        "live-extended-card-as-declared",
        "live-message-answered",
        "live-message-streams",
    ];
    assert_eq!(upheld(&report), BTreeSet::from(expected));
    for interface in report["live"]["interfaces"].as_array().unwrap() {
        let operations = interface["operations"].as_object().unwrap();
        assert_eq!(operations.len(), Operation::ALL.len());
        assert!(operations.values().all(|operation| operation["is"] == "served"), "{interface:#}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_send_nothing_is_begun_and_nothing_stays() {
    let fleet = start(mock()).await;
    audited(&fleet, &[]).await;
    let peer = fleet.peer("agent");
    assert!(peer.tasks().is_empty());
    peer.received(Operation::SendMessage).never();
    peer.received(Operation::SendStreamingMessage).never();
    assert!(peer.unmatched().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_that_declares_nothing_is_served_by_a_peer_that_does_nothing() {
    let capabilities = json!({ "streaming": false, "pushNotifications": false, "extendedAgentCard": false });
    let fleet = start(Mock::named("agent").card(json!({ "capabilities": capabilities }))).await;
    let (report, _) = audited(&fleet, &["--send"]).await;
    assert_eq!(broken(&report), BTreeSet::new(), "{report:#}");
    let seen = upheld(&report);
    for id in ["live-streaming-undeclared", "live-push-undeclared", "live-extended-card-undeclared"] {
        assert!(seen.contains(id), "{seen:?}");
    }
}

/// A defect of one interface, and the checks that find it there.
struct Row(Binding, &'static str, &'static str, &'static [&'static str]);

#[tokio::test(flavor = "multi_thread")]
async fn each_defect_is_found_by_the_check_that_names_it() {
    use Binding::{Grpc, HttpJson, JsonRpc};
    let table = [
        Row(JsonRpc, "interface-refused", "", &["live-interface-dials"]),
        Row(Grpc, "interface-refused", "", &["live-interface-dials"]),
        Row(HttpJson, "interface-refused", "", &["live-interface-dials"]),
        Row(Grpc, "service-unregistered", "", &["live-handler-registered"]),
        Row(Grpc, "grpc-on-jsonrpc-port", "", &["live-interface-binding-served"]),
        Row(JsonRpc, "http-status", "{code: 503}", &["live-interface-answers"]),
        Row(Grpc, "http-status", "{code: 503}", &["live-interface-answers"]),
        Row(HttpJson, "http-status", "{code: 503}", &["live-interface-answers"]),
        Row(JsonRpc, "http-status", "{code: 404}", &["live-interface-binding-served"]),
        Row(HttpJson, "http-status", "{code: 404}", &["live-handler-registered"]),
        Row(JsonRpc, "version-rejected", "", &["live-version-accepted"]),
        Row(Grpc, "version-rejected", "", &["live-version-accepted"]),
        Row(HttpJson, "version-rejected", "", &["live-version-accepted"]),
        Row(JsonRpc, "interface-version-unsupported", "", &["live-version-accepted"]),
        Row(Grpc, "streaming-declared-absent", "", &["live-message-streams", "live-streaming-as-declared"]),
        Row(JsonRpc, "stream-undeclared", "", &["live-streaming-undeclared"]),
        Row(Grpc, "stream-undeclared", "", &["live-streaming-undeclared"]),
        Row(HttpJson, "stream-undeclared", "", &["live-streaming-undeclared"]),
        Row(Grpc, "method-unimplemented", "{operation: SendStreamingMessage}", &["live-message-streams"]),
        Row(JsonRpc, "method-unimplemented", "{operation: SubscribeToTask}", &["live-streaming-as-declared"]),
        Row(HttpJson, "method-unimplemented", "{operation: CancelTask}", &["live-operations-served"]),
        Row(Grpc, "method-unimplemented", "{operation: GetTask}", &["live-operations-served"]),
        Row(HttpJson, "endpoint-405", "{operation: SubscribeToTask}", &["live-streaming-as-declared"]),
        Row(HttpJson, "push-endpoint-405", "", &["live-push-as-declared"]),
        Row(JsonRpc, "push-declared-absent", "", &["live-push-as-declared"]),
        Row(Grpc, "push-endpoint-dead", "", &["live-push-as-declared"]),
        Row(JsonRpc, "push-endpoint-dead", "", &["live-push-as-declared"]),
        Row(Grpc, "extended-card-unconfigured", "", &["live-extended-card-as-declared"]),
        Row(HttpJson, "extended-card-unconfigured", "", &["live-extended-card-as-declared"]),
        Row(JsonRpc, "auth-unauthenticated", "", &["live-open-as-declared"]),
        Row(Grpc, "auth-unauthenticated", "", &["live-open-as-declared"]),
        Row(JsonRpc, "nothing-implemented", "", &["live-handler-registered"]),
        Row(HttpJson, "nothing-implemented", "", &["live-handler-registered"]),
        Row(HttpJson, "operation-refused", "{operation: SendMessage}", &["live-message-answered"]),
    ];
    for Row(binding, defect, arguments, expected) in table {
        let mock = mock().serves([binding]);
        let mock = if arguments.is_empty() { mock.defect(defect) } else { mock.defect_with(defect, arguments) };
        let fleet = start(mock).await;
        let (report, code) = audited(&fleet, &["--send"]).await;
        let expected: BTreeSet<String> = expected.iter().map(|id| format!("{id} 0")).collect();
        assert_eq!(broken(&report), expected, "{defect} {arguments} over {binding}: {report:#}");
        let warned = expected.iter().all(|id| id.contains("undeclared"));
        assert_eq!((report["live"]["pass"].as_bool(), code), (Some(warned), Some(i32::from(!warned))), "{defect}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_interfaces_of_one_binding_are_told_apart() {
    let fleet = start(mock().serves([Binding::JsonRpc])).await;
    let url = fleet.peer("agent").url(Binding::JsonRpc);
    let several = json!([
        { "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
        { "url": format!("{url}/elsewhere"), "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
        { "url": url, "protocolBinding": "GRPC", "protocolVersion": "1.0" },
        { "url": url, "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0" },
        { "url": "x", "protocolBinding": "https://example.com/own", "protocolVersion": "1.0" },
    ]);
    let other = start(listing(&several)).await;
    let (report, code) = audited(&other, &[]).await;
    let expected = ["live-interface-binding-served 1", "live-interface-binding-served 2", "live-handler-registered 3"];
    assert_eq!(broken(&report), expected.map(str::to_owned).into(), "{report:#}");
    assert!(report.to_string().contains("is no binding of A2A"), "{report:#}");
    assert_eq!(code, Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn extensions_that_the_card_requires_are_named_with_each_call() {
    let extension = json!({ "uri": "https://example.com/extensions/traced", "required": true });
    let capabilities = json!({ "streaming": true, "extensions": [extension] });
    let fleet = start(Mock::named("agent").card(json!({ "capabilities": capabilities }))).await;
    let (report, _) = audited(&fleet, &["--send"]).await;
    assert_eq!(broken(&report), BTreeSet::new(), "{report:#}");
    let peer = fleet.peer("agent");
    let named =
        peer.received(Operation::GetTask).with_header("A2A-Extensions", "https://example.com/extensions/traced");
    assert!(named.count() >= 3);
}

/// The card of the field record: the hint names a binding that is not at the main url, and the address that is listed for it
/// has a server without the service.
#[tokio::test(flavor = "multi_thread")]
async fn a_hint_that_the_main_url_does_not_keep_is_found_and_so_is_a_service_without_a_handler() {
    let works = start(mock().serves([Binding::JsonRpc])).await;
    let empty = start(mock().serves([Binding::Grpc]).defect("service-unregistered")).await;
    let rpc = works.peer("agent").url(Binding::JsonRpc);
    let grpc = format!("http://{}", empty.peer("agent").url(Binding::Grpc));
    let card = json!({
        "name": "agent", "description": "d", "version": "1", "protocolVersion": "1.0",
        "url": rpc, "preferredTransport": "GRPC",
        "additionalInterfaces": [{ "url": rpc, "transport": "JSONRPC" }, { "url": grpc, "transport": "GRPC" }],
        "capabilities": { "streaming": true, "pushNotifications": true },
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "s", "name": "s", "description": "s", "tags": ["s"] }],
    });
    let canned = Canned::card(&card.to_string(), "application/json");
    let ran = beside(&["probe", "--local", "--json", &canned.url("/card.json")]).await;
    let report = json!({ "live": serde_json::from_str::<Value>(&ran.stdout).expect("JSON") });
    let mut found = broken(&report);
    found.remove("live-card-cache-headers null");
    let expected = ["live-interface-binding-served 0", "live-handler-registered 2", "live-extended-card-undeclared 1"];
    assert_eq!(found, expected.map(str::to_owned).into(), "{report:#}");
}

/// A card that demands a bearer token.
fn secured() -> Mock {
    mock().card(json!({
        "capabilities": { "streaming": true, "pushNotifications": true, "extendedAgentCard": true },
        "securitySchemes": { "token": { "httpAuthSecurityScheme": { "scheme": "Bearer" } } },
        "securityRequirements": [{ "schemes": { "token": { "list": [] } } }],
    }))
}

#[tokio::test(flavor = "multi_thread")]
async fn who_brings_nothing_is_refused_and_the_rest_is_not_checked_until_credentials_are_given() {
    let fleet = start(secured()).await;
    let (report, code) = audited(&fleet, &[]).await;
    assert_eq!((broken(&report), code), (BTreeSet::new(), Some(0)), "{report:#}");
    let seen = upheld(&report);
    assert!(seen.contains("live-unauthenticated-refused") && !seen.contains("live-operations-served"), "{seen:?}");
    assert!(report.to_string().contains("give --bearer or --header"), "{report:#}");

    for more in [&["--bearer", "secret-token"], &["--header", "Authorization=Bearer secret-token"]] {
        let (report, _) = audited(&fleet, more).await;
        assert_eq!(broken(&report), BTreeSet::new(), "{report:#}");
        let seen = upheld(&report);
        for id in [
            "live-unauthenticated-refused",
            "live-credentials-accepted",
            "live-operations-served",
            "live-push-as-declared",
        ] {
            assert!(seen.contains(id), "{seen:?}");
        }
        assert!(!report.to_string().contains("secret-token"));
    }
    let (report, code) = audited(&fleet, &["--header", "Authorization=Basic YTpi"]).await;
    assert!(broken(&report).contains("live-credentials-accepted 0"), "{report:#}");
    assert_eq!(code, Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_go_to_the_host_of_the_card_and_to_those_that_are_trusted() {
    let elsewhere = start(secured().serves([Binding::JsonRpc])).await;
    let url = elsewhere.peer("agent").url(Binding::JsonRpc).replace("127.0.0.1", "localhost");
    let card = json!({
        "securitySchemes": { "token": { "httpAuthSecurityScheme": { "scheme": "Bearer" } } },
        "securityRequirements": [{ "schemes": { "token": { "list": [] } } }],
        "supportedInterfaces": [{ "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }],
    });
    let fleet = start(mock().card(card)).await;
    let (report, _) = audited(&fleet, &["--bearer", "t"]).await;
    assert!(report.to_string().contains("credentials are not shown to localhost"), "{report:#}");
    for request in elsewhere.journal() {
        assert!(!serde_json::to_string(&request).unwrap().contains("authorization"), "{request:?}");
    }
    let (report, _) = audited(&fleet, &["--bearer", "t", "--trust", "localhost"]).await;
    assert!(upheld(&report).contains("live-credentials-accepted"), "{report:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_door_that_the_card_says_is_locked_is_tried() {
    let open = start(mock().serves([Binding::JsonRpc])).await;
    let mut card = fetched(open.peer("agent").card_url()).await;
    card["securitySchemes"] = json!({ "token": { "httpAuthSecurityScheme": { "scheme": "Bearer" } } });
    card["securityRequirements"] = json!([{ "schemes": { "token": { "list": [] } } }]);
    let canned = Canned::card(&card.to_string(), "application/json");
    let ran = beside(&["card", "audit", "--local", "--format", "json", &canned.url("/card.json")]).await;
    let report: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let expected =
        BTreeSet::from(["live-card-cache-headers null".to_owned(), "live-unauthenticated-refused 0".to_owned()]);
    assert_eq!(broken(&report), expected, "{report:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn how_the_card_is_served_is_looked_at_too() {
    let fleet = start(mock().serves([Binding::JsonRpc])).await;
    let card = fetched(fleet.peer("agent").card_url()).await.to_string();
    let found = async |canned: &Canned, path: &str| {
        let ran = beside(&["card", "audit", "--local", "--format", "json", &canned.url(path)]).await;
        let report: Value =
            serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}{}", ran.stdout, ran.stderr));
        let found: Vec<String> = broken(&report).into_iter().map(|check| check.replace(" null", "")).collect();
        (found.join(" "), ran.code)
    };
    let plain = Canned::card(&card, "text/plain");
    assert_eq!(found(&plain, "/card").await, ("live-card-cache-headers live-card-media-type".to_owned(), Some(0)));
    assert_eq!(found(&plain, "/missing").await, ("live-card-reachable".to_owned(), Some(1)));
    let here = fleet.peer("agent").card_url();
    let away = Canned::redirect(here);
    assert_eq!(found(&away, "/").await, ("live-card-redirect".to_owned(), Some(0)));
    // 192.0.2.1 belongs to nobody: whoever tried would wait.
    let outside = Canned::redirect("http://192.0.2.1/card.json");
    assert_eq!(found(&outside, "/").await, ("live-card-reachable".to_owned(), Some(1)));
    let round = Canned::redirect("/.well-known/agent-card.json");
    assert_eq!(found(&round, "/").await, ("live-card-redirect".to_owned(), Some(0)));
    let page = Canned::card("<html>", "text/html");
    let (found, code) = found(&page, "/card").await;
    assert!(found.contains("live-card-media-type") && code == Some(1), "{found}");
    let ran = beside(&["probe", "--local", &page.url("/card")]).await;
    assert!(ran.ends_with(1).stdout.contains("no interface is listed"), "{}", ran.stdout);
}

#[tokio::test(flavor = "multi_thread")]
async fn local_means_that_nothing_else_is_contacted() {
    let outside = json!({ "supportedInterfaces": [
        { "url": "http://192.0.2.1/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
        { "url": "192.0.2.1:443", "protocolBinding": "GRPC", "protocolVersion": "1.0" },
    ] });
    let fleet = start(mock().card(outside)).await;
    let ran = beside(&["probe", "--local", "--json", fleet.peer("agent").card_url()]).await;
    let report: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    for interface in report["interfaces"].as_array().unwrap() {
        assert!(interface["notDialled"].as_str().unwrap().contains("only loopback may be contacted"), "{report:#}");
    }
    assert_eq!(ran.code, Some(0), "what was not looked at is not wrong");
    beside(&["card", "audit", "--local", "http://192.0.2.1"]).await.ends_with(2).names(&["--local", "192.0.2.1"]);
}

/// Elsewhere no variable says which authorities are trusted.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn tls_is_spoken_and_certificates_are_looked_at() {
    let plain = start(mock().serves([Binding::JsonRpc, Binding::Grpc])).await;
    let path = plain.peer("agent").url(Binding::JsonRpc).splitn(4, '/').nth(3).map(|path| format!("/{path}"));
    let path = path.unwrap_or_default();
    let port = plain.peer("agent").url(Binding::Grpc).rsplit(':').next().unwrap().parse().unwrap();
    let relay = Relay::start(port, &["h2", "http/1.1"]).await;
    let old = Relay::start(port, &["http/1.1"]).await;
    let interfaces = json!([
        { "url": format!("https://localhost:{}{path}", relay.port), "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
        { "url": format!("localhost:{}", relay.port), "protocolBinding": "GRPC", "protocolVersion": "1.0" },
        { "url": format!("https://127.0.0.1:{}{path}", relay.port), "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
        { "url": format!("https://localhost:{}", old.port), "protocolBinding": "GRPC", "protocolVersion": "1.0" },
        { "url": format!("https://127.0.0.1:{port}{path}"), "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
    ]);
    let fleet = start(listing(&interfaces)).await;
    let audit = async |authority| {
        let url = fleet.peer("agent").card_url();
        let ran = trusting(&["card", "audit", "--local", "--format", "json", url], authority).await;
        serde_json::from_str::<Value>(&ran.stdout).unwrap_or_else(|_| panic!("{}{}", ran.stdout, ran.stderr))
    };
    let report = audit(Some(root().join("tests/e2e/tls/authority.pem"))).await;
    let expected = BTreeSet::from(["live-tls 3".to_owned(), "live-tls 4".to_owned()]);
    assert_eq!(broken(&report), expected, "{report:#}");
    let report = audit(None).await;
    let expected: BTreeSet<String> = (0..5).map(|index| format!("live-tls {index}")).collect();
    assert_eq!(broken(&report), expected, "{report:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_report_reads_well() {
    let mock = mock()
        .defect("service-unregistered")
        .defect_with("method-unimplemented", "{operation: SubscribeToTask, when: {binding: JSONRPC}}");
    let fleet = start(mock).await;
    let url = fleet.peer("agent").card_url();
    let ran = beside(&["card", "audit", "--local", url]).await;
    insta::assert_snapshot!("audit", without_ports(&ran.ends_with(1).stdout));
    let ran = beside(&["probe", "--local", "--send", url]).await;
    insta::assert_snapshot!("probe", without_ports(&ran.ends_with(1).stdout));
    let ran = beside(&["card", "audit", "--local", "--format", "sarif", url]).await;
    let log: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let run = &log["runs"][0];
    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
    }
    let ids: Vec<&str> =
        run["results"].as_array().unwrap().iter().map(|result| result["ruleId"].as_str().unwrap()).collect();
    assert!(ids.contains(&"live-handler-registered") && ids.contains(&"live-streaming-as-declared"), "{ids:?}");
}

#[test]
fn wrong_input_is_named() {
    gauntlet(&["card", "audit"]).ends_with(2).names(&["URL"]);
    gauntlet(&["card", "audit", "agent-card.json"]).ends_with(2).names(&["agent-card.json", "use http or https"]);
    gauntlet(&["probe", "ftp://127.0.0.1/"]).ends_with(2).names(&["use http or https"]);
    gauntlet(&["probe", "http://127.0.0.1:1", "--timeout", "0"]).ends_with(2).names(&["a number of seconds"]);
    gauntlet(&["probe", "http://127.0.0.1:1", "--header", "x"]).ends_with(2).names(&["NAME=VALUE"]);
    gauntlet(&["probe", "http://127.0.0.1:1", "--header", "a b=c"]).ends_with(2).names(&["a b", "cannot be sent"]);
    gauntlet(&["explain", "live-handler-registerd"]).ends_with(2).names(&["did you mean `live-handler-registered`"]);
    assert!(gauntlet(&["explain", "live-handler-registered"]).ends_with(0).stdout.contains("layer live"));
}
