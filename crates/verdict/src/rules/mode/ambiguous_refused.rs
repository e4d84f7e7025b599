//! A media type that is among the card's defaults, while the skill that is asked for has a list of its own without it,
//! means either: whoever cannot tell does not hand the work over.

use super::{must_refuse, offers};
use crate::rules::prelude::*;
use crate::view::ModeRuling;

pub(super) static RULE: Requirement =
    Requirement { id: "mode-ambiguous-refused", needs: &[Support::Modes, Support::Skill], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for offer in offers(view) {
        if let ModeRuling::Ambiguous(media) = Card(&offer.2.card).rule_on_modes(offer.0) {
            let skill = offer.0.skill.as_deref().unwrap_or_default();
            must_refuse(view, tally, offer, &format!("{media} is a default, and not among the modes of {skill}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "mode-ambiguous-refused";

    #[test]
    fn what_the_skill_leaves_out_of_the_defaults_is_refused() {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.delegation("d-1").skill = Some("table".to_owned());
        scene.because("d-1", Status::Refused, "mode-ambiguous");
        scene.upheld(ID);
        scene.dispatch(B, JsonRpc, "d-1");
        assert!(scene.broken(ID).contains("text/plain is a default"));
    }

    #[test]
    fn skills_without_modes_are_not_judged() {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.delegation("d-1").skill = Some("classify".to_owned());
        scene.because("d-1", Status::Refused, "mode-ambiguous");
        scene.open(ID);
    }
}
