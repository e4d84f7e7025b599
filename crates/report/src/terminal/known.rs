//! What is known of a run before it is read: failures that a baseline excuses, entries of it that have to go, and scenarios
//! that are flaky.

use std::collections::BTreeMap;

use gauntlet_evidence::{BaselineEffect, BaselineNote, ScenarioResult};

use super::{SHOWN, Terminal, title};
use crate::summary;
use crate::text::{count, cut, wrap_hanging};

impl Terminal {
    /// Scenarios that failed and then passed.
    pub(super) fn flaky(&self) -> String {
        let mut text = String::new();
        for report in &self.run.reports {
            let ScenarioResult::Flaky { seen } = &report.result else { continue };
            if text.is_empty() {
                text.push_str(&format!("\n{}\n", self.paint.strong("Flaky")));
            }
            let attempts = report.attempts.map_or(1, |attempts| attempts.failed);
            text.push_str(&format!("{:>4}  {}\n", "", cut(&title(&report.scenario), self.options.width - 6)));
            let line = format!("failed {} before it passed: {seen}", count(attempts, "time"));
            text.push_str(&self.indented(&line, 6));
        }
        text
    }

    /// What the baseline excused, and what of it has to go.
    pub(super) fn baseline(&self) -> String {
        let mut text = String::new();
        let excused = summary::excused(&self.run);
        if !excused.is_empty() {
            text.push_str(&format!("\n{}\n", self.paint.strong("Expected failures (excused by the baseline)")));
        }
        for (rule, reason, number) in excused {
            for line in wrap_hanging(&format!("{number:>4}  {rule}: {reason}"), self.options.width, 6) {
                text.push_str(&format!("{line}\n"));
            }
        }
        text.push_str(
            &self.notes(
                "Stale baseline entries (what they list is not broken; take them out)",
                &summary::stale(&self.run),
            ),
        );
        let unmatched = self.run.baseline.iter().filter(|note| note.effect == BaselineEffect::Unmatched);
        text + &self.notes("Baseline entries that name no scenario there is", &unmatched.collect::<Vec<_>>())
    }

    /// Entries of the baseline, each with the scenarios it is about.
    fn notes(&self, heading: &str, notes: &[&BaselineNote]) -> String {
        let mut entries: BTreeMap<(&str, String), Vec<String>> = BTreeMap::new();
        for note in notes {
            entries.entry((&note.place, note.listed())).or_default().extend(note.scenario.clone());
        }
        let mut text = String::new();
        for (index, ((place, listed), scenarios)) in entries.iter().enumerate() {
            if index == 0 {
                text.push_str(&format!("\n{}\n", self.paint.strong(heading)));
            }
            text.push_str(&self.indented(&format!("{place}  {listed}"), 6));
            let shown = if self.options.verbose { scenarios.len() } else { scenarios.len().min(SHOWN) };
            for scenario in &scenarios[..shown] {
                text.push_str(&self.indented(scenario, 8));
            }
            if shown < scenarios.len() {
                text.push_str(&format!("{:8}and {} more (--verbose shows all)\n", "", scenarios.len() - shown));
            }
        }
        text
    }
}
