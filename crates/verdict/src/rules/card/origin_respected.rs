//! Credentials are shown at the origins they were given for, and at the token server, wherever a card points. Judged where a
//! card lists an address at another origin.

use crate::rules::prelude::*;
use crate::view::{authority, carries, secrets};

pub(super) static RULE: Requirement = Requirement { id: "card-origin-respected", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    let issued = view.issued();
    for (delegation, _) in view.reported() {
        for peer in view.peers_of(delegation) {
            for credential in view.given(delegation, &peer.name) {
                let origins = credential.get("origins").and_then(serde_json::Value::as_array).into_iter().flatten();
                let origins: Vec<&str> = origins.filter_map(|origin| origin.as_str()).map(authority).collect();
                let foreign = peer.interfaces.iter().any(|interface| !origins.contains(&authority(&interface.url)));
                if origins.is_empty() || !foreign {
                    continue;
                }
                let tokens = issued.iter().filter(|issued| issued.peer == peer.name).map(|issued| issued.token);
                let kept: Vec<&str> = secrets(credential).chain(tokens).collect();
                let there = view.exchanges.iter().filter(|x| x.peer == peer.name && !view.is_meant_for(x, credential));
                let shown: Vec<_> = there.filter(|x| kept.iter().any(|secret| carries(x, secret))).collect();
                let entries: Vec<u64> = shown.iter().map(|x| x.entry.seq).collect();
                let why = || {
                    let place = shown.first().and_then(|x| view.listener(x)).unwrap_or_default();
                    format!(
                        "{}: credentials that are not meant for {place} were shown there{}",
                        peer.name,
                        cite(&entries)
                    )
                };
                tally.check(entries.is_empty(), why, entries.iter().copied());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;
    use serde_json::json;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "card-origin-respected";

    fn meant_for(origin: &str, shows: bool) -> Scene {
        let mut scene = Scene::new(&[JsonRpc]);
        let given = vec![json!({ "scheme": "bearer", "token": "s3cret-b", "origins": [origin] })];
        scene.delegation("d-1").credentials.insert(B.to_owned(), given);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        if shows {
            scene.sent(x).headers.push(("authorization".to_owned(), "Bearer s3cret-b".to_owned()));
        }
        scene.outcome("d-1", Status::Completed);
        scene
    }

    #[test]
    fn credentials_stay_at_their_origins() {
        meant_for("http://127.0.0.1:40999", false).upheld(ID);
        let why = meant_for("http://127.0.0.1:40999", true).broken(ID);
        assert!(why.contains("not meant for 127.0.0.1:41001 were shown there"), "{why}");
        meant_for("http://127.0.0.1:41001", true).open(ID);
    }
}
