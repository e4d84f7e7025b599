//! The extended card is asked for only where the card declares one, and with all that one alternative of its demands asks
//! for. Judged where the caller was given what the card asks for. Exempt: addresses that the credentials are not meant for.

use crate::rules::prelude::*;

pub(super) static RULE: Requirement =
    Requirement { id: "card-extended-authenticated", needs: &[Support::ExtendedCard], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for peer in &view.evidence().peers {
        let card = Card(&peer.card);
        let demands = card.demands();
        for x in view.extended_fetches(&peer.name) {
            let entry = x.entry.seq;
            if card.extended() != Some(true) {
                let why =
                    format!("{}: its extended card was asked for{}, and it declares none", peer.name, cite(&[entry]));
                tally.broken(why, [entry]);
                continue;
            }
            let Some(delegation) = view.delegation_of(x) else { continue };
            let given = view.given(delegation, &peer.name);
            let is_meant = given.iter().all(|credential| view.is_meant_for(x, credential));
            let Some(met) = view.met_by(&demands, given).filter(|_| is_meant) else { continue };
            let shown = demands.iter().any(|all| all.iter().all(|demand| demand.value(x).is_some()));
            let why = || {
                let names: Vec<&str> = met.iter().map(|demand| demand.name).collect();
                let names = names.join("`, `");
                format!("{}: its extended card was asked for{} without `{names}`", peer.name, cite(&[entry]))
            };
            tally.check(shown, why, [entry]);
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_evidence::RequestClass::Discovery;
    use gauntlet_wire::Binding::JsonRpc;
    use serde_json::json;

    use super::*;
    use crate::testing::{B, Scene, demanding};

    const ID: &str = "card-extended-authenticated";

    fn asked() -> (Scene, u64) {
        let schemes = json!({ "t": { "httpAuthSecurityScheme": { "scheme": "bearer" } } });
        let mut scene = demanding(schemes, json!([{ "schemes": { "t": {} } }]));
        let given = vec![json!({ "scheme": "bearer", "token": "s3cret-b" })];
        scene.delegation("d-1").credentials.insert(B.to_owned(), given);
        let x = scene.call(B, JsonRpc, Discovery, Operation::GetExtendedAgentCard, json!({}));
        (scene, x)
    }

    #[test]
    fn credentials_go_with_it_where_it_is_declared() {
        let (mut scene, x) = asked();
        assert!(scene.clone().broken(ID).contains("declares none"));
        scene.capability("extendedAgentCard", true);
        assert!(scene.clone().broken(ID).contains("without `t`"));
        scene.sent(x).headers.push(("authorization".to_owned(), "Bearer s3cret-b".to_owned()));
        scene.clone().upheld(ID);
        scene.without(Support::ExtendedCard).open(ID);
    }

    #[test]
    fn without_credentials_or_demands_there_is_nothing_to_judge() {
        let (mut scene, _) = asked();
        scene.capability("extendedAgentCard", true);
        scene.delegation("d-1").credentials.clear();
        scene.open(ID);
        let mut scene = Scene::new(&[JsonRpc]);
        scene.capability("extendedAgentCard", true);
        scene.call(B, JsonRpc, Discovery, Operation::GetExtendedAgentCard, json!({}));
        scene.open(ID);
    }
}
