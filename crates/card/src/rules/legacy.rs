//! Layer spec: what holds in 0.3 only, between `url`, `preferredTransport` and `additionalInterfaces`.

use std::collections::HashMap;

use serde_json::json;

use super::{Editions, Judge, Rule};
use crate::Edition;
use crate::generate::Break;
use crate::report::Severity;

/// What the main address speaks where the card does not say.
const DEFAULT_TRANSPORT: &str = "JSONRPC";

pub(super) static RULES: &[Rule] = &[
    Rule {
        id: "transport-conflict",
        editions: Editions::Legacy,
        statement: "One url does not stand for different transports.",
        why: "preferredTransport is what the main url speaks. Where another entry says otherwise, half of the callers dial \
              the wrong protocol, and see an error that looks like a bug of the agent.",
        fix: "give each transport the url it is served at, and let the main url keep preferredTransport",
        source: "spec 0.3 §5.6.4; seed: transport",
        judge: Judge::Card(|card, tell| {
            let mut spoken: HashMap<&str, &str> = HashMap::new();
            for interface in &card.interfaces {
                let (Some(node), binding) = (interface.url, interface.binding.and_then(|binding| binding.text()))
                else {
                    continue;
                };
                let Some(url) = node.text().map(|url| url.trim_end_matches('/')).filter(|url| !url.is_empty()) else {
                    continue;
                };
                let Some(transport) = binding.or(interface.main.then_some(DEFAULT_TRANSPORT)) else { continue };
                match spoken.insert(url, transport) {
                    Some(other) if other != transport => {
                        tell.at(node, format!("`{url}` speaks {other}, says another entry; here it is {transport}"))
                            .done();
                    }
                    _ => {}
                }
            }
        }),
        breaks: &[Break::legacy("main-url", |specimen| {
            specimen.put("/preferredTransport", "GRPC");
            specimen.put("/url", "https://conflict.example.com/a2a");
            specimen.put(
                "/additionalInterfaces",
                json!([
                    { "url": "https://conflict.example.com/a2a", "transport": "JSONRPC" },
                    { "url": "https://grpc.example.com:443", "transport": "GRPC" },
                ]),
            );
            "/additionalInterfaces/0/url".to_owned()
        })],
        ..Rule::SPEC
    },
    Rule {
        id: "transport-main-listed",
        severity: Severity::Warning,
        editions: Editions::Legacy,
        statement: "additionalInterfaces, where there are any, repeat the main url with its transport.",
        why: "Callers that look for a transport in the list do not find the preferred one.",
        fix: "add an entry with the main url and preferredTransport",
        source: "spec 0.3 §5.6.2, §5.6.4",
        judge: Judge::Card(|card, tell| {
            let (Some(list), Some(url)) = (card.get("additionalInterfaces"), card.text("url")) else { return };
            let same = |other: &str| other.trim_end_matches('/') == url.trim_end_matches('/');
            // An entry that names the url with another transport is a conflict, and told as such.
            let listed = list.items().iter().any(|entry| entry.get("url").and_then(|url| url.text()).is_some_and(same));
            if !listed && !list.items().is_empty() {
                tell.at(list, format!("`{url}` is not in this list")).done();
            }
        }),
        breaks: &[Break::legacy("left-out", |specimen| {
            specimen.put(
                "/additionalInterfaces",
                json!([{ "url": "https://other.example.com/a2a", "transport": "JSONRPC" }]),
            )
        })],
        ..Rule::SPEC
    },
    Rule {
        id: "transport-preferred-stated",
        severity: Severity::Warning,
        editions: Editions::Legacy,
        statement: "A card of 0.3 says what its main url speaks.",
        why: "The schema of 0.3 defaults it to JSONRPC, its text requires it, and some SDKs find no transport without it.",
        fix: "add `\"preferredTransport\": \"JSONRPC\"`, or what the main url speaks",
        source: "spec 0.3 §5.6.1; field",
        judge: Judge::Card(|card, tell| {
            if card.edition != Edition::V0_3 {
                return;
            }
            match card.get("preferredTransport") {
                None => tell.missing(card.root, "preferredTransport", "nothing says what the main url speaks").done(),
                Some(node) if node.text().is_some_and(|text| text.trim().is_empty()) => {
                    tell.at(node, "this is empty: it does not say what the main url speaks").done();
                }
                Some(_) => {}
            }
        }),
        breaks: &[
            Break::legacy("absent", |specimen| {
                specimen.remove("/additionalInterfaces");
                // What the url speaks is JSON-RPC then, whatever it spoke before.
                specimen.put("/url", "https://stated.example.com/a2a");
                specimen.remove("/preferredTransport")
            }),
            Break::legacy("empty", |specimen| {
                specimen.remove("/additionalInterfaces");
                specimen.put("/preferredTransport", "")
            }),
        ],
        ..Rule::SPEC
    },
];
