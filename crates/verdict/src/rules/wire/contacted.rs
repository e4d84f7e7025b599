//! Somebody named by a delegation was asked something. Judged where at least one of those peers can be asked.

use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "wire-contacted", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    let touched = |peer: &str| view.evidence().journal.iter().any(|entry| entry.peer == peer);
    for (delegation, outcome) in view.reported() {
        let peers: Vec<&str> = view.peers_of(delegation).map(|peer| peer.name.as_str()).collect();
        if peers.is_empty() {
            continue;
        }
        let why = || {
            format!(
                "{}: no request and no connection; {} was reported as {}",
                peers.join(", "),
                delegation.id,
                outcome.status
            )
        };
        tally.check(peers.iter().any(|peer| touched(peer)), why, []);
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;

    use super::*;
    use crate::testing::Scene;

    const ID: &str = "wire-contacted";

    #[test]
    fn somebody_was_asked() {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.open(ID);
        scene.outcome("d-1", Status::Refused);
        scene.upheld(ID);
        scene.case.evidence.journal.clear();
        assert_eq!(scene.broken(ID), "vendor-b: no request and no connection; d-1 was reported as refused");
    }
}
