//! Whether an interface of a peer can do the work of a delegation.

use gauntlet_evidence::contract::{Delegation, Need, Needs};
use gauntlet_evidence::{PeerState, Support};
use gauntlet_scenario::Fact;
use gauntlet_wire::{Binding, Operation};

use crate::view::{Card, ModeRuling, View};

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

/// Whether the interface of a peer on `binding` can do the work of a delegation.
pub(crate) fn serving(view: &View<'_>, delegation: &Delegation, peer: &PeerState, binding: Binding) -> Serving {
    let facts = view.facts(&peer.name);
    let lacks = |operation| facts.holds(binding, &Fact::LacksOperation(operation));
    if facts.unusable(binding) {
        return Serving::Not;
    }
    let card = Card(&peer.card);
    let needs = needs(view, delegation);
    let declared = card.streaming() == Some(true);
    let streams =
        !lacks(Operation::SendStreamingMessage) && (declared || facts.holds(binding, &Fact::StreamsUndeclared));
    // A webhook can be registered in two ways. Whoever cannot try a peer out does not see that neither leads to anything.
    let (unregistered, lost) =
        (lacks(Operation::CreateTaskPushNotificationConfig), facts.holds(binding, &Fact::PushLost));
    let absent = unregistered && lost && view.supports(Support::Probe);
    if needs.push == Need::Required && (card.push() != Some(true) || absent) {
        return Serving::Not;
    }
    let unary = !lacks(Operation::SendMessage);
    if !streams && (needs.streaming == Need::Required || !unary) {
        return Serving::Not;
    }
    let ends_early = facts.holds(binding, &Fact::StreamEndsEarly);
    let auth = facts.on(binding).any(|fact| matches!(fact, Fact::Auth { .. }));
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
pub(crate) fn grounds(view: &View<'_>, delegation: &Delegation, peer: &PeerState) -> Option<&'static str> {
    if view.facts(&peer.name).0.iter().any(|scoped| matches!(scoped.fact, Fact::CardIllegal { .. })) {
        return Some("card-illegal");
    }
    let card = Card(&peer.card);
    if card.demands_are_ambiguous() {
        return Some("auth-ambiguous");
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
