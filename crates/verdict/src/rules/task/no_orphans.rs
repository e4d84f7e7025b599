//! No task of a delegation is left open: it ended, a cancel was sent (whatever the answer), or the report says that it
//! waits. Judged on drivers that honour deadlines or take `cancel`, and on tasks the orchestrator was told of.

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
            let closed = task.is_terminal() || view.cancelled(&peer.name, task.id()) || waits;
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
