//! Every rule, one file each, in folders by area. The head of each file says what exactly is judged and what is exempt.

mod artifact;
mod auth;
mod capability;
mod card;
mod interface;
mod mode;
mod push;
mod requirement;
mod response;
mod stream;
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
    pub(super) use crate::view::{Agreement, Brought, Card, View, cite, count};
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
        stream::RULES,
        push::RULES,
        response::RULES,
        auth::RULES,
        wire::RULES,
    ];
    areas.concat()
});

/// Every rule, in the order of the areas: card, interface, version, capability, mode, task, artifact, stream, push, response,
/// auth, wire.
pub fn rules() -> &'static [&'static dyn Rule] {
    &RULES
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use gauntlet_evidence::{Level, Support};
    use gauntlet_scenario::Library;

    use super::*;

    #[test]
    fn the_list_of_rules_and_the_rules_are_one() {
        let library = Library::embedded().unwrap();
        let listed: BTreeMap<String, Vec<String>> =
            library.rules().map(|entry| (entry.id.clone(), entry.needs.clone())).collect();
        let words = |rule: &&dyn Rule| rule.needs().iter().map(|word| word.word().to_owned()).collect();
        let written: BTreeMap<String, Vec<String>> =
            rules().iter().map(|rule| (rule.id().to_owned(), words(rule))).collect();
        assert_eq!(listed, written);
        assert_eq!(rules().len(), written.len(), "an id is used twice");
        for entry in library.rules() {
            entry.level.parse::<Level>().unwrap();
            assert!(entry.needs.iter().all(|word| Support::from_word(word).is_some()), "{}", entry.id);
            assert!(entry.statement.ends_with('.') && !entry.source.is_empty(), "{}", entry.id);
        }
    }
}
