//! A probe carries none of the delegated content, and the task it begins is finished or cancelled; one cancel is enough,
//! whatever the answer. A dispatch that is cancelled and then repeated on the same interface was a probe with real
//! content.

use gauntlet_evidence::PeerState;

use crate::rules::prelude::*;
use crate::view::strings;

pub(super) static RULE: Requirement =
    Requirement { id: "capability-probe-is-synthetic", needs: &[Support::Probe], judge };

/// Shorter pieces of text may be shared by chance.
const TELLING: usize = 8;

fn judge(view: &View<'_>, tally: &mut Tally) {
    for probe in view.probes() {
        let entry = probe.entry.seq;
        let parts = probe.request.message.as_ref().and_then(|message| message.pointer("/message/parts"));
        let carried: Vec<&str> = parts.map(strings).unwrap_or_default();
        let leak = view.delegations().flat_map(content).find(|piece| carried.iter().any(|text| text.contains(piece)));
        let why = || {
            format!(
                "{}: a probe{} carries delegated content: {:?}",
                probe.peer,
                cite(&[entry]),
                leak.unwrap_or_default()
            )
        };
        tally.check(leak.is_none(), why, [entry]);
        if let Some((peer, task)) = view.began(probe) {
            let told = view.told(&peer.name, task.id()).is_some();
            if told && !task.is_terminal() && !view.cancelled(&peer.name, task.id()) {
                let why = format!(
                    "{}: the task of a probe{} was left {} and never cancelled",
                    peer.name,
                    cite(&[entry]),
                    task.state()
                );
                tally.broken(why, [entry]);
            }
        }
    }
    for delegation in view.delegations() {
        for peer in view.peers_of(delegation) {
            real_content(view, delegation, peer, tally);
        }
    }
}

fn real_content(view: &View<'_>, delegation: &Delegation, peer: &PeerState, tally: &mut Tally) {
    let dispatches: Vec<_> = view.dispatches_to(&delegation.id, &peer.name).collect();
    for (nth, first) in dispatches.iter().enumerate() {
        let Some((_, task)) = view.began(first) else { continue };
        let cancel = view.on_task(Operation::CancelTask, &peer.name, task.id()).next();
        let Some(cancel) = cancel else { continue };
        let again = dispatches[nth + 1..]
            .iter()
            .find(|later| later.entry.seq > cancel.entry.seq && view.interface(later) == view.interface(first));
        if let Some(again) = again {
            let entries = [first.entry.seq, cancel.entry.seq, again.entry.seq];
            let why =
                format!("{}: the delegated content was sent, cancelled, and sent again{}", peer.name, cite(&entries));
            tally.broken(why, entries);
        }
    }
}

/// What only the user can have said: the strings of the content, cut at the marker.
fn content(delegation: &Delegation) -> Vec<&str> {
    let values = delegation.message.parts.iter().flat_map(|part| {
        ["text", "data", "raw", "url"].into_iter().filter_map(|member| part.get(member)).flat_map(strings)
    });
    values
        .flat_map(|text| text.split(delegation.marker.as_str()))
        .map(|piece| piece.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|piece| piece.chars().count() >= TELLING)
        .collect()
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;
    use serde_json::json;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "capability-probe-is-synthetic";

    #[test]
    fn a_probe_carries_nothing_of_the_user() {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.open(ID);
        let x = scene.probe(B, JsonRpc, Operation::SendMessage);
        scene.completed(x, "t-0").upheld(ID);
        scene.sent(x).message = Some(json!({ "message": { "parts": [{ "text": "Classify return 4411" }] } }));
        assert!(scene.broken(ID).contains("carries delegated content"));
    }

    #[test]
    fn a_probe_leaves_no_task_open() {
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.probe(B, JsonRpc, Operation::SendMessage);
        scene.task(x, "t-0", "TASK_STATE_WORKING");
        assert!(scene.broken(ID).contains("never cancelled"));
        let x = scene.on_task(B, JsonRpc, Operation::CancelTask, "t-0");
        scene.refuse(x, "-32002");
        scene.upheld(ID);
    }

    #[test]
    fn a_task_nobody_was_told_of_cannot_be_closed() {
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.probe(B, JsonRpc, Operation::SendMessage);
        scene.hold(x, "t-0", "TASK_STATE_WORKING");
        scene.upheld(ID);
    }

    #[test]
    fn trying_out_with_the_real_content_is_seen() {
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.task(x, "t-0", "TASK_STATE_CANCELED");
        scene.on_task(B, JsonRpc, Operation::CancelTask, "t-0");
        scene.open(ID);
        scene.dispatch(B, JsonRpc, "d-1");
        assert!(scene.broken(ID).contains("sent again"));
    }
}
