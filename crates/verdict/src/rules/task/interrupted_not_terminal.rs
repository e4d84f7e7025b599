//! A task that waits for input or credentials is reported as neither success nor failure. Judged on drivers that show
//! states. Exempt: tasks that the peer has disowned.

use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "task-interrupted-not-terminal", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (_, outcome) in view.reported() {
        let Some((peer, task)) = view.reported_task(outcome) else { continue };
        let waits = matches!(task.state(), "TASK_STATE_INPUT_REQUIRED" | "TASK_STATE_AUTH_REQUIRED");
        let hidden = matches!(outcome.status, Status::Returned | Status::Raised | Status::TimedOut);
        let told = view.told(&peer.name, task.id()).filter(|_| !view.disowned(&peer.name, task.id()));
        let (true, false, Some(entry)) = (waits, hidden || view.truth_is_hidden(&peer.name), told) else { continue };
        let right = matches!(outcome.status, Status::InputRequired | Status::AuthRequired);
        let why = || {
            format!(
                "{}: task {} is {}{}, reported as {}",
                peer.name,
                task.id(),
                task.state(),
                cite(&[entry]),
                outcome.status
            )
        };
        tally.check(right, why, [entry]);
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::testing::reported;

    const ID: &str = "task-interrupted-not-terminal";

    #[test]
    fn waiting_is_neither_success_nor_failure() {
        for state in ["TASK_STATE_INPUT_REQUIRED", "TASK_STATE_AUTH_REQUIRED"] {
            reported(state, Status::InputRequired).upheld(ID);
            for status in [Status::Completed, Status::Failed, Status::Rejected] {
                assert!(reported(state, status).broken(ID).contains(state));
            }
        }
    }

    #[test]
    fn hidden_states_and_other_states_are_not_judged() {
        for status in [Status::Returned, Status::Raised, Status::TimedOut] {
            reported("TASK_STATE_INPUT_REQUIRED", status).open(ID);
        }
        reported("TASK_STATE_COMPLETED", Status::Completed).open(ID);
    }
}
