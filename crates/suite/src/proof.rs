//! The healthy delegation that every run begins with: proof that driver and orchestrator work at all.
//!
//! Without it a broken driver, which never hands anything over, would pass every scenario that expects a refusal.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use gauntlet_driver::Orchestrator;
use gauntlet_evidence::contract::Need;
use gauntlet_evidence::run::ScenarioId;
use gauntlet_scenario::PeerSpec;
use gauntlet_wire::Binding;

use crate::feature::Scenario;
use crate::scene::{End, Scene, Setting};

/// A deadline for orchestrators of unknown speed.
pub(crate) const FIRST_DEADLINE_MS: u64 = 20_000;
/// Deadlines are this many healthy round trips long,
const ROUND_TRIPS: u64 = 20;
/// but no shorter than this, so that a busy machine is not taken for a slow orchestrator.
const SHORTEST_DEADLINE_MS: u64 = 1_200;

/// What the proof found on each binding: milliseconds, or why it failed.
pub(crate) type Proof = BTreeMap<Binding, Result<u64, String>>;

/// The deadline that fits an orchestrator this fast.
pub(crate) fn deadline_ms(proof: &Proof) -> u64 {
    let slowest = proof.values().filter_map(|result| result.as_ref().ok()).max().copied();
    (slowest.unwrap_or_default() * ROUND_TRIPS).clamp(SHORTEST_DEADLINE_MS, FIRST_DEADLINE_MS)
}

/// Why the driver is unproven for a scenario, if it is.
pub(crate) fn failure(proof: &Proof, scenario: &Scenario) -> Option<String> {
    scenario.bindings.iter().find_map(|binding| {
        let why = proof.get(binding)?.as_ref().err()?;
        Some(format!("unproven over {binding}: {why}"))
    })
}

/// Delegates to a healthy peer over one binding. The orchestrator comes back unless it was lost.
pub(crate) async fn prove(
    setting: &Arc<Setting>,
    binding: Binding,
    number: usize,
    orchestrator: Box<dyn Orchestrator>,
) -> (Option<Box<dyn Orchestrator>>, Result<u64, String>) {
    let id = ScenarioId {
        area: String::new(),
        file: "proof".to_owned(),
        line: 0,
        name: format!("healthy delegation over {binding}"),
        binding: Some(binding),
    };
    let scenario =
        Scenario { id, tags: Vec::new(), steps: Vec::new(), bindings: [binding].into(), defects: BTreeSet::new() };
    let mut scene = Scene::new(Arc::clone(setting), &scenario, number, Some(orchestrator));
    scene.peers.push(PeerSpec::healthy("healthy", [binding]));
    let begun = Instant::now();
    scene.delegate(&["healthy"], Need::Unused).await;
    let round_trip = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX).max(1);
    let dispatched = match scene.case().await {
        Some(case) => case.evidence.exchanges().iter().any(|call| call.request.class.is_dispatch()),
        None => false,
    };
    let outcome = scene.outcome().cloned();
    let played = scene.close().await;
    let result = match (played.end, outcome) {
        (Some(End::Driver(error)), _) => Err(error.to_string()),
        (Some(End::Setup(message) | End::Harness(message)), _) => Err(message),
        (Some(End::Skipped { reason, .. }), _) => Err(reason),
        (Some(End::File(error)), _) => Err(error.to_string()),
        (None, None) => Err("there was no outcome".to_owned()),
        (None, Some(outcome)) if !outcome.status.is_success() => {
            let detail = outcome.text.or(outcome.error.map(|error| format!("{}: {}", error.kind, error.message)));
            let detail = detail.or(outcome.reason.and_then(|reason| reason.detail.or(Some(reason.code))));
            Err(format!("a healthy peer's work ended as {}: {}", outcome.status, detail.unwrap_or_default()))
        }
        (None, Some(outcome)) if !dispatched => {
            Err(format!("reported as {}, but the work never reached the peer", outcome.status))
        }
        (None, Some(_)) => Ok(round_trip),
    };
    (played.orchestrator, result)
}
