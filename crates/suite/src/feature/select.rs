//! Choosing among the scenarios that were loaded.

use cucumber::tag::Ext as _;
use gherkin::tagexpr::TagOperation;
use regex::Regex;

use super::Scenario;
use crate::{Selection, SuiteError};

/// Keeps the scenarios that fit everything that is given.
pub(super) fn select(scenarios: Vec<Scenario>, selection: &Selection) -> Result<Vec<Scenario>, SuiteError> {
    let Selection { tags, bindings, names, only } = selection;
    let expression = tags
        .as_ref()
        .map(|expression| {
            expression.parse::<TagOperation>().map_err(|error| SuiteError::Tags {
                expression: expression.to_owned(),
                why: format!("{error}; write such as `@GRPC and not @control`"),
            })
        })
        .transpose()?;
    let names: Vec<Regex> = names.iter().map(|name| pattern(name)).collect();
    let total = scenarios.len();
    let kept: Vec<Scenario> = scenarios
        .into_iter()
        .filter(|scenario| expression.as_ref().is_none_or(|expression| expression.eval(&scenario.tags)))
        .filter(|scenario| bindings.is_empty() || scenario.bindings.iter().all(|binding| bindings.contains(binding)))
        .filter(|scenario| names.is_empty() || names.iter().any(|name| name.is_match(&scenario.id.name)))
        .filter(|scenario| only.as_ref().is_none_or(|only| only.contains(&scenario.id.stable())))
        .collect();
    if kept.is_empty() {
        return Err(SuiteError::NothingSelected(format!("none of {total} scenarios fits what was asked for")));
    }
    Ok(kept)
}

/// A part of a name, or with `*` and `?` a pattern for all of it.
fn pattern(name: &str) -> Regex {
    let escaped = regex::escape(name);
    let whole = name.contains(['*', '?']);
    let text = if whole { format!("^{}$", escaped.replace(r"\*", ".*").replace(r"\?", ".")) } else { escaped };
    Regex::new(&format!("(?i){text}")).expect("escaped text is a pattern")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_part_or_a_pattern() {
        assert!(pattern("closes EARLY").is_match("The stream closes early over GRPC"));
        assert!(!pattern("early*").is_match("The stream closes early over GRPC"));
        assert!(pattern("*early*gr?c").is_match("The stream closes early over GRPC"));
        assert!(!pattern("a.c").is_match("abc"));
    }
}
