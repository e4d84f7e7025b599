//! The events of a run, gathered: what reports that are made at the end are made from.

use gauntlet_evidence::{BaselineNote, Binding, Comparison, FindingId, Hello, Level, RunEvent, ScenarioReport};

/// Everything the events of one run told so far.
#[derive(Debug, Clone)]
pub struct Digest {
    /// Version of gauntlet.
    pub(crate) gauntlet: String,
    /// Who was under test; none before the run began.
    pub(crate) orchestrator: Option<Hello>,
    pub(crate) seed: u64,
    pub(crate) level: Level,
    /// The rule set that is scored.
    pub(crate) ruleset: u32,
    /// What a replay of one scenario starts with.
    pub(crate) command: String,
    /// How many scenarios were selected.
    pub(crate) selected: usize,
    /// The healthy delegation on each binding: milliseconds, or why it failed.
    pub(crate) proven: Vec<(Binding, Result<u64, String>)>,
    /// In order of arrival, once the run is over in the order of the features: whichever worker was faster, the same run
    /// reads the same.
    pub(crate) reports: Vec<ScenarioReport>,
    pub(crate) duration_ms: u64,
    /// Whether the run stopped before all selected scenarios ran; a run whose end nobody told of did.
    pub(crate) cut_short: bool,
    /// What the baseline had to say of the run as a whole.
    pub(crate) baseline: Vec<BaselineNote>,
    /// What is new, fixed and known since the run before, where one is remembered.
    pub(crate) comparison: Option<Comparison>,
    /// Why the run could not be made.
    pub(crate) failure: Option<String>,
}

impl Default for Digest {
    fn default() -> Self {
        Self {
            gauntlet: String::new(),
            orchestrator: None,
            seed: 0,
            level: Level::Hardened,
            ruleset: 1,
            command: "gauntlet run".to_owned(),
            selected: 0,
            proven: Vec::new(),
            reports: Vec::new(),
            duration_ms: 0,
            cut_short: true,
            baseline: Vec::new(),
            comparison: None,
            failure: None,
        }
    }
}

impl Digest {
    /// Takes in the next event.
    pub fn push(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Started { gauntlet, orchestrator, seed, level, scenarios, command, ruleset } => {
                (self.seed, self.level, self.selected, self.ruleset) = (*seed, *level, *scenarios, *ruleset);
                self.gauntlet.clone_from(gauntlet);
                self.orchestrator = Some(orchestrator.clone());
                if !command.is_empty() {
                    self.command.clone_from(command);
                }
            }
            RunEvent::Proven { binding, round_trip_ms, failure } => {
                let result = failure.clone().map_or(Ok(round_trip_ms.unwrap_or_default()), Err);
                self.proven.push((*binding, result));
            }
            RunEvent::ScenarioStarted { .. } | RunEvent::Held { .. } => {}
            RunEvent::Compared(comparison) => self.comparison = Some(comparison.clone()),
            RunEvent::CouldNotRun { message } => self.failure = Some(message.clone()),
            RunEvent::ScenarioFinished(report) => self.reports.push(report.as_ref().clone()),
            RunEvent::Finished { duration_ms, cut_short, baseline } => {
                (self.duration_ms, self.cut_short) = (*duration_ms, *cut_short);
                self.baseline.clone_from(baseline);
                self.reports.sort_by(|one, other| one.scenario.cmp(&other.scenario));
            }
        }
    }

    /// What came of the scenarios so far.
    pub fn reports(&self) -> &[ScenarioReport] {
        &self.reports
    }

    /// The command that runs this scenario alone.
    pub fn replay(&self, report: &ScenarioReport) -> String {
        format!("{} --seed {} {}:{}", self.command, self.seed, report.scenario.file, report.scenario.line)
    }

    /// Whether a finding was not there in the run before.
    pub(crate) fn is_new(&self, report: &ScenarioReport, rule: &str) -> bool {
        let id = || FindingId { scenario: report.scenario.stable(), rule: rule.to_owned() };
        self.comparison.as_ref().is_some_and(|comparison| comparison.new.contains(&id()))
    }

    /// Name and version of who was under test.
    pub(crate) fn name(&self) -> String {
        let name = self.orchestrator.as_ref().map(|hello| format!("{} {}", hello.name, hello.version));
        name.unwrap_or_default().trim_end().to_owned()
    }
}

impl<'a> FromIterator<&'a RunEvent> for Digest {
    fn from_iter<T: IntoIterator<Item = &'a RunEvent>>(events: T) -> Self {
        let mut digest = Self::default();
        events.into_iter().for_each(|event| digest.push(event));
        digest
    }
}
