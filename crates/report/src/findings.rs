//! Findings gathered by their root: a rule broken in many scenarios is one group. What a scenario itself expected in vain
//! is a consequence where it also breaks a rule, and a group of its own where it does not.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use gauntlet_evidence::{BaselineEffect, Finding, Level, ScenarioReport};

use crate::digest::Digest;
use crate::spec::spec_links;

/// The rule of a finding that is nothing but an expectation of the scenario.
pub(crate) const EXPECTATION: &str = "expectation";

/// One root, and where it shows.
#[derive(Debug)]
pub(crate) struct Group<'a> {
    /// In the order of the run; never empty.
    pub(crate) occurrences: Vec<Occurrence<'a>>,
}

/// A scenario in which something was found.
#[derive(Debug)]
pub(crate) struct Occurrence<'a> {
    pub(crate) report: &'a ScenarioReport,
    /// What was found; the first, where a rule was broken more than once.
    pub(crate) finding: &'a Finding,
    /// What else the scenario expected in vain.
    pub(crate) unmet: Vec<&'a Finding>,
}

impl<'a> Group<'a> {
    /// The finding that stands for all.
    pub(crate) fn finding(&self) -> &'a Finding {
        self.occurrences[0].finding
    }

    /// The most binding level first, rules before expectations, then the most frequent.
    fn rank(&self) -> (Level, bool, Reverse<usize>) {
        let finding = self.finding();
        (finding.level, finding.rule == EXPECTATION, Reverse(self.occurrences.len()))
    }
}

/// Groups the findings that `wanted` picks.
pub(crate) fn groups<'a>(
    reports: &'a [ScenarioReport],
    wanted: impl Fn(&ScenarioReport, &Finding) -> bool,
) -> Vec<Group<'a>> {
    let mut groups: BTreeMap<(&str, String), Group<'a>> = BTreeMap::new();
    for report in reports {
        let found = || report.findings.iter().filter(|finding| wanted(report, finding));
        let unmet: Vec<&Finding> = found().filter(|finding| finding.rule == EXPECTATION).collect();
        let mut add = |root: String, finding: &'a Finding, unmet: Vec<&'a Finding>| {
            let group =
                groups.entry((finding.rule.as_str(), root)).or_insert_with(|| Group { occurrences: Vec::new() });
            if group.occurrences.last().is_none_or(|last| last.report.scenario != report.scenario) {
                group.occurrences.push(Occurrence { report, finding, unmet });
            }
        };
        let mut broken = found().filter(|finding| finding.rule != EXPECTATION).peekable();
        if broken.peek().is_none()
            && let Some((first, others)) = unmet.split_first()
        {
            add(root(&first.expected), first, others.to_vec());
        }
        for finding in broken {
            add(String::new(), finding, unmet.clone());
        }
    }
    let mut groups: Vec<Group<'a>> = groups.into_values().collect();
    groups.sort_by_key(Group::rank);
    groups
}

/// Whether a finding fails the run: at the chosen level, and not excused.
pub(crate) fn fails(run: &Digest, report: &ScenarioReport, finding: &Finding) -> bool {
    finding.is_scored(run.level) && report.excuse(&finding.rule).is_none()
}

/// What a run found, in the order in which it matters: headings, and groups below each; none of them is empty.
pub(crate) fn sections(run: &Digest) -> Vec<(&'static str, Vec<Group<'_>>)> {
    let scored = |finding: &Finding| finding.newer_ruleset.is_none();
    let sections = [
        ("Findings", groups(&run.reports, |report, finding| fails(run, report, finding))),
        ("Warnings (below the chosen level)", groups(&run.reports, |_, f| scored(f) && f.level > run.level)),
        ("Not scored (of a newer rule set)", groups(&run.reports, |_, finding| !scored(finding))),
    ];
    sections.into_iter().filter(|(_, groups)| !groups.is_empty()).collect()
}

/// The rules that findings of a scenario are about, each once.
pub(crate) fn broken_rules(report: &ScenarioReport) -> String {
    let mut rules: Vec<&str> = Vec::new();
    for finding in &report.findings {
        if !rules.contains(&finding.rule.as_str()) {
            rules.push(&finding.rule);
        }
    }
    rules.join(", ")
}

/// What the baseline excuses in a scenario, one line an entry.
pub(crate) fn excused(report: &ScenarioReport) -> Vec<String> {
    let excused = report.baseline.iter().filter(|note| note.effect == BaselineEffect::Excused);
    excused.map(|note| format!("{}: {}", note.listed(), note.reason)).collect()
}

/// Everything that was found in one scenario and shows why, as plain text.
pub(crate) fn detail(run: &Digest, report: &ScenarioReport) -> String {
    let mut lines = Vec::new();
    for finding in &report.findings {
        let source = if finding.source.is_empty() { String::new() } else { format!("; {}", finding.source) };
        lines.push(format!("{} ({}{source})", finding.rule, finding.level));
        lines.push(format!("  expected  {}", finding.expected));
        lines.push(format!("  seen      {}", finding.why));
        if !finding.fix.is_empty() {
            lines.push(format!("  fix       {}", finding.fix));
        }
        lines.extend(spec_links(&finding.source).iter().map(|link| format!("  spec      {link}")));
    }
    let mut list = |label: &str, values: &[String]| {
        lines.extend(values.iter().map(|value| format!("{label:9} {value}")));
    };
    list("defects", &report.defects);
    list("outcome", &report.outcomes);
    list("peers", &report.truth);
    list("unmatched", &report.unmatched);
    list("journal", &report.excerpt);
    list("replay", &[run.replay(report)]);
    lines.join("\n")
}

/// What expectations of one root share: their words without numbers, ids and names in capitals, such as bindings.
fn root(expected: &str) -> String {
    let varies = |word: &&str| !word.contains(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase());
    expected.split_whitespace().filter(varies).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use gauntlet_evidence::run::{ScenarioId, ScenarioResult};

    use super::*;

    fn report(line: usize, findings: &[(&str, Level, &str)]) -> ScenarioReport {
        let finding = |&(rule, level, expected): &(&str, Level, &str)| Finding {
            rule: rule.to_owned(),
            level,
            why: String::new(),
            expected: expected.to_owned(),
            entries: Vec::new(),
            source: String::new(),
            fix: String::new(),
            newer_ruleset: None,
        };
        ScenarioReport {
            scenario: ScenarioId { area: "a".into(), file: "a.feature".into(), line, name: "s".into(), binding: None },
            tags: Vec::new(),
            defects: Vec::new(),
            result: ScenarioResult::Failed,
            findings: findings.iter().map(finding).collect(),
            judgements: Vec::new(),
            outcomes: Vec::new(),
            truth: Vec::new(),
            excerpt: Vec::new(),
            unmatched: Vec::new(),
            driver_log: String::new(),
            duration_ms: 1,
            baseline: Vec::new(),
            attempts: None,
        }
    }

    /// Rule, lines of the scenarios, and how many unmet expectations stand with the first.
    fn seen(reports: &[ScenarioReport], wanted: impl Fn(Level) -> bool) -> Vec<(&str, Vec<usize>, usize)> {
        let lines = |group: &Group<'_>| group.occurrences.iter().map(|at| at.report.scenario.line).collect();
        let groups = groups(reports, |_, finding| wanted(finding.level));
        groups
            .iter()
            .map(|group| (group.finding().rule.as_str(), lines(group), group.occurrences[0].unmet.len()))
            .collect()
    }

    #[test]
    fn a_rule_is_one_group_and_expectations_beside_it_are_its_consequences() {
        let reports = [
            report(
                1,
                &[("r", Level::Hardened, ""), ("r", Level::Hardened, ""), ("expectation", Level::Should, "it ends")],
            ),
            report(2, &[("r", Level::Hardened, ""), ("m", Level::Must, "")]),
        ];
        assert_eq!(seen(&reports, |_| true), [("m", vec![2], 0), ("r", vec![1, 2], 1)]);
    }

    #[test]
    fn expectations_alone_are_grouped_by_what_was_expected() {
        let reports = [
            report(
                1,
                &[
                    ("expectation", Level::Must, "the work comes once over GRPC"),
                    ("expectation", Level::Must, "it ends"),
                ],
            ),
            report(2, &[("expectation", Level::Must, "the work comes once over JSONRPC")]),
            report(3, &[("expectation", Level::Must, "it ends")]),
        ];
        assert_eq!(seen(&reports, |_| true), [("expectation", vec![1, 2], 1), ("expectation", vec![3], 0)]);
    }

    #[test]
    fn only_wanted_levels_are_grouped() {
        let reports = [report(1, &[("r", Level::Hardened, "x"), ("m", Level::Must, "y")])];
        assert_eq!(seen(&reports, |level| level == Level::Must), [("m", vec![1], 0)]);
    }
}
