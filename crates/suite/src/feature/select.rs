//! Choosing among the scenarios that were loaded.

use cucumber::tag::Ext as _;
use gauntlet_wire::Binding;
use gherkin::tagexpr::TagOperation;

use super::Scenario;
use crate::SuiteError;

/// Keeps the scenarios that fit the tag expression and whose peers serve none but these bindings.
pub(super) fn select(
    scenarios: Vec<Scenario>,
    tags: Option<&str>,
    bindings: &[Binding],
) -> Result<Vec<Scenario>, SuiteError> {
    let expression = tags
        .map(|expression| {
            expression.parse::<TagOperation>().map_err(|error| SuiteError::Tags {
                expression: expression.to_owned(),
                why: format!("{error}; write such as `@GRPC and not @control`"),
            })
        })
        .transpose()?;
    let total = scenarios.len();
    let kept: Vec<Scenario> = scenarios
        .into_iter()
        .filter(|scenario| expression.as_ref().is_none_or(|expression| expression.eval(&scenario.tags)))
        .filter(|scenario| bindings.is_empty() || scenario.bindings.iter().all(|binding| bindings.contains(binding)))
        .collect();
    if kept.is_empty() {
        return Err(SuiteError::NothingSelected(format!(
            "none of {total} scenarios fits the tags and bindings asked for"
        )));
    }
    Ok(kept)
}
