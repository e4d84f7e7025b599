//! The run: proof on healthy peers, then workers, with an event for everything that happens.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Instant;

use gauntlet_driver::OrchestratorFactory;
use gauntlet_evidence::{BaselineEffect, RunEvent, ScenarioResult};
use gauntlet_wire::Binding;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::baseline::{self, Baseline};
use crate::keep::Keep;
use crate::options::{RunOptions, Summary, Written};
use crate::proof::{self, Proof};
use crate::scene::Setting;
use crate::worker::{self, Shared};
use crate::{SuiteError, feature};

/// Runs the selected scenarios against orchestrators of the factory. Events reach the sink in order of occurrence:
/// `Started`, one `Proven` for each binding, the scenarios as they begin and finish, `Finished`.
///
/// Needs a multi-threaded runtime: scenarios block a thread each.
///
/// # Errors
/// Whatever keeps the run from starting, or evidence from being kept.
pub async fn run_watched(
    factory: Arc<dyn OrchestratorFactory>,
    options: RunOptions,
    sink: &mut (dyn FnMut(RunEvent) + Send),
) -> Result<Summary, SuiteError> {
    let begun = Instant::now();
    let feature::Selected { library, scenarios, known } = feature::selected(&options.paths, &options.selection)?;
    let newest = scenarios.iter().map(feature::Scenario::since).chain([library.newest_ruleset()]).max().unwrap_or(1);
    if !(1..=newest).contains(&options.ruleset) {
        return Err(SuiteError::Ruleset { wanted: options.ruleset, newest });
    }
    let baseline = options.baseline.as_deref().map(|path| Baseline::load(path, &library)).transpose()?;
    let keep = options.out.clone().map(Keep::new).transpose()?;
    let mut orchestrator = factory.create().await?;
    let hello = orchestrator.hello().await?;
    sink(RunEvent::Started {
        gauntlet: env!("CARGO_PKG_VERSION").to_owned(),
        orchestrator: hello.clone(),
        seed: options.seed,
        level: options.level,
        scenarios: scenarios.len(),
        command: options.command.clone(),
        ruleset: options.ruleset,
    });

    let mut summary = Summary::default();
    let mut setting = Setting {
        library,
        hello: hello.clone(),
        seed: options.seed,
        deadline_ms: proof::FIRST_DEADLINE_MS,
        // The proof is no scenario that anybody looks at.
        holds: false,
    };
    let shared_setting = Arc::new(setting.clone());
    let mut orchestrator = Some(orchestrator);
    let mut proven = Proof::new();
    let bindings = &options.selection.bindings;
    let wanted: Vec<Binding> = Binding::ALL
        .into_iter()
        .filter(|binding| hello.speaks(*binding) && (bindings.is_empty() || bindings.contains(binding)))
        .collect();
    for (index, binding) in wanted.into_iter().enumerate() {
        if options.stop.is_cancelled() {
            break;
        }
        let instance = match orchestrator.take() {
            Some(instance) => instance,
            None => factory.create().await?,
        };
        let setting = Arc::clone(&shared_setting);
        // Numbered from the far end, so that no scenario shares them.
        let proving = on_thread(async move || proof::prove(&setting, binding, usize::MAX - index, instance).await);
        let (instance, result) = proving.await?;
        orchestrator = instance;
        summary.unproven += usize::from(result.is_err());
        sink(RunEvent::Proven {
            binding,
            round_trip_ms: result.as_ref().ok().copied(),
            failure: result.as_ref().err().cloned(),
        });
        proven.insert(binding, result);
    }

    setting.deadline_ms = proof::deadline_ms(&proven);
    setting.holds = options.hold.is_some();
    let stop = options.stop.child_token();
    let jobs = if options.hold.is_some() { 1 } else { options.jobs.clamp(1, scenarios.len().max(1)) };
    let total = scenarios.len();
    let shared = Arc::new(Shared {
        setting: Arc::new(setting),
        scenarios,
        next: AtomicUsize::new(0),
        proof: proven,
        level: options.level,
        ruleset: options.ruleset,
        fail_fast: options.fail_fast || options.hold.is_some(),
        hold: options.hold.clone(),
        retries: options.retries,
        repeat: options.repeat.max(1),
        baseline,
        keep,
        factory,
        stop,
    });
    let (events, mut arrived) = mpsc::unbounded_channel();
    let mut workers = JoinSet::new();
    for _ in 0..jobs {
        let (shared, instance, events) = (Arc::clone(&shared), orchestrator.take(), events.clone());
        let handle = Handle::current();
        // Steps are cucumber's: futures that stay on their thread. So each worker has one.
        workers.spawn_blocking(move || handle.block_on(worker::work(shared, instance, events)));
    }
    drop(events);

    let mut reports = Vec::new();
    while let Some(event) = arrived.recv().await {
        if let RunEvent::ScenarioFinished(report) = &event {
            *count(&mut summary, &report.result) += 1;
            reports.push(report.as_ref().clone());
        }
        sink(event);
    }
    while let Some(ended) = workers.join_next().await {
        ended.map_err(|error| SuiteError::Worker(error.to_string()))??;
    }
    let cut_short = reports.len() < total;
    reports.sort_by(|one, other| one.scenario.cmp(&other.scenario));
    // Paths are a part of the suite as much as tags are.
    let whole = !cut_short && options.paths.is_empty() && options.selection.is_everything();
    let overall = shared.baseline.as_ref().filter(|_| whole).map(|baseline| baseline.overall(&reports, &known));
    let overall = overall.unwrap_or_default();
    summary.stale += overall.iter().filter(|note| note.effect == BaselineEffect::Stale).count();
    if let Some(path) = &options.write_baseline {
        summary.written = if cut_short || summary.unproven > 0 {
            Written::Withheld
        } else {
            let (text, entries) = baseline::written(shared.baseline.as_ref(), &overall, options.level, &reports);
            std::fs::write(path, text).map_err(|source| SuiteError::Io { path: path.clone(), source })?;
            Written::Entries(entries)
        };
    }
    sink(RunEvent::Finished {
        duration_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        cut_short,
        baseline: overall,
    });
    Ok(summary)
}

fn count<'a>(summary: &'a mut Summary, result: &ScenarioResult) -> &'a mut usize {
    match result {
        ScenarioResult::Passed => &mut summary.passed,
        ScenarioResult::Failed => &mut summary.failed,
        ScenarioResult::ExpectedFailure => &mut summary.expected,
        ScenarioResult::StaleExpectation => &mut summary.stale,
        ScenarioResult::Flaky { .. } => &mut summary.flaky,
        ScenarioResult::Unscored { .. } => &mut summary.unscored,
        ScenarioResult::Skipped { .. } => &mut summary.skipped,
        ScenarioResult::DriverError { .. } => &mut summary.driver_errors,
        ScenarioResult::SetupError { .. } | ScenarioResult::HarnessError { .. } => &mut summary.harness_errors,
    }
}

/// Runs a future that cannot move between threads on a thread of its own.
async fn on_thread<T: Send + 'static>(make: impl AsyncFnOnce() -> T + Send + 'static) -> Result<T, SuiteError> {
    let handle = Handle::current();
    tokio::task::spawn_blocking(move || handle.block_on(make()))
        .await
        .map_err(|error| SuiteError::Worker(error.to_string()))
}
