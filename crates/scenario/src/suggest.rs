//! "Did you mean": the nearest known name.

/// The known name that `name` is most likely a misspelling of.
pub fn closest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.chars().count().div_ceil(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// A help text for an unknown name: the nearest known one, or all of them.
pub fn help_for<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    match closest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "there are none".to_owned(),
        None => format!("known: {}", known.join(", ")),
    }
}

/// A name that nothing bears.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no {kind} `{name}` ({help})")]
pub struct UnknownName {
    /// Of what: `defect`, `fleet`.
    pub kind: &'static str,
    /// The name.
    pub name: String,
    /// The nearest known name as a question, or the list of all.
    pub help: String,
}

impl UnknownName {
    /// For a name sought among the known ones.
    pub fn new<'a>(kind: &'static str, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        Self { kind, name: name.to_owned(), help: help_for(name, known) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_suggested_and_far_ones_listed() {
        let known = ["interfaces", "behaviour", "card"];
        assert_eq!(closest("interfaecs", known), Some("interfaces"));
        assert_eq!(closest("INTERFACES", known), Some("interfaces"));
        assert_eq!(closest("zzz", known), None);
        assert_eq!(help_for("zzz", known), "known: interfaces, behaviour, card");
        assert_eq!(
            UnknownName::new("defect", "crad", known).to_string(),
            "there is no defect `crad` (did you mean `card`?)"
        );
    }
}
