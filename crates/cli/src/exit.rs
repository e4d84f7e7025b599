//! What the exit codes mean. Pipelines rely on them.

use std::process::ExitCode;

use gauntlet_suite::{Summary, Written};

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Nothing was found.
    Fine = 0,
    /// The orchestrator broke rules.
    Findings = 1,
    /// The command line, or a file it names, is wrong.
    Usage = 2,
    /// The orchestrator could not be judged: its driver, or gauntlet itself, broke its contract.
    CouldNotRun = 3,
    /// No scenario was selected, or all of them were skipped.
    Nothing = 4,
    /// The user stopped it, as shells report it.
    Interrupted = 130,
}

impl Exit {
    /// For a run that reached its end. That something could not be run weighs more than that something was found; an
    /// orchestrator that fails the healthy delegation and breaks no rule either has proven nothing. Where a baseline was
    /// written, what failed is in it.
    pub(crate) const fn of(summary: &Summary) -> Self {
        if summary.driver_errors + summary.harness_errors > 0 {
            Self::CouldNotRun
        } else if summary.failed + summary.stale > 0 && !matches!(summary.written, Written::Entries(_)) {
            Self::Findings
        } else if summary.unproven > 0 {
            Self::CouldNotRun
        } else if summary.passed + summary.failed + summary.stale + summary.expected + summary.flaky + summary.unscored
            == 0
        {
            Self::Nothing
        } else {
            Self::Fine
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(passed: usize, failed: usize, skipped: usize, driver_errors: usize) -> Summary {
        Summary { passed, failed, skipped, driver_errors, ..Summary::default() }
    }

    #[test]
    fn what_could_not_run_weighs_most() {
        assert_eq!(Exit::of(&summary(3, 0, 1, 0)), Exit::Fine);
        assert_eq!(Exit::of(&summary(3, 1, 0, 0)), Exit::Findings);
        assert_eq!(Exit::of(&summary(3, 1, 0, 1)), Exit::CouldNotRun);
        assert_eq!(Exit::of(&Summary { harness_errors: 1, ..summary(3, 0, 0, 0) }), Exit::CouldNotRun);
        assert_eq!(Exit::of(&Summary { unproven: 1, ..summary(3, 0, 0, 0) }), Exit::CouldNotRun);
        assert_eq!(Exit::of(&Summary { unproven: 1, ..summary(3, 1, 0, 0) }), Exit::Findings);
        assert_eq!(Exit::of(&Summary { stale: 1, ..summary(3, 0, 0, 0) }), Exit::Findings);
        assert_eq!(Exit::of(&Summary { expected: 1, ..summary(0, 0, 0, 0) }), Exit::Fine);
        assert_eq!(Exit::of(&Summary { flaky: 1, ..summary(0, 0, 0, 0) }), Exit::Fine);
        let written = Summary { written: Written::Entries(2), ..summary(3, 2, 0, 0) };
        assert_eq!(Exit::of(&written), Exit::Fine);
        assert_eq!(Exit::of(&Summary { driver_errors: 1, ..written }), Exit::CouldNotRun);
        assert_eq!(Exit::of(&summary(0, 0, 5, 0)), Exit::Nothing);
        assert_eq!(Exit::of(&summary(0, 0, 0, 0)), Exit::Nothing);
    }
}
