//! A peer all of whose interfaces, as far as their bindings are spoken, are of versions that the orchestrator does not
//! speak gets no call, and the caller is told. The version of the agent is no version of the protocol.

use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "version-unsupported-refused", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, outcome) in view.reported() {
        for peer in view.peers_of(delegation) {
            let shared: Vec<_> =
                peer.interfaces.iter().filter(|interface| view.hello().speaks(interface.binding)).collect();
            if shared.is_empty() || shared.iter().any(|interface| view.speaks(interface)) {
                continue;
            }
            let calls: Vec<u64> = view
                .operations()
                .filter(|x| x.peer == peer.name)
                .filter(|x| view.delegation_of(x).is_some_and(|known| known.id == delegation.id))
                .map(|x| x.entry.seq)
                .collect();
            if !calls.is_empty() {
                let versions: Vec<&str> = shared.iter().map(|interface| interface.version.as_str()).collect();
                let number = count(calls.len(), "call", "calls");
                let why =
                    format!("{}: {number}{}, though it speaks only {}", peer.name, cite(&calls), versions.join(", "));
                tally.broken(why, calls);
            } else if !outcome.status.is_success() && outcome.status != Status::TimedOut {
                tally.upheld();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "version-unsupported-refused";

    #[test]
    fn an_alien_version_gets_no_call() {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.state(B).interfaces[0].version = "9.0".to_owned();
        scene.because("d-1", Status::Refused, "version-unsupported");
        scene.upheld(ID);
        scene.dispatch(B, JsonRpc, "d-1");
        assert!(scene.broken(ID).contains("1 call (entry"));
    }

    #[test]
    fn peers_with_a_spoken_version_are_not_judged() {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.state(B).card["version"] = "9.0".into();
        scene.because("d-1", Status::Refused, "version-unsupported");
        scene.open(ID);
    }
}
