//! How cards are fetched and read.

mod origin_respected;
mod unknown_fields_tolerated;
mod well_known_path;

pub(super) static RULES: &[&dyn crate::Rule] =
    &[&well_known_path::RULE, &unknown_fields_tolerated::RULE, &origin_respected::RULE];
