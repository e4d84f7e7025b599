//! Findings as SARIF 2.1.0, which code hosts show beside the lines they are about.

use std::collections::BTreeSet;

use gauntlet_card::Rule;
use serde_json::{Value, json};

use super::validate::Judged;

/// One run over all documents.
pub(crate) fn log(judged: &[Judged]) -> Value {
    let found: BTreeSet<&str> = judged.iter().flat_map(|judged| &judged.report.findings).map(|of| of.rule).collect();
    let rules: Vec<&Rule> = Rule::all().filter(|rule| found.contains(rule.id)).collect();
    let results: Vec<Value> = judged.iter().flat_map(|judged| results(judged, &rules)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "gauntlet card validate",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(|rule| describe(rule)).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn describe(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "shortDescription": { "text": rule.statement },
        "fullDescription": { "text": rule.why },
        "help": { "text": format!("{}. Source: {}.", rule.fix, rule.source) },
        "defaultConfiguration": { "level": rule.severity.word() },
        "properties": { "tags": [rule.layer.word()] },
    })
}

fn results(judged: &Judged, rules: &[&Rule]) -> Vec<Value> {
    let text = std::str::from_utf8(&judged.document.bytes).ok();
    let findings = judged.report.findings.iter();
    findings
        .map(|finding| {
            let region = text.filter(|text| finding.span.end <= text.len()).map(|text| {
                let [begin, end] = [finding.span.start, finding.span.end].map(|at| position(text, at));
                json!({
                    "startLine": begin.0, "startColumn": begin.1, "endLine": end.0, "endColumn": end.1,
                    "byteOffset": finding.span.start, "byteLength": finding.span.len(),
                })
            });
            let mut physical = json!({ "artifactLocation": { "uri": judged.document.name } });
            if let Some(region) = region {
                physical["region"] = region;
            }
            json!({
                "ruleId": finding.rule,
                "ruleIndex": rules.iter().position(|rule| rule.id == finding.rule),
                "level": finding.severity.word(),
                "message": { "text": format!("{}. {}.", finding.message, finding.help) },
                "locations": [{
                    "physicalLocation": physical,
                    "logicalLocations": [{ "fullyQualifiedName": finding.pointer, "kind": "member" }],
                }],
                "partialFingerprints": { "rulePath/v1": format!("{}:{}", finding.rule, finding.pointer) },
            })
        })
        .collect()
}

/// Line and column, from 1, in characters.
pub(crate) fn position(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..at];
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line..].chars().count() + 1)
}
