//! How cards are fetched and read.

mod extended_authenticated;
mod extended_replaces;
mod extensions_required;
mod origin_respected;
mod unknown_fields_tolerated;
mod well_known_path;

pub(super) static RULES: &[&dyn crate::Rule] = &[
    &well_known_path::RULE,
    &unknown_fields_tolerated::RULE,
    &origin_respected::RULE,
    &extended_authenticated::RULE,
    &extended_replaces::RULE,
    &extensions_required::RULE,
];
