//! What a run amounts to: tables by area and by level.

use std::collections::{BTreeMap, BTreeSet};

use gauntlet_evidence::run::ScenarioResult;
use gauntlet_evidence::{Judgement, Level, ScenarioReport};

use crate::text::{Paint, count, duration};

/// Scenarios by result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
    /// Broken drivers and broken mocks.
    pub(crate) errors: usize,
}

impl Tally {
    fn add(&mut self, result: &ScenarioResult) {
        *match result {
            ScenarioResult::Passed => &mut self.passed,
            ScenarioResult::Failed => &mut self.failed,
            ScenarioResult::Skipped { .. } => &mut self.skipped,
            ScenarioResult::DriverError { .. }
            | ScenarioResult::SetupError { .. }
            | ScenarioResult::HarnessError { .. } => &mut self.errors,
        } += 1;
    }

    pub(crate) const fn total(&self) -> usize {
        self.passed + self.failed + self.skipped + self.errors
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

/// One row an area, and the total.
pub(crate) fn by_area(reports: &[ScenarioReport], paint: Paint) -> String {
    let mut areas: BTreeMap<&str, Tally> = BTreeMap::new();
    for report in reports {
        areas.entry(report.scenario.area.as_str()).or_default().add(&report.result);
    }
    let names = areas.keys().map(|area| area.chars().count());
    let width = names.chain(["total".len()]).max().unwrap_or_default();
    let mut text = format!("{:width$}  passed  failed  skipped  errors\n", "area");
    for (area, row) in areas.into_iter().chain([("total", tally(reports))]) {
        let Tally { passed, failed, skipped, errors } = row;
        let row = format!("{area:width$}  {passed:>6}  {failed:>6}  {skipped:>7}  {errors:>6}");
        text.push_str(&if failed + errors > 0 { paint.bad(&row) } else { row });
        text.push('\n');
    }
    text
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

/// The last line.
pub(crate) fn last_line(tally: Tally, selected: usize, duration_ms: u64, cut_short: bool, paint: Paint) -> String {
    let Tally { passed, failed, skipped, errors } = tally;
    let mut line = format!("{passed} passed, {failed} failed, {skipped} skipped");
    if errors > 0 {
        line.push_str(&format!(", {}", count(errors, "error")));
    }
    let not_run = selected.saturating_sub(tally.total());
    if cut_short || not_run > 0 {
        line.push_str(&format!(", {not_run} not run (cut short)"));
    }
    let line = match (failed + errors, passed) {
        (0, 1..) if !cut_short => paint.good(&line),
        (0, _) => paint.odd(&line),
        _ => paint.bad(&line),
    };
    format!("{line} in {}\n", duration(duration_ms))
}
