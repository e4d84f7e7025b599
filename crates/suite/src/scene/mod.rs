//! The world of a scenario: a plan, then a running fleet, at last frozen evidence.

mod action;
mod credentials;
mod evidence;
mod plan;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use gauntlet_driver::{DriverError, Orchestrator};
use gauntlet_evidence::{Delegation, Finding, Hello, Level, Outcome, Support};
use gauntlet_fleet::Fleet;
use gauntlet_scenario::{FileError, Library, PeerSpec};
use gauntlet_verdict::Case;

use crate::feature::{Scenario, find_step};
pub(crate) use action::Work;
pub(crate) use plan::{Rehearsed, rehearse};

/// How long a step may take beyond the deadlines it waits for.
const STEP_LIMIT: Duration = Duration::from_secs(60);

/// A day: for whoever steps through a client with a debugger.
pub(crate) const NO_LIMIT: Duration = Duration::from_secs(24 * 60 * 60);

/// What all scenarios of a run share.
#[derive(Debug, Clone)]
pub(crate) struct Setting {
    pub(crate) library: Arc<Library>,
    pub(crate) hello: Hello,
    pub(crate) seed: u64,
    /// Deadline of a delegation that is meant to run into it, scaled from the healthy round trip.
    pub(crate) deadline_ms: u64,
    /// Whether somebody may want to look at the peers when all is over: then deadlines are off, but for peers that are
    /// meant to run into them.
    pub(crate) holds: bool,
}

/// The world that steps act on.
#[derive(cucumber::World)]
#[world(init = Self::unplanned)]
pub struct Scene {
    setting: Arc<Setting>,
    orchestrator: Option<Box<dyn Orchestrator>>,
    /// Makes ids and markers of this scenario differ from those of others.
    number: usize,
    file: String,
    line: usize,
    level: Level,
    pub(crate) peers: Vec<PeerSpec>,
    pub(crate) work: Work,
    fleet: Option<Fleet>,
    /// The fleet after the evidence was frozen, where it is kept alive.
    held: Option<Fleet>,
    delegations: Vec<Delegation>,
    delegated_after: Vec<u64>,
    outcomes: Vec<Outcome>,
    frozen: Option<Case>,
    pub(crate) findings: Vec<Finding>,
    end: Option<End>,
}

impl std::fmt::Debug for Scene {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scene").field("file", &self.file).field("line", &self.line).finish_non_exhaustive()
    }
}

/// Why the steps after this one do not matter any more.
#[derive(Debug)]
pub(crate) enum End {
    Skipped {
        reason: String,
        unlock: Option<Support>,
    },
    Driver(DriverError),
    /// A port is taken, say.
    Setup(String),
    Harness(String),
    File(FileError),
}

/// What is left when the scenario is over.
pub(crate) struct Played {
    pub(crate) orchestrator: Option<Box<dyn Orchestrator>>,
    pub(crate) case: Option<Case>,
    /// Peers that are still alive.
    pub(crate) held: Option<Fleet>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) end: Option<End>,
    pub(crate) defects: Vec<String>,
    pub(crate) session: String,
    /// What the driver wrote besides the protocol.
    pub(crate) log: String,
    pub(crate) duration_ms: u64,
}

impl Played {
    /// A scenario that ended before it began.
    pub(crate) fn ended(end: End) -> Self {
        Self {
            orchestrator: None,
            case: None,
            held: None,
            findings: Vec::new(),
            end: Some(end),
            defects: Vec::new(),
            session: String::new(),
            log: String::new(),
            duration_ms: 0,
        }
    }
}

impl Scene {
    /// Cucumber wants a way to make a world out of nothing; ours are made by [`Scene::new`].
    async fn unplanned() -> Result<Self, std::io::Error> {
        Err(std::io::Error::other("scenes are made by the suite's own runner"))
    }

    pub(crate) fn new(
        setting: Arc<Setting>,
        scenario: &Scenario,
        number: usize,
        orchestrator: Option<Box<dyn Orchestrator>>,
    ) -> Self {
        Self {
            setting,
            orchestrator,
            number,
            file: scenario.id.file.clone(),
            line: scenario.id.line,
            level: level_of(scenario),
            peers: Vec::new(),
            work: Work::default(),
            fleet: None,
            held: None,
            delegations: Vec::new(),
            delegated_after: Vec::new(),
            outcomes: Vec::new(),
            frozen: None,
            findings: Vec::new(),
            end: None,
        }
    }

    /// Plays one step, unless the scenario has already come to an end.
    async fn play(&mut self, step: &gherkin::Step) {
        if self.end.is_some() {
            return;
        }
        self.line = step.position.line;
        let Some((function, context)) = find_step(step) else {
            self.end_with(End::Harness(format!("the step `{}` was lost after loading", step.value)));
            return;
        };
        let limit =
            if self.setting.holds { NO_LIMIT } else { STEP_LIMIT + Duration::from_millis(self.setting.deadline_ms) };
        let played = AssertUnwindSafe(tokio::time::timeout(limit, function(self, context))).catch_unwind().await;
        match played {
            Ok(Ok(())) => {}
            Ok(Err(_)) => self.end_with(End::Harness(format!("the step `{}` took more than {limit:?}", step.value))),
            Err(panic) => {
                let said = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref().copied());
                self.end_with(End::Harness(format!(
                    "the step `{}` panicked: {}",
                    step.value,
                    said.unwrap_or("no words")
                )));
            }
        }
    }

    /// Ends the scenario, unless something has ended it before.
    fn end_with(&mut self, end: End) {
        self.end.get_or_insert(end);
    }

    pub(crate) async fn close(mut self) -> Played {
        if self.frozen.is_none() && self.fleet.is_some() {
            // The journal so far is worth keeping, whatever ended the scenario.
            self.freeze().await;
        }
        Played {
            session: self.session(),
            orchestrator: self.orchestrator,
            case: self.frozen,
            held: self.held,
            findings: self.findings,
            end: self.end,
            defects: self.peers.iter().flat_map(|peer| &peer.defects).map(|used| used.id.clone()).collect(),
            log: String::new(),
            duration_ms: 0,
        }
    }
}

/// Plays a whole scenario.
pub(crate) async fn play(
    setting: &Arc<Setting>,
    scenario: &Scenario,
    number: usize,
    orchestrator: Box<dyn Orchestrator>,
) -> Played {
    let mut scene = Scene::new(Arc::clone(setting), scenario, number, Some(orchestrator));
    for step in &scenario.steps {
        scene.play(step).await;
    }
    scene.close().await
}

/// The level among a scenario's tags; hardened where there is none.
pub(crate) fn level_of(scenario: &Scenario) -> Level {
    scenario.tags.iter().find_map(|tag| tag.parse().ok()).unwrap_or(Level::Hardened)
}
