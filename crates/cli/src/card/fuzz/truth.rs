//! What gauntlet's own validator says of a card, as far as the other one can be asked for it.

use std::collections::BTreeSet;

use gauntlet_card::{Edition, Finding, Layer, Options, Purpose, Severity, validate};

/// What is right.
#[derive(Debug)]
pub(crate) struct Truth {
    options: Options,
    /// Deeper layers are not asked about.
    deepest: Layer,
}

/// Of one card.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Judgement {
    /// The first error in a layer that is asked about; a valid card has none.
    pub(crate) error: Option<Finding>,
    edition: Option<Edition>,
    /// Every rule that is broken, in all layers, notes aside.
    rules: BTreeSet<&'static str>,
}

impl Truth {
    pub(crate) fn new(purpose: Purpose, deepest: Layer) -> Self {
        Self { options: Options::new(purpose), deepest }
    }

    pub(crate) fn judge(&self, document: &[u8]) -> Judgement {
        let report = validate(document, &self.options);
        let counts = |finding: &&Finding| finding.severity == Severity::Error && finding.layer <= self.deepest;
        let error = report.findings.iter().find(counts).cloned();
        let told = report.findings.iter().filter(|finding| finding.severity != Severity::Note);
        Judgement { error, edition: report.edition, rules: told.map(|finding| finding.rule).collect() }
    }
}

impl Judgement {
    pub(crate) const fn is_valid(&self) -> bool {
        self.error.is_none()
    }

    /// Whether nothing at all is wrong.
    pub(crate) fn is_clean(&self) -> bool {
        self.rules.is_empty()
    }

    /// Whether a smaller card shows the same: it is as valid, for the same reason, and nothing else is wrong with it.
    pub(crate) fn is_that_of(&self, smaller: &Self) -> bool {
        let rule = |judgement: &Self| judgement.error.as_ref().map(|error| error.rule);
        rule(self) == rule(smaller) && self.edition == smaller.edition && smaller.rules.is_subset(&self.rules)
    }
}
