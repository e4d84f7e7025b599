//! The run as one page for a browser: nothing is loaded, nothing runs, everything foreign is escaped.

use std::fmt::Write;

use gauntlet_evidence::{ScenarioReport, ScenarioResult};

use crate::digest::Digest;
use crate::findings::{Group, Occurrence, broken_rules, sections};
use crate::spec::spec_links;
use crate::summary;
use crate::text::{count, duration};

const HEAD: &str = include_str!("html/head.html");

/// The page. It is readable without style sheets as well.
pub(crate) fn html(run: &Digest) -> String {
    let mut page = HEAD.to_owned();
    let title = if run.name().is_empty() { "gauntlet".to_owned() } else { run.name() };
    _ = write!(page, "<title>gauntlet: {0}</title>\n</head>\n<body>\n<h1>{0}</h1>\n", escaped(&title));
    let about =
        format!("level {} · rule set {} · seed {} · gauntlet {}", run.level, run.ruleset, run.seed, run.gauntlet);
    _ = writeln!(
        page,
        "<p class=\"sum\">{} in {}</p>\n<p>{}</p>",
        escaped(&summary::words(run)),
        duration(run.duration_ms),
        escaped(&about)
    );
    if let Some(failure) = &run.failure {
        _ = writeln!(page, "<p class=\"bad\">Could not run: {}</p>", escaped(failure));
    }
    for (binding, result) in &run.proven {
        if let Err(failure) = result {
            let words = "the healthy delegation failed, so refusals mean nothing.";
            _ = writeln!(page, "<p class=\"bad\">Not proven on {binding}: {words} {}</p>", escaped(failure));
        }
    }
    since_last_run(&mut page, run);
    for (heading, groups) in sections(run) {
        _ = writeln!(page, "<h2>{heading}</h2>");
        groups.iter().for_each(|group| finding(&mut page, run, group));
    }
    scenarios(&mut page, run);
    page + "</body>\n</html>\n"
}

fn since_last_run(page: &mut String, run: &Digest) {
    let Some(comparison) = &run.comparison else { return };
    _ = writeln!(
        page,
        "<h2>Since the last run</h2>\n<p>{} new, {} fixed, {} known</p>",
        comparison.new.len(),
        comparison.fixed.len(),
        comparison.known.len()
    );
    let lists = [("new", &comparison.new), ("fixed", &comparison.fixed)];
    let items = lists.iter().flat_map(|(word, ids)| ids.iter().map(move |id| (word, id)));
    let items: Vec<String> = items
        .map(|(word, id)| format!("{word}: <code>{}</code> {}", escaped(&id.short()), escaped(&id.scenario)))
        .collect();
    list(page, &items);
}

fn finding(page: &mut String, run: &Digest, group: &Group<'_>) {
    let finding = group.finding();
    let new = if group.occurrences.iter().any(|at| run.is_new(at.report, &finding.rule)) { ", new" } else { "" };
    _ = writeln!(
        page,
        "<details open><summary><b>{}</b> ({}, {}){new}: {}</summary>",
        escaped(&finding.rule),
        finding.level,
        count(group.occurrences.len(), "scenario"),
        escaped(&finding.why)
    );
    _ = writeln!(page, "<dl>");
    row(page, "expected", &escaped(&finding.expected));
    row(page, "source", &escaped(&finding.source));
    for link in spec_links(&finding.source) {
        row(page, "specification", &format!("<a href=\"{0}\">{0}</a>", escaped(&link)));
    }
    row(page, "how to fix", &escaped(&finding.fix));
    _ = writeln!(page, "</dl>");
    for (index, occurrence) in group.occurrences.iter().enumerate() {
        evidence(page, run, occurrence, index == 0);
    }
    _ = writeln!(page, "</details>");
}

fn evidence(page: &mut String, run: &Digest, occurrence: &Occurrence<'_>, open: bool) {
    let Occurrence { report, finding, unmet } = occurrence;
    let open = if open { " open" } else { "" };
    _ = writeln!(page, "<details class=\"in\"{open}><summary>{}</summary>\n<dl>", escaped(&title(report)));
    row(page, "seen", &escaped(&finding.why));
    row(page, "defects", &escaped(&report.defects.join(", ")));
    for outcome in &report.outcomes {
        row(page, "outcome", &escaped(outcome));
    }
    for truth in &report.truth {
        row(page, "peers", &escaped(truth));
    }
    for unmet in unmet {
        row(page, "unmet", &escaped(&format!("{}: {}", unmet.expected, unmet.why)));
    }
    for line in &report.unmatched {
        row(page, "unmatched", &escaped(line));
    }
    row(page, "journal", &preformatted(&report.excerpt.join("\n")));
    row(page, "driver", &preformatted(report.driver_log.trim_end()));
    row(page, "replay", &preformatted(&run.replay(report)));
    _ = writeln!(page, "</dl></details>");
}

fn scenarios(page: &mut String, run: &Digest) {
    _ = writeln!(page, "<h2>Scenarios</h2>");
    for (area, tally) in summary::areas(&run.reports) {
        let of_area = || run.reports.iter().filter(|report| report.scenario.area == area);
        if of_area().next().is_none() {
            continue;
        }
        let failed = tally.failed + tally.errors;
        _ = writeln!(
            page,
            "<details><summary>{}: {}, {failed} failed</summary>\n<table>",
            escaped(area),
            count(tally.total(), "scenario")
        );
        for report in of_area() {
            let (class, word, note) = ended(report);
            _ = writeln!(
                page,
                "<tr class=\"{class}\"><td>{word}</td><td>{}<br><small>{}</small></td><td>{}</td></tr>",
                escaped(&title(report)),
                escaped(&note),
                duration(report.duration_ms)
            );
        }
        _ = writeln!(page, "</table></details>");
    }
}

/// A class of the style sheet, a word, and what there is to say.
fn ended(report: &ScenarioReport) -> (&'static str, &'static str, String) {
    match &report.result {
        ScenarioResult::Passed => ("good", "passed", String::new()),
        ScenarioResult::Failed => ("bad", "failed", broken_rules(report)),
        ScenarioResult::ExpectedFailure => ("odd", "expected failure", broken_rules(report)),
        ScenarioResult::StaleExpectation => ("bad", "stale", "passes where a failure is listed".to_owned()),
        ScenarioResult::Flaky { seen } => ("odd", "flaky", seen.clone()),
        ScenarioResult::Unscored { seen, .. } => ("odd", "not scored", seen.clone()),
        ScenarioResult::Skipped { reason, .. } => ("dim", "skipped", reason.clone()),
        ScenarioResult::DriverError { message }
        | ScenarioResult::SetupError { message }
        | ScenarioResult::HarnessError { message } => ("bad", "error", message.clone()),
    }
}

fn title(report: &ScenarioReport) -> String {
    format!("{}:{}  {}", report.scenario.file, report.scenario.line, report.scenario.name)
}

/// A word and what belongs to it, which is HTML already; nothing for nothing.
fn row(page: &mut String, word: &str, html: &str) {
    if !html.is_empty() {
        _ = writeln!(page, "<dt>{word}</dt><dd>{html}</dd>");
    }
}

fn list(page: &mut String, items: &[String]) {
    if !items.is_empty() {
        let items: String = items.iter().map(|item| format!("<li>{item}</li>\n")).collect();
        _ = writeln!(page, "<ul>\n{items}</ul>");
    }
}

fn preformatted(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("<pre>{}</pre>", escaped(text)) }
}

/// Text of foreign origin without a meaning of its own, in elements and in attributes.
fn escaped(text: &str) -> String {
    let mut safe = String::new();
    for c in text.chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // HTML has no place for other control characters.
            c if c.is_control() && c != '\n' && c != '\t' => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_cannot_change_the_page() {
        assert_eq!(escaped("<a href='x'>&\"\u{1b}"), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;\u{fffd}");
    }
}
