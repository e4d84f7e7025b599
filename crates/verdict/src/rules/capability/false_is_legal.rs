//! A peer whose card declares a capability false, or leaves it out, is used for work that does not require it. Judged on
//! peers without any defect, where nothing else permits to refuse the work.

use crate::oracle::must_serve;
use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "capability-false-is-legal", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, outcome) in view.reported().filter(|(delegation, _)| must_serve(view, delegation)) {
        let [peer] = view.peers_of(delegation).collect::<Vec<_>>()[..] else { continue };
        let card = Card(&peer.card);
        let narrow = [("streaming", card.streaming()), ("pushNotifications", card.push())];
        let Some((flag, _)) = narrow.into_iter().find(|(_, declared)| *declared != Some(true)) else { continue };
        if !view.facts(&peer.name).0.is_empty() || outcome.status == Status::TimedOut {
            continue;
        }
        let dispatches: Vec<_> = view.dispatches_to(&delegation.id, &peer.name).collect();
        if dispatches.iter().any(|x| view.reached(x)) {
            tally.upheld();
        } else if !outcome.status.is_success() {
            let entries: Vec<u64> = dispatches.iter().map(|x| x.entry.seq).collect();
            let how = match dispatches.is_empty() {
                true => "was not handed over".to_owned(),
                false => format!("got no further than a refused call{}", cite(&entries)),
            };
            let why = format!(
                "{}: {} is not declared, and work that does not require it {how}: {}",
                peer.name, flag, outcome.status
            );
            tally.broken(why, entries);
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "capability-false-is-legal";

    fn narrow() -> Scene {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.capability("streaming", false);
        scene
    }

    #[test]
    fn false_is_no_reason_to_refuse() {
        let mut scene = narrow();
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.completed(x, "t-1").outcome("d-1", Status::Completed);
        scene.upheld(ID);
        let mut scene = narrow();
        scene.because("d-1", Status::Refused, "capability-mismatch");
        assert!(scene.broken(ID).contains("was not handed over"));
        let x = scene.stream(B, JsonRpc, "d-1");
        scene.refuse(x, "-32004");
        assert!(scene.broken(ID).contains("got no further than a refused call"));
    }

    #[test]
    fn required_capabilities_full_cards_and_defects_are_not_judged() {
        let mut scene = narrow();
        scene.delegation("d-1").needs.streaming = Need::Required;
        scene.outcome("d-1", Status::Refused);
        scene.open(ID);
        scene.delegation("d-1").needs.streaming = Need::Preferred;
        scene.broken(ID);
        scene.fact(&[], Fact::StreamsUndeclared).open(ID);
        let mut scene = Scene::new(&[JsonRpc]);
        scene.outcome("d-1", Status::Refused);
        scene.open(ID);
    }
}
