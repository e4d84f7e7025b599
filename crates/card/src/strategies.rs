//! Cards as proptest strategies. They are built from a list of choices, of which the simplest is 0 and what is missing
//! counts as simplest: so shrinking the list shrinks the card.

use proptest::collection::vec;
use proptest::prelude::{Strategy, any};
use serde_json::Value;

use crate::edition::Edition;
use crate::generate::{Draw, Expected, Mutation};

/// More choices than any card takes.
const CHOICES: usize = 600;

/// Valid cards of 1.0.
pub fn card() -> impl Strategy<Value = Value> {
    card_of(Edition::V1_0)
}

/// Valid cards of an edition: [`Edition::V1_0`], or [`Edition::V0_3`].
pub fn card_of(edition: Edition) -> impl Strategy<Value = Value> {
    vec(any::<u32>(), 0..CHOICES).prop_map(move |choices| crate::generate_card(edition, &mut Draw::given(&choices)))
}

/// A document that breaks one rule.
#[derive(Debug, Clone)]
pub struct Broken {
    /// What was done.
    pub mutation: String,
    /// The document.
    pub bytes: Vec<u8>,
    /// What a validator should find.
    pub expected: Expected,
}

/// Cards of 1.0 that break one rule each.
pub fn broken_card() -> impl Strategy<Value = Broken> {
    let mutations: Vec<Mutation> = Mutation::all().filter(|of| of.editions().contain(Some(Edition::V1_0))).collect();
    (vec(any::<u32>(), 0..CHOICES), 0..mutations.len()).prop_map(move |(choices, index)| {
        let mut draw = Draw::given(&choices);
        let card = crate::generate_card(Edition::V1_0, &mut draw);
        let (bytes, pointer) = mutations[index].apply(card, false, &mut draw);
        Broken { mutation: mutations[index].name(), bytes, expected: mutations[index].expected(pointer) }
    })
}
