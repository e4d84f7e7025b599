//! Choosing what may be attempted at a peer: pure, from the card and the delegation alone.

use gauntlet_card::{Card, Interface, Skill};
use gauntlet_evidence::contract::{Delegation, Need};
use gauntlet_wire::{Binding, Operation, ProtocolVersion};

use crate::flaws::{Flaws, Planted};
use crate::message;
use crate::outcome::Refusal;
use crate::transport::Endpoint;

/// The protocol version spoken here.
const SPOKEN: ProtocolVersion = ProtocolVersion::V1_0;

/// One way to hand the work over.
#[derive(Debug, Clone)]
pub(crate) struct Attempt {
    pub(crate) endpoint: Endpoint,
    pub(crate) operation: Operation,
    /// Whether the peer is asked to tell a webhook.
    pub(crate) webhook: bool,
    /// Streaming has to be seen working before work depends on it.
    pub(crate) prove_streaming: bool,
    /// Webhooks have to be seen registered before work depends on them.
    pub(crate) prove_push: bool,
}

/// Every way in which the work may be handed to this peer, the best one first. Never empty.
///
/// # Errors
/// Why there is none.
pub(crate) fn attempts(card: &Card, delegation: &Delegation, flaws: Flaws) -> Result<Vec<Attempt>, Refusal> {
    if delegation.policy.require_signatures {
        let detail = "the caller demands a signed card, and signatures are not verified here";
        return Err(Refusal { layer: Some("capability"), ..Refusal::new("card-illegal", detail) });
    }
    // None is known here. What is not required may be left alone.
    if let Some(extension) = card.required_extensions().next().filter(|_| !flaws.has(Planted::ExtensionsIgnored)) {
        let detail = format!("the card requires the extension {extension}, which is not supported here");
        return Err(Refusal { layer: Some("capability"), ..Refusal::new("extension-required", detail) });
    }
    let skill = skill(card, delegation, flaws)?;
    check_modes(card, skill, delegation, flaws)?;
    let mut interfaces = interfaces(card, delegation, flaws)?;
    if flaws.has(Planted::LastInterfaceFirst) {
        interfaces.reverse();
    }
    if flaws.has(Planted::FirstInterfaceOnly) {
        interfaces.truncate(1);
    }
    let first = interfaces.first().map(|(_, binding)| *binding);
    let operations = operations(card, delegation, first, flaws)?;
    let webhooks = webhooks(card, delegation, first, flaws)?;
    // A caller may agree to find out by handing over the work, but not against the word of the card.
    let waived = delegation.policy.send_and_see && card.capabilities.streaming == Some(true);
    let prove = delegation.needs.streaming == Need::Required && !waived && !flaws.has(Planted::NoProbe);
    let prove_all = flaws.has(Planted::ProbesUnused) && card.capabilities.streaming == Some(true);
    let unproven = delegation.policy.send_and_see || flaws.has(Planted::NoProbe) || flaws.has(Planted::PushUnproven);
    let prove_push = delegation.needs.push == Need::Required && !unproven;
    let ways = interfaces.into_iter().flat_map(|(interface, binding)| {
        let endpoint = Endpoint { interface, binding, version: SPOKEN, access: None };
        let ways =
            operations.iter().flat_map(move |operation| webhooks.iter().map(move |webhook| (*operation, *webhook)));
        ways.map(move |(operation, webhook)| Attempt {
            endpoint: endpoint.clone(),
            operation,
            webhook,
            prove_streaming: prove && operation.is_streaming() || prove_all,
            prove_push,
        })
    });
    Ok(ways.collect())
}

/// Where the peer can be called at all, the first choice first.
///
/// # Errors
/// Why nowhere.
pub(crate) fn endpoints(
    card: &Card,
    delegation: &Delegation,
    flaws: Flaws,
) -> Result<impl Iterator<Item = Endpoint> + use<>, Refusal> {
    let endpoint = |(interface, binding)| Endpoint { interface, binding, version: SPOKEN, access: None };
    Ok(interfaces(card, delegation, flaws)?.into_iter().map(endpoint))
}

fn skill<'a>(card: &'a Card, delegation: &Delegation, flaws: Flaws) -> Result<Option<&'a Skill>, Refusal> {
    let Some(id) = &delegation.skill else { return Ok(None) };
    match card.skill(id) {
        None if flaws.has(Planted::UnknownSkillAccepted) => Ok(None),
        None => Err(Refusal::new("skill-unknown", format!("the card lists no skill `{id}`"))),
        known => Ok(known),
    }
}

fn check_modes(card: &Card, skill: Option<&Skill>, delegation: &Delegation, flaws: Flaws) -> Result<(), Refusal> {
    if flaws.has(Planted::IgnoreModes) {
        return Ok(());
    }
    let skill = skill.filter(|_| !flaws.has(Planted::SkillModesIgnored));
    let taken = card.input_modes(skill);
    for media_type in delegation.message.parts.iter().filter_map(message::media_type) {
        let any_skill = || card.skills.iter().any(|skill| takes(&skill.input_modes, media_type));
        if takes(taken, media_type) || (flaws.has(Planted::SkillModesMerged) && any_skill()) {
            continue;
        }
        // Some read a skill's list as an addition to the defaults: work that only one reading allows is not handed over.
        if takes(&card.default_input_modes, media_type) {
            if flaws.has(Planted::AmbiguousModeAccepted) {
                continue;
            }
            let detail = format!("`{media_type}` is among the defaults, but not in the skill's own input modes");
            return Err(Refusal::new("mode-ambiguous", detail));
        }
        return Err(Refusal::new("mode-unsupported", format!("`{media_type}` is not taken: {}", taken.join(", "))));
    }
    Ok(())
}

/// Whether a list of media types, ranges among them, takes a type; parameters and case do not matter.
fn takes(modes: &[String], media_type: &str) -> bool {
    let bare = |text: &str| text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let wanted = bare(media_type);
    modes.iter().map(|mode| bare(mode)).any(|mode| {
        let range = mode.strip_suffix("/*").map(|kind| kind == "*" || wanted.split('/').next() == Some(kind));
        range.unwrap_or(mode == wanted)
    })
}

fn interfaces(card: &Card, delegation: &Delegation, flaws: Flaws) -> Result<Vec<(Interface, Binding)>, Refusal> {
    let allowed = delegation.allowed_bindings.as_deref().filter(|_| !flaws.has(Planted::PinnedBindingIgnored));
    let shared: Vec<(&Interface, Binding)> = card
        .interfaces
        .iter()
        .filter_map(|interface| Some((interface, interface.binding?)))
        .filter(|(_, binding)| allowed.is_none_or(|allowed| allowed.contains(binding)))
        .collect();
    let spoken = |interface: &Interface| {
        let exactly = interface.protocol_version == SPOKEN.to_string();
        let spoken = interface.version == Some(SPOKEN) || flaws.has(Planted::AnyVersionSpoken);
        spoken && (exactly || !flaws.has(Planted::PatchVersionRefused))
    };
    let usable: Vec<_> = shared
        .iter()
        .filter(|(interface, _)| spoken(interface))
        .map(|&(interface, binding)| (interface.clone(), binding))
        .collect();
    if !usable.is_empty() {
        return Ok(usable);
    }
    if flaws.has(Planted::PostsAnyway) && allowed.is_none() {
        let mut first = card.interfaces[0].clone();
        if !first.url.contains("://") {
            first.url.insert_str(0, "http://");
        }
        return Ok(vec![(first, Binding::JsonRpc)]);
    }
    let listed = |of: &dyn Fn(&Interface) -> String| card.interfaces.iter().map(of).collect::<Vec<_>>().join(", ");
    if shared.is_empty() {
        let pinned = allowed.and_then(|allowed| allowed.first()).copied();
        let detail = format!("no binding is shared; the card lists {}", listed(&|one| one.protocol_binding.clone()));
        return Err(Refusal::new("no-shared-interface", detail).on(pinned));
    }
    let detail = format!("{SPOKEN} is not spoken; the card lists {}", listed(&|one| one.protocol_version.clone()));
    Err(Refusal::new("version-unsupported", detail))
}

/// How the work may be sent, the preferred way first. Streaming that is not declared is not used, unless the work cannot
/// do without: then a probe decides, for an endpoint may do more than its card says.
fn operations(
    card: &Card,
    delegation: &Delegation,
    binding: Option<Binding>,
    flaws: Flaws,
) -> Result<&'static [Operation], Refusal> {
    use Operation::{SendMessage, SendStreamingMessage};
    let silent = flaws.has(Planted::AbsentMeansSupported).then_some(true);
    let declared = card.capabilities.streaming.or(silent);
    if flaws.has(Planted::RefusesUndeclaredStreaming) && declared != Some(true) {
        return Err(Refusal::capability("streaming", binding, "the card does not declare streaming"));
    }
    if flaws.has(Planted::StreamsDespiteFalse) && declared != Some(true) {
        return Ok(&[SendStreamingMessage, SendMessage]);
    }
    match (delegation.needs.streaming, declared) {
        (Need::Required, None | Some(false)) if flaws.has(Planted::NoProbe) => {
            Err(Refusal::capability("streaming", binding, "the work requires streaming, the card does not declare it"))
        }
        (Need::Required, _) => Ok(&[SendStreamingMessage]),
        (Need::Preferred, Some(true)) => Ok(&[SendStreamingMessage, SendMessage]),
        (Need::Preferred | Need::Unused, _) => Ok(&[SendMessage]),
    }
}

/// Whether a webhook is named with the work, the preferred way first. Where push is not declared, none is.
fn webhooks(
    card: &Card,
    delegation: &Delegation,
    binding: Option<Binding>,
    flaws: Flaws,
) -> Result<&'static [bool], Refusal> {
    let declared = card.capabilities.push_notifications == Some(true) || flaws.has(Planted::PushDespiteFalse);
    match delegation.needs.push {
        Need::Required if declared => Ok(&[true]),
        Need::Required => Err(Refusal::capability(
            "push",
            binding,
            "the work requires push notifications, the card does not declare them",
        )),
        Need::Preferred if declared => Ok(&[true, false]),
        Need::Preferred | Need::Unused => Ok(&[false]),
    }
}

#[cfg(test)]
#[path = "select_tests.rs"]
pub(crate) mod tests;
