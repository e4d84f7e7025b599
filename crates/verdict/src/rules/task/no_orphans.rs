//! No task of a delegation is left open: it ended, a cancel was sent (whatever the answer), the peer said that there is no
//! such task, or the report says that it waits, be it only for credentials to follow it with. Judged on drivers that honour
//! deadlines or take `cancel`, and on tasks the orchestrator was told of.

use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "task-no-orphans", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    if !view.supports(Support::Deadline) && !view.supports(Support::Cancel) {
        return;
    }
    for (delegation, outcome) in view.reported() {
        for (peer, task) in view.held(&delegation.id) {
            let Some(entry) = view.told(&peer.name, task.id()) else { continue };
            let waits = task.state().ends_with("_REQUIRED")
                && matches!(outcome.status, Status::InputRequired | Status::AuthRequired);
            let waits = waits || outcome.status == Status::AuthRequired && view.is_denied_on(&peer.name, task.id());
            let gone = view.disowned(&peer.name, task.id());
            let closed = task.is_terminal() || view.cancelled(&peer.name, task.id()) || waits || gone;
            let why = || {
                format!(
                    "{}: task {}{} was left {} and never cancelled; reported as {}",
                    peer.name,
                    task.id(),
                    cite(&[entry]),
                    task.state(),
                    outcome.status
                )
            };
            tally.check(closed, why, [entry]);
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;

    use super::*;
    use crate::testing::{B, Scene, reported};

    const ID: &str = "task-no-orphans";

    #[test]
    fn tasks_end_are_cancelled_or_reported_as_waiting() {
        reported("TASK_STATE_COMPLETED", Status::Completed).upheld(ID);
        reported("TASK_STATE_INPUT_REQUIRED", Status::InputRequired).upheld(ID);
        let mut scene = reported("TASK_STATE_WORKING", Status::TimedOut);
        assert!(scene.broken(ID).contains("left TASK_STATE_WORKING and never cancelled"));
        let x = scene.on_task(B, JsonRpc, Operation::CancelTask, "t-1");
        scene.refuse(x, "-32002");
        scene.upheld(ID);
        reported("TASK_STATE_INPUT_REQUIRED", Status::Completed).broken(ID);
    }

    #[test]
    fn tasks_nobody_was_told_of_and_drivers_without_deadline_are_not_judged() {
        let mut scene = reported("TASK_STATE_WORKING", Status::TimedOut);
        scene.without(Support::Deadline).broken(ID);
        scene.without(Support::Cancel).open(ID);
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.hold(x, "t-1", "TASK_STATE_WORKING");
        scene.outcome("d-1", Status::TimedOut);
        scene.open(ID);
    }
}
