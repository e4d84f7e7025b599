//! A card that is wrong about nothing but a capability the work does not use changes nothing: the work is handed over.
//! Exempt: orchestrators that used the capability on their own account.

use gauntlet_scenario::ScopedFact;

use crate::oracle::must_serve;
use crate::rules::prelude::*;

pub(super) static RULE: Requirement =
    Requirement { id: "capability-unexercised-ignored", needs: &[Support::Needs], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, outcome) in view.reported().filter(|(delegation, _)| must_serve(view, delegation)) {
        let [peer] = view.peers_of(delegation).collect::<Vec<_>>()[..] else { continue };
        let facts = &view.facts(&peer.name).0;
        let unused =
            |scoped: &ScopedFact| capability(&scoped.fact).is_some_and(|(_, need)| need(delegation) == Need::Unused);
        if facts.is_empty() || !facts.iter().all(unused) || outcome.status == Status::TimedOut {
            continue;
        }
        let dispatches: Vec<_> = view.dispatches_to(&delegation.id, &peer.name).collect();
        if dispatches.iter().any(|x| view.reached(x)) {
            tally.upheld();
        } else if dispatches.is_empty() && !outcome.status.is_success() {
            let what = capability(&facts[0].fact).map_or("a capability", |(name, _)| name);
            let why = format!(
                "{}: the work does not use {what}, about which the card is wrong; {} was reported and no work arrived",
                peer.name, outcome.status
            );
            tally.broken(why, []);
        }
    }
}

type NeedOf = fn(&Delegation) -> Need;

/// The capability that a fact is about, if about one alone.
fn capability(fact: &Fact) -> Option<(&'static str, NeedOf)> {
    match fact {
        Fact::StreamsUndeclared | Fact::StreamEndsEarly => Some(("streaming", |work| work.needs.streaming)),
        Fact::PushLost => Some(("push", |work| work.needs.push)),
        Fact::LacksOperation(operation) if operation.is_streaming() => Some(("streaming", |work| work.needs.streaming)),
        Fact::LacksOperation(
            Operation::CreateTaskPushNotificationConfig
            | Operation::GetTaskPushNotificationConfig
            | Operation::ListTaskPushNotificationConfigs
            | Operation::DeleteTaskPushNotificationConfig,
        ) => Some(("push", |work| work.needs.push)),
        Fact::LacksOperation(Operation::GetExtendedAgentCard) => Some(("the extended card", |_| Need::Unused)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "capability-unexercised-ignored";

    fn lie() -> Scene {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.fact(&[], Fact::LacksOperation(Operation::SendStreamingMessage));
        scene
    }

    #[test]
    fn an_unused_lie_changes_nothing() {
        let mut scene = lie();
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.completed(x, "t-1").outcome("d-1", Status::Completed);
        scene.upheld(ID);
        let mut scene = lie();
        scene.outcome("d-1", Status::Refused);
        assert!(scene.broken(ID).contains("does not use streaming"));
    }

    #[test]
    fn use_of_the_capability_is_another_matter() {
        let mut scene = lie();
        let x = scene.stream(B, JsonRpc, "d-1");
        scene.refuse(x, "-32601");
        scene.outcome("d-1", Status::Failed);
        scene.open(ID);
        let mut scene = lie();
        scene.delegation("d-1").needs.streaming = Need::Preferred;
        scene.outcome("d-1", Status::Refused);
        scene.open(ID);
    }

    #[test]
    fn peers_with_other_defects_or_none_are_not_judged() {
        let mut scene = lie();
        scene.fact(&[], Fact::Slow).outcome("d-1", Status::Refused);
        scene.open(ID);
        let mut scene = Scene::new(&[JsonRpc]);
        scene.outcome("d-1", Status::Refused);
        scene.open(ID);
    }
}
