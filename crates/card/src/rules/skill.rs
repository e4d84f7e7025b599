//! Layer spec: skills.

use std::collections::HashSet;

use super::{Judge, Rule};
use crate::generate::Break;
use crate::report::Severity;

pub(super) static RULES: &[Rule] = &[
    Rule {
        id: "skill-id-unique",
        statement: "No two skills have the same id.",
        why: "Callers and registries look skills up by id; the second one can never be found.",
        fix: "give each skill an id of its own",
        source: "spec §4.4.5",
        judge: Judge::Card(|card, tell| {
            let mut seen = HashSet::new();
            for node in card.skills().iter().filter_map(|skill| skill.get("id")) {
                let Some(id) = node.text().filter(|id| !id.trim().is_empty()) else { continue };
                if !seen.insert(id) {
                    tell.at(node, format!("another skill is called `{id}` already")).done();
                }
            }
        }),
        breaks: &[Break::edit("copied", |specimen| {
            let first = specimen.card["skills"][0].clone();
            format!("{}/id", specimen.push("/skills", first))
        })],
        ..Rule::SPEC
    },
    Rule {
        id: "skill-tag-blank",
        statement: "No tag is empty.",
        why: "Skills are found by their tags; an empty one matches nothing, or everything.",
        fix: "remove the empty tag",
        source: "spec §4.4.5; seed: card",
        judge: Judge::Card(|card, tell| {
            let tags = card.skills().iter().filter_map(|skill| skill.get("tags")).flat_map(|tags| tags.items());
            for tag in tags.filter(|tag| tag.text().is_some_and(|tag| tag.trim().is_empty())) {
                tell.at(tag, "this tag is empty").done();
            }
        }),
        breaks: &[Break::edit("empty", |specimen| {
            let skill = specimen.skill();
            specimen.push(&format!("{skill}/tags"), "")
        })],
        ..Rule::SPEC
    },
    Rule {
        id: "skill-tag-duplicate",
        severity: Severity::Warning,
        statement: "No tag of a skill is there twice.",
        why: "It counts twice in some searches.",
        fix: "remove one of them",
        source: "hardened: discovery",
        judge: Judge::Card(|card, tell| {
            for tags in card.skills().iter().filter_map(|skill| skill.get("tags")) {
                let mut seen = HashSet::new();
                for tag in tags.items() {
                    let Some(word) = tag.text().map(str::trim).filter(|word| !word.is_empty()) else { continue };
                    if !seen.insert(word.to_lowercase()) {
                        tell.at(tag, format!("the tag `{word}` is there already")).done();
                    }
                }
            }
        }),
        breaks: &[Break::edit("twice", |specimen| {
            let skill = specimen.skill();
            let tags = format!("{skill}/tags");
            specimen.push(&tags, "twice");
            specimen.push(&tags, "Twice")
        })],
        ..Rule::SPEC
    },
];
