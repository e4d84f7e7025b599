//! Messages of different content to one peer have different ids. The same content under the same id is a retry.

use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "task-message-id-unique", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    let sends: Vec<_> =
        view.operations().filter(|x| x.request.operation.is_some_and(Operation::sends_message)).collect();
    for (nth, x) in sends.iter().enumerate() {
        let Some(id) = x.request.message_id().filter(|id| !id.is_empty()) else { continue };
        for earlier in sends[..nth].iter().filter(|earlier| earlier.peer == x.peer) {
            let entries = [earlier.entry.seq, x.entry.seq];
            let reused = earlier.request.message_id() == Some(id) && parts(earlier) != parts(x);
            let why = || format!("{}: different messages have the id {id}{}", x.peer, cite(&entries));
            tally.check(!reused, why, entries);
        }
    }
}

fn parts<'a>(x: &Exchange<'a>) -> Option<&'a serde_json::Value> {
    x.request.message.as_ref()?.pointer("/message/parts")
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;
    use serde_json::json;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "task-message-id-unique";

    #[test]
    fn different_messages_have_different_ids() {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.probe(B, JsonRpc, Operation::SendMessage);
        scene.open(ID);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.upheld(ID);
        let first = "m-2";
        scene.sent(x).message.as_mut().unwrap()["message"]["messageId"] = json!(first);
        assert!(scene.broken(ID).contains("different messages have the id m-2"));
    }

    #[test]
    fn a_retry_keeps_its_id() {
        let mut scene = Scene::new(&[JsonRpc]);
        for _ in 0..2 {
            let x = scene.dispatch(B, JsonRpc, "d-1");
            scene.sent(x).message.as_mut().unwrap()["message"]["messageId"] = json!("m-1");
        }
        scene.upheld(ID);
    }
}
