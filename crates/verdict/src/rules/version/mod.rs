//! Versions and tenants: what an interface asks to be repeated.

mod header_sent;
mod patch_ignored;
mod tenant_echoed;

pub(super) static RULES: &[&dyn crate::Rule] = &[&header_sent::RULE, &patch_ignored::RULE, &tenant_echoed::RULE];
