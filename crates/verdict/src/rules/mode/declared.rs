//! Work whose media type is neither in `defaultInputModes` nor in the list of the skill it is for is refused before
//! dispatch. Parts that name no media type are not judged.

use super::{must_refuse, offers};
use crate::rules::prelude::*;
use crate::view::ModeRuling;

pub(super) static RULE: Requirement = Requirement { id: "mode-declared", needs: &[Support::Modes], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for offer in offers(view).filter(|(work, ..)| work.skill.is_none() || view.supports(Support::Skill)) {
        if let ModeRuling::Undeclared(media) | ModeRuling::Elsewhere(media) = Card(&offer.2.card).rule_on_modes(offer.0)
        {
            must_refuse(view, tally, offer, &format!("its card does not accept {media} for this work"));
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;
    use serde_json::json;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "mode-declared";

    fn sends(media: &str, skill: Option<&str>) -> Scene {
        let mut scene = Scene::new(&[JsonRpc]);
        let work = scene.delegation("d-1");
        work.message.parts[0]["mediaType"] = json!(media);
        work.skill = skill.map(str::to_owned);
        scene
    }

    #[test]
    fn a_type_declared_nowhere_is_refused() {
        for skill in [None, Some("classify"), Some("table")] {
            let mut scene = sends("image/png", skill);
            scene.because("d-1", Status::Refused, "mode-unsupported");
            scene.upheld(ID);
            scene.dispatch(B, JsonRpc, "d-1");
            assert!(scene.broken(ID).contains("does not accept image/png"));
            scene.without(Support::Modes).open(ID);
        }
    }

    #[test]
    fn declared_types_parameters_wildcards_and_parts_without_a_type_are_not_judged() {
        for (media, skill) in [("text/plain", None), ("Text/Plain; charset=utf-8", None), ("text/csv", Some("table"))] {
            let mut scene = sends(media, skill);
            scene.dispatch(B, JsonRpc, "d-1");
            scene.outcome("d-1", Status::Completed);
            scene.open(ID);
        }
        let mut scene = sends("image/png", None);
        scene.dispatch(B, JsonRpc, "d-1");
        scene.outcome("d-1", Status::Completed);
        scene.state(B).card["defaultInputModes"] = json!(["image/*"]);
        scene.open(ID);
        scene.state(B).card["defaultInputModes"] = json!(["application/json"]);
        scene.delegation("d-1").message.parts = vec![json!({ "text": "words" })];
        scene.open(ID);
    }
}
