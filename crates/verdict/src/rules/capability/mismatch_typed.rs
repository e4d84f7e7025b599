//! Where work is not done because an interface lacks streaming or push, the report says so: which capability, over which
//! binding, and that trying again would not help. Where the card itself does not declare the capability, the binding may
//! be left out.

use gauntlet_evidence::PeerState;
use gauntlet_wire::Binding;

use crate::oracle::{Serving, grounds, serving};
use crate::rules::prelude::*;
use crate::view::Spot;

pub(super) static RULE: Requirement =
    Requirement { id: "capability-mismatch-typed", needs: &[Support::Reasons], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, outcome) in view.reported() {
        let [peer] = view.peers_of(delegation).collect::<Vec<_>>()[..] else { continue };
        if outcome.status.is_success()
            || outcome.status == Status::TimedOut
            || grounds(view, delegation, peer).is_some()
            || view.held(&delegation.id).next().is_some()
        {
            continue;
        }
        let Some(lack) = lack(view, delegation, peer) else { continue };
        let reason = outcome.reason.clone().unwrap_or_default();
        let named = |capability: &str| {
            capability == lack.capability || capability == "pushNotifications" && lack.capability == "push"
        };
        let binding = match reason.binding {
            Some(binding) => lack.bindings.contains(&binding),
            None => !lack.declared,
        };
        let typed = reason.code == "capability-mismatch"
            && reason.capability.as_deref().is_some_and(named)
            && binding
            && outcome.transient != Some(true);
        let why = || {
            format!(
                "{}: {} over {} is missing{}; the report says {}{}{}{}",
                peer.name,
                lack.capability,
                lack.bindings.iter().map(|binding| binding.name()).collect::<Vec<_>>().join(" and "),
                cite(&lack.entries),
                if reason.code.is_empty() { "no reason" } else { &reason.code },
                reason.capability.as_deref().map(|name| format!(", {name}")).unwrap_or_default(),
                reason.binding.map(|binding| format!(", {binding}")).unwrap_or_default(),
                if outcome.transient == Some(true) { ", transient" } else { "" },
            )
        };
        tally.check(typed, why, lack.entries.iter().copied());
    }
}

struct Lack {
    capability: &'static str,
    /// Bindings that lack it.
    bindings: Vec<Binding>,
    /// Whether the card declares it.
    declared: bool,
    entries: Vec<u64>,
}

/// What kept the work from being done: a required capability that no usable interface has, or one that was tried and
/// turned away.
fn lack(view: &View<'_>, delegation: &Delegation, peer: &PeerState) -> Option<Lack> {
    let candidates = view.candidates(delegation, peer);
    let usable: Vec<Spot<'_>> = candidates.iter().copied().filter(|spot| !view.unusable(&peer.name, *spot)).collect();
    let card = Card(&peer.card);
    let refused: Vec<_> = view
        .dispatches_to(&delegation.id, &peer.name)
        .filter_map(|x| Some((x.request.operation?, view.mismatch(x)?, view.interface(x)?)))
        .filter(|(.., spot)| usable.contains(spot))
        .collect();
    let for_push = refused.iter().any(|(_, failure, _)| failure.is_about_push());
    let tried: Vec<_> = refused
        .iter()
        .filter(|(operation, failure, _)| {
            failure.is_about_push() || !for_push && *operation == Operation::SendStreamingMessage
        })
        .map(|(_, failure, spot)| (failure.entry, spot.1.binding))
        .collect();
    let nobody = !usable.is_empty()
        && candidates.len() == usable.len()
        && usable.iter().all(|spot| serving(view, delegation, peer, *spot) == Serving::Not);
    let honoured = view.supports(Support::Needs);
    let required = |need: Need| honoured && need == Need::Required;
    let capability = match (required(delegation.needs.streaming), required(delegation.needs.push)) {
        // Which of two is missing cannot be told here.
        (true, true) => return None,
        (true, false) if nobody => "streaming",
        (false, true) if nobody => "push",
        _ if for_push => "push",
        _ if !tried.is_empty() => "streaming",
        _ => return None,
    };
    let declared = if capability == "push" { card.push() } else { card.streaming() } == Some(true);
    let of_tried = tried.iter().map(|(_, binding)| *binding);
    let mut bindings: Vec<Binding> =
        if nobody { usable.iter().map(|spot| spot.1.binding).collect() } else { of_tried.collect() };
    bindings.dedup();
    Some(Lack { capability, bindings, declared, entries: tried.iter().map(|(entry, _)| *entry).collect() })
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::Grpc;

    use super::*;
    use crate::testing::{B, Scene, streaming_lie as lie};

    const ID: &str = "capability-mismatch-typed";

    #[test]
    fn capability_and_binding_are_named() {
        let mut scene = lie();
        let reason = scene.because("d-1", Status::Refused, "capability-mismatch");
        (reason.capability, reason.binding) = (Some("streaming".to_owned()), Some(Grpc));
        scene.upheld(ID);
        let right = scene.clone();
        scene.case.evidence.outcomes[0].reason.as_mut().unwrap().binding = None;
        scene.broken(ID);
        let mut scene = right.clone();
        scene.case.evidence.outcomes[0].transient = Some(true);
        assert!(scene.broken(ID).ends_with("transient"));
        let mut scene = right;
        scene.case.evidence.outcomes[0].reason.as_mut().unwrap().code = "deadline".to_owned();
        scene.broken(ID);
    }

    #[test]
    fn where_the_card_itself_says_no_the_binding_may_be_left_out() {
        let mut scene = Scene::new(&[Grpc]);
        scene.capability("streaming", false).delegation("d-1").needs.streaming = Need::Required;
        scene.because("d-1", Status::Refused, "capability-mismatch").capability = Some("streaming".to_owned());
        scene.upheld(ID);
    }

    #[test]
    fn a_call_that_was_turned_away_is_explained_too() {
        let mut scene = lie();
        scene.delegation("d-1").needs.streaming = Need::Unused;
        let x = scene.stream(B, Grpc, "d-1");
        scene.refuse(x, "UNIMPLEMENTED");
        scene.outcome("d-1", Status::Raised);
        assert!(scene.broken(ID).contains("the report says no reason"));
        scene.without(Support::Reasons).open(ID);
    }

    #[test]
    fn a_webhook_that_was_turned_away_is_explained_as_push() {
        let mut scene = Scene::new(&[Grpc]);
        let x = scene.dispatch_with_webhook(B, Grpc, "d-1", "a");
        scene.refuse_as(x, "FAILED_PRECONDITION", Some("PUSH_NOTIFICATION_NOT_SUPPORTED"));
        let reason = scene.because("d-1", Status::Refused, "capability-mismatch");
        (reason.capability, reason.binding) = (Some("push".to_owned()), Some(Grpc));
        scene.upheld(ID);
        scene.case.evidence.outcomes[0].reason.as_mut().unwrap().capability = Some("streaming".to_owned());
        assert!(scene.broken(ID).starts_with("vendor-b: push over GRPC is missing"));
    }

    #[test]
    fn work_that_was_done_or_refused_on_other_grounds_is_not_judged() {
        let mut scene = lie();
        scene.outcome("d-1", Status::Completed);
        scene.open(ID);
        let mut scene = lie();
        scene.delegation("d-1").skill = Some("sing".to_owned());
        scene.outcome("d-1", Status::Refused);
        scene.open(ID);
    }
}
