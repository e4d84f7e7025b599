//! Requests that fit nothing a peer serves, and what they probably meant: a wrong path, a wrong method, an operation
//! under another name.

use std::collections::HashMap;

use gauntlet_evidence::{InterfaceState, JournalEntry, JournalEvent, PeerState, Request, RequestClass};
use gauntlet_scenario::suggest::help_for;
use gauntlet_wire::{Binding, CARD_PATH, Operation, rest};
use serde_json::Value;

/// Methods of A2A 0.3 over JSON-RPC and what 1.0 calls them.
const FORMERLY: &[(&str, Operation)] = &[
    ("message/send", Operation::SendMessage),
    ("message/stream", Operation::SendStreamingMessage),
    ("tasks/get", Operation::GetTask),
    ("tasks/cancel", Operation::CancelTask),
    ("tasks/resubscribe", Operation::SubscribeToTask),
    ("tasks/pushNotificationConfig/set", Operation::CreateTaskPushNotificationConfig),
    ("tasks/pushNotificationConfig/get", Operation::GetTaskPushNotificationConfig),
    ("tasks/pushNotificationConfig/list", Operation::ListTaskPushNotificationConfigs),
    ("tasks/pushNotificationConfig/delete", Operation::DeleteTaskPushNotificationConfig),
    ("agent/getAuthenticatedExtendedCard", Operation::GetExtendedAgentCard),
];

/// Something that a peer serves.
struct Served {
    method: &'static str,
    path: String,
    what: String,
}

/// A request that fits nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmatched {
    /// The peer that got it.
    pub peer: String,
    /// Its journal entry.
    pub entry: u64,
    /// Method and path as they came.
    pub request: String,
    /// What was wrong with it and what comes nearest, for people.
    pub hint: String,
}

impl std::fmt::Display for Unmatched {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { peer, entry, request, hint } = self;
        write!(f, "{peer}: {request} (entry {entry}): {hint}")
    }
}

/// The requests in a journal that fit nothing the peers serve, in order.
pub fn unmatched(journal: &[JournalEntry], peers: &[PeerState]) -> Vec<Unmatched> {
    let mut open: HashMap<u64, (&JournalEntry, &Request)> = HashMap::new();
    let mut found = Vec::new();
    for entry in journal {
        let Some(exchange) = entry.exchange else { continue };
        match &entry.event {
            JournalEvent::Request(request) => _ = open.insert(exchange, (entry, request)),
            JournalEvent::Answered { status, .. } => {
                let Some((asked, request)) = open.remove(&exchange) else { continue };
                let interfaces = peers.iter().find(|peer| peer.name == asked.peer).map(|peer| &peer.interfaces[..]);
                let Some(hint) = hint(request, *status, interfaces.unwrap_or_default()) else { continue };
                let request = format!("{} {}", request.method, request.path);
                found.push(Unmatched { peer: asked.peer.clone(), entry: asked.seq, request, hint });
            }
            _ => {}
        }
    }
    found
}

/// Where nothing matched the request: what was wrong with it and what comes nearest, for people. `status` is that of the
/// answer.
pub fn hint(request: &Request, status: u16, interfaces: &[InterfaceState]) -> Option<String> {
    if request.operation.is_some() {
        return None;
    }
    match (&request.class, request.binding) {
        (RequestClass::Other, Some(Binding::JsonRpc)) => method(request),
        (RequestClass::Other, Some(_)) => Some(nearest(request, interfaces)),
        (RequestClass::Other, None) if matches!(status, 404 | 405) => Some(nearest(request, interfaces)),
        (RequestClass::Other, None) if status == 415 => Some("this peer has no GRPC interface".to_owned()),
        (RequestClass::Discovery, None) if matches!(status, 404 | 405) => Some(nearest(request, interfaces)),
        _ => None,
    }
}

/// About the method of a JSON-RPC request. One that exists was refused for another reason, which the answer tells.
fn method(request: &Request) -> Option<String> {
    let body: Value = request.body.text().and_then(|text| serde_json::from_str(text).ok())?;
    let method = body.get("method")?.as_str()?;
    let names = Operation::ALL.map(Operation::name);
    if names.contains(&method) {
        return None;
    }
    if let Some((_, operation)) = FORMERLY.iter().find(|(name, _)| *name == method) {
        return Some(format!("`{method}` is of A2A 0.3; 1.0 calls it `{operation}`"));
    }
    Some(format!("no method `{method}`; {}", help_for(method, names)))
}

fn nearest(request: &Request, interfaces: &[InterfaceState]) -> String {
    let path = request.path.split('?').next().unwrap_or_default();
    let distance = |served: &Served| {
        let filled = filled(&served.path, path);
        // The right path with the wrong method is nearer than any other path.
        2 * strsim::damerau_levenshtein(&filled.to_lowercase(), &path.to_lowercase())
            + usize::from(served.method != request.method)
    };
    let grpc = request.binding == Some(Binding::Grpc);
    let candidates = served(interfaces).into_iter().filter(|served| !grpc || served.path.starts_with("/lf."));
    match candidates.min_by_key(distance) {
        Some(Served { method, path, what }) => format!("did you mean {method} {path} ({what})?"),
        None => "this peer serves nothing".to_owned(),
    }
}

fn served(interfaces: &[InterfaceState]) -> Vec<Served> {
    let mut all = vec![Served { method: "GET", path: CARD_PATH.to_owned(), what: "the card".to_owned() }];
    for interface in interfaces {
        let base = base(&interface.url);
        match interface.binding {
            Binding::JsonRpc => {
                let path = if base.is_empty() { "/" } else { base };
                all.push(Served { method: "POST", path: path.to_owned(), what: "JSONRPC".to_owned() });
            }
            Binding::HttpJson => all.extend(
                rest::routes().filter(|(_, _, path)| interface.tenant.is_some() || !path.contains("{tenant}")).map(
                    |(operation, method, path)| Served {
                        method,
                        path: format!("{base}{path}"),
                        what: format!("{operation} over HTTP+JSON"),
                    },
                ),
            ),
            Binding::Grpc => all.extend(Operation::ALL.map(|operation| Served {
                method: "POST",
                path: operation.grpc_path(),
                what: format!("{operation} over GRPC"),
            })),
        }
    }
    all
}

/// The path of a URL, without a trailing slash.
fn base(url: &str) -> &str {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    rest.find('/').map_or("", |at| rest[at..].trim_end_matches('/'))
}

/// The template with its variables replaced by what stands there in `path`, counted from the end: what is wrong with a
/// path is often what it begins with.
fn filled(template: &str, path: &str) -> String {
    let mut given = path.split('/').rev();
    let mut segments: Vec<String> = Vec::new();
    for wanted in template.split('/').rev() {
        let given = given.next().unwrap_or_default();
        segments.push(match wanted.strip_prefix('{').and_then(|variable| variable.split_once('}')) {
            Some((_, verb)) => format!("{}{verb}", given.split(':').next().unwrap_or_default()),
            None => wanted.to_owned(),
        });
    }
    segments.reverse();
    segments.join("/")
}

#[cfg(test)]
mod tests {
    use gauntlet_evidence::journal::Raw;

    use super::*;

    fn request(class: RequestClass, binding: Option<Binding>, method: &str, path: &str, body: &str) -> Request {
        Request {
            class,
            binding,
            operation: None,
            version: None,
            tenant: None,
            method: method.to_owned(),
            path: path.to_owned(),
            headers: Vec::new(),
            message: None,
            body: Raw::Text(body.to_owned()),
            secrets: Vec::new(),
        }
    }

    fn interfaces() -> Vec<InterfaceState> {
        let interface = |url: &str, binding| InterfaceState {
            url: url.to_owned(),
            binding,
            version: "1.0".to_owned(),
            tenant: None,
        };
        vec![
            interface("http://127.0.0.1:4000/rpc", Binding::JsonRpc),
            interface("http://127.0.0.1:4000/rest", Binding::HttpJson),
            interface("127.0.0.1:4000", Binding::Grpc),
        ]
    }

    #[test]
    fn the_nearest_path_and_method_are_told() {
        for (method, path, status, nearest) in [
            ("POST", "/rcp", 404, "POST /rpc (JSONRPC)"),
            ("GET", "/rpc", 405, "POST /rpc (JSONRPC)"),
            ("POST", "/rest/v1/message:send", 404, "POST /rest/message:send (SendMessage over HTTP+JSON)"),
            ("POST", "/rest/tasks/7:cancle?x=1", 404, "POST /rest/tasks/{id}:cancel (CancelTask over HTTP+JSON)"),
            ("GET", "/v1/tasks/7", 404, "GET /rest/tasks/{id} (GetTask over HTTP+JSON)"),
            ("GET", "/tasks/7", 404, "GET /rest/tasks/{id} (GetTask over HTTP+JSON)"),
        ] {
            let hint = hint(&request(RequestClass::Other, None, method, path, ""), status, &interfaces());
            assert_eq!(hint, Some(format!("did you mean {nearest}?")), "{method} {path}");
        }
        let legacy = request(RequestClass::Discovery, None, "GET", "/.well-known/agent.json", "");
        let told = Some("did you mean GET /.well-known/agent-card.json (the card)?".to_owned());
        assert_eq!(hint(&legacy, 404, &interfaces()), told);
        let service = "/a2a.v1.A2AService/GetTask";
        let told = Some("did you mean POST /lf.a2a.v1.A2AService/GetTask (GetTask over GRPC)?".to_owned());
        let call = request(RequestClass::Other, Some(Binding::Grpc), "POST", service, "");
        assert_eq!(hint(&call, 200, &interfaces()), told);
    }

    #[test]
    fn methods_of_json_rpc_are_corrected() {
        let told = |method: &str| {
            let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#);
            hint(&request(RequestClass::Other, Some(Binding::JsonRpc), "POST", "/rpc", &body), 200, &interfaces())
        };
        assert_eq!(told("message/send").unwrap(), "`message/send` is of A2A 0.3; 1.0 calls it `SendMessage`");
        assert_eq!(told("GetTsk").unwrap(), "no method `GetTsk`; did you mean `GetTask`?");
        assert_eq!(told("GetTask"), None);
    }

    #[test]
    fn a_journal_tells_which_requests_fitted_nothing() {
        let entry = |seq: u64, exchange: u64, event: JournalEvent| JournalEntry {
            seq,
            at_us: 0,
            peer: "vendor-b".to_owned(),
            connection: 1,
            exchange: Some(exchange),
            event,
            stamps: Vec::new(),
        };
        let asked = |path: &str| JournalEvent::Request(Box::new(request(RequestClass::Other, None, "POST", path, "")));
        let answered = |status| JournalEvent::Answered { status, headers: Vec::new() };
        let journal = [
            entry(1, 1, asked("/rcp")),
            entry(2, 2, asked("/rpc")),
            entry(3, 2, answered(400)),
            entry(4, 1, answered(404)),
        ];
        let state =
            PeerState { name: "vendor-b".to_owned(), card: Value::Null, interfaces: interfaces(), tasks: Vec::new() };
        let found = unmatched(&journal, &[state]);
        let told: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(told, ["vendor-b: POST /rcp (entry 1): did you mean POST /rpc (JSONRPC)?"]);
    }

    #[test]
    fn what_did_match_has_no_hint() {
        let mut found = request(RequestClass::FollowUp(None), Some(Binding::HttpJson), "GET", "/rest/tasks/7", "");
        found.operation = Some(Operation::GetTask);
        assert_eq!(hint(&found, 404, &interfaces()), None);
        let long = request(RequestClass::Other, None, "POST", "/rpc", "");
        assert_eq!(hint(&long, 413, &interfaces()), None);
    }
}
