//! Push notifications: how webhooks are registered, and what is made of what comes to them. Judged on drivers that
//! support push.

mod acknowledged;
mod idempotent;
mod lost_recovered;
mod source_checked;
mod task_checked;
mod token_unique;

use gauntlet_evidence::{HeldTask, PeerState};

use super::prelude::*;
use crate::view::{Notice, agreement};

pub(super) static RULES: &[&dyn crate::Rule] = &[
    &acknowledged::RULE,
    &source_checked::RULE,
    &task_checked::RULE,
    &idempotent::RULE,
    &token_unique::RULE,
    &lost_recovered::RULE,
];

/// The reported tasks for which a webhook was registered and taken, with what came to it.
fn watched<'v, 'a>(
    view: &'v View<'a>,
) -> impl Iterator<Item = (&'a Delegation, &'a Outcome, &'a PeerState, &'a HeldTask, Vec<Notice<'a>>)> + use<'v, 'a> {
    view.reported().filter_map(|(delegation, outcome)| {
        let (peer, task) = view.reported_task(outcome)?;
        let registered = |known: &crate::view::Registration<'_, '_>| {
            known.accepted && known.exchange.peer == peer.name && known.task == Some(task.id())
        };
        let is_registered = view.registrations().any(|known| registered(&known));
        is_registered.then(|| (delegation, outcome, peer, task, view.notices(&peer.name, task.id())))
    })
}

/// Judges that notifications which deserve no belief were not believed: the end that is reported was told by something
/// else. What else they may have led to is not seen from here.
fn not_believed(view: &View<'_>, tally: &mut Tally, flaw: &str, undeserving: impl Fn(&Notice<'_>) -> bool) {
    for (_, outcome, peer, task, notices) in watched(view) {
        let lies: Vec<_> = notices.iter().filter(|notice| notice.settles() && undeserving(notice)).collect();
        let Some(lie) = lies.first() else { continue };
        let trusted = |notice: &&Notice<'_>| notice.settles() && notice.is_own() && view.is_authentic(notice);
        if view.settled_told(&peer.name, task.id()).is_some() || notices.iter().any(|notice| trusted(&notice)) {
            tally.upheld();
            continue;
        }
        let state = lie.state().unwrap_or_default();
        if agreement(outcome, state, false) == Agreement::Yes {
            let entries: Vec<u64> = lies.iter().map(|notice| notice.entry.seq).collect();
            let why = format!(
                "{}: that task {} is {state} was only told by notifications {flaw}{}, and it was reported as {}",
                peer.name,
                task.id(),
                cite(&entries),
                outcome.status
            );
            tally.broken(why, entries);
        }
    }
}
