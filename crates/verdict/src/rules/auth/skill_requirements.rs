//! Work for a skill that demands credentials of its own is handed over with them; where the caller was not given them, it is
//! refused before dispatch.

use crate::rules::mode::{must_refuse, offers};
use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "auth-skill-requirements", needs: &[Support::Skill], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for offer in offers(view) {
        let (delegation, _, peer) = offer;
        let Some(skill) = delegation.skill.as_deref() else { continue };
        let card = Card(&peer.card);
        let demands = card.demands_of_skill(skill);
        if demands.is_empty() || card.demands_are_ambiguous() {
            continue;
        }
        let given = view.given(delegation, &peer.name);
        if view.met_by(&demands, given).is_none() {
            must_refuse(view, tally, offer, &format!("nothing was given for the demands of its skill {skill}"));
            continue;
        }
        for x in view.dispatches_to(&delegation.id, &peer.name) {
            let right = |demand: &crate::view::Demand<'_>| view.brought(x, demand, given) == Brought::Right;
            let entry = x.entry.seq;
            let why =
                || format!("{}: the work{} does not show what its skill {skill} demands", peer.name, cite(&[entry]));
            tally.check(demands.iter().any(|all| all.iter().all(right)), why, [entry]);
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;
    use serde_json::json;

    use super::*;
    use crate::testing::{B, Scene, demanding};

    const ID: &str = "auth-skill-requirements";

    fn guarded() -> Scene {
        let schemes = json!({ "k": { "apiKeySecurityScheme": { "location": "header", "name": "X-Key" } } });
        let mut scene = demanding(schemes, json!([]));
        scene.state(B).card["skills"][0]["securityRequirements"] = json!([{ "schemes": { "k": {} } }]);
        scene.delegation("d-1").skill = Some("classify".to_owned());
        scene.delegation("d-1").credentials.insert(B.to_owned(), vec![json!({ "scheme": "apiKey", "key": "k-4411" })]);
        scene
    }

    #[test]
    fn the_skill_gets_what_it_demands() {
        let mut scene = guarded();
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.outcome("d-1", Status::Completed);
        assert!(scene.clone().broken(ID).contains("does not show what its skill classify demands"));
        scene.sent(x).headers.push(("x-key".to_owned(), "k-4411".to_owned()));
        scene.upheld(ID);
    }

    #[test]
    fn without_anything_to_show_it_is_refused() {
        let mut scene = guarded();
        scene.delegation("d-1").credentials.clear();
        scene.because("d-1", Status::Refused, "auth-unsatisfied");
        scene.upheld(ID);
        scene.dispatch(B, JsonRpc, "d-1");
        scene.broken(ID);
    }

    #[test]
    fn skills_that_demand_nothing_are_not_judged() {
        let mut scene = guarded();
        scene.delegation("d-1").skill = Some("table".to_owned());
        scene.dispatch(B, JsonRpc, "d-1");
        scene.outcome("d-1", Status::Completed);
        scene.open(ID);
    }
}
