//! Layer capability: signatures, as RFC 7515 shapes them, and whether they are true.

use serde_json::{Value, json};

use super::{Judge, Rule};
use crate::generate::Break;
use crate::json::Node;
use crate::report::Severity;
use crate::signature::{self, Header, PROTECTED_SAMPLE, SIGNATURE_SAMPLE, Verdict};
use crate::subject::Subject;

/// The protected headers that can be decoded, with the member they stand in.
fn headers<'n>(card: &Subject<'n>) -> impl Iterator<Item = (&'n Node<'n>, Header)> {
    let protected = card.items("signatures").iter().filter_map(|signature| signature.get("protected"));
    protected.filter_map(|node| Some((node, Header::read(node.text()?).ok()?)))
}

fn with_header(specimen: &mut crate::generate::Specimen<'_, '_>, header: &Value) -> String {
    let protected = signature::encode(header.to_string().as_bytes());
    format!("{}/protected", specimen.signature(&protected, SIGNATURE_SAMPLE))
}

pub(super) static RULES: &[Rule] = &[
    Rule {
        id: "signature-base64url",
        statement: "The two parts of a signature are base64url without padding.",
        why: "They are part of what is signed; another alphabet is another signature.",
        fix: "encode it with the url-safe alphabet (RFC 4648 §5) and leave the padding out",
        source: "spec §8.4.2; RFC 7515 §2",
        judge: Judge::Card(|card, tell| {
            for part in card.items("signatures") {
                for node in ["protected", "signature"].into_iter().filter_map(|name| part.get(name)) {
                    let Some(text) = node.text().filter(|text| !text.trim().is_empty()) else { continue };
                    if signature::decode(text).is_none() {
                        tell.at(node, "this is not base64url").done();
                    }
                }
            }
        }),
        breaks: &[
            Break::edit("padded", |specimen| {
                format!("{}/signature", specimen.signature(PROTECTED_SAMPLE, &format!("{SIGNATURE_SAMPLE}==")))
            }),
            Break::edit("other-alphabet", |specimen| {
                format!("{}/signature", specimen.signature(PROTECTED_SAMPLE, "ab+/cd"))
            }),
            Break::edit("json-in-protected", |specimen| {
                format!("{}/protected", specimen.signature("{\"alg\":\"ES256\"}", SIGNATURE_SAMPLE))
            }),
        ],
        ..Rule::CAPABILITY
    },
    Rule {
        id: "signature-header",
        statement: "The protected header of a signature is a JSON object.",
        why: "Without it nobody knows how the signature was made.",
        fix: "encode an object with alg, kid and typ",
        source: "spec §8.4.2; RFC 7515 §4",
        judge: Judge::Card(|card, tell| {
            let protected = card.items("signatures").iter().filter_map(|signature| signature.get("protected"));
            for node in protected {
                let Some(text) = node.text().filter(|text| !text.is_empty() && signature::decode(text).is_some())
                else {
                    continue;
                };
                if let Err(why) = Header::read(text) {
                    tell.at(node, format!("the header does not decode: {why}")).done();
                }
            }
        }),
        breaks: &[Break::edit("not-json", |specimen| {
            let protected = signature::encode(b"alg=ES256");
            format!("{}/protected", specimen.signature(&protected, SIGNATURE_SAMPLE))
        })],
        ..Rule::CAPABILITY
    },
    Rule {
        id: "signature-alg",
        statement: "A signature names an algorithm that others can verify.",
        why: "`none` proves nothing, and HS256 asks for a secret that everybody would have to share.",
        fix: "sign with ES256, ES384, EdDSA, PS256 or RS256, and say so in alg",
        source: "spec §8.4.2; RFC 8725 §3.1",
        judge: Judge::Card(|card, tell| {
            for (node, header) in headers(card) {
                match header.alg.as_deref() {
                    None => tell.at(node, "the header has no alg").done(),
                    Some(alg) if !signature::ALGORITHMS.contains(&alg) => {
                        tell.at(node, format!("`{alg}` is no algorithm that callers can verify")).done();
                    }
                    Some(_) => {}
                }
            }
        }),
        breaks: &[
            Break::edit("absent", |specimen| with_header(specimen, &json!({ "kid": "key-1" }))),
            Break::edit("none", |specimen| with_header(specimen, &json!({ "alg": "none", "kid": "key-1" }))),
            Break::edit("shared-secret", |specimen| with_header(specimen, &json!({ "alg": "HS256", "kid": "key-1" }))),
        ],
        ..Rule::CAPABILITY
    },
    Rule {
        id: "signature-kid",
        statement: "A signature names its key.",
        why: "Keys are replaced; without kid a caller has to try them all, or none.",
        fix: "add kid to the protected header",
        source: "spec §8.4.2",
        judge: Judge::Card(|card, tell| {
            for (node, _) in headers(card).filter(|(_, header)| header.kid.as_deref().is_none_or(str::is_empty)) {
                tell.at(node, "the header has no kid").done();
            }
        }),
        breaks: &[Break::edit("absent", |specimen| with_header(specimen, &json!({ "alg": "ES256", "typ": "JOSE" })))],
        ..Rule::CAPABILITY
    },
    Rule {
        id: "signature-jku",
        statement: "The key set that a signature points at is an https url.",
        why: "Who can change the keys on the way can sign any card.",
        fix: "serve the key set over https",
        source: "spec §8.4.3",
        judge: Judge::Card(|card, tell| {
            for (node, header) in headers(card) {
                let Some(jku) = header.jku else { continue };
                if !crate::address::WebUrl::read(&jku).is_ok_and(|url| url.secure) {
                    tell.at(node, format!("the header's jku `{jku}` is no https url")).done();
                }
            }
        }),
        breaks: &[Break::edit("plain-http", |specimen| {
            with_header(specimen, &json!({ "alg": "ES256", "kid": "key-1", "jku": "http://example.com/jwks.json" }))
        })],
        ..Rule::CAPABILITY
    },
    Rule {
        id: "signature-verifies",
        statement: "With `--jwks`, a signature of the card verifies with one of the keys.",
        why: "A signature that does not verify says that the card was changed after it was signed, or is somebody else's.",
        fix: "sign the card anew, after its last change: RFC 8785, without `signatures` and without default values",
        source: "spec §8.4.3",
        judge: Judge::Card(|card, tell| {
            let Some(jwks) = &card.options.jwks else { return };
            let signatures = card.items("signatures");
            if signatures.is_empty() {
                return tell.missing(card.root, "signatures", "the card is not signed").done();
            }
            let canonical = signature::canonical(card.root, card.edition);
            let mut verified = false;
            let mut strange = Vec::new();
            for part in signatures {
                let text = |name| part.get(name).and_then(|node| node.text()).unwrap_or_default();
                match jwks.verify(text("protected"), text("signature"), &canonical) {
                    Verdict::True => verified = true,
                    Verdict::False(why) => tell.at(part, why).done(),
                    Verdict::Unknown(why) => strange.push((part, why)),
                }
            }
            for (part, why) in strange {
                let added = tell.at(part, why);
                // Several signatures may stand for several key sets.
                if verified { added.at_most(Severity::Note).done() } else { added.done() }
            }
        }),
        ..Rule::CAPABILITY
    },
];
