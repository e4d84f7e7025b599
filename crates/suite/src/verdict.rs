//! The whole of a run for tests in Rust: what came of it, and an assertion that shows what is wrong.

use std::fmt;
use std::sync::Arc;

use gauntlet_driver::OrchestratorFactory;
use gauntlet_evidence::{Finding, RunEvent, ScenarioReport};

use crate::{RunOptions, SuiteError, Summary, run_watched};

/// Runs the selected scenarios against an orchestrator and waits for the end.
///
/// Needs a multi-threaded runtime (`#[tokio::test(flavor = "multi_thread")]`): scenarios block a thread each.
/// [`run_watched`] tells what happens while it happens.
///
/// # Errors
/// Whatever keeps the run from starting, or evidence from being kept.
pub async fn run(orchestrator: impl OrchestratorFactory + 'static, options: RunOptions) -> Result<Verdict, SuiteError> {
    let level = options.level;
    let mut events = Vec::new();
    let summary = run_watched(Arc::new(orchestrator), options, &mut |event| events.push(event)).await?;
    Ok(Verdict { summary, events, level })
}

/// What came of a run.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// How many scenarios ended how.
    pub summary: Summary,
    /// All that happened; `gauntlet_report::Format` makes reports of it.
    pub events: Vec<RunEvent>,
    level: gauntlet_evidence::Level,
}

impl Verdict {
    /// The scenarios, in the order in which they ended.
    pub fn scenarios(&self) -> impl Iterator<Item = &ScenarioReport> {
        self.events.iter().filter_map(|event| match event {
            RunEvent::ScenarioFinished(report) => Some(report.as_ref()),
            _ => None,
        })
    }

    /// What fails the run, with the scenario that shows it. Findings that are excused or below the chosen level are not
    /// among it.
    pub fn findings(&self) -> impl Iterator<Item = (&ScenarioReport, &Finding)> {
        let scored = |report: &ScenarioReport, finding: &Finding| {
            finding.is_scored(self.level) && report.excuse(&finding.rule).is_none()
        };
        self.scenarios().flat_map(move |report| {
            report.findings.iter().filter(move |finding| scored(report, finding)).map(move |finding| (report, finding))
        })
    }

    /// Whether something was put to the test and nothing was found.
    pub fn is_fine(&self) -> bool {
        let Summary { passed, failed, expected, flaky, stale, driver_errors, harness_errors, unproven, .. } =
            self.summary;
        failed + stale + driver_errors + harness_errors + unproven == 0 && passed + expected + flaky > 0
    }

    /// Expects that it is fine.
    ///
    /// # Panics
    /// When it is not, with everything that was found.
    #[track_caller]
    pub fn assert_fine(&self) {
        assert!(self.is_fine(), "{self}");
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Summary { passed, failed, skipped, .. } = self.summary;
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")?;
        for event in &self.events {
            if let RunEvent::Proven { binding, failure: Some(failure), .. } = event {
                write!(f, "\nnot proven on {binding}: {failure}")?;
            }
        }
        for (report, finding) in self.findings() {
            let place = format!("{}:{} {}", report.scenario.file, report.scenario.line, report.scenario.name);
            write!(f, "\n{}: {}\n  in {place}", finding.rule, finding.why)?;
        }
        for report in self.scenarios() {
            if let Some(error) = report.result.error() {
                write!(f, "\nerror: {error}\n  in {}:{}", report.scenario.file, report.scenario.line)?;
            }
        }
        Ok(())
    }
}
