//! What is returned for a completed task has the content the peer holds, borders of parts ignored. Exempt: reports that
//! say nothing about content or that it is not known.

use super::{Likeness, finished, likeness};
use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "artifact-equals-peer", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, outcome, peer, task) in finished(view) {
        match likeness(view, outcome, &task.task) {
            Likeness::Equal => tally.upheld(),
            Likeness::Unknown => {}
            Likeness::Different(held, reported) => {
                let entries: Vec<u64> = view
                    .belonging(&delegation.id)
                    .flat_map(|x| &x.frames)
                    .filter(|(_, frame)| frame.object.as_ref().is_some_and(|object| object.get("artifactUpdate").is_some()))
                    .map(|(entry, _)| entry.seq)
                    .collect();
                let why =
                    format!("{}: task {} holds {held}, returned was {reported}{}", peer.name, task.id(), cite(&entries));
                tally.broken(why, entries);
            }
        }
    }
}
