//! Where the first interface the orchestrator speaks cannot do the work and a later one can, the work arrives there.
//! Exempt: work that there are other grounds to refuse, work that was done on the first interface by other means, and
//! work that ran out of time.

use crate::oracle::{Serving, grounds, serving};
use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "interface-fallback", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, outcome) in view.reported() {
        let [peer] = view.peers_of(delegation).collect::<Vec<_>>()[..] else { continue };
        if grounds(view, delegation, peer).is_some()
            || delegation.allowed_bindings.is_some() && !view.supports(Support::Needs)
        {
            continue;
        }
        let candidates = view.candidates(delegation, peer);
        let Some(((first, dead), later)) = candidates.split_first() else { continue };
        let dispatches: Vec<_> = view.dispatches_to(&delegation.id, &peer.name).collect();
        let turned_away: Vec<_> = dispatches
            .iter()
            .filter(|x| view.interface(x).is_some_and(|(index, _)| index == *first))
            .filter_map(|x| view.mismatch(x))
            .collect();
        let serves = serving(view, delegation, peer, dead.binding);
        let cannot = serves == Serving::Not || serves == Serving::Degraded && !turned_away.is_empty();
        let able = later.iter().find(|(_, interface)| serving(view, delegation, peer, interface.binding) == Serving::Fully);
        let (true, Some((_, able))) = (cannot, able) else { continue };
        let arrived = dispatches.iter().any(|x| view.interface(x).is_some_and(|(index, _)| index > *first));
        let reached = dispatches.iter().any(|x| view.reached(x));
        if arrived {
            tally.upheld();
        } else if !reached && !matches!(outcome.status, Status::TimedOut) {
            let entries: Vec<u64> = turned_away.iter().map(|failure| failure.entry).collect();
            let answer = turned_away.first().map_or("does not serve the work", |failure| failure.code);
            let why = format!(
                "{}: {} answered {answer}{}; nothing was dispatched over {}, which serves the work: {}",
                peer.name,
                dead.binding,
                cite(&entries),
                able.binding,
                outcome.status
            );
            tally.broken(why, entries);
        }
    }
}
