//! An audit as SARIF: what is wrong in the document, and then what is served otherwise.

use gauntlet_audit::{Check, Outcome};
use gauntlet_card::locate;
use serde_json::{Value, json};

use super::Audited;
use crate::card::sarif;

pub(super) fn log(audited: &Audited) -> Value {
    let mut log = sarif::log(audited.judged.as_slice());
    let run = &mut log["runs"][0];
    run["tool"]["driver"]["name"] = "gauntlet card audit".into();
    let Some(rules) = run["tool"]["driver"]["rules"].as_array_mut() else { return log };
    let before = rules.len();
    let mut told: Vec<&Check> = audited.look.broken().map(|(outcome, _)| outcome.check).collect();
    told.dedup();
    rules.extend(told.iter().map(|check| describe(check)));
    let results = audited.look.broken().map(|(outcome, why)| {
        let index = told.iter().position(|check| *check == outcome.check).unwrap_or_default();
        result(audited, outcome, why, before + index)
    });
    let results: Vec<Value> = results.collect();
    if let Some(all) = run["results"].as_array_mut() {
        all.extend(results);
    }
    log
}

fn describe(check: &Check) -> Value {
    json!({
        "id": check.id,
        "shortDescription": { "text": check.statement },
        "fullDescription": { "text": check.why },
        "help": { "text": format!("{}. Source: {}.", check.fix, check.source) },
        "defaultConfiguration": { "level": check.severity.word() },
        "properties": { "tags": ["live"] },
    })
}

fn result(audited: &Audited, outcome: &Outcome, why: &str, index: usize) -> Value {
    let observed = &audited.look.observed;
    let seen = outcome.interface.and_then(|index| observed.interfaces.get(index));
    let pointer = seen.map_or("", |seen| seen.listed.pointer.as_str());
    let mut physical = json!({ "artifactLocation": { "uri": observed.fetched.url } });
    if let Some(region) = audited.judged.as_ref().filter(|_| seen.is_some()).and_then(|judged| {
        let span = locate(&judged.document.bytes, pointer)?;
        let text = std::str::from_utf8(&judged.document.bytes).ok()?;
        let [begin, end] = [span.start, span.end].map(|at| sarif::position(text, at));
        Some(json!({ "startLine": begin.0, "startColumn": begin.1, "endLine": end.0, "endColumn": end.1 }))
    }) {
        physical["region"] = region;
    }
    json!({
        "ruleId": outcome.check.id,
        "ruleIndex": index,
        "level": outcome.check.severity.word(),
        "message": { "text": format!("{why}. {}.", outcome.check.fix) },
        "locations": [{
            "physicalLocation": physical,
            "logicalLocations": [{ "fullyQualifiedName": pointer, "kind": "member" }],
        }],
        "partialFingerprints": { "rulePath/v1": format!("{}:{pointer}", outcome.check.id) },
    })
}
