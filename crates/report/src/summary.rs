//! What a run amounts to: tables by area and by level.

use std::collections::{BTreeMap, BTreeSet};

use gauntlet_evidence::{BaselineEffect, BaselineNote, Judgement, Level, ScenarioReport, ScenarioResult};

use crate::digest::Digest;
use crate::text::{Paint, count, duration};

/// Scenarios by result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    /// With those whose expectation is stale.
    pub(crate) failed: usize,
    /// Failed as the baseline says they do.
    pub(crate) expected: usize,
    pub(crate) flaky: usize,
    /// Of a newer rule set.
    pub(crate) unscored: usize,
    pub(crate) skipped: usize,
    /// Broken drivers and broken mocks.
    pub(crate) errors: usize,
}

impl Tally {
    fn add(&mut self, result: &ScenarioResult) {
        *match result {
            ScenarioResult::Passed => &mut self.passed,
            ScenarioResult::Failed | ScenarioResult::StaleExpectation => &mut self.failed,
            ScenarioResult::ExpectedFailure => &mut self.expected,
            ScenarioResult::Flaky { .. } => &mut self.flaky,
            ScenarioResult::Unscored { .. } => &mut self.unscored,
            ScenarioResult::Skipped { .. } => &mut self.skipped,
            ScenarioResult::DriverError { .. }
            | ScenarioResult::SetupError { .. }
            | ScenarioResult::HarnessError { .. } => &mut self.errors,
        } += 1;
    }

    pub(crate) const fn total(&self) -> usize {
        self.passed + self.failed + self.expected + self.flaky + self.unscored + self.skipped + self.errors
    }
}

/// What was seen of rules of one level.
#[derive(Debug, Default)]
struct Rules<'a> {
    judged: BTreeSet<&'a str>,
    broken: BTreeSet<&'a str>,
    findings: usize,
}

/// Counts all reports.
pub(crate) fn tally(reports: &[ScenarioReport]) -> Tally {
    let mut tally = Tally::default();
    for report in reports {
        tally.add(&report.result);
    }
    tally
}

/// Counts by area, and then `total`.
pub(crate) fn areas(reports: &[ScenarioReport]) -> Vec<(&str, Tally)> {
    let mut areas: BTreeMap<&str, Tally> = BTreeMap::new();
    for report in reports {
        areas.entry(report.scenario.area.as_str()).or_default().add(&report.result);
    }
    areas.into_iter().chain([("total", tally(reports))]).collect()
}

/// One row an area, and the total. Columns that few runs need are left out where they are empty.
pub(crate) fn by_area(reports: &[ScenarioReport], paint: Paint) -> String {
    let areas = areas(reports);
    let total = tally(reports);
    let width = areas.iter().map(|(area, _)| area.chars().count()).max().unwrap_or_default();
    let row = |area: &str, [passed, failed, expected, flaky, unscored, skipped, errors]: [String; 7]| {
        let mut row = format!("{area:width$}  {passed:>6}  {failed:>6}");
        if total.expected > 0 {
            row.push_str(&format!("  {expected:>8}"));
        }
        if total.flaky > 0 {
            row.push_str(&format!("  {flaky:>5}"));
        }
        if total.unscored > 0 {
            row.push_str(&format!("  {unscored:>8}"));
        }
        format!("{row}  {skipped:>7}  {errors:>6}")
    };
    let heads = ["passed", "failed", "expected", "flaky", "unscored", "skipped", "errors"].map(str::to_owned);
    let mut text = row("area", heads) + "\n";
    for (area, tally) in areas {
        let Tally { passed, failed, expected, flaky, unscored, skipped, errors } = tally;
        let row =
            row(area, [passed, failed, expected, flaky, unscored, skipped, errors].map(|number| number.to_string()));
        text.push_str(&if failed + errors > 0 { paint.bad(&row) } else { row });
        text.push('\n');
    }
    text
}

/// Entries of the baseline that list what does not fail any more: each once.
pub(crate) fn stale(run: &Digest) -> Vec<&BaselineNote> {
    let mut stale: Vec<&BaselineNote> = Vec::new();
    let notes = run.reports.iter().flat_map(|report| &report.baseline).chain(&run.baseline);
    for note in notes.filter(|note| note.effect == BaselineEffect::Stale) {
        if !stale.contains(&note) {
            stale.push(note);
        }
    }
    stale
}

/// One row a level: how many of its rules were exercised, how many of them broken, and by how many findings.
pub(crate) fn by_level(reports: &[ScenarioReport], chosen: Level, paint: Paint) -> String {
    let mut text = String::from("level     rules exercised  upheld  broken  findings\n");
    for level in Level::ALL {
        let rules = rules_of(level, reports);
        let (judged, broken, findings) = (rules.judged.len(), rules.broken.len(), rules.findings);
        let row = format!("{level:8}  {judged:>15}  {:>6}  {broken:>6}  {findings:>8}", judged - broken);
        let row = if level > chosen { format!("{row}  (warnings)") } else { row };
        text.push_str(&match findings {
            0 => row,
            _ if level > chosen => paint.odd(&row),
            _ => paint.bad(&row),
        });
        text.push('\n');
    }
    text
}

fn rules_of(level: Level, reports: &[ScenarioReport]) -> Rules<'_> {
    let mut rules = Rules::default();
    for report in reports {
        for verdict in report.judgements.iter().filter(|verdict| verdict.level == level) {
            match verdict.judgement {
                Judgement::NotExercised => continue,
                Judgement::Upheld => {}
                Judgement::Broken { .. } => _ = rules.broken.insert(verdict.rule.as_str()),
            }
            rules.judged.insert(verdict.rule.as_str());
        }
        rules.findings += report.findings.iter().filter(|finding| finding.level == level).count();
    }
    rules
}

/// What the baseline excused: rule, reason, and in how many scenarios.
pub(crate) fn excused(run: &Digest) -> Vec<(String, &str, usize)> {
    let mut excused: BTreeMap<(String, &str), usize> = BTreeMap::new();
    for note in run.reports.iter().flat_map(|report| &report.baseline) {
        if note.effect == BaselineEffect::Excused {
            *excused.entry((note.listed(), &note.reason)).or_default() += 1;
        }
    }
    excused.into_iter().map(|((rule, reason), number)| (rule, reason, number)).collect()
}

/// How many slow scenarios are named.
const SLOW: usize = 5;
/// Nobody minds a scenario that takes less, in milliseconds.
const NOTICED: u64 = 1_000;
/// How many times as long as nine out of ten others a slow scenario takes.
const WELL_ABOVE: u64 = 3;

/// Scenarios that took well above the others, the slowest first. Where many wait for a deadline, waiting is not slow.
pub(crate) fn slow(reports: &[ScenarioReport]) -> Vec<&ScenarioReport> {
    let mut slowest: Vec<&ScenarioReport> = reports.iter().collect();
    slowest.sort_by_key(|report| std::cmp::Reverse(report.duration_ms));
    let Some(usual) = slowest.get(reports.len() / 10 + 1).map(|report| report.duration_ms) else { return Vec::new() };
    let well_above = |report: &&ScenarioReport| report.duration_ms > NOTICED.max(usual.saturating_mul(WELL_ABOVE));
    slowest.into_iter().take_while(well_above).take(SLOW).collect()
}

/// The counts in words.
pub(crate) fn words(run: &Digest) -> String {
    let tally = tally(&run.reports);
    let Tally { passed, failed, expected, flaky, unscored, skipped, errors } = tally;
    let mut words = format!("{passed} passed, {failed} failed, {skipped} skipped");
    if expected > 0 {
        words.push_str(&format!(", {}", count(expected, "expected failure")));
    }
    match stale(run).len() {
        0 => {}
        stale => words.push_str(&format!(", {stale} stale")),
    }
    if flaky > 0 {
        words.push_str(&format!(", {flaky} flaky"));
    }
    if unscored > 0 {
        words.push_str(&format!(", {unscored} not scored"));
    }
    if errors > 0 {
        words.push_str(&format!(", {}", count(errors, "error")));
    }
    let not_run = run.selected.saturating_sub(tally.total());
    if run.cut_short || not_run > 0 {
        words.push_str(&format!(", {not_run} not run (cut short)"));
    }
    words
}

/// The last line.
pub(crate) fn last_line(run: &Digest, paint: Paint) -> String {
    let tally = tally(&run.reports);
    let words = words(run);
    let line = match (tally.failed + tally.errors + stale(run).len(), tally.passed + tally.expected) {
        (0, 1..) if !run.cut_short && tally.flaky == 0 => paint.good(&words),
        (0, _) => paint.odd(&words),
        _ => paint.bad(&words),
    };
    format!("{line} in {}\n", duration(run.duration_ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reports(durations: &[u64]) -> Vec<ScenarioReport> {
        let report = |(line, ms): (usize, &u64)| {
            serde_json::from_value(serde_json::json!({
                "scenario": {"area": "a", "file": "a.feature", "line": line, "name": "s"}, "tags": [], "defects": [],
                "result": {"kind": "passed"}, "findings": [], "judgements": [], "outcomes": [], "excerpt": [],
                "durationMs": ms,
            }))
            .expect("a report")
        };
        durations.iter().enumerate().map(report).collect()
    }

    fn slowest(durations: &[u64]) -> Vec<u64> {
        slow(&reports(durations)).iter().map(|report| report.duration_ms).collect()
    }

    #[test]
    fn slow_is_what_takes_well_above_the_others() {
        let mut durations = vec![50; 20];
        durations.extend([4_000, 9_000]);
        assert_eq!(slowest(&durations), [9_000, 4_000]);
        assert_eq!(slowest(&[1_200; 20]), [0; 0], "where all wait, none is slow");
        assert_eq!(slowest(&[1, 2, 900]), [0; 0], "nobody minds less than a second");
        assert_eq!(slowest(&[9_000]), [0; 0], "there is nothing to compare it with");
        // More than one in ten of the scenarios run into their deadline: that is how they are.
        assert_eq!(slowest(&[50, 50, 50, 50, 50, 50, 1_200, 1_300, 1_250, 5_000]), [5_000]);
    }
}
