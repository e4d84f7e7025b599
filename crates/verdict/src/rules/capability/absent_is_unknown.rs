//! A capability that the card says nothing of is not taken for one that is there: work is handed over by other means, or
//! by a stream that a probe has shown to work.

use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "capability-absent-is-unknown", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, _) in view.reported() {
        for peer in view.peers_of(delegation).filter(|peer| Card(&peer.card).streaming().is_none()) {
            for x in view.dispatches_to(&delegation.id, &peer.name) {
                let streams = x.request.operation == Some(Operation::SendStreamingMessage);
                let proven = || {
                    view.probes().any(|probe| {
                        probe.entry.seq < x.entry.seq
                            && probe.peer == x.peer
                            && probe.request.operation == x.request.operation
                            && view.interface(probe) == view.interface(x)
                            && view.reached(probe)
                    })
                };
                let entry = x.entry.seq;
                let why = || {
                    format!("{}: work was streamed{}, the card says nothing of streaming", peer.name, cite(&[entry]))
                };
                tally.check(!streams || proven(), why, [entry]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;

    use super::*;
    use crate::testing::{B, Scene, reported};

    const ID: &str = "capability-absent-is-unknown";

    fn silent() -> Scene {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.state(B).card["capabilities"] = serde_json::json!({});
        scene
    }

    #[test]
    fn what_the_card_leaves_open_is_done_without_or_tried_first() {
        let mut scene = silent();
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.completed(x, "t-1").outcome("d-1", Status::Completed);
        scene.upheld(ID);
        let mut scene = silent();
        let x = scene.stream(B, JsonRpc, "d-1");
        scene.completed(x, "t-1").outcome("d-1", Status::Completed);
        assert!(scene.broken(ID).contains("the card says nothing of streaming"));
        let mut scene = silent();
        let probe = scene.probe(B, JsonRpc, Operation::SendStreamingMessage);
        scene.completed(probe, "t-0");
        let x = scene.stream(B, JsonRpc, "d-1");
        scene.completed(x, "t-1").outcome("d-1", Status::Completed);
        scene.upheld(ID);
    }

    #[test]
    fn cards_that_say_it_are_not_judged() {
        reported("TASK_STATE_COMPLETED", Status::Completed).open(ID);
    }
}
