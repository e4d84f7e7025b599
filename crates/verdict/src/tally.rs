//! How a rule gathers what it sees.

use gauntlet_evidence::Judgement;

/// Gathers what one rule sees in one case: nothing, situations that went well, and breaches.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    arose: bool,
    breaches: Vec<String>,
    entries: Vec<u64>,
}

impl Tally {
    /// The situation arose and all was well.
    pub(crate) fn upheld(&mut self) {
        self.arose = true;
    }

    /// The situation arose and the orchestrator did wrong; `why` is for people and names its journal entries.
    pub(crate) fn broken(&mut self, why: impl Into<String>, entries: impl IntoIterator<Item = u64>) {
        self.breaches.push(why.into());
        self.entries.extend(entries);
    }

    /// [`Tally::upheld`] or [`Tally::broken`].
    pub(crate) fn check(&mut self, well: bool, why: impl FnOnce() -> String, entries: impl IntoIterator<Item = u64>) {
        if well { self.upheld() } else { self.broken(why(), entries) }
    }

    /// What it comes to: one breach outweighs any number of situations that went well.
    pub(crate) fn judgement(mut self) -> Judgement {
        if self.breaches.is_empty() {
            return if self.arose { Judgement::Upheld } else { Judgement::NotExercised };
        }
        self.breaches.dedup();
        self.entries.sort_unstable();
        self.entries.dedup();
        Judgement::broken(self.breaches.join("; "), self.entries)
    }
}
