//! Findings gathered by their root: the same rule broken in the same way is one group, in however many scenarios.

use std::collections::BTreeMap;

use gauntlet_evidence::{Finding, Level, ScenarioReport};

/// One root, and where it shows.
#[derive(Debug)]
pub(crate) struct Group<'a> {
    /// Where it shows, in the order of the run: never empty, and each scenario once, with its first such finding.
    pub(crate) occurrences: Vec<(&'a ScenarioReport, &'a Finding)>,
}

impl<'a> Group<'a> {
    /// The finding that stands for all.
    pub(crate) fn finding(&self) -> &'a Finding {
        self.occurrences[0].1
    }
}

/// Groups the findings that `wanted` picks: the most binding level first, then the most frequent.
pub(crate) fn groups<'a>(reports: &'a [ScenarioReport], wanted: impl Fn(Level) -> bool) -> Vec<Group<'a>> {
    let mut positions: BTreeMap<(&str, String), usize> = BTreeMap::new();
    let mut groups: Vec<Group<'a>> = Vec::new();
    for report in reports {
        for finding in report.findings.iter().filter(|finding| wanted(finding.level)) {
            let position = *positions.entry((finding.rule.as_str(), root(finding, report))).or_insert_with(|| {
                groups.push(Group { occurrences: Vec::new() });
                groups.len() - 1
            });
            let occurrences = &mut groups[position].occurrences;
            if occurrences.last().is_none_or(|(last, _)| last.scenario != report.scenario) {
                occurrences.push((report, finding));
            }
        }
    }
    groups.sort_by_key(|group| (group.finding().level, std::cmp::Reverse(group.occurrences.len())));
    groups
}

/// What two findings of one root share: their words without numbers, ids and the binding the scenario is about.
fn root(finding: &Finding, report: &ScenarioReport) -> String {
    let binding = report.scenario.binding.map(|binding| binding.name());
    let words = finding.why.split_whitespace().map(|word| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        if Some(bare) == binding {
            "<binding>"
        } else if word.contains(|c: char| c.is_ascii_digit()) {
            "<n>"
        } else {
            word
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use gauntlet_evidence::run::{ScenarioId, ScenarioResult};

    use super::*;

    fn report(line: usize, findings: &[(&str, Level, &str)]) -> ScenarioReport {
        let finding = |&(rule, level, why): &(&str, Level, &str)| Finding {
            rule: rule.to_owned(),
            level,
            why: why.to_owned(),
            expected: String::new(),
            entries: Vec::new(),
            source: String::new(),
        };
        ScenarioReport {
            scenario: ScenarioId { area: "a".into(), file: "a.feature".into(), line, name: "s".into(), binding: None },
            tags: Vec::new(),
            defects: Vec::new(),
            result: ScenarioResult::Failed,
            findings: findings.iter().map(finding).collect(),
            judgements: Vec::new(),
            outcomes: Vec::new(),
            excerpt: Vec::new(),
            driver_log: String::new(),
            duration_ms: 1,
        }
    }

    #[test]
    fn findings_that_differ_in_numbers_alone_have_one_root() {
        let reports = [
            report(
                1,
                &[
                    ("r", Level::Hardened, "2 dispatches (entries 4, 9)"),
                    ("r", Level::Hardened, "3 dispatches (entries 1, 2)"),
                ],
            ),
            report(2, &[("r", Level::Hardened, "5 dispatches (entries 7, 8)"), ("m", Level::Must, "no header")]),
            report(3, &[("r", Level::Hardened, "no dispatch")]),
        ];
        let groups = groups(&reports, |_| true);
        let seen: Vec<_> = groups.iter().map(|group| (group.finding().why.as_str(), group.occurrences.len())).collect();
        assert_eq!(seen, [("no header", 1), ("2 dispatches (entries 4, 9)", 2), ("no dispatch", 1)]);
    }

    #[test]
    fn only_wanted_levels_are_grouped() {
        let reports = [report(1, &[("r", Level::Hardened, "x"), ("m", Level::Must, "y")])];
        assert_eq!(groups(&reports, |level| level == Level::Must).len(), 1);
    }
}
