//! No call is made to a peer none of whose interfaces the orchestrator speaks, and the refusal says so.

use gauntlet_evidence::RequestClass;

use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "interface-none-shared", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for peer in &view.evidence().peers {
        let listed = peer.card.get("supportedInterfaces").and_then(|listed| listed.as_array());
        if listed.is_none_or(Vec::is_empty) || peer.interfaces.iter().any(|interface| view.speaks(interface)) {
            continue;
        }
        let calls: Vec<u64> = view
            .exchanges
            .iter()
            .filter(|x| x.peer == peer.name && x.request.class != RequestClass::Discovery)
            .filter(|x| x.request.operation.is_some() || x.request.method == "POST")
            .map(|x| x.entry.seq)
            .collect();
        if !calls.is_empty() {
            let why = format!(
                "{}: {}{} although no interface is shared",
                peer.name,
                count(calls.len(), "call", "calls"),
                cite(&calls)
            );
            tally.broken(why, calls);
            continue;
        }
        // Where another peer took the work there is nothing to refuse.
        let alone = view
            .reported()
            .filter(|(delegation, _)| delegation.peers.len() == 1 && delegation.peers[0].name == peer.name);
        for (_, outcome) in alone {
            let code = outcome.reason.as_ref().map_or("no reason", |reason| reason.code.as_str());
            if outcome.status.is_success() {
                tally.broken(
                    format!("{}: {} was reported although no interface is shared", peer.name, outcome.status),
                    [],
                );
            } else if outcome.status != Status::TimedOut {
                let typed =
                    !view.supports(Support::Reasons) || matches!(code, "no-shared-interface" | "version-unsupported");
                let why = || format!("{}: no interface is shared, but the refusal gives {code}", peer.name);
                tally.check(typed, why, []);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::{Grpc, JsonRpc};

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "interface-none-shared";

    fn strangers() -> Scene {
        let mut scene = Scene::new(&[Grpc]);
        scene.case.evidence.hello.speaks.bindings = vec![JsonRpc];
        scene
    }

    #[test]
    fn no_call_and_a_typed_refusal() {
        let mut scene = strangers();
        scene.because("d-1", Status::Refused, "no-shared-interface");
        scene.upheld(ID);
        let mut scene = strangers();
        scene.because("d-1", Status::Failed, "deadline");
        assert!(scene.broken(ID).contains("the refusal gives deadline"));
        scene.without(Support::Reasons).upheld(ID);
    }

    #[test]
    fn a_post_to_the_first_url_is_a_call() {
        let mut scene = strangers();
        let x = scene.dispatch(B, Grpc, "d-1");
        let sent = scene.sent(x);
        (sent.class, sent.operation, sent.binding) = (RequestClass::Other, None, Some(JsonRpc));
        scene.because("d-1", Status::Refused, "no-shared-interface");
        assert!(scene.broken(ID).contains("1 call (entry"));
    }

    #[test]
    fn a_shared_interface_is_not_judged() {
        let mut scene = Scene::new(&[Grpc]);
        scene.outcome("d-1", Status::Refused);
        scene.open(ID);
    }
}
