//! Layer capability: what a caller is going to do against what the card says it may.

use super::{Callers, Judge, Rule};
use crate::options::Need;

/// The id of the rule here: it says nothing against the card.
pub(crate) const NEED_RULE: &str = "capability-allows";

pub(super) static RULES: &[Rule] = &[Rule {
    id: NEED_RULE,
    callers: Callers::Refuse,
    statement: "With `--needs`, the card declares what the caller is going to use.",
    why: "A legal card may still rule an operation out: streaming and push notifications that are not declared are answered \
          with an error.",
    fix: "use another operation, or another agent",
    source: "spec §3.3.4; seed: card",
    judge: Judge::Card(|card, tell| {
        let capabilities = card.get("capabilities");
        for need in &card.options.needs {
            let legacy = !card.edition.is_current() && *need == Need::ExtendedCard;
            let (holder, member) = match legacy {
                true => (Some(card.root), "supportsAuthenticatedExtendedCard"),
                false => (capabilities, need.member()),
            };
            let Some(holder) = holder else { continue };
            match holder.get(member) {
                Some(flag) if flag.flag() == Some(false) => tell.at(flag, format!("{need} is not offered")).done(),
                Some(_) => {}
                None => tell.missing(holder, member, format!("{need} is not declared: neither yes nor no")).done(),
            }
        }
    }),
    ..Rule::CAPABILITY
}];
