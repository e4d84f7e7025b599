//! Work that requires push is not left handed over and unwatched: an interface was seen to register webhooks before, a
//! notification came, or the task was asked after, or cancelled before time was up. Judged where the interface lacks the
//! registration, or refused it.

use gauntlet_evidence::{HeldTask, PeerState};

use crate::rules::prelude::*;

pub(super) static RULE: Requirement =
    Requirement { id: "capability-push-proven-first", needs: &[Support::Push, Support::Needs], judge };

const REGISTER: Operation = Operation::CreateTaskPushNotificationConfig;

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, outcome) in view.reported().filter(|(work, _)| work.needs.push == Need::Required) {
        for peer in view.peers_of(delegation) {
            let lacking = |spot| view.holds(&peer.name, spot, &Fact::LacksOperation(REGISTER));
            let lacks = |x: &Exchange<'_>| view.interface(x).is_some_and(lacking);
            let registering = |x: &&Exchange<'_>| x.peer == peer.name && x.request.operation == Some(REGISTER);
            let refused = view.exchanges.iter().filter(registering).any(|x| view.failure(x).is_some());
            let lacking = view.candidates(delegation, peer).into_iter().any(lacking);
            if !(refused || lacking) || !view.exchanges.iter().any(|x| x.peer == peer.name) {
                continue;
            }
            let proven = |x: &Exchange<'_>| {
                let before = |earlier: &&Exchange<'_>| registering(earlier) && earlier.number < x.number;
                view.exchanges.iter().filter(before).any(|earlier| {
                    view.interface(earlier) == view.interface(x) && view.failure(earlier).is_none() && !lacks(earlier)
                })
            };
            let unproven: Vec<_> = view
                .dispatches_to(&delegation.id, &peer.name)
                .filter(|x| !proven(x))
                .filter_map(|x| Some((x, view.began(x)?.1)))
                .collect();
            if unproven.is_empty() {
                tally.upheld();
            }
            for (x, task) in unproven {
                let why = || {
                    format!(
                        "{}: work that requires push was handed over{}, no webhook was known to be told of task {}, and it \
                         was neither asked after nor cancelled in time",
                        peer.name,
                        cite(&[x.entry.seq]),
                        task.id()
                    )
                };
                tally.check(is_watched(view, outcome, peer, x, task), why, [x.entry.seq]);
            }
        }
    }
}

fn is_watched(view: &View<'_>, outcome: &Outcome, peer: &PeerState, x: &Exchange<'_>, task: &HeldTask) -> bool {
    let (peer, task) = (peer.name.as_str(), task.id());
    let asked = |operation| view.on_task(operation, peer, task).next().is_some();
    let streamed = x.request.operation.is_some_and(Operation::is_streaming);
    streamed
        || !view.notices(peer, task).is_empty()
        || view.settled_told(peer, task).is_some()
        || asked(Operation::GetTask)
        || asked(Operation::SubscribeToTask)
        || outcome.status != Status::TimedOut && asked(Operation::CancelTask)
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "capability-push-proven-first";

    fn lie() -> Scene {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.delegation("d-1").needs.push = Need::Required;
        scene.fact(&[], Fact::LacksOperation(REGISTER));
        scene
    }

    fn committed() -> Scene {
        let mut scene = lie();
        let x = scene.dispatch_with_webhook(B, JsonRpc, "d-1", "agreed");
        scene.early(x, "t-1", "TASK_STATE_COMPLETED").outcome("d-1", Status::TimedOut);
        scene
    }

    #[test]
    fn work_is_not_left_committed_and_unwatched() {
        let mut scene = lie();
        scene.because("d-1", Status::Refused, "capability-mismatch");
        scene.upheld(ID);
        assert!(committed().broken(ID).contains("neither asked after nor cancelled"));
        let mut scene = committed();
        scene.on_task(B, JsonRpc, Operation::GetTask, "t-1");
        scene.upheld(ID);
    }

    #[test]
    fn a_cancel_at_the_deadline_comes_too_late() {
        let mut scene = committed();
        scene.on_task(B, JsonRpc, Operation::CancelTask, "t-1");
        scene.broken(ID);
        scene.case.evidence.outcomes[0].status = Status::Refused;
        scene.upheld(ID);
    }

    #[test]
    fn where_webhooks_are_registered_nothing_is_judged() {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.delegation("d-1").needs.push = Need::Required;
        let x = scene.dispatch_with_webhook(B, JsonRpc, "d-1", "agreed");
        scene.completed(x, "t-1").outcome("d-1", Status::Completed);
        scene.open(ID);
    }
}
