//! Every operation at a peer whose card requires extensions names them in A2A-Extensions; an orchestrator that does not
//! know one refuses the peer without a call. Whether it does what an extension says once it has named it, only those who
//! know the extension can tell. Exempt: fetching the extended card, which may be where the demand stands.

use crate::rules::mode::offers;
use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "extensions-required-honoured", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, outcome, peer) in offers(view) {
        let card = Card(&peer.card);
        if card.required_extensions().next().is_none() {
            continue;
        }
        let calls: Vec<_> = view
            .operations()
            .filter(|x| x.peer == peer.name && x.request.operation != Some(Operation::GetExtendedAgentCard))
            .filter(|x| view.delegation_of(x).is_some_and(|known| known.id == delegation.id))
            .collect();
        let without: Vec<_> =
            calls.iter().filter_map(|x| Some((x.entry.seq, card.unnamed_extension(x.request)?))).collect();
        if let Some((_, extension)) = without.first() {
            let entries: Vec<u64> = without.iter().map(|(entry, _)| *entry).collect();
            let calls = count(entries.len(), "call", "calls");
            let why = format!(
                "{}: {calls} without the extension {extension}, which its card requires{}",
                peer.name,
                cite(&entries)
            );
            tally.broken(why, entries);
        } else if !calls.is_empty() || !outcome.status.is_success() && outcome.status != Status::TimedOut {
            tally.upheld();
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::{Grpc, JsonRpc};
    use serde_json::json;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "extensions-required-honoured";

    fn demanding() -> Scene {
        let mut scene = Scene::new(&[JsonRpc, Grpc]);
        let extensions = json!([{ "uri": "urn:a" }, { "uri": "urn:b", "required": true }]);
        scene.state(B).card["capabilities"]["extensions"] = extensions;
        scene
    }

    #[test]
    fn who_calls_names_what_is_required() {
        for (named, well) in [("urn:b", true), ("urn:a, urn:b", true), ("urn:a", false), ("urn:b2", false)] {
            let mut scene = demanding();
            let x = scene.dispatch(B, Grpc, "d-1");
            scene.sent(x).headers.push(("a2a-extensions".to_owned(), named.to_owned()));
            scene.completed(x, "t-1").outcome("d-1", Status::Completed);
            if well {
                scene.upheld(ID);
            } else {
                assert!(scene.broken(ID).starts_with("vendor-b: 1 call without the extension urn:b, which its card"));
            }
        }
    }

    #[test]
    fn a_probe_and_what_follows_on_the_task_are_calls() {
        let mut scene = demanding();
        scene.probe(B, JsonRpc, Operation::SendMessage);
        scene.outcome("d-1", Status::Refused);
        scene.broken(ID);
        let mut scene = demanding();
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.sent(x).headers.push(("a2a-extensions".to_owned(), "urn:b".to_owned()));
        scene.completed(x, "t-1").outcome("d-1", Status::Completed);
        scene.asked("t-1").broken(ID);
    }

    #[test]
    fn who_refuses_without_a_call_does_right() {
        let mut scene = demanding();
        scene.outcome("d-1", Status::Refused);
        scene.upheld(ID);
    }

    #[test]
    fn what_is_only_offered_and_the_extended_card_are_not_judged() {
        let mut scene = demanding();
        scene.call(B, JsonRpc, gauntlet_evidence::RequestClass::Discovery, Operation::GetExtendedAgentCard, json!({}));
        scene.outcome("d-1", Status::TimedOut);
        scene.open(ID);
        let mut scene = Scene::new(&[JsonRpc]);
        scene.state(B).card["capabilities"]["extensions"] = json!([{ "uri": "urn:a" }]);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.completed(x, "t-1").outcome("d-1", Status::Completed);
        scene.open(ID);
    }
}
