//! Layer spec: what the proto says of payloads beyond names and types, and of cards where it says the same: a oneof has at
//! most one member.

use super::{Callers, Rule, named};

pub(crate) static ONEOF: &Rule = named(RULES, "oneof-single");

pub(super) static RULES: &[Rule] = &[Rule {
    id: "oneof-single",
    callers: Callers::Refuse,
    editions: super::Editions::Current,
    statement: "Of members that exclude each other at most one is there.",
    why: "Protobuf keeps one of them, and parsers refuse the document or keep whichever comes last.",
    fix: "keep one of the members",
    source: "proto: oneof; ProtoJSON",
    breaks: &[
        crate::generate::Break::current("two-kinds-of-scheme", |specimen| {
            let body = specimen.scheme("httpAuthSecurityScheme", serde_json::json!({ "scheme": "Bearer" }));
            let scheme = body.rsplit_once('/').map_or("", |(scheme, _)| scheme).to_owned();
            specimen.put(&format!("{scheme}/mtlsSecurityScheme"), serde_json::json!({}))
        }),
        crate::generate::Break::current("two-flows", |specimen| {
            let flow = serde_json::json!({ "tokenUrl": "https://id.example.com/token", "scopes": {} });
            let first = specimen.flow("clientCredentials", flow.clone());
            let flows = first.rsplit_once('/').map_or("", |(flows, _)| flows).to_owned();
            let mut second = flow;
            second["deviceAuthorizationUrl"] = "https://id.example.com/device".into();
            specimen.put(&format!("{flows}/deviceCode"), second)
        }),
    ],
    ..Rule::SPEC
}];
