//! Evidence in a few lines for people, as reports show it.

use std::collections::BTreeSet;

use gauntlet_evidence::{Evidence, Finding, HeldTask, JournalEvent, Outcome};
use gauntlet_fleet::unmatched;
use serde_json::Value;

/// How many journal lines a report shows.
const EXCERPT: usize = 14;
/// How many tasks, and requests that fitted nothing.
const SHOWN: usize = 8;
/// How much of a text.
const TEXT: usize = 80;

/// The cited entries; where nothing is cited, the requests.
pub(crate) fn excerpt(evidence: &Evidence, findings: &[Finding]) -> Vec<String> {
    let cited: BTreeSet<u64> = findings.iter().flat_map(|finding| finding.entries.iter().copied()).collect();
    let entries = evidence.journal.iter().filter(|entry| {
        if cited.is_empty() {
            matches!(entry.event, JournalEvent::Request(_) | JournalEvent::Frame(_))
        } else {
            cited.contains(&entry.seq)
        }
    });
    entries.take(EXCERPT).map(|entry| entry.clone().masked().to_string()).collect()
}

/// What was reported.
pub(crate) fn outcome(outcome: &Outcome) -> String {
    let mut line = format!("{} {}", outcome.id, outcome.status);
    if let Some(peer) = &outcome.peer {
        line.push_str(&format!(" by {peer}"));
    }
    if let Some(binding) = outcome.binding {
        line.push_str(&format!(" over {binding}"));
    }
    if let Some(reason) = &outcome.reason {
        line.push_str(&format!(" ({})", reason.code));
    }
    let words = outcome
        .text
        .clone()
        .filter(|text| !text.is_empty())
        .or_else(|| outcome.error.as_ref().map(|error| format!("{}: {}", error.kind, error.message)));
    if let Some(words) = words {
        line.push_str(&format!(": {words}"));
    }
    line
}

/// What the peers hold: a line for each task.
pub(crate) fn truth(evidence: &Evidence) -> Vec<String> {
    let tasks = evidence.peers.iter().flat_map(|peer| peer.tasks.iter().map(move |task| (&peer.name, task)));
    tasks.take(SHOWN).map(|(peer, task)| held(peer, task)).collect()
}

fn held(peer: &str, held: &HeldTask) -> String {
    let state = held.state().trim_start_matches("TASK_STATE_");
    let whose = if held.delegation.is_some() { "" } else { ", of no delegation" };
    let artifacts = held.task.get("artifacts").and_then(Value::as_array).into_iter().flatten();
    let said: Vec<&Value> = artifacts.chain(held.task.pointer("/status/message")).collect();
    let texts = said.iter().filter_map(|part| part.get("parts")?.as_array()).flatten();
    let text: String = texts.filter_map(|part| part.get("text")?.as_str()).collect();
    let line = format!("{peer} holds {} as {state}{whose}", held.id());
    if text.is_empty() { line } else { format!("{line}: {}", shortened(&text)) }
}

/// Requests that fitted nothing.
pub(crate) fn unmatched(evidence: &Evidence) -> Vec<String> {
    unmatched::unmatched(&evidence.journal, &evidence.peers).iter().take(SHOWN).map(ToString::to_string).collect()
}

/// One line of a text, cut.
fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(TEXT) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
