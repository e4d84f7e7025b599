//! What faults report, in the form the journal keeps.

use gauntlet_evidence::Stamp;
use gauntlet_faults::Bite;

/// The stamps of some bites.
pub(crate) fn of(bites: Vec<Bite>) -> Vec<Stamp> {
    bites.into_iter().map(one).collect()
}

/// The stamp of one bite.
pub(crate) fn one(bite: Bite) -> Stamp {
    Stamp { fault: bite.fault.to_owned(), defect: bite.defect, pointers: bite.pointers }
}
