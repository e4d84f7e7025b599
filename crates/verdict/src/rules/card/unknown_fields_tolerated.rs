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
