//! `gauntlet explain`: what a rule, a defect or a flaw is, where it comes from, and where it shows; and all there is to know
//! of a [`finding`].

mod finding;

use std::path::Path;

use gauntlet_audit::{Check, Scope};
use gauntlet_reference::{Flaw, flaws};
use gauntlet_report::{spec_links, wrap_hanging};
use gauntlet_scenario::suggest::closest;
use gauntlet_scenario::{Defect, Library, RuleEntry};
use gauntlet_suite::{ScenarioInfo, Selection};
use include_dir::{Dir, include_dir};

use crate::card;
use crate::diagnostics::Failure;
use crate::exit::Exit;
use crate::output::{self, Style};

/// Each rule is one file, and its head says what exactly is judged.
static RULES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../verdict/src/rules");
const SOURCES: &str = include_str!("../../../docs/sources.md");

/// How wide the words before the text are.
const LABEL: usize = 11;
/// How many scenarios are shown.
const SHOWN: usize = 6;

/// Prints what is known of each name, a blank line between two.
pub(crate) fn explain(names: &[String], events: Option<&Path>) -> Result<Exit, Failure> {
    let library = Library::embedded()?;
    let are_findings = events.is_some();
    let scenarios = if are_findings { Vec::new() } else { gauntlet_suite::scenarios(&[], &Selection::default())? };
    let mut pages = Vec::new();
    for name in names {
        let mut page = Page { text: String::new(), style: output::stdout_style() };
        // Ids of rules, defects and flaws hold no slash and no colon.
        if are_findings || name.contains(['/', ':']) {
            finding::explain(&mut page, name, events, &library)?;
        } else if let Some(rule) = library.rule(name) {
            page.rule(rule, &library, &scenarios);
        } else if let Ok(defect) = library.defect(name) {
            page.defect(defect, &scenarios);
        } else if let Some(check) = Check::find(name) {
            page.check(check);
        } else if let Ok(flaw) = flaws::find(name) {
            page.flaw(flaw);
        } else if let Some(rule) = gauntlet_card::Rule::find(name) {
            page.text = card::explain::page(rule, page.style.width);
        } else {
            return Err(unknown(name, &library));
        }
        pages.push(page.text);
    }
    output::out(&pages.join("\n"));
    Ok(Exit::Fine)
}

fn unknown(name: &str, library: &Library) -> Failure {
    let rules = library.rules().map(|rule| rule.id.as_str());
    let defects = library.defects().map(|defect| defect.id.as_str());
    let flaws = flaws::all().iter().map(|flaw| flaw.id);
    let checks = Check::all().map(|check| check.id);
    let cards = gauntlet_card::Rule::all().map(|rule| rule.id);
    let help = match closest(name, rules.chain(defects).chain(flaws).chain(checks).chain(cards)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`gauntlet list rules`, `list defects`, `list flaws` and `list card-rules` show all".to_owned(),
    };
    Failure::Usage(format!("there is no rule, defect or flaw `{name}`; {help}"))
}

struct Page {
    text: String,
    style: Style,
}

impl Page {
    fn rule(&mut self, rule: &RuleEntry, library: &Library, scenarios: &[ScenarioInfo]) {
        self.title(&format!("{} ({})", rule.id, rule.level), &rule.statement);
        self.paragraph("judged", &judged(&rule.id).unwrap_or_default());
        self.paragraph("fix", &rule.fix);
        self.paragraph("source", &rule.source);
        self.list("", spec_links(&rule.source).into_iter());
        self.records(&rule.source);
        self.paragraph("needs", &rule.needs.join(", "));
        if rule.standing {
            self.paragraph("judged in", "every scenario in which the situation arises");
        }
        let tag = format!("rule:{}", rule.id);
        self.scenarios(scenarios, |info| info.tags.contains(&tag));
        let defects = library.defects().filter(|defect| defect.exercises.contains(&rule.id));
        self.list("defects", defects.map(|defect| format!("{}: {}", defect.id, defect.title)));
        let breaks = flaws::all().iter().filter(|flaw| flaw.breaks.contains(&rule.id.as_str()));
        self.list("broken by", breaks.map(|flaw| format!("gauntlet run --flaw {}", flaw.id)));
    }

    fn defect(&mut self, defect: &Defect, scenarios: &[ScenarioInfo]) {
        self.title(&format!("{} (defect, {})", defect.id, defect.area), &format!("{}.", defect.title));
        let seen: Vec<String> = defect.seen_in.iter().map(|(kind, words)| format!("{kind}: {words}")).collect();
        self.paragraph("seen in", &seen.join(", "));
        self.records(&seen.join(", "));
        let bindings: Vec<&str> = defect.applies.bindings().iter().map(|binding| binding.name()).collect();
        self.paragraph("bindings", &bindings.join(", "));
        let parameters = defect.parameters.iter().map(|(name, parameter)| match &parameter.default {
            Some(default) => format!("{name}: {}, {} unless given", parameter.kind, default.json()),
            None => format!("{name}: {}, must be given", parameter.kind),
        });
        self.list("parameters", parameters);
        self.list("faults", defect.faults.iter().map(|fault| fault.name.clone()));
        self.list("exercises", defect.exercises.iter().cloned());
        self.scenarios(scenarios, |info| info.defects.contains(&defect.id));
        self.paragraph("try it", &format!("gauntlet serve healthy --defect {}", defect.id));
    }

    /// A check of `gauntlet card audit`.
    fn check(&mut self, check: &Check) {
        let of = match check.scope() {
            Scope::Card => "of the card",
            Scope::Interface => "of each interface",
        };
        self.title(&format!("{} ({}, layer live)", check.id, check.severity), check.statement);
        self.paragraph("why", check.why);
        self.paragraph("fix", check.fix);
        self.paragraph("source", check.source);
        self.list("", spec_links(check.source).into_iter());
        self.records(&check.source.replace("; ", ", "));
        self.paragraph("checked", &format!("{of}, by gauntlet card audit and gauntlet probe"));
    }

    fn flaw(&mut self, flaw: &Flaw) {
        self.title(&format!("{} (flaw of the reference orchestrator)", flaw.id), &format!("{}.", flaw.title));
        self.list("breaks", flaw.breaks.iter().map(|rule| (*rule).to_owned()));
        self.paragraph("try it", &format!("gauntlet run --flaw {}", flaw.id));
    }

    fn title(&mut self, title: &str, statement: &str) {
        let paint = gauntlet_report::Paint::new(self.style.color);
        self.text.push_str(&format!("{}\n", paint.strong(title)));
        for line in wrap_hanging(&format!("  {statement}"), self.style.width, 2) {
            self.text.push_str(&format!("{line}\n"));
        }
        self.text.push('\n');
    }

    /// What the field records that a source names found.
    fn records(&mut self, source: &str) {
        for record in ["closure", "mismatch", "transport", "card"] {
            if source.split(", ").any(|word| word == format!("seed: {record}")) {
                self.paragraph("", &field_record(record).unwrap_or_default());
            }
        }
    }

    fn scenarios(&mut self, scenarios: &[ScenarioInfo], shows: impl Fn(&ScenarioInfo) -> bool) {
        let shown: Vec<_> = scenarios.iter().filter(|info| shows(info)).collect();
        let line = |info: &&ScenarioInfo| format!("{}:{}  {}", info.id.file, info.id.line, info.id.name);
        let more = shown.len().saturating_sub(SHOWN);
        let rest = (more > 0).then(|| format!("and {more} more"));
        self.list("scenarios", shown.iter().take(SHOWN).map(line).chain(rest));
    }

    fn list(&mut self, label: &str, lines: impl Iterator<Item = String>) {
        for (index, line) in lines.enumerate() {
            self.paragraph(if index == 0 { label } else { "" }, &line);
        }
    }

    /// A word and the text that belongs to it; nothing for no text.
    fn paragraph(&mut self, label: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        let line = format!("  {label:LABEL$}{text}");
        for line in wrap_hanging(&line, self.style.width, LABEL + 2) {
            self.text.push_str(&format!("{line}\n"));
        }
    }
}

/// The head of the file of a rule.
fn judged(id: &str) -> Option<String> {
    let mine = format!("id: \"{id}\"");
    let text = files(&RULES).into_iter().find(|text| text.contains(&mine))?;
    let lines = text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim);
    Some(lines.collect::<Vec<_>>().join(" ").replace('`', ""))
}

fn files<'a>(folder: &'a Dir<'a>) -> Vec<&'a str> {
    let here = folder.files().filter_map(|file| file.contents_utf8());
    here.chain(folder.dirs().flat_map(files)).collect()
}

/// The paragraph of a field record.
fn field_record(name: &str) -> Option<String> {
    let (_, rest) = SOURCES.split_once(&format!("**{name}**: "))?;
    let paragraph: Vec<&str> = rest.lines().take_while(|line| !line.is_empty()).collect();
    Some(paragraph.join(" ").replace('`', ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_and_every_field_record_says_why() {
        for rule in Library::embedded().unwrap().rules() {
            assert!(judged(&rule.id).is_some_and(|text| text.len() > 40), "{}", rule.id);
            let linked = spec_links(&rule.source).len();
            assert_eq!(linked, rule.source.matches("spec §").count(), "{}: a section is not known", rule.id);
        }
        for record in ["closure", "mismatch", "transport", "card"] {
            assert!(field_record(record).is_some_and(|text| text.len() > 40), "{record}");
        }
    }
}
