//! No operation is called whose capability the card declares false or leaves out, and no webhook is named in a send.
//! Exempt: probes, and what a probe of that peer has shown to work.

use gauntlet_evidence::RequestClass;

use crate::rules::prelude::*;
use crate::view::webhook_of;

pub(super) static RULE: Requirement = Requirement { id: "capability-flag-respected", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for x in view.exchanges.iter().filter(|x| x.request.class != RequestClass::Probe) {
        let Some(operation) = x.request.operation else { continue };
        // Follow-ups of probes belong to them.
        if x.request.class == RequestClass::FollowUp(None) {
            continue;
        }
        let Some(peer) = view.evidence().peer(x.peer) else { continue };
        let card = Card(&peer.card);
        if operation.sends_message() && card.push() != Some(true) && webhook_of(x.request).is_some() {
            let why = format!(
                "{}: a webhook was named in {operation}{}, its card does not declare push notifications",
                x.peer,
                cite(&[x.entry.seq])
            );
            tally.broken(why, [x.entry.seq]);
        }
        if view.declares(x.peer, operation) {
            let narrow = card.streaming() != Some(true) || card.push() != Some(true);
            if narrow && x.request.class.is_dispatch() {
                tally.upheld();
            }
            continue;
        }
        let shown = view.probes().any(|probe| {
            probe.peer == x.peer
                && probe.number < x.number
                && probe.request.operation.is_some_and(|probed| probed.is_streaming() == operation.is_streaming())
                && view.failure(probe).is_none()
                && !probe.frames.is_empty()
        });
        if !(operation.is_streaming() && shown) {
            let why =
                format!("{}: {operation} was called{}, its card does not declare it", x.peer, cite(&[x.entry.seq]));
            tally.broken(why, [x.entry.seq]);
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "capability-flag-respected";

    #[test]
    fn undeclared_operations_are_not_called() {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.capability("streaming", false);
        scene.open(ID);
        scene.dispatch(B, JsonRpc, "d-1");
        scene.upheld(ID);
        scene.stream(B, JsonRpc, "d-1");
        assert!(scene.broken(ID).contains("SendStreamingMessage was called"));
    }

    #[test]
    fn probes_and_what_they_showed_are_exempt() {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.capability("streaming", false);
        let x = scene.probe(B, JsonRpc, Operation::SendStreamingMessage);
        scene.completed(x, "t-0").open(ID);
        scene.stream(B, JsonRpc, "d-1");
        scene.open(ID);
        let mut scene = Scene::new(&[JsonRpc]);
        scene.capability("streaming", false);
        let x = scene.probe(B, JsonRpc, Operation::SendStreamingMessage);
        scene.refuse(x, "-32004");
        scene.stream(B, JsonRpc, "d-1");
        scene.broken(ID);
    }

    #[test]
    fn webhooks_are_not_named_where_push_is_not_declared() {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.dispatch_with_webhook(B, JsonRpc, "d-1", "a");
        scene.open(ID);
        scene.capability("pushNotifications", false);
        assert!(scene.broken(ID).contains("a webhook was named in SendMessage"));
    }

    #[test]
    fn the_extended_card_is_not_asked_for_either() {
        let mut scene = Scene::new(&[JsonRpc]);
        let class = RequestClass::Discovery;
        scene.call(B, JsonRpc, class, Operation::GetExtendedAgentCard, serde_json::Value::Object(Default::default()));
        scene.broken(ID);
        scene.capability("extendedAgentCard", true).open(ID);
    }
}
