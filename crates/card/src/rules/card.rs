//! Layer spec: the card itself, its spelling and its links.

use serde_json::json;

use super::{Judge, Rule, named};
use crate::address::is_uri;
use crate::generate::{Break, Specimen};

pub(crate) static CASE: &Rule = named(RULES, "key-case");

pub(super) static RULES: &[Rule] = &[
    Rule {
        id: "key-case",
        statement: "Members are spelt in camelCase.",
        why: "The proto's spelling, `supported_interfaces`, is read by ProtoJSON parsers and by nobody else; tools that compare \
              cards see two different ones.",
        fix: "spell it in camelCase, as the specification does",
        source: "spec §5.5; seed: card",
        breaks: &[
            Break::current("modes", |specimen| rename(specimen, "", "defaultInputModes", "default_input_modes")),
            Break::current("interfaces", |specimen| {
                rename(specimen, "", "supportedInterfaces", "supported_interfaces")
            }),
            Break::current("binding", |specimen| {
                rename(specimen, "/supportedInterfaces/0", "protocolBinding", "protocol_binding")
            }),
        ],
        ..Rule::SPEC
    },
    Rule {
        id: "link-absolute",
        statement: "documentationUrl, iconUrl and the provider's url are absolute.",
        why: "A card is read away from where it was found; a relative link leads nowhere.",
        fix: "write the whole url, with https://",
        source: "spec §4.4.1, §4.4.2",
        judge: Judge::Card(|card, tell| {
            let provider = card.get("provider").and_then(|provider| provider.get("url"));
            for link in [card.get("documentationUrl"), card.get("iconUrl"), provider].into_iter().flatten() {
                let relative = link.text().filter(|text| !text.trim().is_empty() && !is_uri(text));
                if let Some(text) = relative {
                    tell.at(link, format!("`{text}` is no absolute url")).done();
                }
            }
        }),
        breaks: &[
            Break::edit("documentation", |specimen| specimen.put("/documentationUrl", "docs/agent.html")),
            Break::edit("icon", |specimen| specimen.put("/iconUrl", "/icon.png")),
            Break::edit("provider", |specimen| {
                specimen.put("/provider", json!({ "organization": "Example", "url": "www.example.com" }));
                "/provider/url".to_owned()
            }),
        ],
        ..Rule::SPEC
    },
];

fn rename(specimen: &mut Specimen<'_, '_>, object: &str, camel: &str, snake: &str) -> String {
    let value = specimen.card.pointer(&format!("{object}/{camel}")).cloned().unwrap_or_default();
    specimen.remove(&format!("{object}/{camel}"));
    specimen.put(&format!("{object}/{snake}"), value)
}
