//! The common form of all rules.

use gauntlet_evidence::{Judgement, Support};

use crate::tally::Tally;
use crate::view::View;
use crate::{Case, Rule};

/// A rule as its file writes it down.
pub(crate) struct Requirement {
    pub(crate) id: &'static str,
    pub(crate) needs: &'static [Support],
    pub(crate) judge: fn(&View<'_>, &mut Tally),
}

impl Rule for Requirement {
    fn id(&self) -> &'static str {
        self.id
    }

    fn needs(&self) -> &'static [Support] {
        self.needs
    }

    fn judge(&self, case: &Case) -> Judgement {
        let mut tally = Tally::default();
        (self.judge)(&View::of(case), &mut tally);
        tally.judgement()
    }
}
