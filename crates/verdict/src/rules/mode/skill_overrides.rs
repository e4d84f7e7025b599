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
                    let why =
                        format!("{}: its skill {skill} accepts {media}, yet no work arrived: {}", peer.name, outcome.status);
                    tally.broken(why, []);
                }
            }
            _ => {}
        }
    }
}
