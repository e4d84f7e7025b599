//! Whether an interface of a peer can do the work of a delegation.

use gauntlet_evidence::contract::{Delegation, Need, Needs};
use gauntlet_evidence::{PeerState, Support};
use gauntlet_scenario::Fact;
use gauntlet_wire::Operation;

use crate::view::{Card, ModeRuling, Spot, View};

/// Whether an interface can do the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Serving {
    /// As the card says.
    Fully,
    /// By other means than the card promises.
    Degraded,
    /// It can, but an orchestrator that does not count on it is right as well.
    Debatable,
    /// It cannot.
    Not,
}

/// The capabilities the work depends on, as far as the driver honours them.
pub(crate) fn needs(view: &View<'_>, delegation: &Delegation) -> Needs {
    if view.supports(Support::Needs) { delegation.needs } else { Needs::default() }
}

/// Whether an interface of a peer can do the work of a delegation.
pub(crate) fn serving(view: &View<'_>, delegation: &Delegation, peer: &PeerState, spot: Spot<'_>) -> Serving {
    let holds = |fact: &Fact| view.holds(&peer.name, spot, fact);
    let lacks = |operation| holds(&Fact::LacksOperation(operation));
    if view.unusable(&peer.name, spot) {
        return Serving::Not;
    }
    let card = Card(&peer.card);
    let needs = needs(view, delegation);
    let declared = card.streaming() == Some(true);
    let streams = !lacks(Operation::SendStreamingMessage) && (declared || holds(&Fact::StreamsUndeclared));
    // A webhook can be registered in two ways. Whoever cannot try a peer out does not see that neither leads to anything.
    let (unregistered, lost) = (lacks(Operation::CreateTaskPushNotificationConfig), holds(&Fact::PushLost));
    let absent = unregistered && lost && view.supports(Support::Probe);
    if needs.push == Need::Required && (card.push() != Some(true) || absent) {
        return Serving::Not;
    }
    let unary = !lacks(Operation::SendMessage);
    if !streams && (needs.streaming == Need::Required || !unary) {
        return Serving::Not;
    }
    let ends_early = holds(&Fact::StreamEndsEarly);
    let auth = view.facts_at(&peer.name, spot).any(|fact| matches!(fact, Fact::Auth { .. }));
    if auth
        || needs.push == Need::Required && (unregistered || lost)
        || needs.streaming == Need::Required && !declared
        || needs.streaming != Need::Unused && ends_early && view.supports(Support::Probe)
        || needs.streaming == Need::Required && lacks(Operation::SubscribeToTask) && lacks(Operation::GetTask)
    {
        return Serving::Debatable;
    }
    if declared && !streams || !unary || ends_early { Serving::Degraded } else { Serving::Fully }
}

/// Why a peer must not get the work, whatever the interface: the code of the reason.
pub(crate) fn grounds<'a>(view: &View<'a>, delegation: &Delegation, peer: &'a PeerState) -> Option<&'static str> {
    if view.facts(&peer.name).0.iter().any(|scoped| matches!(scoped.fact, Fact::CardIllegal { .. })) {
        return Some("card-illegal");
    }
    let card = view.card(delegation, peer);
    if card.demands_are_ambiguous() {
        return Some("auth-ambiguous");
    }
    // Who knows the extension says so where the work is handed over.
    let named = |x: &&gauntlet_evidence::Exchange<'_>| card.unnamed_extension(x.request).is_none();
    if card.required_extensions().next().is_some() && !view.dispatches_to(&delegation.id, &peer.name).any(|x| named(&x))
    {
        return Some("extension-required");
    }
    let skill = delegation.skill.as_deref();
    if view.supports(Support::Skill) && skill.is_some_and(|skill| card.skill(skill).is_none()) {
        return Some("skill-unknown");
    }
    if !view.supports(Support::Modes) || skill.is_some() && !view.supports(Support::Skill) {
        return None;
    }
    match card.rule_on_modes(delegation) {
        ModeRuling::Undeclared(_) | ModeRuling::Elsewhere(_) => Some("mode-unsupported"),
        ModeRuling::Ambiguous(_) => Some("mode-ambiguous"),
        ModeRuling::Accepted | ModeRuling::BySkill(_) => None,
    }
}
