//! Every rule, one file each, in folders by area. The head of each file says what exactly is judged and what is exempt.

mod artifact;
mod auth;
mod capability;
mod card;
mod interface;
mod mode;
mod requirement;
mod task;
mod version;
mod wire;

use std::sync::LazyLock;

use crate::Rule;

/// What nearly every rule uses.
mod prelude {
    pub(super) use gauntlet_evidence::contract::{Delegation, Need, Outcome, Status};
    pub(super) use gauntlet_evidence::{Exchange, Support};
    pub(super) use gauntlet_scenario::Fact;
    pub(super) use gauntlet_wire::Operation;

    pub(super) use super::requirement::Requirement;
    pub(super) use crate::tally::Tally;
    pub(super) use crate::view::{Agreement, Card, View, cite, count};
}

static RULES: LazyLock<Vec<&'static dyn Rule>> = LazyLock::new(|| {
    let areas = [
        card::RULES,
        interface::RULES,
        version::RULES,
        capability::RULES,
        mode::RULES,
        task::RULES,
        artifact::RULES,
        auth::RULES,
        wire::RULES,
    ];
    areas.concat()
});

/// Every rule, in the order of the areas: card, interface, version, capability, mode, task, artifact, auth, wire.
pub fn rules() -> &'static [&'static dyn Rule] {
    &RULES
}
