//! Every operation at a peer whose card demands credentials shows all that one alternative asks for, follow-ups, cancels and
//! probes not exempt. Judged where the caller was given what the card asks for; whether it is the right one, other rules
//! say. Exempt: addresses that the credentials are not meant for.

use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "auth-sent-every-request", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for x in view.operations() {
        let Some(peer) = view.evidence().peer(x.peer) else { continue };
        let Some(delegation) = view.delegation_of(x) else { continue };
        let given = view.given(delegation, x.peer);
        let demands = Card(&peer.card).demands();
        let Some(met) = view.met_by(&demands, given) else { continue };
        if !given.iter().all(|credential| view.is_meant_for(x, credential)) {
            continue;
        }
        let shows = |all: &Vec<crate::view::Demand<'_>>| all.iter().all(|demand| demand.value(x).is_some());
        let entry = x.entry.seq;
        let why = || {
            let lacking: Vec<&str> =
                met.iter().filter(|demand| demand.value(x).is_none()).map(|demand| demand.name).collect();
            let operation = x.request.operation.map_or("an operation", Operation::name);
            format!("{}: {operation}{} shows nothing for `{}`", x.peer, cite(&[entry]), lacking.join("`, `"))
        };
        tally.check(demands.iter().any(shows), why, [entry]);
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;
    use serde_json::json;

    use super::*;
    use crate::testing::{B, Scene, demanding};

    const ID: &str = "auth-sent-every-request";

    fn both() -> Scene {
        let schemes = json!({
            "t": { "httpAuthSecurityScheme": { "scheme": "bearer" } },
            "k": { "apiKeySecurityScheme": { "location": "header", "name": "X-Key" } },
        });
        let mut scene = demanding(schemes, json!([{ "schemes": { "t": {}, "k": {} } }]));
        let given =
            vec![json!({ "scheme": "bearer", "token": "s3cret-b" }), json!({ "scheme": "apiKey", "key": "k-4411" })];
        scene.delegation("d-1").credentials.insert(B.to_owned(), given);
        scene
    }

    #[test]
    fn all_of_it_goes_with_every_operation() {
        let mut scene = both();
        let x = scene.dispatch(B, JsonRpc, "d-1");
        assert!(scene.clone().broken(ID).contains("shows nothing for `t`, `k`"));
        scene.sent(x).headers.push(("authorization".to_owned(), "Bearer s3cret-b".to_owned()));
        assert!(scene.clone().broken(ID).contains("shows nothing for `k`"));
        scene.sent(x).headers.push(("x-key".to_owned(), "k-4411".to_owned()));
        scene.completed(x, "t-1").upheld(ID);
        scene.on_task(B, JsonRpc, Operation::GetTask, "t-1");
        assert!(scene.broken(ID).contains("GetTask (entry"));
    }

    #[test]
    fn cards_that_ask_for_nothing_or_for_what_nobody_gave_are_not_judged() {
        let mut scene = both();
        scene.dispatch(B, JsonRpc, "d-1");
        scene.state(B).card["securityRequirements"] = json!([]);
        scene.open(ID);
        let mut scene = both();
        scene.dispatch(B, JsonRpc, "d-1");
        scene.delegation("d-1").credentials.clear();
        scene.open(ID);
    }
}
