//! What a request shows for itself is what its peer's card asks for: of that type and flow, obtained at that peer's token
//! server for the scopes and the audience that were given. Names mean nothing: two cards may use one name for two things.
//! Judged where the caller was given what the card asks for, and the request brings something in that place.

use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "auth-scheme-semantics", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for x in view.operations() {
        let Some(peer) = view.evidence().peer(x.peer) else { continue };
        let Some(delegation) = view.delegation_of(x) else { continue };
        let given = view.given(delegation, x.peer);
        let demands = Card(&peer.card).demands();
        if view.met_by(&demands, given).is_none() {
            continue;
        }
        let entry = x.entry.seq;
        let judged =
            demands.iter().map(|all| all.iter().map(|demand| (demand.name, view.brought(x, demand, given))).collect());
        let judged: Vec<Vec<(&str, Brought)>> = judged.collect();
        if judged.iter().any(|all| all.iter().all(|(_, brought)| *brought == Brought::Right)) {
            tally.upheld();
            continue;
        }
        let wrong = judged.iter().flatten().find_map(|(name, brought)| match brought {
            Brought::Wrong(why) => {
                Some(format!("what was shown for the scheme `{name}`{} is wrong: {why}", cite(&[entry])))
            }
            Brought::Nothing | Brought::Right => None,
        });
        // Something was shown, only not what was asked for.
        let elsewhere = || {
            let nothing = judged.iter().flatten().all(|(_, brought)| *brought == Brought::Nothing);
            let names: Vec<&str> = judged.iter().flatten().map(|(name, _)| *name).collect();
            (nothing && x.request.header("authorization").is_some()).then(|| {
                format!(
                    "an Authorization header was shown{}, the card asks for `{}`",
                    cite(&[entry]),
                    names.join("`, `")
                )
            })
        };
        if let Some(why) = wrong.or_else(elsewhere) {
            tally.broken(format!("{}: {why}", x.peer), [entry]);
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;
    use serde_json::json;

    use crate::testing::{B, Scene, demanding};

    const ID: &str = "auth-scheme-semantics";

    fn oauth() -> Scene {
        let flows = json!({ "clientCredentials": { "tokenUrl": "http://127.0.0.1:1/token", "scopes": {} } });
        let schemes = json!({ "oauth2": { "oauth2SecurityScheme": { "flows": flows } } });
        let mut scene = demanding(schemes, json!([{ "schemes": { "oauth2": { "list": ["work"] } } }]));
        let client = json!({ "scheme": "oauth2", "flow": "clientCredentials", "scopes": ["work"], "audience": "b" });
        scene.delegation("d-1").credentials.insert(B.to_owned(), vec![client]);
        scene
    }

    fn shows(scene: &mut Scene, name: &str, value: &str) {
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.sent(x).headers.push((name.to_owned(), value.to_owned()));
    }

    #[test]
    fn a_token_is_of_the_peer_its_scopes_and_its_audience() {
        for (owner, scope, audience, wrong) in [
            (B, "work", "b", None),
            (B, "read", "b", Some("without the scope `work`")),
            (B, "work", "c", Some("without the audience `b`")),
            ("vendor-c", "work", "b", Some("a token of vendor-c")),
        ] {
            let mut scene = oauth();
            scene.peer("vendor-c", &[JsonRpc]);
            let form = format!("grant_type=client_credentials&audience={audience}");
            scene.ask_for_token(owner, &form, json!({ "access_token": "token-1", "scope": scope }));
            shows(&mut scene, "authorization", "Bearer token-1");
            match wrong {
                None => scene.upheld(ID),
                Some(wrong) => assert!(scene.broken(ID).contains(wrong), "{wrong}"),
            }
        }
        let mut scene = oauth();
        shows(&mut scene, "authorization", "Bearer other");
        assert!(scene.broken(ID).contains("no token server has issued it"));
    }

    #[test]
    fn a_scheme_is_what_it_is_and_not_what_it_is_called() {
        let schemes = json!({ "oauth2": { "apiKeySecurityScheme": { "location": "header", "name": "X-Key" } } });
        let mut scene = demanding(schemes, json!([{ "schemes": { "oauth2": {} } }]));
        scene.delegation("d-1").credentials.insert(B.to_owned(), vec![json!({ "scheme": "apiKey", "key": "k-4411" })]);
        let mut by_name = scene.clone();
        shows(&mut scene, "x-key", "k-4411");
        scene.upheld(ID);
        shows(&mut by_name, "authorization", "Bearer k-4411");
        assert!(by_name.broken(ID).contains("the card asks for `oauth2`"));
    }

    #[test]
    fn what_is_not_shown_or_not_given_is_not_judged() {
        let mut scene = oauth();
        scene.dispatch(B, JsonRpc, "d-1");
        scene.open(ID);
        scene.delegation("d-1").credentials.clear();
        shows(&mut scene, "authorization", "Bearer other");
        scene.open(ID);
    }
}
