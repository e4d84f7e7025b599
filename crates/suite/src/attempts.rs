//! One scenario tried more than once: repeats to find out whether it always ends alike, retries to get past what does not.

use gauntlet_evidence::{Attempts, ScenarioReport, ScenarioResult};
use gauntlet_verdict::Case;

use crate::worker::Shared;

/// The attempts at one scenario so far.
#[derive(Default)]
pub(crate) struct Tried {
    pub(crate) made: usize,
    failed: usize,
    /// The worst attempt; of equally bad ones the first.
    worst: Option<(ScenarioReport, Option<Case>)>,
    /// Whether the last one can be left at that.
    fine: bool,
}

impl Tried {
    /// Whether there is to be another attempt.
    pub(crate) fn again(&self, shared: &Shared) -> bool {
        let skipped = self.worst.as_ref().is_some_and(|(worst, _)| is_skipped(&worst.result));
        let repeats = self.made < shared.repeat && !skipped;
        let retries = !self.fine && self.is_retryable() && self.made < shared.repeat + shared.retries;
        repeats || retries
    }

    /// Errors of gauntlet itself, and what is stale, come out alike however often they are tried.
    fn is_retryable(&self) -> bool {
        let result = self.worst.as_ref().map(|(worst, _)| &worst.result);
        matches!(result, Some(ScenarioResult::Failed | ScenarioResult::DriverError { .. }))
    }

    /// Takes in what came of an attempt.
    pub(crate) fn add(&mut self, report: ScenarioReport, case: Option<Case>) {
        self.made += 1;
        self.fine = report.result.is_fine();
        self.failed += usize::from(!self.fine);
        if self.worst.as_ref().is_none_or(|(worst, _)| rank(&report.result) > rank(&worst.result)) {
            self.worst = Some((report, case));
        }
    }

    /// What is reported: the worst attempt. Where a retry passed, the scenario is flaky.
    pub(crate) fn verdict(self, repeat: usize) -> Option<(ScenarioReport, Option<Case>)> {
        let (mut report, case) = self.worst?;
        if self.made > 1 {
            report.attempts = Some(Attempts { made: self.made, failed: self.failed });
        }
        if self.made > repeat && self.fine {
            report.result = ScenarioResult::Flaky { seen: seen(&report) };
        }
        Some((report, case))
    }
}

fn is_skipped(result: &ScenarioResult) -> bool {
    matches!(result, ScenarioResult::Skipped { .. })
}

/// How bad an end is.
const fn rank(result: &ScenarioResult) -> usize {
    match result {
        ScenarioResult::Skipped { .. } => 0,
        ScenarioResult::Passed | ScenarioResult::Unscored { .. } => 1,
        ScenarioResult::Flaky { .. } => 2,
        ScenarioResult::StaleExpectation => 3,
        // Worse than stale: what fails at times is not stale.
        ScenarioResult::ExpectedFailure => 4,
        ScenarioResult::Failed => 5,
        ScenarioResult::DriverError { .. } => 6,
        ScenarioResult::SetupError { .. } => 7,
        ScenarioResult::HarnessError { .. } => 8,
    }
}

/// What came of the attempt that failed, for people.
fn seen(report: &ScenarioReport) -> String {
    match report.result.error() {
        Some(message) => message.to_owned(),
        None => report
            .findings
            .iter()
            .find(|finding| report.excuse(&finding.rule).is_none())
            .map(|finding| format!("{}: {}", finding.rule, finding.why))
            .unwrap_or_default(),
    }
}
