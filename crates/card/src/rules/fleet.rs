//! Layer capability, over several cards: names that mean one thing in one card and another in the next.

use std::collections::HashMap;

use super::{Judge, Rule, named};
use crate::report::Severity;
use crate::sink::{Sink, Teller};
use crate::subject::{Scheme, Subject};

const ACROSS: Rule = Rule { severity: Severity::Warning, judge: Judge::Fleet, ..Rule::CAPABILITY };

pub(super) static RULES: &[Rule] = &[
    Rule {
        id: "fleet-skill-id",
        statement: "No two cards have a skill of the same id.",
        why: "A caller or a registry that looks for the id finds two agents, and takes either.",
        fix: "rename one of them, or put the agent's name into the id",
        source: "hardened: registries",
        ..ACROSS
    },
    Rule {
        id: "fleet-agent-name",
        statement: "No two cards have the same name.",
        why: "People and models choose agents by name.",
        fix: "rename one of them",
        source: "hardened: registries",
        ..ACROSS
    },
    Rule {
        id: "fleet-version-drift",
        statement: "Cards of one agent agree on its version, and on the protocol that an address speaks.",
        why: "Copies of a card in registries and caches age: callers that hold different ones act on different promises.",
        fix: "publish the newest card everywhere",
        source: "seed: mismatch",
        ..ACROSS
    },
    Rule {
        id: "fleet-scheme-meaning",
        statement: "A security scheme's name means the same in all cards.",
        why: "`oauth2` in two cards are two token servers; a caller that keeps credentials by name sends one agent's token to \
              the other.",
        fix: "name schemes after what they are, such as `acme-id`",
        source: "seed: mismatch",
        ..ACROSS
    },
];

/// Compares cards that stand in an order; a finding goes to the later one. `names` are what the documents are called.
pub(crate) fn judge(cards: &[Subject<'_>], names: &[&str], sinks: &mut [Sink]) {
    let skill_id = named(RULES, "fleet-skill-id");
    let agent_name = named(RULES, "fleet-agent-name");
    let drift = named(RULES, "fleet-version-drift");
    let meaning = named(RULES, "fleet-scheme-meaning");
    let mut skills: HashMap<&str, usize> = HashMap::new();
    let mut agents: HashMap<&str, usize> = HashMap::new();
    let mut addresses: HashMap<[&str; 2], (usize, &str)> = HashMap::new();
    let mut schemes: HashMap<&str, (usize, String)> = HashMap::new();
    for (index, (card, sink)) in cards.iter().zip(sinks).enumerate() {
        for node in card.skills().iter().filter_map(|skill| skill.get("id")) {
            let Some(id) = node.text() else { continue };
            let first = *skills.entry(id).or_insert(index);
            if first != index {
                Teller { sink, rule: skill_id }.at(node, format!("{} has a skill `{id}` too", names[first])).done();
            }
        }
        if let Some((node, name)) = card.get("name").and_then(|node| Some((node, node.text()?))) {
            let first = *agents.entry(name).or_insert(index);
            let (mine, theirs) = (card.text("version"), cards[first].text("version"));
            if first != index && mine == theirs {
                Teller { sink, rule: agent_name }.at(node, format!("{} is called `{name}` too", names[first])).done();
            } else if first != index {
                let versions = [mine, theirs].map(Option::unwrap_or_default);
                let message = format!("this is {} of `{name}`, {} is {}", versions[0], names[first], versions[1]);
                Teller { sink, rule: drift }.at(card.get("version").unwrap_or(node), message).done();
            }
        }
        for interface in &card.interfaces {
            let text =
                |node: Option<&'_ crate::json::Node<'_>>| node.and_then(|node| node.text().map(str::len)).is_some();
            let (true, Some(node)) = (text(interface.url), interface.version) else { continue };
            let key = [interface.url.and_then(|url| url.text()), interface.binding.and_then(|binding| binding.text())];
            let (key, Some(version)) = (key.map(Option::unwrap_or_default), node.text()) else { continue };
            // One card may offer several versions at an address.
            let (first, other) = *addresses.entry(key).or_insert((index, version));
            if first != index && other != version {
                let message = format!("{} says that `{}` speaks {other}, not {version}", names[first], key[0]);
                Teller { sink, rule: drift }.at(node, message).done();
            }
        }
        for scheme in &card.schemes {
            let essence = essence(scheme);
            let (first, other) = schemes.entry(scheme.name).or_insert_with(|| (index, essence.clone()));
            if *first != index && *other != essence {
                let message = format!("in {} `{}` is {other}, here it is {essence}", names[*first], scheme.name);
                Teller { sink, rule: meaning }.at(scheme.value, message).done();
            }
        }
    }
}

/// What a scheme means to a caller.
fn essence(scheme: &Scheme<'_>) -> String {
    let text = |name: &str| scheme.body.get(name).and_then(|node| node.text()).map(str::to_owned);
    let kind = scheme.kind.map_or_else(|| "of no kind".to_owned(), |kind| format!("{kind:?}"));
    let plain = ["scheme", "in", "location", "name", "openIdConnectUrl"].into_iter().filter_map(text);
    let flows = scheme.flows().map(|(name, flow)| {
        let token = flow.get("tokenUrl").or_else(|| flow.get("authorizationUrl"));
        format!("{name} at {}", token.and_then(|node| node.text()).unwrap_or_default())
    });
    std::iter::once(kind).chain(plain).chain(flows).collect::<Vec<_>>().join(" ")
}
