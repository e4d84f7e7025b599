//! A worker: one orchestrator, one scenario after the other.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use gauntlet_driver::{DriverError, Orchestrator, OrchestratorFactory};
use gauntlet_evidence::run::{RunEvent, ScenarioResult};
use gauntlet_evidence::{Level, ScenarioReport};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::feature::Scenario;
use crate::keep::Keep;
use crate::proof::{self, Proof};
use crate::scene::{self, End, Played, Setting};
use crate::{SuiteError, judge};

/// What all workers share.
pub(crate) struct Shared {
    pub(crate) setting: Arc<Setting>,
    pub(crate) scenarios: Vec<Scenario>,
    pub(crate) next: AtomicUsize,
    pub(crate) proof: Proof,
    pub(crate) level: Level,
    pub(crate) fail_fast: bool,
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
    while !shared.stop.is_cancelled() {
        let index = shared.next.fetch_add(1, Ordering::Relaxed);
        let Some(scenario) = shared.scenarios.get(index) else { break };
        // The receiver lives as long as any worker; a run that was dropped needs no events.
        let _ = events.send(RunEvent::ScenarioStarted { scenario: scenario.id.clone() });
        let begun = Instant::now();
        let instance = match orchestrator.take() {
            Some(instance) => Ok(instance),
            None => shared.factory.create().await,
        };
        // Numbers count from the scenarios' order, so that ids do not depend on which worker comes first.
        let number = index + 1;
        let played = match instance {
            Ok(instance) => {
                let playing = play(&shared, scenario, number, instance);
                tokio::select! {
                    played = playing => played,
                    () = shared.stop.cancelled() => break,
                }
            }
            Err(error) => Played::ended(End::Driver(error)),
        };
        let (report, instance) = finish(&shared, scenario, played, begun).await?;
        orchestrator = instance;
        if shared.fail_fast && !matches!(report.result, ScenarioResult::Passed | ScenarioResult::Skipped { .. }) {
            shared.stop.cancel();
        }
        let _ = events.send(RunEvent::ScenarioFinished(Box::new(report)));
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

async fn finish(
    shared: &Shared,
    scenario: &Scenario,
    mut played: Played,
    begun: Instant,
) -> Result<(ScenarioReport, Option<Box<dyn Orchestrator>>), SuiteError> {
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
    let report = judge::report(&shared.setting, shared.level, scenario, &played, unproven.as_deref());
    if let Some(keep) = &shared.keep {
        keep.scenario(&report, played.case.as_ref())?;
    }
    Ok((report, orchestrator))
}
