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
        let unused = |scoped: &ScopedFact| capability(&scoped.fact).is_some_and(|(_, need)| need(delegation) == Need::Unused);
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
