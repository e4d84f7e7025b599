//! Several runs side by side, as Markdown: which orchestrator breaks which rule, and why.
//!
//! It holds no numbers that change with every new scenario, so that it can be kept beside the code and be compared.

use std::collections::BTreeMap;

use gauntlet_evidence::{Finding, Judgement, Level, RunEvent};

use crate::digest::Digest;
use crate::findings::EXPECTATION;
use crate::markdown::escaped;

/// What a rule came to in one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cell {
    /// Put to the test, and never broken.
    Upheld,
    /// Broken at least once.
    Broken,
}

/// The page for the runs whose events these are, one run after the other.
pub(crate) fn comparison(events: &[RunEvent]) -> String {
    let runs: Vec<Digest> = split(events).map(|run| run.iter().collect()).collect();
    let mut rules: BTreeMap<(Level, &str), BTreeMap<usize, Cell>> = BTreeMap::new();
    for (index, run) in runs.iter().enumerate() {
        let judged = run.reports.iter().flat_map(|report| &report.judgements).filter_map(|verdict| {
            let cell = match verdict.judgement {
                Judgement::NotExercised => return None,
                Judgement::Upheld => Cell::Upheld,
                Judgement::Broken { .. } => Cell::Broken,
            };
            Some((verdict.level, verdict.rule.as_str(), cell))
        });
        let findings = run.reports.iter().flat_map(|report| &report.findings);
        let found = findings.map(|finding| (finding.level, finding.rule.as_str(), Cell::Broken));
        for (level, rule, cell) in judged.chain(found).filter(|(_, rule, _)| *rule != EXPECTATION) {
            let cells = rules.entry((level, rule)).or_default();
            cells.entry(index).and_modify(|known| *known = cell.max(*known)).or_insert(cell);
        }
    }

    let mut page = "| rule | level |".to_owned();
    page.extend(runs.iter().map(|run| format!(" {} |", escaped(&run.name()))));
    page.push_str(&format!("\n|---|---|{}\n", ":-:|".repeat(runs.len())));
    for ((level, rule), cells) in &rules {
        page.push_str(&format!("| {} | {level} |", named(rule, cells)));
        for index in 0..runs.len() {
            page.push_str(match cells.get(&index) {
                Some(Cell::Upheld) => " ✓ |",
                Some(Cell::Broken) => " **✗** |",
                None => " – |",
            });
        }
        page.push('\n');
    }
    page.push_str("\n✓ upheld wherever it was put to the test · ✗ broken somewhere · – not put to the test\n");
    for ((level, rule), cells) in rules.iter().filter(|(_, cells)| broken(cells)) {
        page.push_str(&why(&runs, *level, rule, cells));
    }
    page
}

fn broken(cells: &BTreeMap<usize, Cell>) -> bool {
    cells.values().any(|cell| *cell == Cell::Broken)
}

/// The rule, with a link to why it is broken.
fn named(rule: &str, cells: &BTreeMap<usize, Cell>) -> String {
    if broken(cells) { format!("[{}](#{rule})", escaped(rule)) } else { escaped(rule) }
}

/// Who breaks a rule, and why: in the words of the baseline, or as it was first seen where no baseline knows of it.
fn why(runs: &[Digest], level: Level, rule: &str, cells: &BTreeMap<usize, Cell>) -> String {
    let mut found: Option<&Finding> = None;
    let mut text = String::new();
    for (_, run) in runs.iter().enumerate().filter(|(index, _)| cells.get(index) == Some(&Cell::Broken)) {
        let mut reasons: Vec<&str> = Vec::new();
        let mut unknown = None;
        for report in &run.reports {
            for finding in report.findings.iter().filter(|finding| finding.rule == rule) {
                found = found.or(Some(finding));
                match report.excuse(rule) {
                    Some(note) if !reasons.contains(&note.reason.as_str()) => reasons.push(&note.reason),
                    Some(_) => {}
                    None => unknown = unknown.or(Some(finding.why.as_str())),
                }
            }
        }
        reasons.extend(unknown);
        let sentences: Vec<&str> = reasons.iter().map(|reason| reason.trim_end_matches('.')).collect();
        text.push_str(&format!("- **{}**: {}.\n", escaped(&run.name()), escaped(&sentences.join(". "))));
    }
    let (expected, source) = found.map_or(("", ""), |finding| (finding.expected.as_str(), finding.source.as_str()));
    let source = if source.is_empty() { String::new() } else { format!("; {}", escaped(source)) };
    format!("\n### {rule}\n\n{} ({level}{source})\n\n{text}", escaped(expected))
}

/// The events of each run.
fn split(events: &[RunEvent]) -> impl Iterator<Item = &[RunEvent]> {
    events.chunk_by(|_, next| !matches!(next, RunEvent::Started { .. }))
}
