//! Rejected, failed, canceled and auth-required are not reported for one another, and what was never handed over is not
//! reported as rejected. Judged on drivers that show states.

use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "task-states-distinct", needs: &[], judge };

const DISTINCT: [(&str, Status); 4] = [
    ("TASK_STATE_REJECTED", Status::Rejected),
    ("TASK_STATE_FAILED", Status::Failed),
    ("TASK_STATE_CANCELED", Status::Canceled),
    ("TASK_STATE_AUTH_REQUIRED", Status::AuthRequired),
];

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, outcome) in view.reported() {
        if let Some((peer, task)) = view.reported_task(outcome) {
            let Some((_, right)) = DISTINCT.iter().find(|(state, _)| *state == task.state()) else { continue };
            // A task that the orchestrator gave up may be reported by the reason for it.
            if view.cancelled(&peer.name, task.id()) || view.truth_is_hidden(&peer.name) {
                continue;
            }
            let Some(entry) = view.told(&peer.name, task.id()) else { continue };
            let mistaken = DISTINCT.iter().any(|(_, other)| other != right && *other == outcome.status);
            if outcome.status == *right {
                tally.upheld();
            } else if mistaken {
                let why = format!(
                    "{}: task {} is {}{}, reported as {}",
                    peer.name,
                    task.id(),
                    task.state(),
                    cite(&[entry]),
                    outcome.status
                );
                tally.broken(why, [entry]);
            }
            continue;
        }
        let refusal = view.belonging(&delegation.id).find_map(|x| {
            let failure = view.failure(x)?;
            (view.mismatch(x).is_some() || matches!(&*failure.code, "403" | "PERMISSION_DENIED"))
                .then_some((x.peer, failure))
        });
        let Some((peer, failure)) = refusal.filter(|_| !outcome.status.is_success()) else { continue };
        let entry = failure.entry;
        let why = || {
            format!("{peer}: {}{} was reported as rejected, no agent has seen the work", failure.code, cite(&[entry]))
        };
        tally.check(outcome.status != Status::Rejected, why, [entry]);
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;

    use super::*;
    use crate::testing::{B, Scene, reported};

    const ID: &str = "task-states-distinct";

    #[test]
    fn one_state_is_not_reported_for_another() {
        for (state, right) in DISTINCT {
            reported(state, right).upheld(ID);
            for (_, other) in DISTINCT.iter().filter(|(_, other)| *other != right) {
                assert!(reported(state, *other).broken(ID).contains(state));
            }
            for hidden in [Status::Returned, Status::Raised, Status::Completed] {
                reported(state, hidden).open(ID);
            }
        }
        reported("TASK_STATE_COMPLETED", Status::Rejected).open(ID);
    }

    #[test]
    fn a_mismatch_is_no_rejection() {
        for (code, status, broken) in
            [("UNIMPLEMENTED", Status::Rejected, true), ("403", Status::Rejected, true), ("403", Status::Failed, false)]
        {
            let mut scene = Scene::new(&[JsonRpc]);
            let x = scene.dispatch(B, JsonRpc, "d-1");
            scene.refuse(x, code);
            scene.outcome("d-1", status);
            if broken { drop(scene.broken(ID)) } else { scene.upheld(ID) }
        }
    }

    #[test]
    fn a_task_it_cancelled_is_not_judged() {
        let mut scene = reported("TASK_STATE_CANCELED", Status::Failed);
        scene.on_task(B, JsonRpc, Operation::CancelTask, "t-1");
        scene.open(ID);
    }
}
