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
