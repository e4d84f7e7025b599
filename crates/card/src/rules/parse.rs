//! Layer parse: bytes that every reader takes for the same JSON.

use serde_json::Value;

use super::{Callers, Rule, named};
use crate::generate::{Break, Specimen};

pub(crate) static SIZE: &Rule = named(RULES, "json-size");
pub(crate) static ENCODING: &Rule = named(RULES, "json-encoding");
pub(crate) static BOM: &Rule = named(RULES, "json-bom");
pub(crate) static SYNTAX: &Rule = named(RULES, "json-syntax");
pub(crate) static DEPTH: &Rule = named(RULES, "json-depth");
pub(crate) static DUPLICATE: &Rule = named(RULES, "json-duplicate-key");
pub(crate) static NUMBER: &Rule = named(RULES, "json-number");
pub(crate) static OBJECT: &Rule = named(RULES, "json-object");

pub(super) static RULES: &[Rule] = &[
    Rule {
        id: "json-size",
        statement: "The document has a size that callers read.",
        why: "Callers bound what they read before they look at it; a card that is larger is one they never see.",
        fix: "keep a card below 1 MiB; move long descriptions to the documentation and link it",
        source: "hardened: hostile input",
        breaks: &[Break::bytes("huge", |mut bytes, _| {
            bytes.resize(bytes.len() + (1 << 20), b' ');
            (bytes, String::new())
        })],
        ..Rule::PARSE
    },
    Rule {
        id: "json-encoding",
        statement: "The document is UTF-8.",
        why: "JSON that is exchanged is UTF-8 (RFC 8259 §8.1). Other encodings are read by some callers, refused by others, \
              and turned into other characters by the rest.",
        fix: "save the file as UTF-8",
        source: "RFC 8259 §8.1",
        breaks: &[
            Break::bytes("utf-16", |bytes, _| {
                let text = String::from_utf8_lossy(&bytes);
                let wide = [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
                (wide, String::new())
            }),
            Break::bytes("invalid-utf-8", |mut bytes, draw| {
                let at = draw.index(bytes.len());
                bytes.insert(at, 0xff);
                (bytes, String::new())
            }),
        ],
        ..Rule::PARSE
    },
    Rule {
        id: "json-bom",
        callers: Callers::Warned,
        statement: "The document does not begin with a byte order mark.",
        why: "RFC 8259 forbids senders to add one. Some readers skip it, others fail at the first character.",
        fix: "save the file as UTF-8 without a byte order mark",
        source: "RFC 8259 §8.1",
        breaks: &[Break::bytes("bom", |bytes, _| ([b"\xef\xbb\xbf".as_slice(), &bytes].concat(), String::new()))],
        ..Rule::PARSE
    },
    Rule {
        id: "json-syntax",
        statement: "The document is JSON.",
        why: "Nothing else can be said of it.",
        fix: "mend the JSON at this place",
        source: "RFC 8259",
        breaks: &[
            Break::bytes("truncated", |mut bytes, draw| {
                // Between two characters: what is cut within one is no UTF-8.
                bytes.truncate(draw.index(bytes.len()));
                let whole = std::str::from_utf8(&bytes).map_or_else(|error| error.valid_up_to(), str::len);
                bytes.truncate(whole);
                (bytes, String::new())
            }),
            Break::bytes("trailing-comma", |mut bytes, _| {
                bytes.insert(bytes.len() - 1, b',');
                (bytes, String::new())
            }),
            Break::bytes("comment", |bytes, _| ([b"// the card\n".as_slice(), &bytes].concat(), String::new())),
            Break::bytes("more-behind", |bytes, _| ([bytes.as_slice(), b"{}"].concat(), String::new())),
            Break::bytes("skill-file", |_, _| (b"---\nname: returns\n---\n# Returns\n".to_vec(), String::new())),
            Break::bytes("error-page", |_, _| (b"<!doctype html><title>404</title>".to_vec(), String::new())),
        ],
        ..Rule::PARSE
    },
    Rule {
        id: "json-depth",
        statement: "Lists and objects nest at most 128 deep.",
        why: "Readers bound the depth so that no document can exhaust their stack.",
        fix: "flatten what is nested so deep; no card needs more than a dozen levels",
        source: "hardened: hostile input",
        breaks: &[Break::bytes("deep", |bytes, _| {
            let deep = format!(",\"x\":{}{}}}", "[".repeat(200), "]".repeat(200));
            ([&bytes[..bytes.len() - 1], deep.as_bytes()].concat(), String::new())
        })],
        ..Rule::PARSE
    },
    Rule {
        id: "json-duplicate-key",
        callers: Callers::Warned,
        statement: "No object has the same key twice.",
        why: "Readers differ in which of the two counts, so two callers see two cards; a signature over one says nothing of \
              the other.",
        fix: "keep one of the two",
        source: "RFC 8259 §4; RFC 8785 §3.1",
        breaks: &[Break::bytes("twice", |bytes, _| {
            // The same value again, so that nothing else changes.
            let text = String::from_utf8_lossy(&bytes);
            let card: Value = serde_json::from_str(&text).unwrap_or_default();
            let again = format!(",\"name\":{}}}", card["name"]);
            ([&bytes[..bytes.len() - 1], again.as_bytes()].concat(), "/name".to_owned())
        })],
        ..Rule::PARSE
    },
    Rule {
        id: "json-number",
        statement: "Every number fits a double.",
        why: "Most readers hold numbers as doubles: what does not fit becomes infinity, or an error.",
        fix: "write a smaller number, or a string",
        source: "RFC 8259 §6; RFC 7493 §2.2",
        breaks: &[Break::bytes("infinite", |bytes, draw| {
            const STAND_IN: &str = "987654321987654321";
            let mut card = serde_json::from_slice(&bytes).unwrap_or_default();
            let extension: Value = serde_json::from_str(&format!(
                r#"{{"uri": "https://example.com/extensions/huge", "params": {{"huge": {STAND_IN}}}}}"#
            ))
            .unwrap_or_default();
            let pointer = Specimen { card: &mut card, draw, legacy: false }.extension(extension);
            (card.to_string().replace(STAND_IN, "1e999").into_bytes(), format!("{pointer}/params/huge"))
        })],
        ..Rule::PARSE
    },
    Rule {
        id: "json-object",
        statement: "The document is an object.",
        why: "A card is one object. A list of cards, or a string that holds one, is something else.",
        fix: "publish the object itself",
        source: "spec §4.4.1",
        breaks: &[Break::bytes("in-a-list", |bytes, _| ([b"[".as_slice(), &bytes, b"]"].concat(), String::new()))],
        ..Rule::PARSE
    },
];
