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
