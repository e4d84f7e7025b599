//! Which outcomes are permitted for a delegation, derived from what is true of the peers.
//!
//! The facts of each interface, the card, the delegation's needs and what the driver speaks and supports decide; what
//! the agent itself did with the work is read off the task it holds. Where the right reaction is debatable, all of the
//! debatable ones are permitted.

mod permit;
mod serving;

use gauntlet_evidence::contract::{Delegation, Need, Needs};
use gauntlet_evidence::{Judgement, PeerState, Support};
use gauntlet_scenario::Fact;

use crate::Case;
use crate::view::{View, cite, count};

pub use permit::Permit;
pub(crate) use serving::{Serving, grounds, needs, serving};

/// The outcomes permitted for a delegation, the most desirable first. Empty for a delegation the case does not know.
pub fn permitted(case: &Case, delegation: &str) -> Vec<Permit> {
    let view = View::of(case);
    view.delegations().find(|known| known.id == delegation).map_or_else(Vec::new, |known| permits(&view, known))
}

/// Whether the outcome seen is among those permitted. A delegation without an outcome is not judged: that its driver
/// gave none is reported elsewhere.
pub fn judge(case: &Case, delegation: &str) -> Judgement {
    let view = View::of(case);
    let Some((known, outcome)) = view.reported().find(|(known, _)| known.id == delegation) else {
        return Judgement::NotExercised;
    };
    let permits = permits(&view, known);
    if permits.is_empty() {
        return Judgement::NotExercised;
    }
    if permits.iter().any(|permit| permit.covers(&view, known, outcome)) {
        return Judgement::Upheld;
    }
    let wanted: Vec<String> = permits.iter().map(ToString::to_string).collect();
    let dispatches: Vec<_> = view.dispatches(&known.id).collect();
    let entries: Vec<u64> = dispatches.iter().map(|x| x.entry.seq).collect();
    let mut seen = outcome.status.to_string();
    if let Some(reason) = &outcome.reason {
        seen.push_str(&format!(" ({})", reason.code));
    }
    let to = |x: &&gauntlet_evidence::Exchange<'_>| match view.interface(x) {
        Some((_, interface)) => format!("{} over {}", x.peer, interface.binding),
        None => x.peer.to_owned(),
    };
    let mut places: Vec<String> = dispatches.iter().map(to).collect();
    places.dedup();
    seen.push_str(&format!(", {}", count(dispatches.len(), "dispatch", "dispatches")));
    if !places.is_empty() {
        seen.push_str(&format!(" to {}", places.join(", then ")));
    }
    Judgement::broken(format!("permitted: {}; seen: {seen}{}", wanted.join(", or "), cite(&entries)), entries)
}

/// Whether the work has to be handed over: nothing permits to refuse it or to give it up.
pub(crate) fn must_serve(view: &View<'_>, delegation: &Delegation) -> bool {
    let permits = permits(view, delegation);
    !permits.is_empty() && !permits.iter().any(|permit| matches!(permit, Permit::Refuse { .. } | Permit::GiveUp))
}

pub(crate) fn permits(view: &View<'_>, delegation: &Delegation) -> Vec<Permit> {
    let mut permits = Vec::new();
    for address in &delegation.peers {
        let Some(peer) = view.evidence().peer(&address.name) else { continue };
        let here = permits_at(view, delegation, peer);
        if here.iter().any(|permit| !matches!(permit, Permit::Refuse { .. })) {
            return here;
        }
        permits.extend(here);
    }
    permits
}

fn permits_at(view: &View<'_>, delegation: &Delegation, peer: &PeerState) -> Vec<Permit> {
    let refuse = |code: &'static str| Permit::Refuse { codes: vec![code], before_dispatch: true };
    match grounds(view, delegation, peer) {
        Some("mode-ambiguous") => return vec![refuse("mode-ambiguous"), refuse("mode-unsupported")],
        Some(code) => return vec![refuse(code)],
        None => {}
    }
    let candidates = view.candidates(delegation, peer);
    if candidates.is_empty() {
        return vec![refuse("no-shared-interface"), refuse("version-unsupported")];
    }
    let servings: Vec<Serving> = candidates.iter().map(|spot| serving(view, delegation, peer, *spot)).collect();
    let first = servings[0];
    let elsewhere = servings[1..].iter().any(|serving| *serving != Serving::Not);
    let remembered = candidates.iter().any(|(index, _)| failed_before(view, delegation, peer, *index));
    let needs = needs(view, delegation);
    let mut permits = Vec::new();
    if first != Serving::Not {
        permits.push(Permit::Complete);
    }
    let early = |fact: &Fact| matches!(fact, Fact::StreamEndsEarly | Fact::StreamsUndeclared);
    if first == Serving::Degraded || view.facts_at(&peer.name, candidates[0]).any(early) {
        permits.push(Permit::Degrade);
    }
    if elsewhere && (first != Serving::Fully || remembered) {
        permits.push(Permit::Fallback);
    }
    let serves = first != Serving::Not || elsewhere;
    if serves {
        follow_the_agent(view, delegation, &mut permits);
    }
    let debatable = first == Serving::Debatable && !servings.contains(&Serving::Fully);
    if !serves || debatable {
        permits.push(Permit::Refuse {
            codes: codes(view, peer, needs),
            before_dispatch: proves_first(view, delegation, needs),
        });
    }
    permits.extend(unlisted_need(view, delegation));
    if auth_decides(view, peer) {
        let codes = vec!["auth-unsatisfied", "unauthenticated", "forbidden"];
        permits.push(Permit::Refuse { codes, before_dispatch: false });
        permits.push(Permit::Surface { state: "TASK_STATE_AUTH_REQUIRED".to_owned() });
    }
    permits
}

/// Whether a defect of the peer decides who is let in.
fn auth_decides(view: &View<'_>, peer: &PeerState) -> bool {
    view.facts(&peer.name).0.iter().any(|scoped| matches!(scoped.fact, Fact::Auth { .. }))
}

/// What the agent did with the work decides what there is to report: another state than COMPLETED is surfaced, and a
/// task that does not end is given up.
fn follow_the_agent(view: &View<'_>, delegation: &Delegation, permits: &mut Vec<Permit>) {
    let held = match view.evidence().outcome(&delegation.id) {
        Some(outcome) => view.reported_task(outcome),
        None => view.held(&delegation.id).last(),
    };
    let peers = || delegation.peers.iter();
    let slow = peers().any(|peer| view.facts(&peer.name).0.iter().any(|scoped| scoped.fact == Fact::Slow));
    let invalid = peers().any(|peer| view.truth_is_hidden(&peer.name));
    match held.map(|(peer, task)| (peer, task, task.state())) {
        None | Some((_, _, "TASK_STATE_COMPLETED")) => {}
        Some((peer, task, "TASK_STATE_CANCELED")) if view.cancelled(&peer.name, task.id()) => {
            permits.clear();
            permits.push(Permit::GiveUp);
        }
        Some((_, task, state)) => {
            permits.clear();
            if task.is_terminal() || state.ends_with("_REQUIRED") {
                permits.push(Permit::Surface { state: state.to_owned() });
            }
            if !task.is_terminal() {
                permits.push(Permit::GiveUp);
            }
        }
    }
    if slow && !permits.contains(&Permit::GiveUp) {
        permits.push(Permit::GiveUp);
    }
    if invalid {
        permits.push(Permit::Surface { state: "TASK_STATE_FAILED".to_owned() });
    }
}

/// Why nothing at the peer can do the work.
fn codes(view: &View<'_>, peer: &PeerState, needs: Needs) -> Vec<&'static str> {
    let unusable = view.facts(&peer.name).0.iter().any(|scoped| matches!(scoped.fact, Fact::InterfaceUnusable { .. }));
    let mut codes = Vec::new();
    if needs.streaming == Need::Required || needs.push == Need::Required {
        codes.push("capability-mismatch");
    }
    if unusable || codes.is_empty() {
        codes.extend(["interface-mismatch", "peer-unavailable"]);
    }
    codes
}

/// Whether the orchestrator can and must find out before it hands the work over.
pub(crate) fn proves_first(view: &View<'_>, delegation: &Delegation, needs: Needs) -> bool {
    let required = needs.streaming == Need::Required || needs.push == Need::Required;
    required && view.supports(Support::Probe) && !delegation.policy.send_and_see
}

/// A driver that does not honour needs may honour them all the same.
fn unlisted_need(view: &View<'_>, delegation: &Delegation) -> Option<Permit> {
    let required = delegation.needs.streaming == Need::Required || delegation.needs.push == Need::Required;
    (required && !view.supports(Support::Needs))
        .then(|| Permit::Refuse { codes: vec!["capability-mismatch"], before_dispatch: false })
}

/// Whether something failed on an interface of a peer earlier in the session: a reason to pass it over.
pub(crate) fn failed_before(view: &View<'_>, delegation: &Delegation, peer: &PeerState, index: usize) -> bool {
    view.exchanges.iter().any(|x| {
        x.peer == peer.name
            && view.session_of(x).is_none_or(|session| session == delegation.session)
            && view.interface(x).is_some_and(|(used, _)| used == index)
            && x.request.operation.is_some()
            && view.failure(x).is_some()
    })
}

#[cfg(test)]
mod tests {
    use gauntlet_evidence::Status;
    use gauntlet_wire::Binding::{Grpc, HttpJson, JsonRpc};
    use gauntlet_wire::Operation;

    use super::*;
    use crate::testing::{B, Scene};

    fn shown(scene: &Scene) -> String {
        permitted(&scene.case, "d-1").iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }

    fn verdict(scene: &Scene) -> Judgement {
        judge(&scene.case, "d-1")
    }

    #[track_caller]
    fn forbidden(scene: &Scene) -> String {
        match verdict(scene) {
            Judgement::Broken { why, .. } => why,
            other => panic!("{other:?}"),
        }
    }

    fn lacks_streaming(needs: Need, bindings: &[gauntlet_wire::Binding]) -> Scene {
        let mut scene = Scene::new(bindings);
        scene.delegation("d-1").needs.streaming = needs;
        scene.fact(&[Grpc], Fact::LacksOperation(Operation::SendStreamingMessage));
        scene
    }

    #[test]
    fn a_healthy_peer_is_used() {
        let mut scene = Scene::new(&[JsonRpc]);
        assert_eq!(shown(&scene), "complete");
        assert_eq!(verdict(&scene), Judgement::NotExercised);
        let untouched = scene.clone();
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.completed(x, "t-1").outcome("d-1", Status::Completed);
        assert_eq!(verdict(&scene), Judgement::Upheld);
        scene.outcome("d-1", Status::Failed);
        forbidden(&scene);
        let mut scene = untouched;
        scene.because("d-1", Status::Refused, "capability-mismatch");
        assert_eq!(forbidden(&scene), "permitted: complete; seen: refused (capability-mismatch), 0 dispatches");
    }

    #[test]
    fn what_is_required_and_missing_is_refused_before_dispatch() {
        let mut scene = lacks_streaming(Need::Required, &[Grpc]);
        assert_eq!(shown(&scene), "refuse before dispatch (capability-mismatch)");
        scene.because("d-1", Status::Refused, "capability-mismatch");
        assert_eq!(verdict(&scene), Judgement::Upheld);
        let x = scene.stream(B, Grpc, "d-1");
        scene.refuse(x, "UNIMPLEMENTED");
        assert!(
            forbidden(&scene).contains("seen: refused (capability-mismatch), 1 dispatch to vendor-b over GRPC (entry")
        );
        // Without a probe there is no other way to find out.
        assert_eq!(verdict(scene.without(Support::Probe)), Judgement::Upheld);
        scene.because("d-1", Status::Failed, "deadline");
        forbidden(&scene);
        assert_eq!(verdict(scene.without(Support::Reasons)), Judgement::Upheld);
    }

    #[test]
    fn another_interface_takes_over() {
        let mut scene = lacks_streaming(Need::Required, &[Grpc, JsonRpc]);
        assert_eq!(shown(&scene), "complete over a later interface");
        scene.because("d-1", Status::Refused, "capability-mismatch");
        forbidden(&scene);
        let x = scene.stream(B, JsonRpc, "d-1");
        scene.completed(x, "t-1").outcome("d-1", Status::Completed);
        assert_eq!(verdict(&scene), Judgement::Upheld);
    }

    #[test]
    fn what_is_merely_preferred_is_done_without() {
        let mut scene = lacks_streaming(Need::Preferred, &[Grpc, HttpJson]);
        assert_eq!(shown(&scene), "complete, complete by other means than a stream, complete over a later interface");
        let x = scene.dispatch(B, Grpc, "d-1");
        scene.completed(x, "t-1").outcome("d-1", Status::Completed);
        assert_eq!(verdict(&scene), Judgement::Upheld);
    }

    #[test]
    fn the_state_of_the_agent_is_surfaced() {
        for (state, right, wrong) in [
            ("TASK_STATE_REJECTED", Status::Rejected, Status::Completed),
            ("TASK_STATE_INPUT_REQUIRED", Status::InputRequired, Status::Failed),
        ] {
            let mut scene = Scene::new(&[JsonRpc]);
            let x = scene.dispatch(B, JsonRpc, "d-1");
            scene.task(x, "t-1", state).outcome("d-1", right);
            assert_eq!(verdict(&scene), Judgement::Upheld);
            scene.outcome("d-1", wrong);
            forbidden(&scene);
        }
    }

    #[test]
    fn giving_up_is_for_the_deadline() {
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.task(x, "t-1", "TASK_STATE_WORKING").outcome("d-1", Status::TimedOut);
        assert_eq!(shown(&scene), "give up at the deadline and cancel");
        forbidden(&scene);
        let cancel = scene.on_task(B, JsonRpc, Operation::CancelTask, "t-1");
        assert_eq!(verdict(&scene), Judgement::Upheld);
        scene.outcome("d-1", Status::Canceled);
        forbidden(&scene);
        // Entries are a millisecond apart: with this deadline the cancel came late enough.
        scene.delegation("d-1").deadline_ms = scene.entry(cancel) - scene.entry(x);
        assert_eq!(verdict(&scene), Judgement::Upheld);
    }

    #[test]
    fn other_grounds_come_first() {
        let grounds = |prepare: &dyn Fn(&mut Scene)| {
            let mut scene = Scene::new(&[JsonRpc]);
            prepare(&mut scene);
            shown(&scene)
        };
        let media = |scene: &mut Scene, media: &str, skill: Option<&str>| {
            scene.delegation("d-1").message.parts[0]["mediaType"] = media.into();
            scene.delegation("d-1").skill = skill.map(str::to_owned);
        };
        assert_eq!(grounds(&|scene| media(scene, "image/png", None)), "refuse before dispatch (mode-unsupported)");
        assert_eq!(grounds(&|scene| media(scene, "text/csv", Some("table"))), "complete");
        assert!(grounds(&|scene| media(scene, "text/plain", Some("table"))).contains("mode-ambiguous"));
        assert_eq!(grounds(&|scene| media(scene, "text/plain", Some("x"))), "refuse before dispatch (skill-unknown)");
        let alien = |scene: &mut Scene| scene.case.evidence.hello.speaks.bindings = vec![Grpc];
        assert!(grounds(&alien).contains("no-shared-interface"));
        let illegal = Fact::CardIllegal { layer: "spec".to_owned(), rule: "required".to_owned() };
        assert_eq!(
            grounds(&|scene| {
                scene.fact(&[], illegal.clone());
            }),
            "refuse before dispatch (card-illegal)"
        );
    }

    #[test]
    fn push_that_is_not_there_is_refused_and_push_that_fails_may_be() {
        let register = Fact::LacksOperation(Operation::CreateTaskPushNotificationConfig);
        let mut scene = Scene::new(&[JsonRpc]);
        scene.delegation("d-1").needs.push = Need::Required;
        assert_eq!(shown(&scene), "complete");
        scene.fact(&[], Fact::PushLost);
        assert_eq!(shown(&scene), "complete, refuse before dispatch (capability-mismatch)");
        scene.fact(&[], register);
        assert_eq!(shown(&scene), "refuse before dispatch (capability-mismatch)");
        assert_eq!(shown(scene.without(Support::Probe)), "complete, refuse (capability-mismatch)");
        scene.delegation("d-1").needs.push = Need::Preferred;
        assert_eq!(shown(&scene), "complete");
        let mut scene = Scene::new(&[JsonRpc]);
        scene.capability("pushNotifications", false).delegation("d-1").needs.push = Need::Required;
        assert_eq!(shown(&scene), "refuse before dispatch (capability-mismatch)");
    }

    #[test]
    fn debatable_reactions_are_all_permitted() {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.delegation("d-1").needs.streaming = Need::Required;
        scene.capability("streaming", false).fact(&[], Fact::StreamsUndeclared);
        assert_eq!(
            shown(&scene),
            "complete, complete by other means than a stream, refuse before dispatch (capability-mismatch)"
        );
        let mut scene = Scene::new(&[JsonRpc]);
        scene.fact(&[], Fact::StreamEndsEarly);
        assert_eq!(shown(&scene), "complete, complete by other means than a stream");
    }

    #[test]
    fn who_is_not_let_in_may_complete_refuse_or_say_so() {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.fact(&[], Fact::Auth { scheme: "oauth2".to_owned(), scopes: Vec::new(), audience: None });
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.refuse(x, "401");
        scene.because("d-1", Status::AuthRequired, "unauthenticated");
        assert_eq!(verdict(&scene), Judgement::Upheld);
        scene.because("d-1", Status::Refused, "mode-unsupported");
        forbidden(&scene);
        let schemes = serde_json::json!({ "o": { "oauth2SecurityScheme": { "flows": {} } } });
        let scene = crate::testing::demanding(schemes, serde_json::json!([{ "schemes": { "o": {} } }]));
        assert_eq!(shown(&scene), "refuse before dispatch (auth-ambiguous)");
    }

    #[test]
    fn of_two_interfaces_of_one_binding_the_second_serves_where_the_first_is_dead() {
        let mut scene = Scene::new(&[JsonRpc, JsonRpc]);
        scene.fact(&[], Fact::InterfaceUnusable { cause: "gone".to_owned() });
        assert_eq!(shown(&scene), "refuse (interface-mismatch or peer-unavailable)");
        scene.case.facts.get_mut(B).unwrap().0[0].interfaces = [1].into();
        assert_eq!(shown(&scene), "complete over a later interface");
        scene.case.facts.get_mut(B).unwrap().0[0].interfaces = [2].into();
        assert_eq!(shown(&scene), "complete");
    }

    #[test]
    fn who_knows_a_required_extension_may_call_and_nobody_else() {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.state(B).card["capabilities"]["extensions"] = serde_json::json!([{ "uri": "urn:a", "required": true }]);
        assert_eq!(shown(&scene), "refuse before dispatch (extension-required)");
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.completed(x, "t-1").outcome("d-1", Status::Completed);
        forbidden(&scene);
        scene.sent(x).headers.push(("a2a-extensions".to_owned(), "urn:a".to_owned()));
        assert_eq!(verdict(&scene), Judgement::Upheld);
    }

    #[test]
    fn a_dead_interface_alone_is_reported_as_one() {
        let mut scene = Scene::new(&[Grpc]);
        scene.unusable(Grpc);
        assert_eq!(shown(&scene), "refuse (interface-mismatch or peer-unavailable)");
        let x = scene.dispatch(B, Grpc, "d-1");
        scene.refuse(x, "UNIMPLEMENTED");
        scene.because("d-1", Status::Failed, "interface-mismatch");
        assert_eq!(verdict(&scene), Judgement::Upheld);
    }
}
