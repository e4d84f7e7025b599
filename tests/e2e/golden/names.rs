//! Names for what differs from run to run, given by first appearance.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// Ids that peers make, times of the stepping clock, addresses.
static VARYING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?<id>task|context|message|artifact|token|refresh)-[0-9a-f]{12}|(?<time>2026-01-01T[0-9:.]+Z)|(?<host>127\.0\.0\.1:\d+)",
    )
    .expect("a regular expression")
});

/// What has a name already.
#[derive(Clone, Default)]
pub(super) struct Names {
    given: HashMap<String, String>,
    counts: HashMap<String, usize>,
}

impl Names {
    /// The text with names in it; what is new gets the next one.
    pub(super) fn replace(&mut self, text: &str) -> String {
        let name = |found: &Captures<'_>| {
            let kind = match (found.name("id"), found.name("time")) {
                (Some(kind), _) => kind.as_str(),
                (None, Some(_)) => "time",
                (None, None) => "host",
            };
            let count = self.counts.entry(kind.to_owned()).or_default();
            let new = || {
                *count += 1;
                format!("{kind}-{count}")
            };
            self.given.entry(found[0].to_owned()).or_insert_with(new).clone()
        };
        VARYING.replace_all(text, name).into_owned()
    }
}
