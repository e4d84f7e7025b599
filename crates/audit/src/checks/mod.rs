//! What is demanded of what is served. A check is one entry in one of these tables: what must hold, why, how to mend it, where
//! it comes from, and how it is judged. Checks are pure: they look at what was observed, and ask nobody.

mod card;
mod claims;
mod look;
mod reach;
mod speech;

use std::fmt;

use gauntlet_card::Severity;

use crate::fetch::Fetched;
use crate::observe::{Observed, Seen};

/// One requirement.
pub struct Check {
    /// What it is called in reports; begins with `live-`.
    pub id: &'static str,
    /// How much it weighs: an error is a MUST, a warning a SHOULD.
    pub severity: Severity,
    /// What must hold, in one sentence.
    pub statement: &'static str,
    /// What goes wrong otherwise.
    pub why: &'static str,
    /// How to mend it.
    pub fix: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    pub(crate) judge: Judge,
}

/// What a check is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// How the card is served.
    Card,
    /// One interface.
    Interface,
}

/// How a check is judged.
pub(crate) enum Judge {
    Card(fn(&Fetched) -> Verdict),
    Interface(fn(&Seen) -> Verdict),
    /// The same; what comes behind it says nothing unless it is upheld.
    Gate(fn(&Seen) -> Verdict),
}

/// How a check came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Upheld,
    /// It does not: what was seen.
    Broken(String),
    /// It could not be put to the test: why.
    NotChecked(String),
    /// There is nothing to put to the test: why.
    Moot(String),
}

/// A check, where it was made, and how it came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The check.
    pub check: &'static Check,
    /// The interface by its place in the card; none where the card itself is looked at.
    pub interface: Option<usize>,
    /// How it came out.
    pub verdict: Verdict,
}

/// Every check, in the order they are made.
pub static CHECKS: &[&[Check]] = &[card::CHECKS, reach::CHECKS, speech::CHECKS, claims::CHECKS];

impl Check {
    /// Every check, in the order they are made.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        CHECKS.iter().copied().flatten()
    }

    /// The check of this id.
    pub fn find(id: &str) -> Option<&'static Self> {
        Self::all().find(|check| check.id == id)
    }

    /// What it is about.
    pub const fn scope(&self) -> Scope {
        match self.judge {
            Judge::Card(_) => Scope::Card,
            Judge::Interface(_) | Judge::Gate(_) => Scope::Interface,
        }
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Check").field(&self.id).finish()
    }
}

impl PartialEq for Check {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Check {}

/// Holds what was observed against every check: the card first, then one interface after the other.
pub fn judge(observed: &Observed) -> Vec<Outcome> {
    let of_card = Check::all().filter_map(|check| match check.judge {
        Judge::Card(judge) => Some(Outcome { check, interface: None, verdict: judge(&observed.fetched) }),
        Judge::Interface(_) | Judge::Gate(_) => None,
    });
    let mut outcomes: Vec<Outcome> = of_card.collect();
    for (index, seen) in observed.interfaces.iter().enumerate() {
        outcomes.extend(judge_interface(index, seen));
    }
    outcomes
}

fn judge_interface(index: usize, seen: &Seen) -> Vec<Outcome> {
    let mut closed: Option<String> = None;
    let mut outcomes = Vec::new();
    for check in Check::all() {
        let (judge, gate) = match check.judge {
            Judge::Card(_) => continue,
            Judge::Interface(judge) => (judge, false),
            Judge::Gate(judge) => (judge, true),
        };
        let verdict = closed.clone().map_or_else(|| judge(seen), Verdict::NotChecked);
        if gate && closed.is_none() {
            closed = match &verdict {
                Verdict::Upheld => None,
                Verdict::Broken(_) => Some(format!("needs {}", check.id)),
                Verdict::NotChecked(why) | Verdict::Moot(why) => Some(why.clone()),
            };
        }
        outcomes.push(Outcome { check, interface: Some(index), verdict });
    }
    outcomes
}

/// Upheld where it holds; otherwise what was seen.
fn demand(holds: bool, seen: impl FnOnce() -> String) -> Verdict {
    if holds { Verdict::Upheld } else { Verdict::Broken(seen()) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use gauntlet_wire::{Binding, ErrorKind, Operation};

    use super::*;
    use crate::call::{Answer, Reading};
    use crate::dial::DialError;
    use crate::listed::{Declared, Listed};

    #[test]
    fn every_check_has_an_id_of_its_own_and_says_everything() {
        let ids: BTreeSet<&str> = Check::all().map(|check| check.id).collect();
        assert_eq!(ids.len(), Check::all().count());
        for check in Check::all() {
            assert!(check.id.starts_with("live-"), "{}", check.id);
            assert!(check.statement.ends_with('.') && check.why.ends_with('.'), "{}", check.id);
            assert!(!check.fix.is_empty() && !check.fix.ends_with('.') && !check.source.is_empty(), "{}", check.id);
        }
    }

    fn answer(reading: Reading) -> Answer {
        Answer { reading, words: "words".to_owned(), result: None, streamed: false }
    }

    fn refused(kind: ErrorKind) -> Answer {
        answer(Reading::Refused { kind, told: true })
    }

    /// An interface of a tenant, where all is well.
    fn seen() -> Seen {
        let listed = Listed {
            pointer: "/supportedInterfaces/0/url".to_owned(),
            url: "https://a.example.com".to_owned(),
            protocol_binding: "HTTP+JSON".to_owned(),
            binding: Some(Binding::HttpJson),
            protocol_version: "1.0".to_owned(),
            tenant: Some("acme".to_owned()),
        };
        let found = || refused(ErrorKind::TaskNotFound);
        let calls = [Operation::GetTask, Operation::ListTasks, Operation::CancelTask];
        Seen {
            listed,
            declared: Declared::default(),
            left_alone: None,
            secure: Some(true),
            loopback: false,
            bare: Some(found()),
            withheld: None,
            has_credentials: false,
            absurd: Some(refused(ErrorKind::VersionNotSupported)),
            homeless: None,
            calls: calls.into_iter().map(|operation| (operation, found())).collect(),
        }
    }

    fn broken(seen: &Seen) -> Vec<&'static str> {
        let outcomes = judge_interface(0, seen).into_iter();
        outcomes
            .filter(|outcome| matches!(outcome.verdict, Verdict::Broken(_)))
            .map(|outcome| outcome.check.id)
            .collect()
    }

    #[test]
    fn one_mistake_is_told_once() {
        assert!(broken(&seen()).is_empty());
        let all = |reading: Reading| {
            let mut seen = seen();
            seen.bare = Some(answer(reading.clone()));
            seen.calls.iter_mut().for_each(|(_, call)| *call = answer(reading.clone()));
            seen
        };
        assert_eq!(broken(&all(Reading::Unimplemented)), ["live-handler-registered"]);
        assert_eq!(broken(&all(Reading::Foreign)), ["live-interface-binding-served"]);
        assert_eq!(broken(&all(Reading::Failed)), ["live-interface-answers"]);
        assert_eq!(broken(&all(Reading::Denied { challenged: true })), ["live-open-as-declared"]);
        assert_eq!(broken(&all(Reading::Lost(DialError::Tls(String::new())))), ["live-tls"]);
        assert_eq!(broken(&all(Reading::Lost(DialError::Unreachable(String::new())))), ["live-interface-dials"]);
    }

    #[test]
    fn a_tenant_that_is_not_taken_is_told_from_a_missing_handler() {
        let mut of_nobody = seen();
        of_nobody.calls.iter_mut().for_each(|(_, call)| *call = answer(Reading::Unimplemented));
        of_nobody.homeless = Some(refused(ErrorKind::TaskNotFound));
        assert_eq!(broken(&of_nobody), ["live-tenant"]);
        of_nobody.homeless = Some(answer(Reading::Unimplemented));
        assert_eq!(broken(&of_nobody), ["live-handler-registered"]);
    }

    #[test]
    fn errors_without_details_and_odd_errors_are_told() {
        let mut odd = seen();
        odd.calls[2].1 = answer(Reading::Refused { kind: ErrorKind::TaskNotFound, told: false });
        assert_eq!(broken(&odd), ["live-error-details"]);
        odd.calls[2].1 = refused(ErrorKind::InvalidParams);
        assert_eq!(broken(&odd), ["live-task-not-found"]);
        odd.absurd = Some(refused(ErrorKind::TaskNotFound));
        odd.secure = Some(false);
        assert_eq!(broken(&odd), ["live-tls", "live-version-unknown-refused", "live-task-not-found"]);
    }
}
