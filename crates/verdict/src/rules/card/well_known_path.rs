//! The card is fetched at its well-known path before anything else; the path of older versions is asked only after a
//! 404 there. A card that the delegation points to elsewhere may be fetched from there.

use gauntlet_wire::CARD_PATH;

use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "card-well-known-path", needs: &[], judge };

const OLD_PATH: &str = "/.well-known/agent.json";

fn judge(view: &View<'_>, tally: &mut Tally) {
    for peer in &view.evidence().peers {
        let named = view.delegations().flat_map(|delegation| &delegation.peers).filter(|known| known.name == peer.name);
        let elsewhere: Vec<&str> = named.map(|known| known.card_url.as_str()).collect();
        let mut found = false;
        let mut missing = false;
        for x in view.exchanges.iter().filter(|x| x.peer == peer.name) {
            let path = x.request.path.split('?').next().unwrap_or_default();
            if path.ends_with(CARD_PATH) || elsewhere.iter().any(|url| url.ends_with(path) && path.len() > 1) {
                found = true;
                missing |= x.status == Some(404);
            } else if path.ends_with(OLD_PATH) {
                let why = || {
                    format!(
                        "{}: {OLD_PATH} was asked for{} before {CARD_PATH} was not found",
                        x.peer,
                        cite(&[x.entry.seq])
                    )
                };
                tally.check(missing, why, [x.entry.seq]);
                found |= missing;
            } else if x.request.operation.is_some() && !found {
                let operation = x.request.operation.map_or("an operation", Operation::name);
                let why = format!(
                    "{}: {operation} was called{} before {CARD_PATH} was fetched",
                    x.peer,
                    cite(&[x.entry.seq])
                );
                tally.broken(why, [x.entry.seq]);
                break;
            }
        }
        if found {
            tally.upheld();
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "card-well-known-path";

    #[test]
    fn the_old_path_is_asked_only_after_a_404() {
        let mut right = Scene::empty();
        right.open(ID);
        right.peer(B, &[JsonRpc]).delegate("d-1");
        right.fetch(B, CARD_PATH, 404);
        right.fetch(B, OLD_PATH, 200);
        right.upheld(ID);
        let mut wrong = Scene::empty();
        wrong.peer(B, &[JsonRpc]).delegate("d-1");
        wrong.fetch(B, OLD_PATH, 404);
        wrong.fetch(B, CARD_PATH, 200);
        assert!(wrong.broken(ID).contains("vendor-b: /.well-known/agent.json was asked for (entry 2)"));
    }

    #[test]
    fn nothing_is_called_before_the_card_is_there() {
        let mut scene = Scene::empty();
        scene.peer(B, &[JsonRpc]).delegate("d-1");
        scene.dispatch(B, JsonRpc, "d-1");
        scene.broken(ID);
        let mut scene = Scene::new(&[JsonRpc]);
        scene.dispatch(B, JsonRpc, "d-1");
        scene.upheld(ID);
    }
}
