//! Layer spec: what must not be in a card that everybody can read.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::json;

use super::{Callers, Judge, Rule};
use crate::address::{Authority, Reach, WebUrl, reach};
use crate::generate::Break;
use crate::json::{Data, Node};
use crate::report::Severity;
use crate::sink::Teller;

/// What keys and tokens of well-known services look like, and private keys.
static SECRETS: LazyLock<Regex> = LazyLock::new(|| {
    const LOOKS: [&str; 8] = [
        r"\bsk-[A-Za-z0-9_-]{20,}",
        r"\bgh[pousr]_[A-Za-z0-9]{30,}",
        r"\bgithub_pat_[A-Za-z0-9_]{22,}",
        r"\bglpat-[A-Za-z0-9_-]{20,}",
        r"\bxox[abprs]-[A-Za-z0-9-]{10,}",
        r"\bAKIA[A-Z0-9]{16}\b",
        r"\bAIza[A-Za-z0-9_-]{35}",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
    ];
    // A token that is valid for whoever holds it: three parts, the first two JSON.
    let jwt = r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}";
    Regex::new(&format!("{}|{jwt}", LOOKS.join("|"))).expect("the expression is ours")
});

/// Keys under which people keep secrets.
const NAMES: [&str; 10] = [
    "password",
    "passwd",
    "secret",
    "clientsecret",
    "apikey",
    "accesskey",
    "accesstoken",
    "refreshtoken",
    "privatekey",
    "bearertoken",
];

pub(super) static RULES: &[Rule] = &[
    Rule {
        id: "no-secrets",
        statement: "A card holds no secret.",
        why: "Cards are public, cached, and copied into registries: a secret in one is lost.",
        fix: "take it out, revoke it, and declare a security scheme instead",
        source: "seed: card; spec §13",
        judge: Judge::Card(|card, tell| look(card.root, "", tell)),
        breaks: &[
            Break::edit("key-in-description", |specimen| {
                specimen.put("/description", format!("Call it with sk-{}.", "a1B2c3D4".repeat(4)))
            }),
            Break::edit("password-in-params", |specimen| {
                let params = json!({ "user": "agent", "password": "hunter2" });
                let extension = json!({ "uri": "https://example.com/extensions/secret", "params": params });
                format!("{}/params/password", specimen.extension(extension))
            }),
            Break::edit("private-key-in-example", |specimen| {
                let skill = specimen.skill();
                let examples = format!("{skill}/examples");
                specimen.push(&examples, "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----")
            }),
        ],
        ..Rule::SPEC
    },
    Rule {
        id: "no-private-address",
        severity: Severity::Warning,
        callers: Callers::Ignore,
        statement: "The addresses in a card can be reached by those who read it.",
        why: "Private addresses lead callers elsewhere on networks of their own, and show what yours looks like.",
        fix: "write the public name; a card for one network only may keep it",
        source: "seed: card; field",
        judge: Judge::Card(|card, tell| {
            for node in card.interfaces.iter().filter_map(|interface| interface.url) {
                let Some(url) = node.text() else { continue };
                let web = WebUrl::read(url).map(|url| url.host).ok();
                let host = web.or_else(|| Authority::read(url).map(|address| address.host).ok());
                if host.is_some_and(|host| reach(host) == Reach::Private) {
                    tell.at(node, format!("`{url}` is a private address")).done();
                }
            }
        }),
        breaks: &[
            Break::edit("network-10", |specimen| specimen.at_url("https://10.0.4.17/a2a")),
            Break::edit("internal", |specimen| specimen.at_url("https://agent.internal:8443/a2a")),
            Break::edit("metadata-service", |specimen| specimen.at_url("https://169.254.169.254/latest")),
        ],
        ..Rule::SPEC
    },
];

/// Looks at every text below a node; `key` is what it stands under.
fn look(node: &Node<'_>, key: &str, tell: &mut Teller<'_>) {
    match &node.data {
        Data::Text(text) => {
            if SECRETS.is_match(text) {
                tell.at(node, "this looks like a key or a token").done();
            } else if !text.is_empty() && NAMES.contains(&plain(key).as_str()) {
                tell.at(node, format!("a `{key}` is public here")).done();
            }
        }
        Data::List(items) => items.iter().for_each(|item| look(item, "", tell)),
        Data::Object(members) => {
            // What A2A itself defines is never such a key.
            let key = |member: &crate::json::Member<'_>| {
                if member.name.is_some() { "" } else { member.key.as_ref() }.to_owned()
            };
            members.iter().for_each(|member| look(&member.value, &key(member), tell));
        }
        Data::Null | Data::Bool(_) | Data::Number(_) => {}
    }
}

fn plain(key: &str) -> String {
    key.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}
