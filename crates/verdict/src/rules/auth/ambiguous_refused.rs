//! A card that demands OAuth 2.0 without a flow, or a scheme that it does not describe, cannot be understood: work is
//! refused before dispatch. Exempt: cards that offer another way in.

use crate::rules::mode::{must_refuse, offers};
use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "auth-ambiguous-refused", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for offer in offers(view) {
        let card = Card(&offer.2.card);
        if !card.demands_are_ambiguous() {
            continue;
        }
        let demands = card.demands();
        let Some(demand) = demands.iter().flatten().find(|demand| demand.is_ambiguous()) else { continue };
        must_refuse(view, tally, offer, &format!("its card does not say what the scheme `{}` is", demand.name));
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;
    use serde_json::json;

    use super::*;
    use crate::testing::{B, Scene, demanding};

    const ID: &str = "auth-ambiguous-refused";

    #[test]
    fn what_cannot_be_understood_is_refused() {
        for schemes in [json!({ "o": { "oauth2SecurityScheme": { "flows": {} } } }), json!({})] {
            let mut scene = demanding(schemes, json!([{ "schemes": { "o": {} } }]));
            scene.because("d-1", Status::Refused, "auth-ambiguous");
            scene.upheld(ID);
            scene.dispatch(B, JsonRpc, "d-1");
            assert!(scene.broken(ID).contains("does not say what the scheme `o` is"));
        }
    }

    #[test]
    fn another_way_in_and_schemes_that_are_clear_are_not_judged() {
        let schemes = json!({ "t": { "httpAuthSecurityScheme": { "scheme": "bearer" } } });
        for requirements in [json!([{ "schemes": { "o": {} } }, { "schemes": { "t": {} } }]), json!([])] {
            let mut scene: Scene = demanding(schemes.clone(), requirements);
            scene.dispatch(B, JsonRpc, "d-1");
            scene.outcome("d-1", Status::Completed);
            scene.open(ID);
        }
    }
}
