//! A mismatch on one capability does not keep later work of the session, which the peer can do, from being handed over.

use crate::oracle::{must_serve, serving, Serving};
use crate::rules::prelude::*;

pub(super) static RULE: Requirement =
    Requirement { id: "capability-breaker-unharmed", needs: &[Support::Reset], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (later, outcome) in view.reported().filter(|(later, _)| must_serve(view, later)) {
        let [peer] = view.peers_of(later).collect::<Vec<_>>()[..] else { continue };
        let before = view.delegations().take_while(|earlier| earlier.id != later.id);
        let mut before = before.filter(|earlier| {
            earlier.session == later.session && earlier.peers.iter().any(|known| known.name == peer.name)
        });
        let Some((earlier, entries)) = before.find_map(|earlier| Some((earlier, mismatch(view, earlier, &peer.name)?)))
        else {
            continue;
        };
        let arrived = view.dispatches_to(&later.id, &peer.name).next().is_some();
        if arrived {
            tally.upheld();
        } else if !outcome.status.is_success() && outcome.status != Status::TimedOut {
            let why = format!(
                "{}: after the mismatch of {}{}, {} was not handed over although the peer can do it: {}",
                peer.name,
                earlier.id,
                cite(&entries),
                later.id,
                outcome.status
            );
            tally.broken(why, entries);
        }
    }
}

/// The entries that show a mismatch in a delegation; none where it was refused because one was foreseen.
fn mismatch(view: &View<'_>, delegation: &Delegation, peer: &str) -> Option<Vec<u64>> {
    let during = |x: &&Exchange<'_>| x.peer == peer && view.delegation_of(x).is_some_and(|known| known.id == delegation.id);
    let shown: Vec<u64> =
        view.operations().filter(during).filter_map(|x| view.mismatch(x)).map(|failure| failure.entry).collect();
    let state = view.evidence().peer(peer)?;
    let foreseen = || {
        let candidates = view.candidates(delegation, state);
        let required = delegation.needs.streaming == Need::Required || delegation.needs.push == Need::Required;
        let refused = view.evidence().outcome(&delegation.id).is_some_and(|outcome| !outcome.status.is_success());
        let unable =
            candidates.iter().all(|(_, interface)| serving(view, delegation, state, interface.binding) == Serving::Not);
        required && refused && !candidates.is_empty() && unable
    };
    (!shown.is_empty() || foreseen()).then_some(shown)
}
