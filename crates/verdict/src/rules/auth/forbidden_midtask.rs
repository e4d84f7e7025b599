//! Who is forbidden to follow a task reports that credentials are required: the agent has rejected and failed nothing.
//! Nor is the work sent again. Exempt: work that ran out of time, and drivers that hide states as long as they tell of a
//! failure. Where a call was let in again afterwards, only that the work was not sent again is judged.

use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "auth-403-midtask", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, outcome) in view.reported() {
        for (peer, task) in view.held(&delegation.id) {
            let of_task =
                || view.exchanges.iter().filter(|x| x.peer == peer.name && x.request.task_id() == Some(task.id()));
            let denied =
                of_task().filter_map(|x| Some((x.number, view.denied(x)?))).find(|(_, denied)| denied.forbidden);
            let Some((number, denied)) = denied else { continue };
            let again: Vec<u64> =
                view.dispatches(&delegation.id).filter(|x| x.number > number).map(|x| x.entry.seq).collect();
            if !again.is_empty() {
                let why = format!(
                    "{}: following task {} was forbidden{}, then the work was sent again{}",
                    peer.name,
                    task.id(),
                    cite(&[denied.entry]),
                    cite(&again)
                );
                tally.broken(why, [denied.entry].into_iter().chain(again));
                continue;
            }
            let let_in = of_task().any(|x| x.number > number && view.denied(x).is_none() && !x.frames.is_empty());
            let right = match outcome.status {
                Status::TimedOut => continue,
                Status::AuthRequired | Status::Raised => true,
                Status::Returned => outcome.error.is_some() || outcome.reason.is_some(),
                _ => let_in,
            };
            let why = || {
                format!(
                    "{}: following task {} was forbidden{}, reported as {}",
                    peer.name,
                    task.id(),
                    cite(&[denied.entry]),
                    outcome.status
                )
            };
            tally.check(right, why, [denied.entry]);
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::{Grpc, JsonRpc};

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "auth-403-midtask";

    fn forbidden(status: Status) -> Scene {
        let mut scene = Scene::new(&[Grpc]);
        let x = scene.dispatch(B, Grpc, "d-1");
        scene.task(x, "t-1", "TASK_STATE_WORKING");
        let x = scene.on_task(B, Grpc, Operation::GetTask, "t-1");
        scene.refuse(x, "PERMISSION_DENIED");
        scene.outcome("d-1", status);
        scene
    }

    #[test]
    fn it_is_a_matter_of_credentials() {
        for status in [Status::AuthRequired, Status::Raised] {
            forbidden(status).upheld(ID);
        }
        for status in [Status::Rejected, Status::Failed, Status::Returned, Status::Completed] {
            let why = forbidden(status).broken(ID);
            assert!(
                why.contains(&format!("following task t-1 was forbidden (entry 9), reported as {status}")),
                "{why}"
            );
        }
        forbidden(Status::TimedOut).open(ID);
    }

    #[test]
    fn the_work_is_not_sent_again() {
        let mut scene = forbidden(Status::AuthRequired);
        scene.dispatch(B, Grpc, "d-1");
        assert!(scene.broken(ID).contains("then the work was sent again"));
    }

    #[test]
    fn who_was_let_in_again_reports_what_came_of_it() {
        let mut scene = forbidden(Status::Completed);
        let x = scene.on_task(B, Grpc, Operation::GetTask, "t-1");
        scene.answer(x, serde_json::json!({ "id": "t-1", "status": { "state": "TASK_STATE_COMPLETED" } }));
        scene.upheld(ID);
    }

    #[test]
    fn other_answers_are_not_judged() {
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.task(x, "t-1", "TASK_STATE_WORKING");
        let x = scene.on_task(B, JsonRpc, Operation::GetTask, "t-1");
        scene.refuse(x, "401");
        scene.outcome("d-1", Status::Failed);
        scene.open(ID);
    }
}
