//! Work for a skill that the card does not list is refused before dispatch. The extended card counts where it was fetched.

use super::{must_refuse, offers};
use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "skill-unknown-refused", needs: &[Support::Skill], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for offer in offers(view) {
        let Some(skill) = offer.0.skill.as_deref() else { continue };
        if view.card(offer.0, offer.2).skill(skill).is_none() {
            must_refuse(view, tally, offer, &format!("its card lists no skill {skill}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "skill-unknown-refused";

    #[test]
    fn an_unknown_skill_is_refused() {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.delegation("d-1").skill = Some("sing".to_owned());
        scene.because("d-1", Status::Refused, "skill-unknown");
        scene.upheld(ID);
        scene.dispatch(B, JsonRpc, "d-1");
        assert!(scene.broken(ID).contains("lists no skill sing"));
        scene.without(Support::Skill).open(ID);
    }

    #[test]
    fn known_skills_and_none_are_not_judged() {
        for skill in [None, Some("classify")] {
            let mut scene = Scene::new(&[JsonRpc]);
            scene.delegation("d-1").skill = skill.map(str::to_owned);
            scene.outcome("d-1", Status::Refused);
            scene.open(ID);
        }
    }
}
