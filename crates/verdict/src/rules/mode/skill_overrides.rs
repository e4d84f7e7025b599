//! A skill's own `inputModes` replace the defaults for that skill: a type that only it lists is used with it, and refused
//! with any other skill or with none.

use super::{must_refuse, offers};
use crate::oracle::must_serve;
use crate::rules::prelude::*;
use crate::view::ModeRuling;

pub(super) static RULE: Requirement =
    Requirement { id: "mode-skill-overrides", needs: &[Support::Modes, Support::Skill], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for offer in offers(view) {
        let (delegation, outcome, peer) = offer;
        match Card(&peer.card).rule_on_modes(delegation) {
            ModeRuling::Elsewhere(media) => {
                must_refuse(view, tally, offer, &format!("only another skill accepts {media}"));
            }
            ModeRuling::BySkill(media) if delegation.peers.len() == 1 && must_serve(view, delegation) => {
                if view.dispatches_to(&delegation.id, &peer.name).next().is_some() {
                    tally.upheld();
                } else if !outcome.status.is_success() && outcome.status != Status::TimedOut {
                    let skill = delegation.skill.as_deref().unwrap_or_default();
                    let why = format!(
                        "{}: its skill {skill} accepts {media}, yet no work arrived: {}",
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
    use gauntlet_wire::Binding::JsonRpc;
    use serde_json::json;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "mode-skill-overrides";

    fn sends_csv(skill: Option<&str>) -> Scene {
        let mut scene = Scene::new(&[JsonRpc]);
        let work = scene.delegation("d-1");
        work.message.parts[0]["mediaType"] = json!("text/csv");
        work.skill = skill.map(str::to_owned);
        scene
    }

    #[test]
    fn with_its_skill_the_type_is_used() {
        let mut scene = sends_csv(Some("table"));
        scene.because("d-1", Status::Refused, "mode-unsupported");
        assert!(scene.broken(ID).contains("its skill table accepts text/csv"));
        let mut scene = sends_csv(Some("table"));
        scene.dispatch(B, JsonRpc, "d-1");
        scene.outcome("d-1", Status::Completed);
        scene.upheld(ID);
    }

    #[test]
    fn with_another_skill_or_none_it_is_refused() {
        for skill in [Some("classify"), None] {
            let mut scene = sends_csv(skill);
            scene.because("d-1", Status::Refused, "mode-unsupported");
            scene.upheld(ID);
            scene.dispatch(B, JsonRpc, "d-1");
            assert!(scene.broken(ID).contains("only another skill accepts text/csv"));
        }
    }

    #[test]
    fn plain_types_and_drivers_without_skills_are_not_judged() {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.dispatch(B, JsonRpc, "d-1");
        scene.outcome("d-1", Status::Completed);
        scene.open(ID);
        let mut scene = sends_csv(Some("table"));
        scene.outcome("d-1", Status::Refused);
        scene.without(Support::Skill).open(ID);
    }
}
