//! What can be said in a scenario: peers and work are given, work is delegated, and outcome and traffic are expected.
//!
//! Each file holds the steps of one keyword, `access` those about credentials; a step's expression and its doc comment are what listings show.

mod access;
mod given;
mod params;
mod then;
mod when;

use std::sync::LazyLock;

use gherkin::StepType;
use regex::Regex;

/// A step as listings and suggestions show it.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// Given, When or Then.
    pub kind: StepType,
    /// Its cucumber expression.
    pub text: String,
    /// What it means.
    pub meaning: String,
}

impl Pattern {
    /// The literal words of the expression.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.text.split_whitespace().filter(|word| !word.contains('{'))
    }
}

/// Every step there is, in the order of the sources.
///
/// Cucumber keeps only the regular expressions it made of them; the sources hold expression and meaning side by side.
pub fn patterns() -> Vec<Pattern> {
    static STEP: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"((?:///[^\n]*\n)+)#\[(?:given|when|then)\(expr = "((?:[^"\\]|\\.)*)"\)\]"#)
            .expect("a valid pattern")
    });
    [
        (StepType::Given, include_str!("given.rs")),
        (StepType::Given, include_str!("access.rs")),
        (StepType::When, include_str!("when.rs")),
        (StepType::Then, include_str!("then.rs")),
    ]
    .into_iter()
    .flat_map(|(kind, source)| {
        STEP.captures_iter(source).map(move |found| {
            let meaning: Vec<&str> = found[1].lines().map(|line| line.trim_start_matches("///").trim()).collect();
            Pattern { kind, text: found[2].replace("\\\\", "\\"), meaning: meaning.join(" ") }
        })
    })
    .collect()
}
