//! The hunt for cards on which two validators differ.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use futures::future::join_all;
use gauntlet_card::{Case, Generator, Rule, Shrinker};

use super::foreign::{Foreign, Said, Silence};
use super::truth::{Judgement, Truth};
use crate::diagnostics::Failure;

/// A validator that hangs on so many cards is asked about no more.
const HANGS: u32 = 10;
/// When so many cards got no verdict, and none before got one, nothing else will come of it.
const SILENT: u32 = 25;
/// How many cards that break no rule are shown, where the validator gives several reasons.
const REASONS: usize = 5;
/// How many hangs are borne to make one card smaller.
const HANGS_TO_SHRINK: u32 = 3;

/// What is asked.
pub(crate) struct Hunt {
    pub(crate) generator: Generator,
    pub(crate) count: u64,
    pub(crate) truth: Truth,
    /// How often the validator is asked to make one card smaller.
    pub(crate) shrink: u32,
}

/// How two validators differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// The other one accepts what is broken.
    FalseAccept,
    /// It rejects what is valid.
    FalseReject,
    /// It gives no verdict.
    Crash,
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::FalseAccept, Self::FalseReject, Self::Crash];

    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::FalseAccept => "false accept",
            Self::FalseReject => "false reject",
            Self::Crash => "crash",
        }
    }
}

/// What was counted of the cards made to break one rule, or of those made to be valid.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) rule: Option<&'static Rule>,
    pub(crate) cards: u64,
    /// By [`Kind`].
    pub(crate) wrong: [u64; 3],
}

impl Row {
    pub(crate) fn agrees(&self) -> bool {
        self.wrong == [0; 3]
    }
}

/// A small card on which the two differ.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) kind: Kind,
    pub(crate) rule: Option<&'static Rule>,
    /// The case it was made of.
    pub(crate) index: u64,
    pub(crate) mutation: Option<String>,
    pub(crate) bytes: Vec<u8>,
    /// How large it was before.
    pub(crate) was: usize,
    /// How often the validator was asked to make it smaller.
    pub(crate) calls: u32,
    pub(crate) ours: Judgement,
    pub(crate) theirs: Said,
    /// Where it was written to.
    pub(crate) file: Option<PathBuf>,
}

/// All that came of it.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The valid cards first, then by rule, in the order of the rules.
    pub(crate) rows: Vec<Row>,
    pub(crate) found: Vec<Found>,
    /// How many cards it accepted and rejected, rightly or not.
    pub(crate) accepted: u64,
    pub(crate) rejected: u64,
    /// Cards that were not asked about.
    pub(crate) untried: u64,
}

/// A case on which the two differ.
struct Difference {
    case: Case,
    kind: Kind,
    ours: Judgement,
    theirs: Said,
}

/// What is known while the cards are asked about.
#[derive(Default)]
struct Count {
    rows: BTreeMap<Option<&'static str>, (u64, [u64; 3])>,
    differences: Vec<Difference>,
    accepted: u64,
    rejected: u64,
    silent: u32,
    hangs: u32,
}

impl Outcome {
    pub(crate) fn agrees(&self) -> bool {
        self.rows.iter().all(Row::agrees)
    }

    pub(crate) fn cards(&self) -> u64 {
        self.rows.iter().map(|row| row.cards).sum()
    }

    pub(crate) fn total(&self, kind: Kind) -> u64 {
        self.rows.iter().map(|row| row.wrong[kind as usize]).sum()
    }

    /// Why there is nothing to tell, where there is nothing.
    pub(crate) fn no_verdict(&self) -> Option<&str> {
        let silent = self.accepted + self.rejected == 0 && self.cards() > 0;
        self.found.iter().find(|_| silent).map(|found| match &found.theirs {
            Said::Nothing(_, words) => words.as_str(),
            Said::Valid | Said::NotValid(_) => "",
        })
    }
}

impl Hunt {
    /// Asks about every card, then makes small the cards that were found. The same cards come to the same outcome, however
    /// many validators are at work.
    pub(crate) async fn run(&self, mut validators: Vec<Foreign>) -> Result<Outcome, Failure> {
        let count = RefCell::new(Count::default());
        let give_up = Cell::new(false);
        let indices = (0..self.count).take_while(|_| !give_up.get());
        each(&mut validators, indices, async |validator, index| {
            let (case, theirs) = self.ask(validator, index).await?;
            let mut count = count.borrow_mut();
            count.add(case, &self.truth, theirs);
            give_up.set(count.is_hopeless());
            Ok(())
        })
        .await?;

        let count = count.into_inner();
        let rows = count.rows();
        let untried = self.count - rows.iter().map(|row| row.cards).sum::<u64>();
        let mut outcome =
            Outcome { rows, found: Vec::new(), accepted: count.accepted, rejected: count.rejected, untried };
        let chosen = choose(count.differences).into_iter();
        let found = RefCell::new(Vec::new());
        each(&mut validators, chosen, async |validator, difference| {
            let small = self.smallest(validator, difference).await?;
            found.borrow_mut().push(small);
            Ok(())
        })
        .await?;
        for validator in &mut validators {
            validator.shutdown().await;
        }
        outcome.found = found.into_inner();
        outcome.found.sort_by_key(|found| (found.kind, found.rule.map(order), found.bytes.len(), found.index));
        let mut seen = BTreeSet::new();
        outcome.found.retain(|found| seen.insert((found.kind, found.rule.map(order), reason(&found.theirs))));
        Ok(outcome)
    }

    /// A case and what is said of it. Where a broken card is rejected, that may be for a reason that has nothing to do with
    /// what is broken: then its valid twin is rejected too, and stands in for it.
    async fn ask(&self, validator: &mut Foreign, index: u64) -> Result<(Case, Said), Failure> {
        let case = self.generator.case(index);
        let theirs = validator.judge(&case.bytes).await?;
        if case.mutation.is_some() && matches!(theirs, Said::NotValid(_)) {
            let twin = self.generator.twin(index);
            if let rejected @ Said::NotValid(_) = validator.judge(&twin.bytes).await? {
                return Ok((twin, rejected));
            }
        }
        Ok((case, theirs))
    }

    /// The smallest card that the two differ on in the same way.
    async fn smallest(&self, validator: &mut Foreign, difference: Difference) -> Result<Found, Failure> {
        let Difference { case, kind, mut ours, mut theirs } = difference;
        let mut shrinker = Shrinker::new(&case.bytes);
        let (mut calls, mut hangs) = (0, 0);
        while calls < self.shrink
            && hangs < HANGS_TO_SHRINK
            && let Some(candidate) = shrinker.candidate()
        {
            let judgement = self.truth.judge(candidate);
            if !ours.is_that_of(&judgement) {
                continue;
            }
            calls += 1;
            let said = validator.judge(candidate).await?;
            hangs += u32::from(matches!(said, Said::Nothing(Silence::Hung, _)));
            if alike(&theirs, &said) {
                (ours, theirs) = (judgement, said);
                shrinker.keep();
            }
        }
        let expected = case.expected.and_then(|expected| Rule::find(expected.rule));
        // What is rejected although it breaks a rule that does not count may be rejected for another reason.
        let rule = expected.filter(|_| !(kind == Kind::FalseReject && ours.is_clean()));
        Ok(Found {
            kind,
            rule,
            index: case.index,
            mutation: case.mutation,
            bytes: shrinker.best().to_vec(),
            was: case.bytes.len(),
            calls,
            ours,
            theirs,
            file: None,
        })
    }
}

impl Count {
    fn add(&mut self, case: Case, truth: &Truth, theirs: Said) {
        let ours = truth.judge(&case.bytes);
        let kind = match (&theirs, ours.is_valid()) {
            (Said::Valid, false) => Some(Kind::FalseAccept),
            (Said::NotValid(_), true) => Some(Kind::FalseReject),
            (Said::Nothing(..), _) => Some(Kind::Crash),
            (Said::Valid, true) | (Said::NotValid(_), false) => None,
        };
        match &theirs {
            Said::Valid => self.accepted += 1,
            Said::NotValid(_) => self.rejected += 1,
            Said::Nothing(silence, _) => {
                self.silent += 1;
                self.hangs += u32::from(*silence == Silence::Hung);
            }
        }
        let row = self.rows.entry(case.expected.as_ref().map(|expected| expected.rule)).or_default();
        row.0 += 1;
        if let Some(kind) = kind {
            row.1[kind as usize] += 1;
            self.differences.push(Difference { case, kind, ours, theirs });
        }
    }

    const fn is_hopeless(&self) -> bool {
        self.hangs >= HANGS || (self.silent >= SILENT && self.accepted + self.rejected == 0)
    }

    fn rows(&self) -> Vec<Row> {
        let rules = std::iter::once(None).chain(Rule::all().map(Some));
        let row = |rule: Option<&'static Rule>| {
            let (cards, wrong) = *self.rows.get(&rule.map(|rule| rule.id))?;
            Some(Row { rule, cards, wrong })
        };
        rules.filter_map(row).collect()
    }
}

/// The cards that are worth a closer look: the smallest of each rule and kind, and of what breaks no rule one for each
/// reason that the validator gave.
fn choose(mut differences: Vec<Difference>) -> Vec<Difference> {
    differences.sort_by_key(|difference| (difference.case.bytes.len(), difference.case.index));
    let mut taken: BTreeMap<(Kind, Option<&'static str>), BTreeSet<String>> = BTreeMap::new();
    differences.retain(|difference| {
        let rule = difference.case.expected.as_ref().map(|expected| expected.rule);
        let reasons = taken.entry((difference.kind, rule)).or_default();
        let most = if rule.is_none() { REASONS } else { 1 };
        reasons.len() < most && reasons.insert(reason(&difference.theirs))
    });
    differences
}

/// What it said without what differs from card to card: numbers, and what stands in quotes.
fn reason(said: &Said) -> String {
    let (Said::NotValid(words) | Said::Nothing(_, words)) = said else { return String::new() };
    let mut quote = None;
    let mut reason = String::new();
    for letter in words.chars() {
        match quote {
            Some(open) if open == letter => quote = None,
            Some(_) => {}
            None if ['"', '`', '\''].contains(&letter) => quote = Some(letter),
            None if letter.is_ascii_digit() => {}
            None => reason.push(letter),
        }
    }
    reason
}

/// Whether two verdicts are wrong in the same way.
fn alike(one: &Said, other: &Said) -> bool {
    match (one, other) {
        (Said::Valid, Said::Valid) | (Said::NotValid(_), Said::NotValid(_)) => true,
        (Said::Nothing(one, _), Said::Nothing(other, _)) => one == other,
        _ => false,
    }
}

/// The place of a rule among all.
fn order(rule: &Rule) -> usize {
    Rule::all().position(|other| other == rule).unwrap_or_default()
}

/// Has several validators take turns at a list of work; the first failure ends it.
async fn each<J>(
    validators: &mut [Foreign],
    jobs: impl Iterator<Item = J>,
    work: impl AsyncFn(&mut Foreign, J) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let jobs = RefCell::new(jobs);
    let failure = RefCell::new(None);
    let turns = validators.iter_mut().map(async |validator| {
        while failure.borrow().is_none() {
            let job = jobs.borrow_mut().next();
            let Some(job) = job else { break };
            if let Err(error) = work(validator, job).await {
                failure.borrow_mut().get_or_insert(error);
            }
        }
    });
    join_all(turns).await;
    failure.into_inner().map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_alike_where_only_numbers_and_names_differ() {
        let said = |words: &str| reason(&Said::NotValid(words.to_owned()));
        assert_eq!(said("skills[2]: duplicate id 'a'"), said("skills[10]: duplicate id 'b'"));
        assert_ne!(said("no name"), said("no version"));
    }
}
