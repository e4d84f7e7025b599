//! A task that does not end is given up at the deadline and cancelled. Judged on drivers that honour deadlines or take
//! `cancel`, and on tasks the orchestrator was told of.

use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "task-deadline-cancels", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    if !view.supports(Support::Deadline) && !view.supports(Support::Cancel) {
        return;
    }
    for (_, outcome) in view.reported() {
        let Some((peer, task)) = view.reported_task(outcome) else { continue };
        let Some(entry) = view.told(&peer.name, task.id()) else { continue };
        let running = matches!(task.state(), "TASK_STATE_SUBMITTED" | "TASK_STATE_WORKING");
        let cancelled = view.cancelled(&peer.name, task.id());
        let given_up = !outcome.status.is_success();
        if given_up && cancelled && (running || task.state() == "TASK_STATE_CANCELED") {
            tally.upheld();
        } else if outcome.status == Status::TimedOut && running {
            let why = format!(
                "{}: task {}{} was given up at the deadline while {}, and not cancelled",
                peer.name,
                task.id(),
                cite(&[entry]),
                task.state()
            );
            tally.broken(why, [entry]);
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "task-deadline-cancels";

    fn endless(status: Status) -> Scene {
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.task(x, "t-1", "TASK_STATE_WORKING").outcome("d-1", status);
        scene
    }

    #[test]
    fn what_is_given_up_is_cancelled() {
        let mut scene = endless(Status::TimedOut);
        assert!(scene.broken(ID).contains("not cancelled"));
        scene.on_task(B, JsonRpc, Operation::CancelTask, "t-1");
        scene.upheld(ID);
    }

    #[test]
    fn tasks_that_ended_and_drivers_without_deadline_are_not_judged() {
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.completed(x, "t-1").outcome("d-1", Status::TimedOut);
        scene.open(ID);
        endless(Status::Failed).open(ID);
        endless(Status::TimedOut).without(Support::Deadline).without(Support::Cancel).open(ID);
    }
}
