//! What a probe or a failure showed an interface to lack is not asked of it by later delegations of the session, whatever
//! the card says. Judged where a later delegation has use for it.

use crate::rules::prelude::*;

pub(super) static RULE: Requirement =
    Requirement { id: "capability-effective-remembered", needs: &[Support::Reset], judge };

const REGISTER: Operation = Operation::CreateTaskPushNotificationConfig;

const fn is_about_push(operation: Operation) -> bool {
    use Operation::{DeleteTaskPushNotificationConfig, GetTaskPushNotificationConfig, ListTaskPushNotificationConfigs};
    matches!(
        operation,
        REGISTER | GetTaskPushNotificationConfig | ListTaskPushNotificationConfigs | DeleteTaskPushNotificationConfig
    )
}

fn judge(view: &View<'_>, tally: &mut Tally) {
    let mut accused: Vec<u64> = Vec::new();
    for x in view.operations() {
        let (Some(failure), Some(interface), Some(operation)) =
            (view.mismatch(x), view.interface(x), x.request.operation)
        else {
            continue;
        };
        let about_push = failure.is_about_push() || is_about_push(operation);
        let promised =
            view.declares(x.peer, if about_push { REGISTER } else { operation }) && !view.unusable(x.peer, interface);
        let Some(during) = view.delegation_of(x).filter(|_| promised && !accused.contains(&x.entry.seq)) else {
            continue;
        };
        let useful = |work: &Delegation| match about_push {
            true => work.needs.push != Need::Unused,
            false => !operation.is_streaming() || work.needs.streaming != Need::Unused,
        };
        let later = view.reported().map(|(work, _)| work).filter(|work| {
            work.session == during.session
                && view.position(&work.id) > view.position(&during.id)
                && work.peers.iter().any(|peer| peer.name == x.peer)
        });
        for later in later.filter(|work| useful(work)) {
            let again: Vec<u64> = view
                .operations()
                .filter(|y| y.entry.seq > failure.entry && view.asks_again(x, &failure, y))
                .filter(|y| view.interface(y) == Some(interface))
                .filter(|y| view.delegation_of(y).is_some_and(|known| known.id == later.id))
                .map(|y| y.entry.seq)
                .collect();
            accused.extend(&again);
            let why = || {
                format!(
                    "{}: {operation} over {} answered {}{}, and {} called it again{}",
                    x.peer,
                    interface.1.binding,
                    failure.code,
                    cite(&[failure.entry]),
                    later.id,
                    cite(&again)
                )
            };
            tally.check(again.is_empty(), why, again.iter().copied().chain([failure.entry]));
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::Grpc;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "capability-effective-remembered";

    fn found_out(needs: Need) -> Scene {
        let mut scene = Scene::new(&[Grpc]);
        scene.fact(&[], Fact::LacksOperation(Operation::SendStreamingMessage));
        scene.delegation("d-1").needs.streaming = Need::Required;
        let x = scene.probe(B, Grpc, Operation::SendStreamingMessage);
        scene.refuse(x, "UNIMPLEMENTED");
        scene.because("d-1", Status::Refused, "capability-mismatch");
        scene.delegate("d-2").needs.streaming = needs;
        scene.because("d-2", Status::Refused, "capability-mismatch");
        scene
    }

    #[test]
    fn what_was_found_out_is_not_asked_again() {
        let mut scene = found_out(Need::Required);
        scene.upheld(ID);
        scene.probe(B, Grpc, Operation::SendStreamingMessage);
        assert!(scene.broken(ID).contains("and d-2 called it again"));
        scene.without(Support::Reset).open(ID);
    }

    #[test]
    fn later_work_without_use_for_it_and_other_sessions_are_not_judged() {
        found_out(Need::Unused).open(ID);
        let mut scene = found_out(Need::Required);
        scene.delegation("d-2").session = "s-2".to_owned();
        scene.open(ID);
    }

    #[test]
    fn repeats_within_one_delegation_are_judged_elsewhere() {
        let mut scene = Scene::new(&[Grpc]);
        scene.delegation("d-1").needs.streaming = Need::Required;
        scene.outcome("d-1", Status::Failed);
        for _ in 0..2 {
            let x = scene.probe(B, Grpc, Operation::SendStreamingMessage);
            scene.refuse(x, "UNIMPLEMENTED");
        }
        scene.open(ID);
        scene.delegate("d-2").needs.streaming = Need::Required;
        scene.outcome("d-2", Status::Refused);
        scene.upheld(ID);
    }
}
