//! A finding, from the events of the run that made it: what was expected and seen, the scenario, the journal lines that
//! matter, how to fix it, and how to see it again.

use std::path::Path;

use gauntlet_evidence::{Finding, ScenarioReport};
use gauntlet_report::{Digest, spec_links};
use gauntlet_scenario::Library;
use gauntlet_suite::Selection;

use super::{Page, judged};
use crate::diagnostics::Failure;
use crate::last_run::LastRun;
use crate::report;

/// How many findings are named where the one that was asked for is not there.
const NAMED: usize = 12;
/// How many lines of the driver's log are shown.
const LOG: usize = 20;

/// Writes the page of the finding that `name` means.
pub(super) fn explain(page: &mut Page, name: &str, events: Option<&Path>, library: &Library) -> Result<(), Failure> {
    let last = LastRun::events();
    if events.is_none() && !last.exists() {
        let help = "run `gauntlet run` first, or name the events of a run with --events";
        return Err(Failure::Usage(format!("no run is remembered here, so there is no finding `{name}`; {help}")));
    }
    let events = report::read(events.unwrap_or(&last))?;
    let run: Digest = events.iter().collect();
    let found: Vec<_> = findings(&run).filter(|(report, finding)| is_meant(name, report, finding)).collect();
    if found.is_empty() {
        return Err(Failure::Usage(unknown(name, &run)));
    }
    for (report, finding) in found {
        page.finding(&run, report, finding, library);
    }
    Ok(())
}

/// A rule broken in a scenario, once, however often it was.
fn findings(run: &Digest) -> impl Iterator<Item = (&ScenarioReport, &Finding)> {
    run.reports().iter().flat_map(|report| {
        let first =
            |index: usize, finding: &Finding| !report.findings[..index].iter().any(|other| other.rule == finding.rule);
        let once = report.findings.iter().enumerate().filter(move |(index, finding)| first(*index, finding));
        once.map(move |(_, finding)| (report, finding))
    })
}

/// `rule/3f9a2c`, the rule, `peer/rule`, the scenario's `file:line`, or its stable name.
fn is_meant(name: &str, report: &ScenarioReport, finding: &Finding) -> bool {
    let scenario = &report.scenario;
    let of_peer = || {
        let (peer, rule) = name.rsplit_once('/')?;
        let told = finding.why.strip_prefix(peer)?.starts_with(':');
        Some(told && rule == finding.rule)
    };
    name == scenario.finding(&finding.rule)
        || name == finding.rule
        || name == scenario.stable()
        || name == format!("{}:{}", scenario.file, scenario.line)
        || of_peer().unwrap_or(false)
}

fn unknown(name: &str, run: &Digest) -> String {
    let ids: Vec<String> = findings(run).map(|(report, finding)| report.scenario.finding(&finding.rule)).collect();
    if ids.is_empty() {
        return format!("there is no finding `{name}`: that run found nothing");
    }
    let more = if ids.len() > NAMED { format!("\n  and {} more", ids.len() - NAMED) } else { String::new() };
    let shown: Vec<String> = ids.iter().take(NAMED).map(|id| format!("\n  {id}")).collect();
    format!("that run has no finding `{name}`; it has{}{more}", shown.concat())
}

impl Page {
    fn finding(&mut self, run: &Digest, report: &ScenarioReport, finding: &Finding, library: &Library) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        let id = report.scenario.finding(&finding.rule);
        self.title(&format!("{id} ({})", finding.level), &finding.expected);
        for seen in report.findings.iter().filter(|seen| seen.rule == finding.rule) {
            // What a scenario itself expects may be unmet in several ways.
            if seen.expected != finding.expected {
                self.paragraph("expected", &seen.expected);
            }
            self.paragraph("seen", &seen.why);
        }
        let scenario = &report.scenario;
        self.paragraph("in", &format!("{}:{}  {}", scenario.file, scenario.line, scenario.name));
        self.list("", steps(report).into_iter());
        let title = |id: &String| library.defect(id).map_or_else(|_| id.clone(), |it| format!("{id}: {}", it.title));
        self.list("defects", report.defects.iter().map(title));
        self.list("outcome", report.outcomes.iter().cloned());
        self.list("peers", report.truth.iter().cloned());
        let cited = |line: &String| finding.entries.is_empty() || finding.entries.iter().any(|seq| cites(line, *seq));
        let some = report.excerpt.iter().any(cited);
        self.list(
            "journal",
            report.excerpt.iter().filter(|line| !some || cited(line)).map(|line| line.trim().to_owned()),
        );
        self.list("unmatched", report.unmatched.iter().cloned());
        let log: Vec<&str> = report.driver_log.lines().filter(|line| !line.trim().is_empty()).collect();
        self.list("driver", log[log.len().saturating_sub(LOG)..].iter().map(|line| (*line).to_owned()));
        self.text.push('\n');
        self.paragraph("judged", &judged(&finding.rule).unwrap_or_default());
        self.paragraph("fix", &finding.fix);
        self.paragraph("source", &finding.source);
        self.list("", spec_links(&finding.source).into_iter());
        self.records(&finding.source);
        self.verbatim("replay", &run.replay(report));
        if library.rule(&finding.rule).is_some() {
            self.verbatim("rule", &format!("gauntlet explain {}", finding.rule));
        }
    }

    /// A command, which must survive copying.
    fn verbatim(&mut self, label: &str, text: &str) {
        self.text.push_str(&format!("  {label:width$}{text}\n", width = super::LABEL));
    }
}

/// Whether a line of the journal is the entry of that number.
fn cites(line: &str, seq: u64) -> bool {
    line.trim_start().split(' ').next() == Some(seq.to_string().as_str())
}

/// What the scenario says, where its file is still there.
fn steps(report: &ScenarioReport) -> Vec<String> {
    let id = &report.scenario;
    let path = std::path::PathBuf::from(format!("{}:{}", id.file, id.line));
    let found = gauntlet_suite::scenarios(&[path], &Selection::default()).unwrap_or_default();
    found.into_iter().find(|info| info.id.name == id.name).map(|info| info.steps).unwrap_or_default()
}
