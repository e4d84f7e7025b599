//! A message that continues a task carries the context of that task or none; no message carries a context that another
//! peer made. Contexts made by the orchestrator are not judged.

use crate::rules::prelude::*;
use crate::view::contexts_told;

pub(super) static RULE: Requirement = Requirement { id: "task-context-kept", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for x in view.operations().filter(|x| x.request.operation.is_some_and(Operation::sends_message)) {
        let before =
            || view.exchanges.iter().flat_map(|known| contexts_told(known).map(move |told| (known.peer, told)));
        let before = || before().filter(|(_, (entry, ..))| *entry < x.entry.seq);
        let entry = x.entry.seq;
        let sent = x.request.context_id();
        if let Some(task) = x.request.task_id() {
            // A peer that changes its mind about the context may be answered in either.
            let told = || before().filter(|(peer, (_, of, _))| *peer == x.peer && *of == Some(task));
            let Some(own) = told().map(|(_, (.., own))| own).next() else { continue };
            let why = || {
                let sent = sent.unwrap_or_default();
                format!("{}: task {task} belongs to context {own}, its answer carries {sent}{}", x.peer, cite(&[entry]))
            };
            let kept = sent.is_none_or(|sent| told().any(|(_, (.., own))| sent == own));
            tally.check(kept, why, [entry]);
            continue;
        }
        let Some(sent) = sent else { continue };
        let first = before().find(|(_, (.., told))| *told == sent);
        let Some((_, (told_at, ..))) = first else { continue };
        let made_here =
            view.operations().any(|known| known.entry.seq < told_at && known.request.context_id() == Some(sent));
        let own = before().any(|(peer, (.., told))| peer == x.peer && told == sent);
        let owner = first.map_or("another peer", |(peer, _)| peer);
        if !made_here {
            let why = || format!("{}: the context {sent}{} was made by {owner}", x.peer, cite(&[entry]));
            tally.check(own, why, [entry, told_at]);
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;
    use serde_json::json;

    use crate::testing::{B, Scene};

    const ID: &str = "task-context-kept";

    fn with_task() -> Scene {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.peer("vendor-c", &[JsonRpc]);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.completed(x, "t-1").open(ID);
        scene
    }

    fn send(scene: &mut Scene, peer: &str, task: Option<&str>, context: Option<&str>) {
        let x = scene.dispatch(peer, JsonRpc, "d-1");
        let message = scene.sent(x).message.as_mut().unwrap();
        message["message"]["taskId"] = json!(task);
        message["message"]["contextId"] = json!(context);
    }

    #[test]
    fn an_answer_keeps_the_context_of_its_task() {
        for (context, well) in [(None, true), (Some("c-t-1"), true), (Some("c-t-2"), false)] {
            let mut scene = with_task();
            send(&mut scene, B, Some("t-1"), context);
            if well { scene.upheld(ID) } else { drop(scene.broken(ID)) }
        }
    }

    #[test]
    fn a_context_stays_with_the_peer_that_made_it() {
        let mut scene = with_task();
        send(&mut scene, B, None, Some("c-t-1"));
        scene.upheld(ID);
        send(&mut scene, "vendor-c", None, Some("c-t-1"));
        assert!(scene.broken(ID).contains("was made by vendor-b"));
    }

    #[test]
    fn contexts_of_its_own_making_are_not_judged() {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.peer("vendor-c", &[JsonRpc]);
        send(&mut scene, B, None, Some("mine"));
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.answer(x, json!({ "task": { "id": "t-1", "contextId": "mine" } }));
        send(&mut scene, "vendor-c", None, Some("mine"));
        scene.open(ID);
    }
}
