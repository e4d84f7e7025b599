//! A peer that differs from a correct one by nothing but members unknown to the proto, in its card or its answers, is
//! used like any other. Judged only where nothing else about the peer permits to refuse the work.

use gauntlet_wire::protojson::{Unknown, dynamic_from_json};
use gauntlet_wire::{CARD_PATH, message};
use serde_json::Value;

use crate::oracle::must_serve;
use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "card-unknown-fields-tolerated", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, outcome) in view.reported().filter(|(delegation, _)| must_serve(view, delegation)) {
        let [peer] = view.peers_of(delegation).collect::<Vec<_>>()[..] else { continue };
        let Some((what, entry)) = odd_answer(view, &peer.name) else { continue };
        if !view.facts(&peer.name).0.is_empty() || outcome.status == Status::TimedOut {
            continue;
        }
        let reached = view.dispatches_to(&delegation.id, &peer.name).any(|x| view.reached(x));
        if !reached && !outcome.status.is_success() {
            let why = format!(
                "{}: its {what}{} only carries unknown members, yet {} was reported and no work arrived",
                peer.name,
                cite(&[entry]),
                outcome.status
            );
            tally.broken(why, [entry]);
            continue;
        }
        let Some((_, task)) = view.reported_task(outcome) else { continue };
        match view.agrees(outcome, peer, task) {
            Agreement::Yes => tally.upheld(),
            Agreement::No if !outcome.status.is_success() => {
                let why = format!(
                    "{}: its {what}{} only carries unknown members; the task is {}, {} was reported",
                    peer.name,
                    cite(&[entry]),
                    task.state(),
                    outcome.status
                );
                tally.broken(why, [entry]);
            }
            _ => {}
        }
    }
}

/// The first card or answer of a peer that reads well once unknown members are left out, and not before.
fn odd_answer(view: &View<'_>, peer: &str) -> Option<(&'static str, u64)> {
    view.exchanges.iter().filter(|x| x.peer == peer).find_map(|x| {
        let (what, descriptor) = match x.request.operation {
            Some(operation) => ("answer", operation.response()),
            None if x.request.path.split('?').next()?.ends_with(CARD_PATH) => ("card", message("AgentCard")?),
            None => return None,
        };
        let odd = |object: &Value| {
            dynamic_from_json(&descriptor, object, Unknown::Refuse).is_err()
                && dynamic_from_json(&descriptor, object, Unknown::Ignore).is_ok()
        };
        x.frames.iter().find(|(_, frame)| frame.object.as_ref().is_some_and(odd)).map(|(entry, _)| (what, entry.seq))
    })
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;
    use serde_json::json;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "card-unknown-fields-tolerated";

    fn odd_card() -> Scene {
        let mut scene = Scene::empty();
        scene.peer(B, &[JsonRpc]).delegate("d-1");
        scene.state(B).card["x-vendor"] = json!({ "tier": 3 });
        scene.fetch(B, CARD_PATH, 200);
        scene
    }

    #[test]
    fn an_odd_card_is_used() {
        let mut scene = odd_card();
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.completed(x, "t-1").outcome("d-1", Status::Completed);
        scene.upheld(ID);
        let mut scene = odd_card();
        scene.because("d-1", Status::Refused, "card-illegal");
        assert!(scene.broken(ID).contains("no work arrived"));
    }

    #[test]
    fn an_odd_answer_is_used() {
        for (status, broken) in [(Status::Completed, false), (Status::Failed, true)] {
            let mut scene = Scene::new(&[JsonRpc]);
            let x = scene.dispatch(B, JsonRpc, "d-1");
            let mut task = scene.hold(x, "t-1", "TASK_STATE_COMPLETED").clone();
            task["x-cost"] = json!(4);
            scene.answer(x, json!({ "task": task }));
            scene.outcome("d-1", status);
            if broken { drop(scene.broken(ID)) } else { scene.upheld(ID) }
        }
    }

    #[test]
    fn other_reasons_to_refuse_and_plain_cards_are_not_judged() {
        let mut scene = odd_card();
        scene.delegation("d-1").skill = Some("sing".to_owned());
        scene.because("d-1", Status::Refused, "skill-unknown");
        scene.open(ID);
        let mut scene = Scene::new(&[JsonRpc]);
        scene.outcome("d-1", Status::Refused);
        scene.open(ID);
    }
}
