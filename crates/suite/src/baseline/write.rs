//! A baseline from what a run found.

use std::collections::{BTreeMap, BTreeSet};

use gauntlet_evidence::{BaselineEffect, BaselineNote, Level, ScenarioReport, ScenarioResult};

use super::{Baseline, Entry};

const HEAD: &str = "\
# Failures that are known, and excused in `gauntlet run --baseline`. What is listed and passes is stale and fails the run.
# Replace each reason by a true one; `owner`, `expires: 2026-12-31` and `flaky: true` may be added.
";

/// The text of a baseline that excuses everything that failed in a run, and the number of its entries. Entries of the old
/// one stay, with their reasons, unless they are stale or their day has passed; comments do not.
pub(crate) fn written(
    old: Option<&Baseline>,
    overall: &[BaselineNote],
    level: Level,
    reports: &[ScenarioReport],
) -> (String, usize) {
    let gone: Vec<&BaselineNote> = reports
        .iter()
        .flat_map(|report| &report.baseline)
        .chain(overall)
        .filter(|note| note.effect != BaselineEffect::Excused)
        .collect();
    let mut text = HEAD.to_owned() + "entries:\n";
    let mut number = 0;
    for entry in old.iter().flat_map(|baseline| &baseline.entries) {
        if let Some(entry) = remaining(entry, &gone) {
            text.push_str(&shown(&entry));
            number += 1;
        }
    }
    for (rule, found) in found(level, reports) {
        let reason = format!("not looked into yet; seen: {}", found.why);
        text.push_str(&item(rule, &reason, &found.scenarios));
        number += 1;
    }
    if number == 0 {
        text = HEAD.to_owned() + "entries: []\n";
    }
    (text, number)
}

/// What is left of an entry without what is stale, expired or gone.
fn remaining(entry: &Entry, gone: &[&BaselineNote]) -> Option<Entry> {
    let place = entry.place.to_string();
    let of_entry = || gone.iter().filter(|note| note.place == place);
    if entry.scenarios.is_empty() {
        return of_entry().next().is_none().then(|| entry.clone());
    }
    let is_gone = |name: &String| of_entry().any(|note| note.scenario.as_ref() == Some(name));
    let scenarios: Vec<String> = entry.scenarios.iter().filter(|name| !is_gone(name)).cloned().collect();
    (!scenarios.is_empty()).then(|| Entry { scenarios, ..entry.clone() })
}

struct Found<'a> {
    /// What was seen first.
    why: &'a str,
    scenarios: BTreeSet<String>,
}

/// The failures that nothing excuses, by rule.
fn found(level: Level, reports: &[ScenarioReport]) -> BTreeMap<&str, Found<'_>> {
    let mut found: BTreeMap<&str, Found<'_>> = BTreeMap::new();
    for report in reports.iter().filter(|report| report.result == ScenarioResult::Failed) {
        for finding in &report.findings {
            if finding.is_scored(level) && report.excuse(&finding.rule).is_none() {
                let rule = found
                    .entry(&finding.rule)
                    .or_insert_with(|| Found { why: &finding.why, scenarios: BTreeSet::new() });
                rule.scenarios.insert(report.scenario.stable());
            }
        }
    }
    found
}

fn shown(entry: &Entry) -> String {
    let rule = entry.binding.map_or_else(|| entry.rule.clone(), |binding| format!("{}@{binding}", entry.rule));
    let mut text = item(&rule, &entry.reason, &entry.scenarios);
    if let Some(owner) = &entry.owner {
        text.push_str(&format!("    owner: {}\n", scalar(owner)));
    }
    if let Some(day) = entry.expires {
        text.push_str(&format!("    expires: {day}\n"));
    }
    if entry.flaky {
        text.push_str("    flaky: true\n");
    }
    text
}

fn item<'a>(rule: &str, reason: &str, scenarios: impl IntoIterator<Item = &'a String>) -> String {
    let mut text = format!("  - rule: {}\n    reason: {}\n", scalar(rule), scalar(reason));
    for (index, name) in scenarios.into_iter().enumerate() {
        if index == 0 {
            text.push_str("    scenarios:\n");
        }
        text.push_str(&format!("      - {}\n", scalar(name)));
    }
    text
}

/// Text as a YAML scalar: as it is where nothing in it could mean something, else in quotes as JSON writes it.
pub(super) fn scalar(text: &str) -> String {
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_alphanumeric() || " -_./#@+,;()".contains(c))
        && !text.contains(" #")
        && !text.ends_with(' ')
        && !matches!(text.to_ascii_lowercase().as_str(), "true" | "false" | "null");
    if plain { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}
