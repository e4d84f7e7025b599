//! Every configuration of a webhook has a token of its own. Exempt: a configuration that was refused or not answered and is
//! tried again, and one that is registered anew for the same task.

use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "push-token-unique", needs: &[Support::Push], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    let known: Vec<_> = view
        .registrations()
        .filter(|known| known.accepted)
        .filter_map(|known| Some((known.exchange, known.task?, known.token()?)))
        .collect();
    for (nth, (x, task, token)) in known.iter().enumerate() {
        let other = |(earlier, of, _): &&(&Exchange<'_>, &str, &str)| earlier.peer != x.peer || of != task;
        let mut others = known[..nth].iter().filter(other).peekable();
        if others.peek().is_none() {
            continue;
        }
        let same = others.find(|(.., used)| used == token);
        let entries: Vec<u64> = same.iter().map(|(earlier, ..)| earlier.entry.seq).chain([x.entry.seq]).collect();
        let why = || format!("{}: two webhooks were registered with one token{}", x.peer, cite(&entries));
        tally.check(same.is_none(), why, entries.iter().copied());
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;

    use crate::testing::{B, Scene, notified};

    const ID: &str = "push-token-unique";

    fn second(token: &str) -> Scene {
        let mut scene = notified();
        scene.delegate("d-2");
        let x = scene.dispatch_with_webhook(B, JsonRpc, "d-2", token);
        scene.completed(x, "t-2");
        scene
    }

    #[test]
    fn every_webhook_has_a_token_of_its_own() {
        notified().open(ID);
        second("another").upheld(ID);
        assert!(second("agreed").broken(ID).contains("one token"));
    }

    #[test]
    fn what_was_refused_may_be_tried_again() {
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.dispatch_with_webhook(B, JsonRpc, "d-1", "agreed");
        scene.refuse(x, "-32003");
        let x = scene.dispatch_with_webhook(B, JsonRpc, "d-1", "agreed");
        scene.completed(x, "t-1").open(ID);
    }
}
