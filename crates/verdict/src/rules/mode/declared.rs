//! Work whose media type is neither in `defaultInputModes` nor in the list of the skill it is for is refused before
//! dispatch. Parts that name no media type are not judged.

use super::{must_refuse, offers};
use crate::rules::prelude::*;
use crate::view::ModeRuling;

pub(super) static RULE: Requirement = Requirement { id: "mode-declared", needs: &[Support::Modes], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for offer in offers(view).filter(|(work, ..)| work.skill.is_none() || view.supports(Support::Skill)) {
        if let ModeRuling::Undeclared(media) | ModeRuling::Elsewhere(media) = Card(&offer.2.card).rule_on_modes(offer.0) {
            must_refuse(view, tally, offer, &format!("its card does not accept {media} for this work"));
        }
    }
}
