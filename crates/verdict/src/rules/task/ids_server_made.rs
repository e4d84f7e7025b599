//! A request names only tasks that this very peer has told of before.

use crate::rules::prelude::*;
use crate::view::ids_told;

pub(super) static RULE: Requirement = Requirement { id: "task-ids-server-made", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for x in view.operations() {
        let Some(id) = x.request.task_id() else { continue };
        let told_by = |peer: &str| {
            let before = view.exchanges.iter().filter(|known| known.peer == peer).flat_map(ids_told);
            before.into_iter().any(|(entry, told)| told == id && entry < x.entry.seq)
        };
        let entry = x.entry.seq;
        let why = || {
            let owner = view.evidence().peers.iter().find(|peer| peer.name != x.peer && told_by(&peer.name));
            format!(
                "{}: {} names the task {id}{}, which {}",
                x.peer,
                x.request.operation.map_or("a request", Operation::name),
                cite(&[entry]),
                owner.map_or("nobody has told of".to_owned(), |owner| format!("is one of {}", owner.name))
            )
        };
        tally.check(told_by(x.peer), why, [entry]);
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_evidence::RequestClass;
    use gauntlet_wire::Binding::JsonRpc;
    use serde_json::json;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "task-ids-server-made";

    #[test]
    fn only_what_this_peer_told_of_is_asked_for() {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.peer("vendor-c", &[JsonRpc]);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.completed(x, "t-1").open(ID);
        scene.on_task(B, JsonRpc, Operation::GetTask, "t-1");
        scene.upheld(ID);
        let mut invented = scene.clone();
        invented.on_task(B, JsonRpc, Operation::GetTask, "t-9");
        assert!(invented.broken(ID).contains("GetTask names the task t-9"));
        scene.on_task("vendor-c", JsonRpc, Operation::GetTask, "t-1");
        assert!(scene.broken(ID).contains("which is one of vendor-b"));
    }

    #[test]
    fn an_id_told_in_a_list_counts_and_one_told_later_does_not() {
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.call(B, JsonRpc, RequestClass::FollowUp(None), Operation::ListTasks, json!({}));
        scene.answer(x, json!({ "tasks": [{ "id": "t-1" }] }));
        scene.on_task(B, JsonRpc, Operation::GetTask, "t-1");
        scene.upheld(ID);
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.on_task(B, JsonRpc, Operation::GetTask, "t-1");
        scene.answer(x, json!({ "id": "t-1" }));
        scene.broken(ID);
    }
}
