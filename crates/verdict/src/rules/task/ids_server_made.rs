//! A request names only tasks that this very peer has told of before.

use crate::rules::prelude::*;
use crate::view::ids_told;

pub(super) static RULE: Requirement = Requirement { id: "task-ids-server-made", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for x in view.operations() {
        let Some(id) = x.request.task_id() else { continue };
        let told_by = |peer: &str| {
            let before = view.exchanges.iter().filter(|known| known.peer == peer).flat_map(ids_told);
            before.into_iter().any(|(entry, told)| told == id && entry < x.entry.seq)
        };
        let entry = x.entry.seq;
        let why = || {
            let owner = view.evidence().peers.iter().find(|peer| peer.name != x.peer && told_by(&peer.name));
            format!(
                "{}: {} names the task {id}{}, which {}",
                x.peer,
                x.request.operation.map_or("a request", Operation::name),
                cite(&[entry]),
                owner.map_or("nobody has told of".to_owned(), |owner| format!("is one of {}", owner.name))
            )
        };
        tally.check(told_by(x.peer), why, [entry]);
    }
}
