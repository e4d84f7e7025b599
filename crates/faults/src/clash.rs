//! Pairs of faults that cannot be composed.

use std::collections::BTreeSet;

use gauntlet_wire::Binding;

use crate::gate::{Gate, MESSAGES};
use crate::{Claim, Stage};

/// One side of a pair.
pub(crate) struct Side<'a> {
    pub(crate) stages: &'a [Stage],
    pub(crate) claims: &'a [Claim],
    pub(crate) gate: &'a Gate,
}

impl Side<'_> {
    /// Whether it bites only at times: then the other may bite at other times, and the first in order wins.
    fn at_times(&self) -> bool {
        let when = &self.gate.when;
        when.nth.is_some()
            || when.first.is_some()
            || when.probability.is_some()
            || when.reads_messages()
            || when.reads_tasks()
    }

    fn bindings(&self) -> BTreeSet<Binding> {
        let chosen = &self.gate.when.bindings;
        if chosen.is_empty() { Binding::ALL.into_iter().collect() } else { chosen.clone() }
    }

    /// Positions in the list of the peer; empty means all.
    fn interfaces(&self) -> &BTreeSet<u32> {
        &self.gate.when.interfaces
    }

    fn meets(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.interfaces(), other.interfaces());
        !self.bindings().is_disjoint(&other.bindings())
            && (ours.is_empty() || theirs.is_empty() || !ours.is_disjoint(theirs))
    }

    fn operations_meet(&self, other: &Self) -> bool {
        let (ours, theirs) = (&self.gate.when.operations, &other.gate.when.operations);
        ours.is_empty() || theirs.is_empty() || !ours.is_disjoint(theirs)
    }

    fn only_bites_on_calls(&self) -> bool {
        self.stages.iter().all(|stage| MESSAGES.contains(stage))
    }

    fn silences(&self, other: &Self) -> bool {
        self.claims.contains(&Claim::Listening)
            && other.only_bites_on_calls()
            && other.bindings().is_subset(&self.bindings())
            && (self.interfaces().is_empty()
                || !other.interfaces().is_empty() && other.interfaces().is_subset(self.interfaces()))
    }

    fn bites_on(&self, claim: &Claim) -> bool {
        let operations = &self.gate.when.operations;
        match claim {
            Claim::Answer(operation) => operations.is_empty() || operations.contains(operation),
            _ => true,
        }
    }
}

/// Why two faults of one peer cannot be composed, where they cannot.
pub(crate) fn reason(one: &Side<'_>, other: &Side<'_>) -> Option<String> {
    if one.at_times() || other.at_times() {
        return None;
    }
    if one.silences(other) || other.silences(one) {
        return Some("one of them could never bite, as nothing listens there".to_owned());
    }
    let meet = one.meets(other);
    let pairs = one.claims.iter().flat_map(|left| other.claims.iter().map(move |right| (left, right)));
    pairs
        .filter(|(left, right)| one.bites_on(left) && other.bites_on(right))
        .find_map(|(left, right)| same(left, right, meet, one.operations_meet(other)))
}

fn same(left: &Claim, right: &Claim, meet: bool, operations_meet: bool) -> Option<String> {
    match (left, right) {
        (Claim::Card(a), Claim::Card(b)) if within(a, b) || within(b, a) => {
            let deeper = if a.len() > b.len() { a } else { b };
            Some(format!("both change {deeper} in the card"))
        }
        (Claim::ArtifactUpdates, Claim::ArtifactUpdates) => {
            Some("both decide how artifact updates are told and held".to_owned())
        }
        (Claim::Listening, Claim::Listening) if meet => Some("both decide whether the interface listens".to_owned()),
        (Claim::StreamEnd, Claim::StreamEnd) if meet => Some("both decide where streams end".to_owned()),
        (Claim::Notifications, Claim::Notifications) => {
            Some("both decide whether and when notifications are sent".to_owned())
        }
        (Claim::EventFraming, Claim::EventFraming) if meet => Some("both decide how events are framed".to_owned()),
        (Claim::Request(a), Claim::Request(b)) if meet && operations_meet && (within(a, b) || within(b, a)) => {
            Some(format!("both decide what is understood at {}", if a.len() > b.len() { a } else { b }))
        }
        (Claim::Work, Claim::Work) if meet && operations_meet => {
            Some("both decide what the agent does with messages".to_owned())
        }
        (Claim::Answer(a), Claim::Answer(b)) if meet && a == b => Some(format!("both decide how {a} is answered")),
        _ => None,
    }
}

/// Whether one pointer is the other or lies below it.
fn within(inner: &str, outer: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
