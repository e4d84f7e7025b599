//! A worker: one orchestrator, one scenario after the other.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use gauntlet_driver::{DriverError, Orchestrator, OrchestratorFactory};
use gauntlet_evidence::{Level, RunEvent, ScenarioReport};
use gauntlet_fleet::Fleet;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::SuiteError;
use crate::attempts::Tried;
use crate::baseline::Baseline;
use crate::feature::Scenario;
use crate::judge::{self, Scale};
use crate::keep::Keep;
use crate::proof::{self, Proof};
use crate::scene::{self, End, Played, Setting};

/// What all workers share.
pub(crate) struct Shared {
    pub(crate) setting: Arc<Setting>,
    pub(crate) scenarios: Vec<Scenario>,
    pub(crate) next: AtomicUsize,
    pub(crate) proof: Proof,
    pub(crate) level: Level,
    pub(crate) ruleset: u32,
    pub(crate) fail_fast: bool,
    /// Cancelled when the peers of a scenario that failed need not be kept alive any longer.
    pub(crate) hold: Option<CancellationToken>,
    pub(crate) retries: usize,
    pub(crate) repeat: usize,
    pub(crate) baseline: Option<Baseline>,
    pub(crate) keep: Option<Keep>,
    pub(crate) factory: Arc<dyn OrchestratorFactory>,
    pub(crate) stop: CancellationToken,
}

/// Takes scenarios until none is left or the run is stopped.
pub(crate) async fn work(
    shared: Arc<Shared>,
    mut orchestrator: Option<Box<dyn Orchestrator>>,
    events: mpsc::UnboundedSender<RunEvent>,
) -> Result<(), SuiteError> {
    'scenarios: while !shared.stop.is_cancelled() {
        let index = shared.next.fetch_add(1, Ordering::Relaxed);
        let Some(scenario) = shared.scenarios.get(index) else { break };
        // The receiver lives as long as any worker; a run that was dropped needs no events.
        let _ = events.send(RunEvent::ScenarioStarted { scenario: scenario.id.clone() });
        let mut tried = Tried::default();
        let mut held = None;
        while tried.again(&shared) {
            let begun = Instant::now();
            let instance = match orchestrator.take() {
                Some(instance) => Ok(instance),
                None => shared.factory.create().await,
            };
            // Numbers count from the scenarios' order, so that ids do not depend on which worker comes first, and differ
            // from attempt to attempt, so that no late answer is taken for the next one's.
            let number = index + 1 + tried.made * shared.scenarios.len();
            let played = match instance {
                Ok(instance) => {
                    let playing = play(&shared, scenario, number, instance);
                    tokio::select! {
                        played = playing => played,
                        () = shared.stop.cancelled() => break 'scenarios,
                    }
                }
                Err(error) => Played::ended(End::Driver(error)),
            };
            let (report, mut played) = finish(&shared, scenario, played, begun).await;
            orchestrator = played.orchestrator.take();
            let case = played.case.take();
            held = played.held.take();
            tried.add(report, case);
        }
        let Some((report, case)) = tried.verdict(shared.repeat) else { continue };
        if let Some(keep) = &shared.keep {
            keep.scenario(&report, case.as_ref())?;
        }
        if shared.fail_fast && !report.result.is_fine() {
            shared.stop.cancel();
        }
        let fine = report.result.is_fine();
        let _ = events.send(RunEvent::ScenarioFinished(Box::new(report)));
        if let (Some(hold), Some(fleet)) = (&shared.hold, held) {
            if !fine {
                hold_still(hold, scenario, &fleet, &events).await;
            }
            // Evidence is frozen; what happens to a mock now is nobody's fault.
            let _ = fleet.stop().await;
        }
    }
    if let Some(mut orchestrator) = orchestrator {
        orchestrator.shutdown().await;
    }
    Ok(())
}

async fn play(shared: &Shared, scenario: &Scenario, number: usize, instance: Box<dyn Orchestrator>) -> Played {
    let setting = &shared.setting;
    match judge::skip(&setting.library, &setting.hello, scenario) {
        Some(end) => Played { orchestrator: Some(instance), ..Played::ended(end) },
        None => scene::play(setting, scenario, number, instance).await,
    }
}

async fn finish(shared: &Shared, scenario: &Scenario, mut played: Played, begun: Instant) -> (ScenarioReport, Played) {
    let mut orchestrator = played.orchestrator.take();
    if let Some(instance) = &mut orchestrator {
        let forgotten = instance.reset(&played.session).await;
        played.log = instance.take_log();
        if let Err(error) = forgotten {
            // A driver that answers twice is often found out only here.
            if matches!(error, DriverError::Twice { .. }) {
                played.end.get_or_insert(End::Driver(error));
            } else {
                played.log.push_str(&format!("\nreset failed, a fresh orchestrator takes over: {error}"));
            }
            instance.shutdown().await;
            orchestrator = None;
        }
    }
    played.duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let unproven = proof::failure(&shared.proof, scenario);
    let scale = Scale { level: shared.level, ruleset: shared.ruleset, baseline: shared.baseline.as_ref() };
    let report = judge::report(&shared.setting, scale, scenario, &played, unproven.as_deref());
    played.orchestrator = orchestrator;
    (report, played)
}

/// Says where the peers are, and waits until they have been looked at.
async fn hold_still(
    hold: &CancellationToken,
    scenario: &Scenario,
    fleet: &Fleet,
    events: &mpsc::UnboundedSender<RunEvent>,
) {
    let journal = fleet.journal().iter().map(ToString::to_string).collect();
    let held = RunEvent::Held { scenario: scenario.id.clone(), peers: fleet.addresses(), journal };
    let _ = events.send(held);
    hold.cancelled().await;
}
