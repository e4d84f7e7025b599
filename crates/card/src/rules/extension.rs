//! Layer spec: extensions.

use std::collections::HashSet;

use serde_json::json;

use super::{Judge, Rule};
use crate::address::is_uri;
use crate::generate::Break;
use crate::report::Severity;

pub(super) static RULES: &[Rule] = &[
    Rule {
        id: "extension-uri",
        statement: "An extension is named by an absolute URI.",
        why: "Callers ask for extensions by this URI, letter by letter, and refuse the required ones they do not know by it.",
        fix: "write the URI that the extension's own document gives it",
        source: "spec §4.4.4, §4.6",
        judge: Judge::Card(|card, tell| {
            for extension in card.extensions() {
                match extension.get("uri") {
                    None if matches!(extension.data, crate::json::Data::Object(_))
                        && extension.key("uri").is_none() =>
                    {
                        tell.missing(extension, "uri", "an extension without a URI cannot be asked for").done();
                    }
                    Some(uri) => {
                        if let Some(text) = uri.text().filter(|text| !is_uri(text)) {
                            tell.at(uri, format!("`{text}` is no absolute URI")).done();
                        }
                    }
                    None => {}
                }
            }
        }),
        breaks: &[
            Break::edit("absent", |specimen| format!("{}/uri", specimen.extension(json!({ "required": true })))),
            Break::edit("relative", |specimen| {
                format!("{}/uri", specimen.extension(json!({ "uri": "/extensions/citations" })))
            }),
            Break::edit("empty", |specimen| format!("{}/uri", specimen.extension(json!({ "uri": "" })))),
        ],
        ..Rule::SPEC
    },
    Rule {
        id: "extension-duplicate",
        severity: Severity::Warning,
        statement: "No extension is declared twice.",
        why: "Two declarations may differ in params and in whether it is required; which one holds is anybody's guess.",
        fix: "keep one of them",
        source: "spec §4.4.4",
        judge: Judge::Card(|card, tell| {
            let mut seen = HashSet::new();
            for uri in card.extensions().iter().filter_map(|extension| extension.get("uri")) {
                if let Some(text) = uri.text().filter(|text| is_uri(text) && !seen.insert(text.to_owned())) {
                    tell.at(uri, format!("`{text}` is declared already")).done();
                }
            }
        }),
        breaks: &[Break::edit("twice", |specimen| {
            let extension = json!({ "uri": "https://example.com/extensions/twice" });
            specimen.extension(extension.clone());
            format!("{}/uri", specimen.extension(extension))
        })],
        ..Rule::SPEC
    },
];
