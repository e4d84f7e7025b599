//! Versions and tenants: what an interface asks to be repeated.

mod error_handled;
mod header_sent;
mod patch_ignored;
mod tenant_echoed;
mod unsupported_refused;

pub(super) static RULES: &[&dyn crate::Rule] =
    &[&header_sent::RULE, &patch_ignored::RULE, &unsupported_refused::RULE, &error_handled::RULE, &tenant_echoed::RULE];
