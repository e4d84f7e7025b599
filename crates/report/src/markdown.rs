//! The run as a page of GitHub-flavoured Markdown, for a pull request or the summary of a job.

use std::collections::BTreeMap;

use gauntlet_evidence::ScenarioResult;

use crate::digest::Digest;
use crate::findings::{Group, sections};
use crate::spec::spec_links;
use crate::summary;
use crate::text::{count, duration};

/// How many scenarios of one finding are listed; pages have a limit.
const SHOWN: usize = 10;

/// The page.
pub(crate) fn markdown(run: &Digest) -> String {
    let tally = summary::tally(&run.reports);
    let mut page = format!(
        "## gauntlet {}: {}\n\n**{}** in {} · level {} · seed {}\n",
        escaped(&run.gauntlet),
        escaped(&run.name()),
        summary::words(run),
        duration(run.duration_ms),
        run.level,
        run.seed
    );
    if let Some(failure) = &run.failure {
        page.push_str(&format!("\n> Could not run: {}\n", escaped(failure)));
    }
    for (binding, result) in &run.proven {
        if let Err(failure) = result {
            page.push_str(&format!(
                "\n> Not proven on {binding}: the healthy delegation failed, so refusals mean nothing. {}\n",
                escaped(failure)
            ));
        }
    }
    if tally.total() > 0 {
        page.push_str(&areas(run));
    }
    for (heading, groups) in sections(run) {
        page.push_str(&format!("\n### {heading}\n"));
        for group in &groups {
            page.push_str(&finding(run, group));
        }
    }
    page.push_str(&since_last_run(run));
    page.push_str(&errors(run));
    page.push_str(&baseline(run));
    page.push_str(&skipped(run));
    page + &slow(run)
}

fn since_last_run(run: &Digest) -> String {
    let Some(comparison) = &run.comparison else { return String::new() };
    let mut text = format!(
        "**{} new**, {} fixed, {} known\n",
        comparison.new.len(),
        comparison.fixed.len(),
        comparison.known.len()
    );
    for (word, ids) in [("new", &comparison.new), ("fixed", &comparison.fixed)] {
        if !ids.is_empty() {
            text.push('\n');
        }
        for id in ids.iter().take(SHOWN) {
            text.push_str(&format!("- {word}: `{}` {}\n", id.short(), escaped(&id.scenario)));
        }
        if ids.len() > SHOWN {
            text.push_str(&format!("- {word}: and {} more\n", ids.len() - SHOWN));
        }
    }
    section("Since the last run", &text)
}

fn slow(run: &Digest) -> String {
    let line = |report: &&gauntlet_evidence::ScenarioReport| {
        format!("- {}: {}\n", duration(report.duration_ms), escaped(&report.scenario.stable()))
    };
    section("Slow (well above the others)", &summary::slow(&run.reports).iter().map(line).collect::<String>())
}

fn areas(run: &Digest) -> String {
    let mut table = "\n| area | passed | failed | expected failures | flaky | skipped | errors |\n\
                     |---|--:|--:|--:|--:|--:|--:|\n"
        .to_owned();
    for (area, row) in summary::areas(&run.reports) {
        table.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} | {} |\n",
            escaped(area),
            row.passed,
            row.failed,
            row.expected,
            row.flaky,
            row.skipped,
            row.errors
        ));
    }
    table
}

fn finding(run: &Digest, group: &Group<'_>) -> String {
    let finding = group.finding();
    let first = group.occurrences[0].report;
    let source = if finding.source.is_empty() { String::new() } else { format!(", {}", escaped(&finding.source)) };
    let new = if run.is_new(first, &finding.rule) { "new: " } else { "" };
    let mut text = format!(
        "\n<details><summary>{new}<b>{}</b> ({}{source}), {}: {}</summary>\n\n",
        escaped(&finding.rule),
        finding.level,
        count(group.occurrences.len(), "scenario"),
        escaped(&finding.why)
    );
    text.push_str(&format!("Expected: {}\n\n", escaped(&finding.expected)));
    if !finding.fix.is_empty() {
        text.push_str(&format!("To fix: {}\n\n", escaped(&finding.fix)));
    }
    for link in spec_links(&finding.source) {
        text.push_str(&format!("See <{link}>\n\n"));
    }
    for occurrence in group.occurrences.iter().take(SHOWN) {
        let scenario = &occurrence.report.scenario;
        text.push_str(&format!("- `{}:{}` {}\n", scenario.file, scenario.line, escaped(&scenario.name)));
    }
    if group.occurrences.len() > SHOWN {
        text.push_str(&format!("- and {} more\n", group.occurrences.len() - SHOWN));
    }
    let mut evidence = first.outcomes.clone();
    evidence.extend(first.truth.iter().cloned());
    evidence.extend(first.excerpt.iter().cloned());
    evidence.extend(first.unmatched.iter().cloned());
    evidence.push(run.replay(first));
    text + "\n" + &fenced(&evidence.join("\n")) + "\n</details>\n"
}

fn errors(run: &Digest) -> String {
    let mut roots: BTreeMap<&str, usize> = BTreeMap::new();
    for message in run.reports.iter().filter_map(|report| report.result.error()) {
        *roots.entry(message).or_default() += 1;
    }
    let rows: String = roots
        .iter()
        .map(|(message, number)| format!("- {}: {}\n", count(*number, "scenario"), escaped(message)))
        .collect();
    section("Errors", &rows)
}

fn baseline(run: &Digest) -> String {
    let mut text = String::new();
    let stale: String = summary::stale(run)
        .iter()
        .map(|note| {
            let scenario = note.scenario.as_deref().map_or_else(String::new, |id| format!(" in {}", escaped(id)));
            format!("- `{}` {}{scenario}: nothing is broken any more\n", note.place, escaped(&note.listed()))
        })
        .collect();
    text.push_str(&section("Stale baseline entries", &stale));
    let flaky: String = run
        .reports
        .iter()
        .filter_map(|report| match &report.result {
            ScenarioResult::Flaky { seen } => {
                Some(format!("- {}: {}\n", escaped(&report.scenario.name), escaped(seen)))
            }
            _ => None,
        })
        .collect();
    text.push_str(&section("Flaky", &flaky));
    let excused = summary::excused(run);
    if !excused.is_empty() {
        let mut table = "| rule | scenarios | why it is excused |\n|---|--:|---|\n".to_owned();
        for (rule, reason, number) in excused {
            table.push_str(&format!("| {} | {number} | {} |\n", escaped(&rule), escaped(reason)));
        }
        text.push_str(&section("Expected failures", &table));
    }
    text
}

fn skipped(run: &Digest) -> String {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for report in &run.reports {
        if let ScenarioResult::Skipped { reason, .. } = &report.result {
            *reasons.entry(reason).or_default() += 1;
        }
    }
    let rows: String = reasons.iter().map(|(reason, number)| format!("- {number}: {}\n", escaped(reason))).collect();
    section("Skipped", &rows)
}

fn section(heading: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("\n### {heading}\n\n{text}") }
}

/// Text of foreign origin on one line, without a meaning of its own.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::new();
    for c in text.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            // An `@` would call somebody.
            '@' => safe.push_str("&#64;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' | '!' => safe.extend(['\\', c]),
            c => safe.push(c),
        }
    }
    safe
}

/// A fence longer than any in the text.
fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{text}\n{fence}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_cannot_change_the_page() {
        assert_eq!(escaped("a|b\n<img> @team `x`"), r"a\|b &lt;img&gt; &#64;team \`x\`");
        assert!(fenced("a ```` b").starts_with("`````text\n"));
    }
}
