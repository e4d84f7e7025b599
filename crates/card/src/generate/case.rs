//! Cases: a document, and what a validator should say of it.

use serde_json::{Value, json};

use super::{Draw, Mutation, build};
use crate::edition::Edition;
use crate::report::{Layer, Severity};
use crate::rules::Rule;

/// Which editions are generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Versions {
    /// 1.0.
    #[default]
    Current,
    /// 0.3.
    Legacy,
    /// Both.
    Mixed,
}

/// What is generated.
#[derive(Debug, Clone)]
pub struct Generator {
    /// Same seed, same bytes.
    pub seed: u64,
    /// The editions.
    pub versions: Versions,
    /// How many of a hundred cards are broken.
    pub invalid: u32,
    mutations: Vec<Mutation>,
}

/// A generated document and its verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Its place in the series.
    pub index: u64,
    /// The edition it was made in.
    pub edition: Edition,
    /// The document. Not always JSON: some mutations break that.
    pub bytes: Vec<u8>,
    /// What was done to it; nothing for valid cards.
    pub mutation: Option<String>,
    /// What a validator at publication should find; nothing for valid cards.
    pub expected: Option<Expected>,
    /// Of the series.
    pub seed: u64,
}

/// The one thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// The layer that finds it.
    pub layer: Layer,
    /// The rule that is broken.
    pub rule: &'static str,
    /// How much it weighs: only errors make a card invalid.
    pub severity: Severity,
    /// The place.
    pub pointer: String,
}

impl Generator {
    /// Draws from all mutations, or from those of these rules only.
    ///
    /// # Errors
    /// Names a rule that does not exist or that no mutation of a card in these editions breaks.
    pub fn new(seed: u64, versions: Versions, invalid: u32, only: &[String]) -> Result<Self, String> {
        let fits =
            |mutation: &Mutation| versions.editions().iter().any(|edition| mutation.editions().contain(Some(*edition)));
        let wanted = |mutation: &Mutation| only.is_empty() || only.iter().any(|rule| rule == mutation.rule.id);
        let mutations: Vec<Mutation> = Mutation::all().filter(fits).filter(wanted).collect();
        for rule in only {
            if Rule::find(rule).is_none() {
                return Err(format!("there is no rule `{rule}`"));
            }
            if !mutations.iter().any(|mutation| mutation.rule.id == rule) {
                return Err(format!("no card of these versions can be made to break `{rule}`"));
            }
        }
        Ok(Self { seed, versions, invalid: invalid.min(100), mutations })
    }

    /// The case at a place of the series; it depends on nothing but the seed, the options and the index.
    pub fn case(&self, index: u64) -> Case {
        let (edition, broken, card, mut draw) = self.begin(index);
        let mutation = if broken { self.mutation(edition, &mut draw) } else { None };
        let Some(mutation) = mutation else { return self.valid(index, edition, &card) };
        let (bytes, pointer) = mutation.apply(card, !edition.is_current(), &mut draw);
        let expected = mutation.expected(pointer);
        Case { index, edition, bytes, mutation: Some(mutation.name()), expected: Some(expected), seed: self.seed }
    }

    /// The valid card that the case at a place was made of: the same one, unless it was broken.
    pub fn twin(&self, index: u64) -> Case {
        let (edition, _, card, _) = self.begin(index);
        self.valid(index, edition, &card)
    }

    /// What a case begins with: the edition, whether it is going to be broken, and a valid card.
    fn begin(&self, index: u64) -> (Edition, bool, Value, Draw<'static>) {
        let mut draw = Draw::seeded(self.seed, index);
        let edition = draw.pick(self.versions.editions());
        let broken = draw.chance(self.invalid);
        let card = build::card(edition, &mut draw);
        (edition, broken, card, draw)
    }

    fn valid(&self, index: u64, edition: Edition, card: &Value) -> Case {
        let bytes = card.to_string().into_bytes();
        Case { index, edition, bytes, mutation: None, expected: None, seed: self.seed }
    }

    /// One that applies to cards of this edition, where there is one.
    fn mutation(&self, edition: Edition, draw: &mut Draw<'_>) -> Option<Mutation> {
        let begin = draw.index(self.mutations.len());
        let mut all = self.mutations.iter().cycle().skip(begin).take(self.mutations.len());
        all.find(|mutation| mutation.editions().contain(Some(edition))).copied()
    }
}

impl Versions {
    const fn editions(self) -> &'static [Edition] {
        match self {
            Self::Current => &[Edition::V1_0],
            Self::Legacy => &[Edition::V0_3],
            Self::Mixed => &[Edition::V1_0, Edition::V0_3],
        }
    }
}

impl Mutation {
    /// What a validator should find, at a place.
    pub fn expected(&self, pointer: String) -> Expected {
        Expected { layer: self.rule.layer, rule: self.rule.id, severity: self.rule.severity, pointer }
    }
}

impl Case {
    /// Whether a validator should accept it.
    pub fn is_valid(&self) -> bool {
        self.expected.as_ref().is_none_or(|expected| expected.severity != Severity::Error)
    }

    /// The verdict, without the document.
    pub fn verdict(&self) -> Value {
        let mut verdict = json!({
            "index": self.index,
            "seed": self.seed,
            "edition": self.edition.word(),
            "valid": self.is_valid(),
        });
        if let Some(expected) = &self.expected {
            verdict["layer"] = expected.layer.word().into();
            verdict["rule"] = expected.rule.into();
            verdict["severity"] = expected.severity.word().into();
            verdict["path"] = expected.pointer.clone().into();
        }
        if let Some(mutation) = &self.mutation {
            verdict["mutation"] = mutation.clone().into();
        }
        verdict
    }
}
