//! The run as one JSON document.

use gauntlet_evidence::FindingId;
use serde_json::{Value, json};

use crate::digest::Digest;
use crate::spec::spec_links;
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
            for (index, finding) in report.findings.iter().enumerate() {
                value["findings"][index]["id"] = report.scenario.finding(&finding.rule).into();
                value["findings"][index]["links"] = json!(spec_links(&finding.source));
            }
            value
        })
        .collect();
    let mut document = json!({
        "gauntlet": run.gauntlet, "orchestrator": run.orchestrator, "seed": run.seed, "level": run.level,
        "ruleset": run.ruleset,
        "durationMs": run.duration_ms, "cutShort": run.cut_short,
        "counts": {
            "selected": run.selected, "passed": tally.passed, "failed": tally.failed, "skipped": tally.skipped,
            "errors": tally.errors, "unscored": tally.unscored, "expectedFailures": tally.expected, "flaky": tally.flaky,
            "staleEntries": summary::stale(run).len(),
        },
        "proven": proven, "baseline": run.baseline,
        "slow": summary::slow(&run.reports).iter().map(|report| report.scenario.stable()).collect::<Vec<_>>(),
        "scenarios": scenarios,
    });
    if let Some(comparison) = &run.comparison {
        let ids = |list: &[FindingId]| {
            list.iter()
                .map(|id| json!({"id": id.short(), "rule": id.rule, "scenario": id.scenario}))
                .collect::<Vec<_>>()
        };
        document["sinceLastRun"] =
            json!({"new": ids(&comparison.new), "fixed": ids(&comparison.fixed), "known": ids(&comparison.known)});
    }
    if let Some(failure) = &run.failure {
        document["failure"] = failure.as_str().into();
    }
    format!("{document:#}\n")
}
