//! What people read while and after a run. 80 columns suffice, and nothing depends on a terminal: the same text stands in
//! the log of a build.

mod held;
mod known;
mod since;

use std::collections::BTreeMap;

use gauntlet_evidence::{
    BaselineEffect, Finding, Hello, RunEvent, ScenarioId, ScenarioReport, ScenarioResult, Support,
};

use crate::digest::Digest;
use crate::findings::{Group, Occurrence, broken_rules, excused, sections};
use crate::spec::spec_links;
use crate::summary;
use crate::text::{Paint, count, cut, wrap, wrap_hanging};

/// How many further scenarios, journal lines and lines of a driver's log are shown unless all are asked for.
const SHOWN: usize = 6;

/// How wide the words before evidence are: `expected  …`.
const LABEL: usize = 10;

/// How far journal lines are indented.
const JOURNAL: usize = 5;

/// How a [`Terminal`] renders.
#[derive(Debug, Clone, Copy)]
pub struct TerminalOptions {
    /// Whether to use ANSI colours.
    pub color: bool,
    /// Columns to wrap at; below 60 is taken as 60.
    pub width: usize,
    /// Whether to show every scenario as it ends, and every occurrence of a finding.
    pub verbose: bool,
}

impl Default for TerminalOptions {
    fn default() -> Self {
        Self { color: false, width: 80, verbose: false }
    }
}

/// Renders the events of one run.
#[derive(Debug)]
pub struct Terminal {
    options: TerminalOptions,
    paint: Paint,
    run: Digest,
}

impl Terminal {
    /// For one run.
    pub fn new(options: TerminalOptions) -> Self {
        let options = TerminalOptions { width: options.width.max(60), ..options };
        let paint = Paint::new(options.color);
        Self { options, paint, run: Digest::default() }
    }

    /// The text to print for this event; often empty.
    pub fn event(&mut self, event: &RunEvent) -> String {
        self.run.push(event);
        match event {
            RunEvent::Started { gauntlet, orchestrator, .. } => self.header(gauntlet, orchestrator),
            RunEvent::Proven { binding, round_trip_ms, failure } => match (failure, round_trip_ms) {
                (Some(failure), _) => {
                    let head = self.paint.bad(&format!("not proven on {binding}"));
                    format!(
                        "{head}: the healthy delegation failed, so refusals mean nothing\n{}",
                        self.indented(failure, 2)
                    )
                }
                (None, Some(ms)) if self.options.verbose => {
                    self.paint.dim(&format!("proven on {binding}: the healthy delegation took {ms} ms")) + "\n"
                }
                _ => String::new(),
            },
            // Whoever could not run says so itself, with the line it is about.
            RunEvent::ScenarioStarted { .. } | RunEvent::Compared(_) | RunEvent::CouldNotRun { .. } => String::new(),
            RunEvent::Held { peers, journal, .. } => self.held(peers, journal),
            RunEvent::ScenarioFinished(report) => self.progress(report) + &self.milestone(),
            RunEvent::Finished { .. } => self.end(),
        }
    }

    fn header(&self, gauntlet: &str, hello: &Hello) -> String {
        let bindings: Vec<&str> = hello.speaks.bindings.iter().map(|binding| binding.name()).collect();
        let name = self.paint.strong(format!("{} {}", hello.name, hello.version).trim_end());
        format!(
            "gauntlet {gauntlet} · {name} · {}\n  speaks {} (A2A {}) · level {} · rule set {} · seed {}\n\n",
            count(self.run.selected, "scenario"),
            bindings.join(", "),
            hello.speaks.versions.join(", "),
            self.run.level,
            self.run.ruleset,
            self.run.seed,
        )
    }

    fn progress(&self, report: &ScenarioReport) -> String {
        let (word, note) = match &report.result {
            ScenarioResult::Passed
            | ScenarioResult::Skipped { .. }
            | ScenarioResult::Unscored { .. }
            | ScenarioResult::ExpectedFailure
                if !self.options.verbose =>
            {
                return String::new();
            }
            ScenarioResult::Passed => (self.paint.good("pass "), String::new()),
            ScenarioResult::Failed => (self.paint.bad("FAIL "), failed(report)),
            ScenarioResult::ExpectedFailure => (self.paint.odd("known"), excused(report).join("; ")),
            ScenarioResult::StaleExpectation => {
                (self.paint.bad("STALE"), "passes where a failure is listed".to_owned())
            }
            ScenarioResult::Flaky { seen } => (self.paint.odd("flaky"), seen.clone()),
            ScenarioResult::Unscored { seen, .. } => (self.paint.odd("later"), seen.clone()),
            ScenarioResult::Skipped { reason, .. } => (self.paint.odd("skip "), reason.clone()),
            ScenarioResult::DriverError { message } => (self.paint.bad("ERROR"), message.clone()),
            ScenarioResult::SetupError { message } => (self.paint.bad("ERROR"), message.clone()),
            ScenarioResult::HarnessError { message } => (self.paint.bad("BUG  "), message.clone()),
        };
        let width = self.options.width.saturating_sub(6);
        let head = format!("{word} {}\n", cut(&title(&report.scenario), width));
        if note.is_empty() { head } else { format!("{head}      {}\n", self.paint.dim(&cut(&note, width))) }
    }

    /// A sign of life at each quarter of the run.
    fn milestone(&self) -> String {
        let done = self.run.reports.len();
        let quarter = |done: usize| done * 4 / self.run.selected.max(1);
        if done >= self.run.selected || quarter(done) == quarter(done - 1) {
            return String::new();
        }
        self.paint.dim(&format!("… {done} of {} done", self.run.selected)) + "\n"
    }

    fn end(&self) -> String {
        let (run, reports) = (&self.run, &self.run.reports);
        let mut text = String::new();
        for (heading, groups) in sections(run) {
            text.push_str(&format!("\n{}\n", self.paint.strong(heading)));
            for (index, group) in groups.iter().enumerate() {
                text.push_str(&self.group(index + 1, group));
            }
        }
        text.push_str(&self.since_last_run());
        text.push_str(&self.errors());
        text.push_str(&self.flaky());
        text.push_str(&self.baseline());
        text.push_str(&self.skipped());
        text.push_str(&self.slow());
        if !reports.is_empty() {
            text.push('\n');
            text.push_str(&summary::by_area(reports, self.paint));
            text.push('\n');
            text.push_str(&summary::by_level(reports, run.level, self.paint));
        }
        text.push('\n');
        text + &summary::last_line(run, self.paint)
    }

    fn group(&self, number: usize, group: &Group<'_>) -> String {
        let Finding { rule, level, expected, source, fix, newer_ruleset, .. } = group.finding();
        let links = spec_links(source);
        let source = if source.is_empty() { String::new() } else { format!("; {source}") };
        let scenarios = count(group.occurrences.len(), "scenario");
        let new = group.occurrences.iter().filter(|at| self.run.is_new(at.report, rule)).count();
        let new = match new {
            0 => String::new(),
            new if new == group.occurrences.len() => ", new".to_owned(),
            new => format!(", {new} new"),
        };
        let set = newer_ruleset.map(|set| format!("; rule set {set}")).unwrap_or_default();
        let mut text = format!("\n{number}. {} ({level}{source}{set}), {scenarios}{new}\n", self.paint.strong(rule));
        text.push_str(&self.labelled("expected", expected));
        let shown = if self.options.verbose { group.occurrences.len() } else { 1 };
        let (full, brief) = group.occurrences.split_at(shown);
        for occurrence in full {
            text.push_str(&self.occurrence(occurrence));
        }
        text.push_str(&self.labelled("fix", fix));
        text.push_str(&self.column("spec", &links));
        let others: Vec<String> = brief.iter().map(|occurrence| title(&occurrence.report.scenario)).collect();
        text + &self.list("also in", &others)
    }

    /// One scenario in which something was found, with what shows it.
    fn occurrence(&self, occurrence: &Occurrence<'_>) -> String {
        let Occurrence { report, finding, unmet } = occurrence;
        let mut text = self.labelled("seen", &finding.why);
        text.push_str(&self.labelled("in", &title(&report.scenario)));
        text.push_str(&self.labelled("defects", &report.defects.join(", ")));
        text.push_str(&self.list("outcome", &report.outcomes));
        text.push_str(&self.list("peers", &report.truth));
        for unmet in unmet {
            text.push_str(&self.labelled("unmet", &format!("{}: {}", unmet.expected, unmet.why)));
        }
        text.push_str(&self.journal(&cited(&report.excerpt, finding)));
        for line in &report.unmatched {
            text.push_str(&self.labelled("unmatched", line));
        }
        text.push_str(&self.log(&report.driver_log));
        if let Some(attempts) = report.attempts {
            let line = format!("{} of {}", attempts.failed, count(attempts.made, "attempt"));
            text.push_str(&self.labelled("failed", &line));
        }
        if let Some(expired) =
            report.baseline.iter().find(|note| note.effect == BaselineEffect::Expired && note.rule == finding.rule)
        {
            let day = expired.expires.as_deref().unwrap_or_default();
            text.push_str(&self.labelled("baseline", &format!("{} excused it until {day}", expired.place)));
        }
        text.push_str(&self.column("replay", &[self.run.replay(report)]));
        text + &self.column("explain", &[format!("gauntlet explain {}", report.scenario.finding(&finding.rule))])
    }

    /// Journal lines in full, over the whole width: what a fault changed stands at their end.
    fn journal(&self, lines: &[String]) -> String {
        if lines.is_empty() {
            return String::new();
        }
        let width = self.options.width.saturating_sub(JOURNAL);
        let mut text = format!("   {}\n", self.paint.dim("journal"));
        for line in lines.iter().flat_map(|line| wrap_hanging(line, width, JOURNAL)) {
            text.push_str(&format!("{:JOURNAL$}{line}\n", ""));
        }
        text
    }

    /// The last lines of what the driver wrote.
    fn log(&self, log: &str) -> String {
        let lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
        let shown = if self.options.verbose { lines.len() } else { lines.len().min(SHOWN) };
        let tail: Vec<String> = lines[lines.len() - shown..].iter().map(|line| (*line).to_owned()).collect();
        self.list("driver", &tail)
    }

    /// Scenarios that could not be judged because the driver or a mock broke its contract.
    fn errors(&self) -> String {
        let mut roots: BTreeMap<(&str, &str), Vec<&ScenarioReport>> = BTreeMap::new();
        for report in &self.run.reports {
            let root = match &report.result {
                ScenarioResult::DriverError { message } => ("the driver broke the contract", message.as_str()),
                ScenarioResult::SetupError { message } => ("the scenario could not be set up", message.as_str()),
                ScenarioResult::HarnessError { message } => {
                    ("a mock broke its own contract (a defect of gauntlet)", message.as_str())
                }
                _ => continue,
            };
            roots.entry(root).or_default().push(report);
        }
        let mut text = String::new();
        for (index, ((kind, message), reports)) in roots.iter().enumerate() {
            if index == 0 {
                text.push_str(&format!("\n{}\n", self.paint.strong("Errors")));
            }
            text.push_str(&format!("\n{}. {kind}, {}\n", index + 1, count(reports.len(), "scenario")));
            text.push_str(&self.labelled("seen", message));
            if let Some(first) = reports.first() {
                text.push_str(&self.labelled("in", &title(&first.scenario)));
                text.push_str(&self.list("outcome", &first.outcomes));
                text.push_str(&self.log(&first.driver_log));
                text.push_str(&self.column("replay", &[self.run.replay(first)]));
            }
            let others: Vec<String> = reports.iter().skip(1).map(|report| title(&report.scenario)).collect();
            text.push_str(&self.list("also in", &others));
        }
        text
    }

    /// What was skipped, by reason, and what would unlock it.
    fn skipped(&self) -> String {
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        let mut words: BTreeMap<Support, usize> = BTreeMap::new();
        for report in &self.run.reports {
            if let ScenarioResult::Skipped { reason, unlock } = &report.result {
                *reasons.entry(reason).or_default() += 1;
                if let Some(word) = unlock {
                    *words.entry(*word).or_default() += 1;
                }
            }
        }
        if reasons.is_empty() {
            return String::new();
        }
        let mut text = format!("\n{}\n", self.paint.strong("Skipped"));
        for (reason, number) in most_first(reasons) {
            for line in wrap_hanging(&format!("{number:>4}  {reason}"), self.options.width, 6) {
                text.push_str(&format!("{line}\n"));
            }
        }
        if !words.is_empty() {
            let words: Vec<String> =
                most_first(words).iter().map(|(word, number)| format!("`{word}` {number}")).collect();
            let line = format!("Words in the driver's `supports` that would unlock some: {}", words.join(", "));
            for line in wrap(&line, self.options.width.saturating_sub(3)) {
                text.push_str(&format!("   {line}\n"));
            }
        }
        text
    }

    /// A word and the text that belongs to it; nothing for no text.
    fn labelled(&self, label: &str, text: &str) -> String {
        let lines = wrap(text, self.options.width.saturating_sub(LABEL + 3));
        self.column(label, &lines)
    }

    /// A word and the lines that belong to it, each cut to the width.
    fn list(&self, label: &str, lines: &[String]) -> String {
        let shown = if self.options.verbose { lines.len() } else { lines.len().min(SHOWN) };
        let width = if self.options.verbose { usize::MAX } else { self.options.width.saturating_sub(LABEL + 3) };
        let mut column: Vec<String> = lines.iter().take(shown).map(|line| cut(line, width)).collect();
        if shown < lines.len() {
            column.push(format!("and {} more (--verbose shows all)", lines.len() - shown));
        }
        self.column(label, &column)
    }

    fn column(&self, label: &str, lines: &[String]) -> String {
        let mut text = String::new();
        for (index, line) in lines.iter().enumerate() {
            let label = self.paint.dim(&format!("{:LABEL$}", if index == 0 { label } else { "" }));
            text.push_str(format!("   {label}{line}").trim_end());
            text.push('\n');
        }
        text
    }

    fn indented(&self, text: &str, by: usize) -> String {
        let lines = wrap(text, self.options.width.saturating_sub(by));
        lines.iter().map(|line| format!("{:by$}{line}\n", "")).collect()
    }
}

/// `file:line  name`. Names tell the binding where there are examples for several.
fn title(scenario: &ScenarioId) -> String {
    format!("{}:{}  {}", scenario.file, scenario.line, scenario.name)
}

/// The most frequent first; of equally frequent ones the lower.
fn most_first<K: Ord>(counts: BTreeMap<K, usize>) -> Vec<(K, usize)> {
    let mut counts: Vec<(K, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
    counts
}

/// What was found, and how often, where it was tried more than once.
fn failed(report: &ScenarioReport) -> String {
    match report.attempts {
        Some(attempts) => format!("{} of {} attempts: {}", attempts.failed, attempts.made, broken_rules(report)),
        None => broken_rules(report),
    }
}

/// The lines of the excerpt that this finding cites, where they can be told by the number they begin with; else all.
fn cited(excerpt: &[String], finding: &Finding) -> Vec<String> {
    let number = |line: &str| line.trim_start().split(|c: char| !c.is_ascii_digit()).next()?.parse::<u64>().ok();
    let cited: Vec<String> = excerpt
        .iter()
        .filter(|line| number(line).is_some_and(|number| finding.entries.contains(&number)))
        .cloned()
        .collect();
    if cited.is_empty() { excerpt.to_vec() } else { cited }
}
