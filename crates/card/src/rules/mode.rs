//! Media types: that they are some (layer spec), and whether skills and defaults agree (layer capability).

use std::collections::HashSet;

use serde_json::json;

use super::{Callers, Judge, Rule};
use crate::generate::Break;
use crate::json::Node;
use crate::report::Severity;

pub(super) static MEDIA_TYPES: &[Rule] = &[
    Rule {
        id: "mode-media-type",
        statement: "Every mode is a media type.",
        why: "Callers compare the media types of what they send with the list; `text` or `json` equals none of them.",
        fix: "write it as type/subtype, such as text/plain or application/json",
        source: "spec §4.4.1; RFC 6838",
        judge: Judge::Card(|card, tell| {
            for mode in card.mode_lists().flat_map(|list| list.items()) {
                if let Some(text) = mode.text().filter(|text| !is_media_type(text)) {
                    tell.at(mode, format!("`{text}` is no media type")).done();
                }
            }
        }),
        breaks: &[
            Break::edit("word", |specimen| {
                let word = specimen.draw.pick(&["text", "json", "", "text/", "text/pl ain", "*/*", "image/*"]);
                specimen.push("/defaultInputModes", word)
            }),
            Break::edit("in-skill", |specimen| {
                let skill = specimen.skill();
                specimen.push(&format!("{skill}/outputModes"), "markdown")
            }),
        ],
        ..Rule::SPEC
    },
    Rule {
        id: "mode-duplicate",
        severity: Severity::Warning,
        callers: Callers::Ignore,
        statement: "No mode stands twice in a list.",
        why: "The order may say which is preferred; twice says nothing.",
        fix: "remove one of them",
        source: "hardened: readable cards",
        judge: Judge::Card(|card, tell| {
            for list in card.mode_lists() {
                let mut seen = HashSet::new();
                for mode in list.items() {
                    let Some(text) = mode.text() else { continue };
                    if !seen.insert(text.to_ascii_lowercase()) && is_media_type(text) {
                        tell.at(mode, format!("`{text}` is in the list already")).done();
                    }
                }
            }
        }),
        breaks: &[Break::edit("twice", |specimen| {
            let first = specimen.card["defaultOutputModes"][0].clone();
            specimen.push("/defaultOutputModes", first)
        })],
        ..Rule::SPEC
    },
];

pub(super) static RULES: &[Rule] = &[Rule {
    id: "skill-modes-omit-default",
    severity: Severity::Note,
    statement: "A skill's own modes say what it takes; what the defaults take and it does not should be meant.",
    why: "A skill's list stands in for the defaults. Callers that read the defaults only will send it what it does not take.",
    fix: "add the type to the skill, or take it out of the defaults, unless the skill really refuses it",
    source: "seed: closure; spec §4.4.5",
    judge: Judge::Card(|card, tell| {
        for (own, defaults) in [("inputModes", "defaultInputModes"), ("outputModes", "defaultOutputModes")] {
            let Some(defaults) = card.get(defaults) else { continue };
            for modes in card.skills().iter().filter_map(|skill| skill.get(own)).filter(|list| !list.items().is_empty())
            {
                let omitted: Vec<&str> =
                    texts(defaults).filter(|mode| !texts(modes).any(|own| alike(own, mode))).collect();
                if !omitted.is_empty() {
                    tell.at(modes, format!("the defaults have {} and this skill does not", omitted.join(", "))).done();
                }
            }
        }
    }),
    breaks: &[Break::edit("narrower", |specimen| {
        let skill = specimen.skill();
        specimen.put(&format!("{skill}/inputModes"), json!(["application/x-narrower"]))
    })],
    ..Rule::CAPABILITY
}];

fn texts<'n>(list: &'n Node<'n>) -> impl Iterator<Item = &'n str> {
    list.items().iter().filter_map(|item| item.text())
}

/// Parameters tell variants of a type apart, not types.
fn alike(one: &str, other: &str) -> bool {
    let essence = |text: &str| text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence(one) == essence(other)
}

/// `type/subtype`, with parameters or without (RFC 6838 §4.2, RFC 9110 §8.3.1).
fn is_media_type(text: &str) -> bool {
    let (essence, parameters) = text.split_once(';').map_or((text, None), |(essence, rest)| (essence, Some(rest)));
    let name = |text: &str| {
        let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte);
        text.len() <= 127
            && text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric())
            && text.bytes().all(legal)
    };
    let parameters_fit = parameters.is_none_or(|parameters| {
        parameters.split(';').all(|parameter| {
            parameter.split_once('=').is_some_and(|(key, value)| name(key.trim()) && !value.trim().is_empty())
        })
    });
    essence.trim_end().split_once('/').is_some_and(|(kind, subtype)| name(kind) && name(subtype)) && parameters_fit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types_are_told_from_words() {
        for right in [
            "text/plain",
            "application/vnd.a2a+json",
            "text/html; charset=utf-8",
            "audio/L16;rate=8000;channels=1",
            "application/x.y-z",
            "image/svg+xml",
        ] {
            assert!(is_media_type(right), "{right}");
        }
        for wrong in
            ["", "text", "/", "text/", "/plain", "*/*", "text/*", "a b/c", "text/plain;", "text/plain;x", "te/xt/plain"]
        {
            assert!(!is_media_type(wrong), "{wrong}");
        }
    }
}
