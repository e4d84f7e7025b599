//! An interface whose version has a patch number is used like one without, and is spoken to in its Major.Minor. Judged
//! where it is the first choice and nothing else permits to refuse the work.

use gauntlet_wire::ProtocolVersion;

use crate::oracle::must_serve;
use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "version-patch-ignored", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, outcome) in view.reported().filter(|(delegation, _)| must_serve(view, delegation)) {
        let [peer] = view.peers_of(delegation).collect::<Vec<_>>()[..] else { continue };
        let candidates = view.candidates(delegation, peer);
        let Some((index, interface)) = candidates.first().filter(|(_, first)| first.version.split('.').count() == 3)
        else {
            continue;
        };
        let used: Vec<_> = view
            .dispatches_to(&delegation.id, &peer.name)
            .filter(|x| view.interface(x).is_some_and(|(used, _)| used == *index))
            .collect();
        if let Some(first) = used.first() {
            let version = first.request.version.as_deref().map(str::parse::<ProtocolVersion>);
            let right = version.is_none_or(|version| version.ok() == interface.version.parse().ok());
            let entry = first.entry.seq;
            let sent = first.request.version.as_deref().unwrap_or("none");
            let why = || {
                format!("{}: A2A-Version {sent}{} to an interface of {}", peer.name, cite(&[entry]), interface.version)
            };
            tally.check(right, why, [entry]);
        } else if view.dispatches(&delegation.id).next().is_none()
            && !outcome.status.is_success()
            && outcome.status != Status::TimedOut
        {
            let why = format!(
                "{}: {} was reported and no work arrived at the interface of version {}",
                peer.name, outcome.status, interface.version
            );
            tally.broken(why, []);
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "version-patch-ignored";

    fn patched() -> Scene {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.state(B).interfaces[0].version = "1.0.3".to_owned();
        scene
    }

    #[test]
    fn a_patch_is_no_reason_to_refuse() {
        let mut scene = patched();
        scene.dispatch(B, JsonRpc, "d-1");
        scene.outcome("d-1", Status::Completed);
        scene.upheld(ID);
        let mut scene = patched();
        scene.outcome("d-1", Status::Refused);
        assert!(scene.broken(ID).contains("interface of version 1.0.3"));
    }

    #[test]
    fn versions_without_patch_and_other_grounds_are_not_judged() {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.outcome("d-1", Status::Refused);
        scene.open(ID);
        let mut scene = patched();
        scene.delegation("d-1").skill = Some("sing".to_owned());
        scene.outcome("d-1", Status::Refused);
        scene.open(ID);
    }
}
