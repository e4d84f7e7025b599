//! Foreign clients against healthy peers: every operation that a real SDK offers, over every binding that it speaks, with
//! streaming and without, and what goes wrong by the caller's fault. A client that trusts our mock must be right to do so.
//!
//! [`lf`] drives the Rust client in this process; `tests/interop` holds the programs for Python and JavaScript, and the
//! peer they all meet. Without Python or Node the tests say so and do nothing, unless `REQUIRE_INTEROP` is set.

mod lf;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use gauntlet_evidence::JournalEvent;
use gauntlet_fleet::{Fleet, FleetOptions, PeerPlan, Remains};
use gauntlet_scenario::{InterfaceSpec, Library, PeerSpec};
use gauntlet_wire::{Binding, Operation};
use serde_json::{Value, json};

use crate::support::{node, python, root};

/// What each of the three does with a peer, on every binding that it speaks.
const OFFERED: [&str; 26] = [
    "card",
    "send",
    "send: the other way",
    "send: message reply",
    "send: data and files",
    "send: states",
    "send: two turns",
    "send: return immediately",
    "send: history length",
    "send: terminal task",
    "send: unknown task",
    "get",
    "get: unknown task",
    "get: wrong version",
    "list",
    "cancel",
    "cancel: unknown task",
    "subscribe",
    "subscribe: terminal task",
    "subscribe: unknown task",
    "push: create, get, list, delete",
    "push: unknown task",
    "push: webhook of a created configuration",
    "push: webhook given with a message",
    "extended card",
    "no credentials",
];
/// Longer than a program takes for all of it, on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(240);

/// The peer a client is let loose on, and how.
struct Target {
    url: String,
    binding: Binding,
    /// Whether the peer streams; a client that can then does.
    streams: bool,
}

/// What a client says of one operation.
struct Check {
    operation: String,
    ok: bool,
    detail: String,
}

#[tokio::test]
async fn interop_of_every_operation_with_the_official_python_sdk() {
    let Some(python) = python().or_skip() else { return };
    for (binding, streams) in ways(&Binding::ALL) {
        let met = Meeting::begin(peer(), binding, streams).await;
        let checks = program(Path::new(&python), &root().join("tests/interop/python/client.py"), &met.target).await;
        println!("{}", met.end("a2a-sdk (Python)", &checks).await);
    }
}

#[tokio::test]
async fn interop_of_every_operation_with_the_official_javascript_sdk() {
    let Some(node) = node().or_skip() else { return };
    let client = node.script(&root().join("tests/interop/js/client.mjs"));
    for (binding, streams) in ways(&Binding::ALL) {
        let met = Meeting::begin(peer(), binding, streams).await;
        let checks = program(Path::new("node"), &client.path, &met.target).await;
        println!("{}", met.end("@a2a-js/sdk", &checks).await);
    }
}

#[tokio::test]
async fn interop_of_every_operation_with_the_rust_client() {
    for (binding, streams) in ways(&[Binding::JsonRpc, Binding::HttpJson]) {
        let mut spec = peer();
        // This client tells the tenant in bodies alone, so its GETs over HTTP+JSON are none of the tenant's.
        let forgets = |interface: &&mut InterfaceSpec| interface.binding == Binding::HttpJson;
        spec.interfaces.iter_mut().filter(forgets).for_each(|interface| interface.tenant = None);
        let met = Meeting::begin(spec, binding, streams).await;
        let checks = lf::run(&met.target, &OFFERED).await;
        println!("{}", met.end("a2a-client-lf", &checks).await);
    }
}

fn ways(bindings: &[Binding]) -> impl Iterator<Item = (Binding, bool)> {
    bindings.iter().flat_map(|&binding| [(binding, true), (binding, false)])
}

/// One client and one peer.
struct Meeting {
    fleet: Fleet,
    target: Target,
}

impl Meeting {
    async fn begin(mut spec: PeerSpec, binding: Binding, streams: bool) -> Self {
        spec.card["capabilities"]["streaming"] = json!(streams);
        let fleet =
            Fleet::start(vec![PeerPlan::healthy(spec)], FleetOptions::default()).await.expect("the peer starts");
        let url = fleet.addresses().remove(0).base_url;
        Self { fleet, target: Target { url, binding, streams } }
    }

    /// That the client did all it offers and found nothing wrong; that the peer saw it, and found nothing wrong with
    /// itself. Gives a line that says so.
    async fn end(self, client: &str, checks: &[Check]) -> String {
        let Target { binding, streams, .. } = self.target;
        let way = format!("{client} over {binding} {} streaming", if streams { "with" } else { "without" });
        let failed: Vec<String> = checks
            .iter()
            .filter(|check| !check.ok)
            .map(|check| format!("{way}: {}: {}", check.operation, check.detail))
            .collect();
        let remains = self.fleet.stop().await.unwrap_or_else(|breach| panic!("{way}: {breach}\n{}", failed.join("\n")));
        assert!(failed.is_empty(), "{}", failed.join("\n"));
        let did: Vec<&str> = checks.iter().map(|check| check.operation.as_str()).collect();
        assert_eq!(did, OFFERED, "{way} did something else");
        assert_eq!(left_out(&remains, binding), BTreeSet::new(), "{way}: the peer never saw these");
        format!("{way}: all {} checks passed", did.len())
    }
}

fn peer() -> PeerSpec {
    let mut library = Library::embedded().expect("the library is valid");
    library.add_path(&root().join("tests/interop/fleet.yaml")).expect("the fleet is valid");
    library.fleet("fleet").expect("the fleet").peers[0].clone()
}

/// The operations that no request over this binding was for. Requests over other bindings are none of this client's.
fn left_out(remains: &Remains, binding: Binding) -> BTreeSet<Operation> {
    let mut left_out = BTreeSet::from(Operation::ALL);
    for entry in &remains.journal {
        if let JournalEvent::Request(request) = &entry.event
            && let Some(operation) = request.operation
        {
            assert_eq!(request.binding, Some(binding), "{operation} came over another binding");
            left_out.remove(&operation);
        }
    }
    left_out
}

/// Runs a program that prints a line for each operation.
async fn program(interpreter: &Path, script: &Path, target: &Target) -> Vec<Check> {
    let running = tokio::process::Command::new(interpreter)
        .arg(script)
        .args([target.url.as_str(), target.binding.name(), if target.streams { "streams" } else { "unary" }])
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let ended = tokio::time::timeout(PATIENCE, running).await.expect("the program ends in time");
    let Output { status, stdout, stderr } = ended.expect("the program starts");
    let lines = String::from_utf8(stdout).expect("its output is UTF-8");
    let checks: Vec<Check> = lines.lines().map(|line| check(line, target)).collect();
    let ended_well = status.success() == checks.iter().all(|check| check.ok) && !checks.is_empty();
    assert!(ended_well, "{status} after:\n{lines}\n{}", String::from_utf8_lossy(&stderr));
    checks
}

fn check(line: &str, target: &Target) -> Check {
    let said: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    assert_eq!(said["streaming"], json!(target.streams), "{line}");
    Check {
        operation: said["operation"].as_str().expect("an operation").to_owned(),
        ok: said["ok"].as_bool().expect("a result"),
        detail: said["detail"].as_str().unwrap_or_default().to_owned(),
    }
}
