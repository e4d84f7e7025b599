//! Work for a skill that the card does not list is refused before dispatch.

use super::{must_refuse, offers};
use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "skill-unknown-refused", needs: &[Support::Skill], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for offer in offers(view) {
        let Some(skill) = offer.0.skill.as_deref() else { continue };
        if Card(&offer.2.card).skill(skill).is_none() {
            must_refuse(view, tally, offer, &format!("its card lists no skill {skill}"));
        }
    }
}
