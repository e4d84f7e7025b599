//! What Gherkin lets pass and should not: undefined and ambiguous steps, empty features, misspelt keywords.

use std::sync::LazyLock;

use cucumber::World as _;
use cucumber::step::{Collection, Context, Step as StepFn};
use gauntlet_evidence::{Level, Support};
use gherkin::{Feature, ParseError, Step, StepType};
use regex::Regex;

use super::Scenario;
use crate::{Scene, SuiteError};

static STEPS: LazyLock<Collection<Scene>> = LazyLock::new(Scene::collection);

/// A line that looks like a keyword: in a description it is most likely a misspelt one.
static KEYWORD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:[A-Z]\w*(?: \w+)?:(?:\s|$)|(?:Given|When|Then|And|But)\s)").expect("a valid pattern")
});

/// A parse error with its place.
pub(super) fn unparsed(file: &str, text: &str, error: &ParseError) -> SuiteError {
    let said = error.to_string();
    static PLACE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(\d+):(\d+)").expect("a valid pattern"));
    let place = PLACE.captures(&said).and_then(|found| Some((found[1].parse().ok()?, found[2].parse().ok()?)));
    let (line, column): (usize, usize) = place.unwrap_or((1, 1));
    let shown = text.lines().nth(line.saturating_sub(1)).unwrap_or_default().trim().to_owned();
    SuiteError::Feature {
        file: file.to_owned(),
        line,
        column,
        message: format!("this is not Gherkin: `{shown}`"),
        help: Some("a feature file holds `Feature:`, then `Scenario:` blocks of Given, When and Then steps".to_owned()),
    }
}

/// What holds for the file as a whole.
pub(super) fn feature(file: &str, text: &str, feature: &Feature) -> Result<(), SuiteError> {
    let scenarios = || feature.scenarios.iter().chain(feature.rules.iter().flat_map(|rule| &rule.scenarios));
    let descriptions = [&feature.description]
        .into_iter()
        .chain(feature.background.iter().map(|background| &background.description))
        .chain(feature.rules.iter().map(|rule| &rule.description))
        .chain(scenarios().map(|scenario| &scenario.description))
        .chain(scenarios().flat_map(|scenario| &scenario.examples).map(|examples| &examples.description));
    for line in descriptions.flatten().flat_map(|description| description.lines()).map(str::trim) {
        if KEYWORD.is_match(line) {
            let at = text.lines().position(|candidate| candidate.trim() == line).map_or(1, |index| index + 1);
            return Err(SuiteError::Feature {
                file: file.to_owned(),
                line: at,
                column: 1,
                message: format!("`{line}` stands where a description stands and would be ignored"),
                help: Some(
                    "is a keyword misspelt? known are Feature, Background, Rule, Scenario, Scenario Outline, Examples"
                        .to_owned(),
                ),
            });
        }
    }
    if scenarios().next().is_none() {
        return Err(wrong(file, feature.position.line, "the feature holds no scenario", None));
    }
    for scenario in scenarios() {
        if scenario.steps.is_empty() {
            return Err(wrong(file, scenario.position.line, "the scenario holds no step", None));
        }
        if scenario.steps.iter().any(|step| step.value.contains('<')) && scenario.examples.is_empty() {
            return Err(wrong(
                file,
                scenario.position.line,
                "a step has a <placeholder> but the scenario has no Examples",
                None,
            ));
        }
    }
    Ok(())
}

/// What holds for one scenario with its examples filled in.
pub(super) fn steps(scenario: &Scenario) -> Result<(), SuiteError> {
    let file = &scenario.id.file;
    for step in &scenario.steps {
        match STEPS.find(step) {
            Ok(Some(_)) => {}
            Ok(None) => {
                let message = format!("no step reads `{} {}`", step.keyword.trim(), step.value);
                return Err(wrong(file, step.position.line, &message, nearest(step)));
            }
            Err(ambiguous) => {
                let patterns: Vec<String> =
                    ambiguous.possible_matches.iter().map(|(pattern, _)| readable(pattern.as_str())).collect();
                let message = format!("`{}` can be read in two ways: {}", step.value, patterns.join(" | "));
                return Err(wrong(file, step.position.line, &message, None));
            }
        }
    }
    if !scenario.steps.iter().any(|step| step.ty == StepType::Then) {
        return Err(wrong(file, scenario.id.line, "the scenario expects nothing: it has no Then step", None));
    }
    for tag in &scenario.tags {
        let problem = match tag.split_once(':') {
            Some(("needs", words)) if words.split('|').any(|word| Support::from_word(word).is_none()) => {
                Some("no driver can list this word")
            }
            Some(("since", set)) if !set.parse::<u32>().is_ok_and(|set| set > 0) => {
                Some("a rule set is a number from 1 on")
            }
            Some(("rule" | "needs" | "control", _)) => None,
            None if tag.parse::<Level>().is_ok() => None,
            _ => None,
        };
        if let Some(problem) = problem {
            return Err(wrong(file, scenario.id.line, &format!("tag @{tag}: {problem}"), None));
        }
    }
    Ok(())
}

/// The function of a step and what it is called with.
pub(crate) fn find_step(step: &Step) -> Option<(StepFn<Scene>, Context)> {
    STEPS.find(step).ok().flatten().map(|(function, _, _, context)| (*function, context))
}

fn wrong(file: &str, line: usize, message: &str, help: Option<String>) -> SuiteError {
    SuiteError::Feature { file: file.to_owned(), line, column: 1, message: message.to_owned(), help }
}

/// The known step with the most words in common.
fn nearest(step: &Step) -> Option<String> {
    let words: Vec<&str> = step.value.split_whitespace().collect();
    crate::steps::patterns()
        .into_iter()
        .filter(|known| known.kind == step.ty)
        .map(|known| (known.words().filter(|word| words.contains(word)).count(), known.text))
        .max_by_key(|(common, text)| (*common, std::cmp::Reverse(text.len())))
        .filter(|(common, _)| *common > 1)
        .map(|(_, text)| format!("did you mean `{text}`?"))
}

/// A step's pattern without the regular expression around it.
fn readable(pattern: &str) -> String {
    pattern.trim_start_matches('^').trim_end_matches('$').to_owned()
}
