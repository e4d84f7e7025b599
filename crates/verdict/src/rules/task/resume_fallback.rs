//! Where a peer has dropped the task that asked, the work is issued again: once, and without the dead id. Exempt: work
//! that ran out of time.

use crate::rules::prelude::*;
use crate::view::states_told;

pub(super) static RULE: Requirement = Requirement { id: "task-resume-fallback", needs: &[Support::MultiTurn], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for x in view.operations().filter(|x| x.request.operation.is_some_and(Operation::sends_message)) {
        let Some((id, failure)) = x.request.task_id().zip(view.unknown_task(x)) else { continue };
        let told = view.exchanges.iter().filter(|known| known.peer == x.peer).flat_map(states_told);
        let asked = told
            .into_iter()
            .any(|(entry, of, state)| of == id && entry < x.entry.seq && state == "TASK_STATE_INPUT_REQUIRED");
        let Some(delegation) = view.delegation_of(x).filter(|_| asked) else { continue };
        let outcome = view.evidence().outcome(&delegation.id);
        if outcome.is_none_or(|outcome| outcome.status == Status::TimedOut) {
            continue;
        }
        let issued: Vec<u64> = view
            .dispatches(&delegation.id)
            .filter(|later| later.entry.seq > failure.entry)
            .map(|later| later.entry.seq)
            .collect();
        let again: Vec<u64> = view
            .operations()
            .filter(|later| later.entry.seq > failure.entry && later.peer == x.peer)
            .filter(|later| later.request.operation.is_some_and(Operation::sends_message))
            .filter(|later| later.request.task_id() == Some(id))
            .map(|later| later.entry.seq)
            .collect();
        let dropped = format!("{}: task {id} was dropped{}", x.peer, cite(&[failure.entry]));
        let entries = [failure.entry].into_iter().chain(issued.iter().copied()).chain(again.iter().copied());
        match (issued.len(), again.is_empty()) {
            (1, true) => tally.upheld(),
            (_, false) => tally.broken(format!("{dropped}, and a message named it again{}", cite(&again)), entries),
            (0, true) => tally.broken(format!("{dropped}, and the work was not issued again"), entries),
            (many, true) => {
                tally.broken(format!("{dropped}, and the work was issued {many} times{}", cite(&issued)), entries);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;
    use serde_json::json;

    use super::*;
    use crate::testing::{B, Scene, reported};
    use gauntlet_evidence::RequestClass;

    const ID: &str = "task-resume-fallback";

    fn answer(scene: &mut Scene) {
        let message = json!({ "message": { "messageId": "m", "taskId": "t-1" } });
        let class = RequestClass::FollowUp(Some("d-1".to_owned()));
        let x = scene.call(B, JsonRpc, class, Operation::SendMessage, message);
        scene.refuse_as(x, "-32001", Some("TASK_NOT_FOUND"));
    }

    fn dropped() -> Scene {
        let mut scene = reported("TASK_STATE_INPUT_REQUIRED", Status::InputRequired);
        answer(&mut scene);
        scene
    }

    #[test]
    fn the_work_is_issued_once_more() {
        let mut scene = dropped();
        scene.outcome("d-1", Status::Failed);
        assert!(scene.broken(ID).contains("the work was not issued again"));
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.completed(x, "t-2").outcome("d-1", Status::Completed);
        scene.upheld(ID);
        scene.dispatch(B, JsonRpc, "d-1");
        assert!(scene.broken(ID).contains("the work was issued 2 times"));
    }

    #[test]
    fn the_dead_id_is_not_named_again() {
        let mut scene = dropped();
        answer(&mut scene);
        scene.outcome("d-1", Status::Failed);
        assert!(scene.broken(ID).contains("a message named it again"));
    }

    #[test]
    fn what_never_asked_or_ran_out_of_time_is_not_judged() {
        reported("TASK_STATE_INPUT_REQUIRED", Status::InputRequired).open(ID);
        let mut scene = dropped();
        scene.outcome("d-1", Status::TimedOut);
        scene.open(ID);
    }
}
