//! The world of a scenario: a plan, then a running fleet, at last frozen evidence.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use gauntlet_driver::{DriverError, Orchestrator};
use gauntlet_evidence::contract::{Content, Continue, Delegation, Need, Needs, PeerAddress, PartKind};
use gauntlet_evidence::{Evidence, Finding, Hello, Level, Outcome, Status, Support};
use gauntlet_faults::FaultSet;
use gauntlet_fleet::{Fleet, FleetError, FleetOptions, PeerPlan};
use gauntlet_scenario::{FileError, Library, PeerSpec, Place};
use gauntlet_verdict::Case;
use gauntlet_wire::Binding;
use serde_json::{Value, json};

use crate::feature::{Scenario, find_step};
use crate::SuiteError;

/// How long a step may take beyond the deadlines it waits for.
const STEP_LIMIT: Duration = Duration::from_secs(60);
/// How long late traffic is waited for before the evidence is frozen.
const GRACE: Duration = Duration::from_millis(400);

/// What all scenarios of a run share.
#[derive(Debug, Clone)]
pub(crate) struct Setting {
    pub(crate) library: Arc<Library>,
    pub(crate) hello: Hello,
    pub(crate) seed: u64,
    /// Deadline of a delegation, scaled from the healthy round trip.
    pub(crate) deadline_ms: u64,
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
    delegations: Vec<Delegation>,
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
    Skipped { reason: String, unlock: Option<Support> },
    Driver(DriverError),
    Harness(String),
    File(FileError),
}

/// The work to be delegated, as the Given steps describe it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Work {
    pub(crate) text: Option<String>,
    pub(crate) media_type: Option<String>,
    pub(crate) skill: Option<String>,
    pub(crate) allowed: Option<Vec<Binding>>,
    pub(crate) credentials: BTreeMap<String, Vec<Value>>,
}

/// What is left when the scenario is over.
pub(crate) struct Played {
    pub(crate) orchestrator: Option<Box<dyn Orchestrator>>,
    pub(crate) case: Option<Case>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) end: Option<End>,
    pub(crate) defects: Vec<String>,
    pub(crate) session: String,
}

impl Played {
    /// A scenario that ended before it began.
    pub(crate) fn ended(end: End) -> Self {
        Self { orchestrator: None, case: None, findings: Vec::new(), end: Some(end), defects: Vec::new(), session: String::new() }
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
            delegations: Vec::new(),
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
            self.end = Some(End::Harness(format!("the step `{}` was lost after loading", step.value)));
            return;
        };
        let limit = STEP_LIMIT + Duration::from_millis(self.setting.deadline_ms);
        let played = AssertUnwindSafe(tokio::time::timeout(limit, function(self, context))).catch_unwind().await;
        match played {
            Ok(Ok(())) => {}
            Ok(Err(_)) => self.end = Some(End::Harness(format!("the step `{}` took more than {limit:?}", step.value))),
            Err(panic) => {
                let said = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref().copied());
                self.end = Some(End::Harness(format!("the step `{}` panicked: {}", step.value, said.unwrap_or("no words"))));
            }
        }
    }

    // ------------------------------------------------------------ plan

    /// A peer of the plan; a scenario that names one it did not introduce is at fault.
    pub(crate) fn peer(&mut self, name: &str) -> Option<&mut PeerSpec> {
        if !self.peers.iter().any(|peer| peer.name == name) {
            let known: Vec<&str> = self.peers.iter().map(|peer| peer.name.as_str()).collect();
            self.wrong(format!("no peer is called \"{name}\""), Some(format!("known so far: {}", known.join(", "))));
            return None;
        }
        self.peers.iter_mut().find(|peer| peer.name == name)
    }

    /// The files that ship and those of the user.
    pub(crate) fn library(&self) -> Arc<Library> {
        Arc::clone(&self.setting.library)
    }

    /// The line that is being played, for errors.
    pub(crate) fn place(&self, text: &str) -> Place {
        Place { line: self.line, ..Place::whole(&self.file, text) }
    }

    /// Ends the scenario because the file is wrong here.
    pub(crate) fn wrong(&mut self, message: impl Into<String>, help: Option<String>) {
        let place = self.place("");
        self.end.get_or_insert(End::File(FileError { message: message.into(), place, help }));
    }

    /// Ends the scenario because a file error came up while its plan was made. Errors in YAML inside the feature are
    /// shown at the step; others where they stand.
    pub(crate) fn wrong_file(&mut self, error: FileError) {
        self.end.get_or_insert(End::File(error));
    }

    /// Skips the scenario if the driver does not support something; true if it goes on.
    pub(crate) fn require(&mut self, support: Support) -> bool {
        if self.end.is_none() && !self.setting.hello.supports(support) {
            let reason = format!("the driver does not support {support}");
            self.end = Some(End::Skipped { reason, unlock: Some(support) });
        }
        self.end.is_none()
    }

    fn plans(&self) -> Result<Vec<PeerPlan>, FileError> {
        let library = self.library();
        self.peers
            .iter()
            .map(|spec| {
                let defects =
                    spec.defects.iter().map(|used| library.apply(used, spec)).collect::<Result<Vec<_>, _>>()?;
                Ok(PeerPlan { spec: spec.clone(), defects })
            })
            .collect()
    }

    // ------------------------------------------------------------ action

    async fn ensure_fleet(&mut self) -> bool {
        if self.fleet.is_some() || self.end.is_some() {
            return self.end.is_none();
        }
        let plans = match self.plans() {
            Ok(plans) => plans,
            Err(error) => {
                self.wrong_file(error);
                return false;
            }
        };
        let options = FleetOptions { seed: self.setting.seed ^ self.number as u64, ..FleetOptions::default() };
        // On a task of its own: the scene's own task is not the runtime's to schedule.
        let started = tokio::spawn(Fleet::start(plans, options)).await;
        match started {
            Ok(Ok(fleet)) => self.fleet = Some(fleet),
            Ok(Err(error)) => self.end = Some(End::Harness(error.to_string())),
            Err(error) => self.end = Some(End::Harness(error.to_string())),
        }
        self.end.is_none()
    }

    /// Delegates the work to the peers, in order of preference, and waits for the outcome.
    pub(crate) async fn delegate(&mut self, peers: &[&str], streaming: Need) {
        if self.frozen.is_some() {
            self.wrong("work is delegated after the first Then step", Some("delegate first, then expect".to_owned()));
        }
        if streaming != Need::Unused && !(self.require(Support::Streaming) && self.require(Support::Needs)) {
            return;
        }
        if peers.len() > 1 && !self.require(Support::MultiPeer) {
            return;
        }
        if !self.delegations.is_empty() && !self.require(Support::Reset) {
            return;
        }
        if !self.ensure_fleet().await {
            return;
        }
        let Some(delegation) = self.delegation(peers, streaming) else { return };
        let probes = self.setting.hello.supports(Support::Probe);
        if let Some(fleet) = &self.fleet {
            fleet.expect(&delegation, probes);
        }
        self.delegations.push(delegation.clone());
        let Some(mut orchestrator) = self.orchestrator.take() else {
            self.end = Some(End::Harness("the orchestrator was lost".to_owned()));
            return;
        };
        // On a task of its own, so that an orchestrator in this process runs where the runtime's other tasks do.
        let played = tokio::spawn(async move {
            let outcome = orchestrator.delegate(&delegation).await;
            (orchestrator, outcome)
        });
        self.finish_turn(played.await);
    }

    /// Answers the delegation that waits.
    pub(crate) async fn answer(&mut self, text: &str) {
        let Some(id) = self.delegations.last().map(|delegation| delegation.id.clone()) else {
            self.wrong("nothing was delegated that could be answered", None);
            return;
        };
        if !self.require(Support::MultiTurn) {
            return;
        }
        let status = self.outcome().map(|outcome| outcome.status);
        if !matches!(status, Some(Status::InputRequired | Status::AuthRequired)) {
            let why = status.map_or_else(|| "there is no outcome".to_owned(), |status| format!("reported as {status}"));
            self.unmet("the delegation waits for an answer", why, Vec::new());
            return;
        }
        let Some(mut orchestrator) = self.orchestrator.take() else {
            self.end = Some(End::Harness("the orchestrator was lost".to_owned()));
            return;
        };
        let answer = Continue { id, parts: vec![json!({ "text": text, "mediaType": "text/plain" })] };
        let played = tokio::spawn(async move {
            let outcome = orchestrator.proceed(&answer).await;
            (orchestrator, outcome)
        });
        self.finish_turn(played.await);
    }

    fn finish_turn(
        &mut self,
        played: Result<(Box<dyn Orchestrator>, Result<Outcome, DriverError>), tokio::task::JoinError>,
    ) {
        match played {
            Ok((orchestrator, outcome)) => {
                self.orchestrator = Some(orchestrator);
                match outcome {
                    Ok(outcome) => self.outcomes.push(outcome),
                    Err(error) => self.end = Some(End::Driver(error)),
                }
            }
            Err(error) => self.end = Some(End::Harness(format!("the orchestrator panicked: {error}"))),
        }
    }

    fn delegation(&mut self, names: &[&str], streaming: Need) -> Option<Delegation> {
        let addresses = self.fleet.as_ref().map(Fleet::addresses).unwrap_or_default();
        let mut peers: Vec<PeerAddress> = Vec::new();
        for name in names {
            match addresses.iter().find(|address| address.name == *name) {
                Some(address) => peers.push(address.clone()),
                None => {
                    self.peer(name);
                    return None;
                }
            }
        }
        let work = self.work.clone();
        let turn = self.delegations.len() + 1;
        let id = format!("d-{}-{turn}", self.number);
        let marker = format!("{id}:{:04x}", (self.setting.seed.wrapping_mul(0x9e37_79b9) ^ self.number as u64) & 0xffff);
        if let Some(skill) = &work.skill
            && !self.require(Support::Skill)
        {
            let _ = skill;
            return None;
        }
        let text = work.text.as_deref().unwrap_or("Classify return 4411");
        let media_type = work.media_type.as_deref().unwrap_or("text/plain");
        let part = if media_type.starts_with("text/") {
            json!({ "text": format!("{text} ({marker})"), "mediaType": media_type })
        } else {
            if !self.setting.hello.part_kinds.contains(&PartKind::Data) {
                let reason = format!("the driver does not send data parts, which {media_type} needs");
                self.end = Some(End::Skipped { reason, unlock: None });
                return None;
            }
            json!({ "data": { "order": text, "reference": marker }, "mediaType": media_type })
        };
        Some(Delegation {
            id,
            session: self.session(),
            principal: None,
            marker,
            peers,
            select: Default::default(),
            message: Content { parts: vec![part] },
            skill: work.skill,
            accepted_output_modes: Vec::new(),
            needs: Needs { streaming, push: Need::Unused },
            allowed_bindings: work.allowed,
            credentials: work.credentials,
            policy: Default::default(),
            deadline_ms: self.setting.deadline_ms,
        })
    }

    fn session(&self) -> String {
        format!("s-{}", self.number)
    }

    // ------------------------------------------------------------ evidence

    /// The evidence, frozen at the first call: the fleet is ended and nothing can change any more. `None` where the
    /// scenario came to an end.
    pub(crate) async fn case(&mut self) -> Option<&Case> {
        if self.end.is_some() {
            return None;
        }
        if self.frozen.is_none() {
            self.freeze().await;
        }
        if self.end.is_some() { None } else { self.frozen.as_ref() }
    }

    async fn freeze(&mut self) {
        let Some(fleet) = self.fleet.take() else {
            self.wrong("something is expected before any work was delegated", None);
            return;
        };
        let facts = fleet.facts();
        let stopped = tokio::spawn(async move {
            fleet.settle(GRACE).await;
            fleet.stop().await
        })
        .await;
        let remains = match stopped {
            Ok(Ok(remains)) => remains,
            Ok(Err(error)) => return self.broken_fleet(&error),
            Err(error) => {
                self.end = Some(End::Harness(error.to_string()));
                return;
            }
        };
        let evidence = Evidence {
            hello: self.setting.hello.clone(),
            delegations: self.delegations.clone(),
            outcomes: self.outcomes.clone(),
            journal: remains.journal,
            peers: remains.states,
        };
        self.frozen = Some(Case { evidence, facts });
    }

    fn broken_fleet(&mut self, error: &FleetError) {
        self.end = Some(End::Harness(error.to_string()));
    }

    /// The last outcome.
    pub(crate) fn outcome(&self) -> Option<&Outcome> {
        self.outcomes.last()
    }

    /// The id of the last delegation.
    pub(crate) fn last_delegation(&self) -> String {
        self.delegations.last().map(|delegation| delegation.id.clone()).unwrap_or_default()
    }

    /// Records an expectation that was not met.
    pub(crate) fn unmet(&mut self, expected: impl Into<String>, why: impl Into<String>, entries: Vec<u64>) {
        self.findings.push(Finding {
            rule: "expectation".to_owned(),
            level: self.level,
            why: why.into(),
            expected: expected.into(),
            entries,
            source: format!("{}:{}", self.file, self.line),
        });
    }

    pub(crate) async fn close(mut self) -> Played {
        if self.frozen.is_none() && self.fleet.is_some() {
            // The journal so far is worth keeping, whatever ended the scenario.
            let end = self.end.take();
            self.freeze().await;
            self.end = end.or(self.end.take());
        }
        Played {
            session: self.session(),
            orchestrator: self.orchestrator,
            case: self.frozen,
            findings: self.findings,
            end: self.end,
            defects: self.peers.iter().flat_map(|peer| &peer.defects).map(|used| used.id.clone()).collect(),
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

/// Plays the Given steps on a scene that never comes to life, so that mistakes in files show at once.
pub(crate) fn rehearse(library: &Library, scenario: &Scenario) -> Result<(), SuiteError> {
    let setting = Setting {
        library: Arc::new(library.clone()),
        hello: Hello { supports: Support::ALL.iter().map(|support| support.word().to_owned()).collect(), ..Hello::default() },
        seed: 0,
        deadline_ms: 0,
    };
    let mut scene = Scene::new(Arc::new(setting), scenario, 0, None);
    for step in scenario.steps.iter().filter(|step| step.ty == gherkin::StepType::Given) {
        scene.line = step.position.line;
        let Some((function, context)) = find_step(step) else { continue };
        // Given steps only plan: they never wait.
        if function(&mut scene, context).now_or_never().is_none() {
            scene.wrong(format!("the step `{}` does more than plan", step.value), None);
        }
    }
    if let Some(End::File(error)) = scene.end {
        return Err(error.into());
    }
    for plan in scene.plans()? {
        FaultSet::build(&plan.defects, 0)?;
    }
    Ok(())
}

/// The level among a scenario's tags; hardened where there is none.
pub(crate) fn level_of(scenario: &Scenario) -> Level {
    scenario.tags.iter().find_map(|tag| tag.parse().ok()).unwrap_or(Level::Hardened)
}
