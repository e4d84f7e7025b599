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
        let Some((spot @ (first, dead), later)) = candidates.split_first() else { continue };
        let dispatches: Vec<_> = view.dispatches_to(&delegation.id, &peer.name).collect();
        let turned_away: Vec<_> = dispatches
            .iter()
            .filter(|x| view.interface(x).is_some_and(|(index, _)| index == *first))
            .filter_map(|x| view.mismatch(x))
            .collect();
        let serves = serving(view, delegation, peer, *spot);
        let cannot = serves == Serving::Not || serves == Serving::Degraded && !turned_away.is_empty();
        let able = later.iter().find(|spot| serving(view, delegation, peer, **spot) == Serving::Fully);
        let (true, Some((_, able))) = (cannot, able) else { continue };
        let arrived = dispatches.iter().any(|x| view.interface(x).is_some_and(|(index, _)| index > *first));
        let reached = dispatches.iter().any(|x| view.reached(x));
        if arrived {
            tally.upheld();
        } else if !reached && !matches!(outcome.status, Status::TimedOut) {
            let entries: Vec<u64> = turned_away.iter().map(|failure| failure.entry).collect();
            let answer = match turned_away.first() {
                Some(failure) => format!("answered {}{}", failure.code, cite(&entries)),
                None => "does not serve the work".to_owned(),
            };
            let why = format!(
                "{}: {} {answer}; nothing was dispatched over {}, which serves the work: {}",
                peer.name, dead.binding, able.binding, outcome.status
            );
            tally.broken(why, entries);
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::{Grpc, JsonRpc};

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "interface-fallback";

    fn dead_first() -> Scene {
        let mut scene = Scene::new(&[Grpc, JsonRpc]);
        scene.unusable(Grpc);
        scene
    }

    #[test]
    fn the_next_interface_gets_the_work() {
        let mut scene = dead_first();
        let x = scene.dispatch(B, Grpc, "d-1");
        let refused = scene.refuse(x, "UNIMPLEMENTED");
        scene.outcome("d-1", Status::Failed);
        assert_eq!(
            scene.broken(ID),
            format!(
                "vendor-b: GRPC answered UNIMPLEMENTED (entry {refused}); nothing was dispatched over JSONRPC, which \
                     serves the work: failed"
            )
        );
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.completed(x, "t-1");
        scene.upheld(ID);
    }

    #[test]
    fn a_lacking_operation_counts_once_it_was_tried() {
        let mut scene = Scene::new(&[Grpc, JsonRpc]);
        scene.fact(&[Grpc], Fact::LacksOperation(Operation::SendStreamingMessage));
        scene.outcome("d-1", Status::Failed);
        scene.open(ID);
        let x = scene.stream(B, Grpc, "d-1");
        scene.refuse(x, "UNIMPLEMENTED");
        scene.broken(ID);
        let x = scene.dispatch(B, Grpc, "d-1");
        scene.completed(x, "t-1");
        scene.open(ID);
    }

    #[test]
    fn other_grounds_lack_of_time_and_lack_of_choice_are_exempt() {
        let mut scene = dead_first();
        scene.delegation("d-1").skill = Some("sing".to_owned());
        scene.outcome("d-1", Status::Refused);
        scene.open(ID);
        let mut scene = dead_first();
        scene.outcome("d-1", Status::TimedOut);
        scene.open(ID);
        let mut scene = dead_first();
        scene.unusable(JsonRpc).outcome("d-1", Status::Failed);
        scene.open(ID);
    }
}
