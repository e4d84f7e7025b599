//! What changed since the run before, and what took its time.

use gauntlet_evidence::FindingId;

use super::{SHOWN, Terminal, title};
use crate::summary;
use crate::text::{cut, duration};

impl Terminal {
    /// Findings that are new, and those that are gone.
    pub(super) fn since_last_run(&self) -> String {
        let Some(comparison) = &self.run.comparison else { return String::new() };
        let (new, fixed) = (comparison.new.len(), comparison.fixed.len());
        let heading = self.paint.strong("Since the last run");
        let mut text = format!("\n{heading}: {new} new, {fixed} fixed, {} known\n", comparison.known.len());
        text.push_str(&self.ids(&self.paint.bad("new  "), &comparison.new));
        text + &self.ids(&self.paint.good("fixed"), &comparison.fixed)
    }

    fn ids(&self, word: &str, ids: &[FindingId]) -> String {
        let shown = if self.options.verbose { ids.len() } else { ids.len().min(SHOWN) };
        let mut text = String::new();
        for id in &ids[..shown] {
            let line = format!("{}  {}", id.short(), id.scenario);
            text.push_str(&format!("   {word}  {}\n", cut(&line, self.options.width - 10)));
        }
        if shown < ids.len() {
            text.push_str(&format!("   {word}  and {} more (--verbose shows all)\n", ids.len() - shown));
        }
        text
    }

    /// Scenarios that took well above the others.
    pub(super) fn slow(&self) -> String {
        let mut text = String::new();
        for report in summary::slow(&self.run.reports) {
            if text.is_empty() {
                text.push_str(&format!("\n{}\n", self.paint.strong("Slow (well above the others)")));
            }
            let line = format!("{:>9}  {}", duration(report.duration_ms), title(&report.scenario));
            text.push_str(&format!("{}\n", cut(&line, self.options.width)));
        }
        text
    }
}
