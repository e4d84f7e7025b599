//! SARIF 2.1.0, as code scanning reads it: a result for each finding, at the line of the scenario that shows it.

use gauntlet_evidence::{BaselineEffect, Finding, ScenarioReport};
use serde_json::{Value, json};

use crate::digest::Digest;
use crate::findings::detail;
use crate::spec::spec_links;

/// The document. What a baseline excuses is a suppressed result; what is below the chosen level, or not scored, a note.
pub(crate) fn sarif(run: &Digest) -> String {
    let mut rules: Vec<&Finding> = Vec::new();
    let mut results = Vec::new();
    for report in &run.reports {
        let mut told: Vec<&str> = Vec::new();
        for finding in &report.findings {
            let index = rules.iter().position(|known| known.rule == finding.rule).unwrap_or_else(|| {
                rules.push(finding);
                rules.len() - 1
            });
            // A finding is a rule broken in a scenario, however often: the first tells of all.
            if !told.contains(&finding.rule.as_str()) {
                told.push(&finding.rule);
                results.push(result(run, report, finding, index));
            }
        }
    }
    let mut notifications: Vec<Value> =
        run.failure.iter().map(|failure| json!({"level": "error", "message": {"text": failure}})).collect();
    notifications.extend(run.reports.iter().filter_map(|report| {
        let message = format!("{}: {}", report.scenario.stable(), report.result.error()?);
        Some(json!({"level": "error", "message": {"text": message}, "locations": [location(report)]}))
    }));
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "gauntlet",
                "version": if run.gauntlet.is_empty() { "0" } else { &run.gauntlet },
                "rules": rules.iter().map(|finding| rule(finding)).collect::<Vec<_>>(),
            }},
            "invocations": [{
                "executionSuccessful": run.failure.is_none() && !run.cut_short,
                "toolExecutionNotifications": notifications,
            }],
            "properties": {"orchestrator": run.name(), "seed": run.seed, "ruleset": run.ruleset},
            "results": results,
        }],
    });
    format!("{document:#}\n")
}

fn rule(finding: &Finding) -> Value {
    // What a scenario expects differs from one to the next.
    let (text, help) = match finding.rule.as_str() {
        "expectation" => ("What a scenario itself expects holds.", ""),
        _ => (finding.expected.as_str(), finding.fix.as_str()),
    };
    let mut rule = json!({
        "id": finding.rule,
        "shortDescription": {"text": text},
        "properties": {"tags": [finding.level.word()], "source": finding.source},
    });
    if !help.is_empty() {
        rule["help"] = json!({"text": help});
    }
    if let Some(link) = spec_links(&finding.source).first() {
        rule["helpUri"] = link.as_str().into();
    }
    rule
}

fn result(run: &Digest, report: &ScenarioReport, finding: &Finding, index: usize) -> Value {
    let mut result = json!({
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": if finding.is_scored(run.level) { "error" } else { "note" },
        "message": {"text": format!("{}\n\n{}", finding.why, detail(run, report))},
        "locations": [location(report)],
        "partialFingerprints": {"finding/v1": report.scenario.finding(&finding.rule)},
    });
    let excuses = report.baseline.iter().filter(|note| note.rule == finding.rule);
    let excused = excuses.filter(|note| note.effect == BaselineEffect::Excused);
    let excused: Vec<Value> = excused.map(|note| json!({"kind": "external", "justification": note.reason})).collect();
    if !excused.is_empty() {
        result["suppressions"] = excused.into();
    }
    if run.comparison.is_some() {
        let state = if run.is_new(report, &finding.rule) { "new" } else { "unchanged" };
        result["baselineState"] = state.into();
    }
    result
}

fn location(report: &ScenarioReport) -> Value {
    let scenario = &report.scenario;
    // Relative references hold neither backslashes nor spaces.
    let uri = scenario.file.replace('\\', "/").replace('%', "%25").replace(' ', "%20");
    json!({
        "physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": scenario.line.max(1)}},
        "logicalLocations": [{"name": scenario.name, "kind": "test"}],
    })
}
