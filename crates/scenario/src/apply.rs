//! A defect switched on for a peer: arguments put in, conditions merged, facts made.

use std::collections::BTreeSet;

use gauntlet_wire::Binding;

use crate::defect_file::placeholder;
use crate::facts;
use crate::model::{AppliedDefect, Defect, DefectUse, Fact, FaultCall, PeerSpec, ScopedFact, Step, When};
use crate::node::{FileError, Node, NodeKind};
use crate::suggest::help_for;

/// Resolves a defect for one use on one peer.
///
/// # Errors
/// When arguments are unknown, missing or of another type, or when the defect cannot show on this peer.
pub(crate) fn apply(defect: &Defect, wanted: &DefectUse, peer: &PeerSpec) -> Result<AppliedDefect, FileError> {
    let Reach { bindings, interfaces } = reach(defect, wanted, peer)?;
    check_peer(defect, wanted, peer)?;
    let arguments = arguments(defect, wanted)?;
    let faults = defect
        .faults
        .iter()
        .map(|fault| {
            Ok(FaultCall {
                arguments: substitute(&fault.arguments, &arguments),
                when: merge(fault, wanted, &bindings, &interfaces)?,
                ..fault.clone()
            })
        })
        .collect::<Result<Vec<_>, FileError>>()?;
    let mut scoped = Vec::new();
    for fact in &defect.facts {
        for fact in facts::read(&substitute(fact, &arguments))? {
            let facts = narrowed(fact, &wanted.when).into_iter();
            let (bindings, interfaces) = (&bindings, &interfaces);
            scoped.extend(facts.map(|fact| ScopedFact {
                bindings: bindings.clone(),
                interfaces: interfaces.clone(),
                fact,
            }));
        }
    }
    Ok(AppliedDefect {
        id: defect.id.clone(),
        title: defect.title.clone(),
        faults,
        facts: scoped,
        exercises: defect.exercises.clone(),
        place: wanted.place.clone(),
    })
}

/// What is left of a fact where the use lets the defect bite on some operations only: no other operation is lacking, and
/// an interface that fails on them is not dead altogether.
fn narrowed(fact: Fact, when: &When) -> Vec<Fact> {
    match &fact {
        _ if when.operations.is_empty() => vec![fact],
        Fact::LacksOperation(operation) if !when.operations.contains(operation) => Vec::new(),
        Fact::InterfaceUnusable { .. } => when.operations.iter().copied().map(Fact::LacksOperation).collect(),
        _ => vec![fact],
    }
}

/// Where a defect bites on one peer; an empty set means everywhere.
struct Reach {
    bindings: BTreeSet<Binding>,
    interfaces: BTreeSet<u32>,
}

fn reach(defect: &Defect, wanted: &DefectUse, peer: &PeerSpec) -> Result<Reach, FileError> {
    let own = &wanted.when.interfaces;
    let interfaces = if own.is_empty() { &defect.applies.interfaces } else { own };
    let count = peer.interfaces.len();
    if let Some(place) = interfaces.iter().find(|place| usize::try_from(**place).is_ok_and(|place| place > count)) {
        let help = format!("it has {count}, counted from 1");
        return Err(wanted.place.error(format!("the peer `{}` has no interface {place}", peer.name)).help(help));
    }
    let applies: BTreeSet<Binding> = defect.applies.bindings().into_iter().collect();
    let meant =
        peer.interfaces.iter().zip(1_u32..).filter(|(_, place)| interfaces.is_empty() || interfaces.contains(place));
    let served: BTreeSet<Binding> = meant.map(|(interface, _)| interface.binding).collect();
    if let Some(binding) = wanted.when.bindings.iter().find(|binding| !applies.contains(binding)) {
        let help = format!("it occurs on {}", names(&applies));
        return Err(wanted.place.error(format!("`{}` does not occur on {binding}", defect.id)).help(help));
    }
    if let Some(binding) = wanted.when.bindings.iter().find(|binding| !served.contains(binding)) {
        let help = format!("it serves {}", names(&served));
        let there = if interfaces.is_empty() { "" } else { " there" };
        return Err(wanted.place.error(format!("the peer `{}` does not serve {binding}{there}", peer.name)).help(help));
    }
    if applies.is_disjoint(&served) {
        return Err(wanted
            .place
            .error(format!("`{}` cannot show on the peer `{}`", defect.id, peer.name))
            .help(format!("it occurs on {}, the peer serves {}", names(&applies), names(&served))));
    }
    let chosen = if wanted.when.bindings.is_empty() { applies } else { wanted.when.bindings.clone() };
    // Everything that this peer serves is no restriction.
    let bindings = if chosen.is_superset(&served) { BTreeSet::new() } else { chosen };
    Ok(Reach { bindings, interfaces: interfaces.clone() })
}

fn names(bindings: &BTreeSet<Binding>) -> String {
    bindings.iter().map(|binding| binding.name()).collect::<Vec<_>>().join(", ")
}

fn check_peer(defect: &Defect, wanted: &DefectUse, peer: &PeerSpec) -> Result<(), FileError> {
    let versions = &defect.applies.versions;
    if !versions.is_empty() && !versions.contains(&peer.protocol) {
        return Err(wanted
            .place
            .error(format!("`{}` does not occur in A2A {}", defect.id, peer.protocol))
            .help(format!("it occurs in {}", versions.join(", "))));
    }
    if defect.applies.needs_token_server && peer.token_server.is_none() {
        return Err(wanted
            .place
            .error(format!("`{}` shows only when the peer has a token server", defect.id))
            .help(format!("give `{}` a `tokenServer`", peer.name)));
    }
    let does = |need: &str| {
        peer.behaviour.all_steps().any(|step| match step {
            Step::Ask(_) => need == "ask",
            Step::Artifact(_) => need == "artifact",
            Step::Auth(_) => need == "auth",
            _ => false,
        })
    };
    match defect.applies.needs_behaviour.iter().find(|need| !does(need)) {
        Some(need) => Err(wanted
            .place
            .error(format!("`{}` shows only when the agent has a step `{need}`", defect.id))
            .help(format!("add the step to the behaviour of `{}`", peer.name))),
        None => Ok(()),
    }
}

/// The value of every parameter.
fn arguments<'a>(defect: &'a Defect, wanted: &'a DefectUse) -> Result<Vec<(&'a str, &'a Node)>, FileError> {
    let known = || defect.parameters.keys().map(String::as_str);
    if let Some((name, value)) = wanted.arguments.iter().find(|(name, _)| !defect.parameters.contains_key(name)) {
        let help = if defect.parameters.is_empty() { "it takes none".to_owned() } else { help_for(name, known()) };
        return Err(value.error(format!("`{}` has no parameter `{name}`", defect.id)).help(help));
    }
    let value_of = |name: &str| wanted.arguments.iter().find(|(given, _)| given == name).map(|(_, value)| value);
    defect
        .parameters
        .iter()
        .map(|(name, parameter)| match value_of(name).or(parameter.default.as_ref()) {
            Some(value) => parameter.check(value).map(|()| (name.as_str(), value)),
            None => Err(wanted
                .place
                .error(format!("`{}` needs the parameter `{name}`", defect.id))
                .help(format!("write `{}: {{ {name}: … }}`", defect.id))),
        })
        .collect()
}

/// Puts arguments in the place of `"{x}"`. The argument's own place is kept, so that errors point at what the user
/// wrote.
fn substitute(node: &Node, arguments: &[(&str, &Node)]) -> Node {
    let kind = match &node.kind {
        NodeKind::Seq(items) => NodeKind::Seq(items.iter().map(|item| substitute(item, arguments)).collect()),
        NodeKind::Map(entries) => NodeKind::Map(
            entries
                .iter()
                .map(|(key, place, value)| (key.clone(), place.clone(), substitute(value, arguments)))
                .collect(),
        ),
        _ => {
            let argument = placeholder(node).and_then(|name| arguments.iter().find(|(known, _)| *known == name));
            return argument.map_or(node, |(_, value)| *value).clone();
        }
    };
    Node { place: node.place.clone(), kind }
}

/// Sets narrow each other; of everything else the use's wins.
fn merge(
    fault: &FaultCall,
    wanted: &DefectUse,
    bindings: &BTreeSet<Binding>,
    interfaces: &BTreeSet<u32>,
) -> Result<When, FileError> {
    let (inner, outer) = (&fault.when, &wanted.when);
    let never = |what: &str| {
        wanted
            .place
            .error(format!("`{}` would never bite: its own {what} and those of `when` exclude each other", fault.name))
    };
    Ok(When {
        bindings: narrow(&inner.bindings, bindings).ok_or_else(|| never("bindings"))?,
        interfaces: narrow(&inner.interfaces, interfaces).ok_or_else(|| never("interfaces"))?,
        operations: narrow(&inner.operations, &outer.operations).ok_or_else(|| never("operations"))?,
        nth: outer.nth.or(inner.nth),
        first: outer.first.or(inner.first),
        after_events: outer.after_events.or(inner.after_events),
        probability: outer.probability.or(inner.probability),
        message_id_prefix: outer.message_id_prefix.clone().or_else(|| inner.message_id_prefix.clone()),
        text: outer.text.clone().or_else(|| inner.text.clone()),
        names_webhook: outer.names_webhook.or(inner.names_webhook),
        task_states: narrow(&inner.task_states, &outer.task_states).ok_or_else(|| never("states of tasks"))?,
    })
}

/// The intersection, where an empty set means everything; `None` where nothing is left.
fn narrow<T: Ord + Clone>(one: &BTreeSet<T>, other: &BTreeSet<T>) -> Option<BTreeSet<T>> {
    if one.is_empty() || other.is_empty() {
        return Some(if one.is_empty() { other.clone() } else { one.clone() });
    }
    let both: BTreeSet<T> = one.intersection(other).cloned().collect();
    (!both.is_empty()).then_some(both)
}
