//! A peer whose card declares a capability false, or leaves it out, is used for work that does not require it. Judged on
//! peers without any defect, where nothing else permits to refuse the work. Exempt: refusals that give another reason, and
//! calls that failed for another.

use crate::oracle::must_serve;
use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "capability-false-is-legal", needs: &[], judge };

/// Reasons that have nothing to do with capabilities.
const OTHER: [&str; 8] = [
    "card-illegal",
    "interface-mismatch",
    "mode-ambiguous",
    "mode-unsupported",
    "no-shared-interface",
    "skill-unknown",
    "version-unsupported",
    "invalid-agent-response",
];

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, outcome) in view.reported().filter(|(delegation, _)| must_serve(view, delegation)) {
        let [peer] = view.peers_of(delegation).collect::<Vec<_>>()[..] else { continue };
        let card = Card(&peer.card);
        let narrow = card.streaming() != Some(true) || card.push() != Some(true);
        if !narrow || !view.facts(&peer.name).0.is_empty() || outcome.status == Status::TimedOut {
            continue;
        }
        let dispatches: Vec<_> = view.dispatches_to(&delegation.id, &peer.name).collect();
        if dispatches.iter().any(|x| view.reached(x)) {
            tally.upheld();
            continue;
        }
        let blamed = blamed(card, outcome).filter(|_| !outcome.status.is_success());
        let Some(flag) = blamed.filter(|_| dispatches.iter().all(|x| view.mismatch(x).is_some())) else { continue };
        let entries: Vec<u64> = dispatches.iter().map(|x| x.entry.seq).collect();
        let how = match dispatches.is_empty() {
            true => "was not handed over".to_owned(),
            false => format!("got no further than a refused call{}", cite(&entries)),
        };
        let why = format!(
            "{}: {flag} is not declared, and work that does not require it {how}: {}",
            peer.name, outcome.status
        );
        tally.broken(why, entries);
    }
}

/// The capability a refusal can be about. Hardly any card declares push: only a report that names it is about it.
fn blamed(card: Card<'_>, outcome: &Outcome) -> Option<&'static str> {
    let reason = outcome.reason.as_ref();
    let named = reason.and_then(|reason| reason.capability.as_deref());
    if reason.is_some_and(|reason| OTHER.contains(&reason.code.as_str())) {
        None
    } else if card.push() != Some(true) && matches!(named, Some("push" | "pushNotifications")) {
        Some("push")
    } else {
        (card.streaming() != Some(true)).then_some("streaming")
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
    fn refusals_and_errors_for_other_reasons_are_not_judged() {
        let mut scene = narrow();
        scene.because("d-1", Status::Refused, "version-unsupported");
        scene.open(ID);
        let mut scene = narrow();
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.refuse(x, "-32602");
        scene.outcome("d-1", Status::Failed);
        scene.open(ID);
    }

    #[test]
    fn push_is_blamed_only_where_it_is_named() {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.capability("pushNotifications", false).because("d-1", Status::Refused, "capability-mismatch");
        scene.open(ID);
        scene.case.evidence.outcomes[0].reason.as_mut().unwrap().capability = Some("push".to_owned());
        assert!(scene.broken(ID).contains("push is not declared"));
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
