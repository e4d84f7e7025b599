//! The answer to a task that asked goes to that task: the first message after the question names it, with its context or
//! with none. Judged where the caller gave an answer: the delegation was reported as waiting, and then once more. Exempt:
//! peers that are known to drop what they asked about, and answers that ran out of time.

use gauntlet_evidence::{HeldTask, PeerState};
use gauntlet_scenario::Resume;

use crate::rules::prelude::*;
use crate::view::{contexts_told, states_told};

pub(super) static RULE: Requirement = Requirement { id: "task-resume-same-id", needs: &[Support::MultiTurn], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, outcome) in view.reported() {
        let Some((peer, task, asked)) = answered(view, delegation) else { continue };
        if view.facts(&peer.name).0.iter().any(|scoped| scoped.fact == Fact::Resume(Resume::Fresh)) {
            continue;
        }
        let sent = view.operations().find(|x| {
            x.peer == peer.name
                && x.entry.seq > asked
                && x.request.operation.is_some_and(Operation::sends_message)
                && x.request.class.delegation().is_none_or(|id| id == delegation.id)
        });
        let Some(sent) = sent else {
            if outcome.status != Status::TimedOut {
                let why = format!(
                    "{}: task {}{} waits, and the caller's answer was never sent; reported as {}",
                    peer.name,
                    task.id(),
                    cite(&[asked]),
                    outcome.status
                );
                tally.broken(why, [asked]);
            }
            continue;
        };
        let mut contexts = view.exchanges.iter().filter(|x| x.peer == peer.name).flat_map(contexts_told);
        let same_task = sent.request.task_id() == Some(task.id());
        let same_context = sent
            .request
            .context_id()
            .is_none_or(|context| contexts.any(|(_, of, told)| of == Some(task.id()) && told == context));
        let entries = [asked, sent.entry.seq];
        let why = || {
            let named = sent.request.task_id().map_or("no task".to_owned(), |id| format!("task {id}"));
            let context = sent.request.context_id().map_or("no context".to_owned(), |id| format!("context {id}"));
            format!("{}: task {} waits, its answer names {named} and {context}{}", peer.name, task.id(), cite(&entries))
        };
        tally.check(same_task && same_context, why, entries);
    }
}

/// The task that asked, and the entry that told of it, where the caller answered.
fn answered<'a>(view: &View<'a>, delegation: &Delegation) -> Option<(&'a PeerState, &'a HeldTask, u64)> {
    let reports: Vec<_> = view.evidence().outcomes.iter().filter(|outcome| outcome.id == delegation.id).collect();
    let waited = reports.iter().position(|outcome| outcome.status == Status::InputRequired)?;
    if waited + 1 == reports.len() {
        return None;
    }
    view.held(&delegation.id).find_map(|(peer, task)| {
        let told = view.exchanges.iter().filter(|x| x.peer == peer.name).flat_map(states_told);
        let mut asked = told.filter(|(_, id, state)| *id == task.id() && *state == "TASK_STATE_INPUT_REQUIRED");
        asked.next().map(|(entry, ..)| (peer, task, entry))
    })
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;
    use serde_json::{Value, json};

    use super::*;
    use crate::testing::{B, Scene, reported};
    use gauntlet_evidence::RequestClass;

    const ID: &str = "task-resume-same-id";

    /// A task asked, the caller answered, and the orchestrator sent that message.
    fn answered_with(message: &Value) -> Scene {
        let mut scene = reported("TASK_STATE_INPUT_REQUIRED", Status::InputRequired);
        let class = RequestClass::FollowUp(Some("d-1".to_owned()));
        let x = scene.call(B, JsonRpc, class, Operation::SendMessage, json!({ "message": message }));
        scene.completed(x, "t-1").outcome("d-1", Status::Completed);
        scene
    }

    #[test]
    fn the_answer_names_the_task_and_its_context_or_none() {
        answered_with(&json!({ "messageId": "m", "taskId": "t-1" })).upheld(ID);
        answered_with(&json!({ "messageId": "m", "taskId": "t-1", "contextId": "c-t-1" })).upheld(ID);
        let why = answered_with(&json!({ "messageId": "m", "contextId": "c-t-1" })).broken(ID);
        assert!(why.contains("its answer names no task and context c-t-1"), "{why}");
        answered_with(&json!({ "messageId": "m", "taskId": "t-1", "contextId": "c-2" })).broken(ID);
    }

    #[test]
    fn an_answer_that_is_kept_back_is_found() {
        let mut scene = reported("TASK_STATE_INPUT_REQUIRED", Status::InputRequired);
        scene.open(ID);
        scene.outcome("d-1", Status::InputRequired);
        scene.broken(ID);
        scene.outcome("d-1", Status::TimedOut);
        scene.open(ID);
    }

    #[test]
    fn peers_that_drop_tasks_are_another_matter() {
        let mut scene = answered_with(&json!({ "messageId": "m" }));
        scene.fact(&[], Fact::Resume(Resume::Fresh));
        scene.open(ID);
    }
}
