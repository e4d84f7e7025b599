//! Once the extended card of a peer was fetched, it is what counts for the rest of the session. Judged on work for a skill
//! that only one of the two cards lists: it is handed over where that is the extended one, and not where it is the other.

use crate::oracle::must_serve;
use crate::rules::mode::{must_refuse, offers};
use crate::rules::prelude::*;

pub(super) static RULE: Requirement =
    Requirement { id: "card-extended-replaces", needs: &[Support::ExtendedCard, Support::Skill], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for offer in offers(view) {
        let (delegation, outcome, peer) = offer;
        let Some(skill) = delegation.skill.as_deref() else { continue };
        let Some(extended) = view.extended_card(delegation, &peer.name) else { continue };
        match (Card(&peer.card).skill(skill).is_some(), extended.skill(skill).is_some()) {
            (true, false) => must_refuse(view, tally, offer, &format!("its extended card lists no skill {skill}")),
            (false, true) if must_serve(view, delegation) => {
                let arrived = view.dispatches_to(&delegation.id, &peer.name).next().is_some();
                if arrived {
                    tally.upheld();
                } else if !outcome.status.is_success() && outcome.status != Status::TimedOut {
                    let why = format!(
                        "{}: its extended card lists the skill {skill}, and no work arrived: {}",
                        peer.name, outcome.status
                    );
                    tally.broken(why, []);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_evidence::RequestClass::Discovery;
    use gauntlet_wire::Binding::JsonRpc;
    use serde_json::json;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "card-extended-replaces";

    /// The extended card lists `sing` in the place of the other skills.
    fn fetched(skill: &str) -> Scene {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.capability("extendedAgentCard", true).delegation("d-1").skill = Some(skill.to_owned());
        let x = scene.call(B, JsonRpc, Discovery, Operation::GetExtendedAgentCard, json!({}));
        let mut card = scene.state(B).card.clone();
        card["skills"] = json!([{ "id": "sing", "name": "Sing", "description": "sings", "tags": ["song"] }]);
        scene.answer(x, card);
        scene
    }

    #[test]
    fn a_skill_of_the_extended_card_is_used() {
        let mut scene = fetched("sing");
        scene.because("d-1", Status::Refused, "skill-unknown");
        assert!(scene.broken(ID).contains("lists the skill sing, and no work arrived"));
        let mut scene = fetched("sing");
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.completed(x, "t-1").outcome("d-1", Status::Completed);
        scene.open("skill-unknown-refused");
        scene.upheld(ID);
    }

    #[test]
    fn a_skill_that_it_does_not_list_is_not() {
        let mut scene = fetched("classify");
        scene.dispatch(B, JsonRpc, "d-1");
        scene.outcome("d-1", Status::Completed);
        assert!(scene.broken(ID).contains("its extended card lists no skill classify"));
        let mut scene = fetched("classify");
        scene.because("d-1", Status::Refused, "skill-unknown");
        scene.upheld(ID);
    }

    #[test]
    fn who_did_not_fetch_it_and_other_sessions_are_not_judged() {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.delegation("d-1").skill = Some("sing".to_owned());
        scene.because("d-1", Status::Refused, "skill-unknown");
        scene.open(ID);
        let mut scene = fetched("sing");
        scene.delegate("d-2");
        scene.delegation("d-2").session = "s-2".to_owned();
        scene.delegation("d-2").skill = Some("sing".to_owned());
        scene.because("d-2", Status::Refused, "skill-unknown");
        scene.open(ID);
    }
}
