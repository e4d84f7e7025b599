//! The run as one JSON document.

use serde_json::{Value, json};

use crate::digest::Digest;
use crate::summary;

/// One document: who was tested and how, counts, and every scenario with its findings. The scenarios have the members of
/// [`gauntlet_evidence::ScenarioReport`] and `id`, the name that survives edits of the file.
pub(crate) fn json(run: &Digest) -> String {
    let tally = summary::tally(&run.reports);
    let proven: Vec<Value> = run
        .proven
        .iter()
        .map(|(binding, result)| match result {
            Ok(ms) => json!({"binding": binding, "roundTripMs": ms}),
            Err(failure) => json!({"binding": binding, "failure": failure}),
        })
        .collect();
    let scenarios: Vec<Value> = run
        .reports
        .iter()
        .map(|report| {
            let mut value = json!(report);
            value["id"] = report.scenario.stable().into();
            value["replay"] = run.replay(report).into();
            value
        })
        .collect();
    let mut document = json!({
        "gauntlet": run.gauntlet, "orchestrator": run.orchestrator, "seed": run.seed, "level": run.level,
        "durationMs": run.duration_ms, "cutShort": run.cut_short,
        "counts": {
            "selected": run.selected, "passed": tally.passed, "failed": tally.failed, "skipped": tally.skipped,
            "errors": tally.errors, "expectedFailures": tally.expected, "flaky": tally.flaky,
            "staleEntries": summary::stale(run).len(),
        },
        "proven": proven, "baseline": run.baseline, "scenarios": scenarios,
    });
    if let Some(failure) = &run.failure {
        document["failure"] = failure.as_str().into();
    }
    format!("{document:#}\n")
}
