//! Where streaming works although the card does not declare it, and the orchestrator has found that out, it warns once
//! in the session, and does not refuse work that requires streaming.

use crate::oracle::grounds;
use crate::rules::prelude::*;

pub(super) static RULE: Requirement =
    Requirement { id: "capability-discrepancy-warned", needs: &[Support::Reasons], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for peer in &view.evidence().peers {
        let found = view.operations().find(|x| {
            x.peer == peer.name
                && x.request
                    .operation
                    .is_some_and(|operation| operation.is_streaming() && !view.declares(x.peer, operation))
                && view.failure(x).is_none()
                && x.frames.iter().any(|(_, frame)| frame.object.is_some())
                && view.interface(x).is_some_and(|on| view.holds(&peer.name, on, &Fact::StreamsUndeclared))
        });
        let Some((found, session)) = found.and_then(|x| Some((x, view.session_of(x)?))) else { continue };
        let entry = found.entry.seq;
        let reports: Vec<_> = view
            .reported()
            .filter(|(delegation, _)| delegation.session == session)
            .filter(|(delegation, _)| delegation.peers.iter().any(|known| known.name == peer.name))
            .collect();
        if reports.is_empty() {
            continue;
        }
        let warned = reports
            .iter()
            .any(|(_, outcome)| outcome.warnings.iter().any(|warning| warning.code == "capability-discrepancy"));
        let why = || {
            format!(
                "{}: it streams although its card says otherwise{}, and no outcome warns of it",
                peer.name,
                cite(&[entry])
            )
        };
        tally.check(warned, why, [entry]);
        for (delegation, outcome) in reports {
            let wanted = delegation.needs.streaming == Need::Required && view.supports(Support::Needs);
            let untouched = view.dispatches(&delegation.id).next().is_none();
            if wanted && outcome.status == Status::Refused && untouched && grounds(view, delegation, peer).is_none() {
                let why = format!(
                    "{}: it was seen to stream{}, and work that requires it was refused",
                    peer.name,
                    cite(&[entry])
                );
                tally.broken(why, [entry]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "capability-discrepancy-warned";

    fn streams_in_secret() -> Scene {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.capability("streaming", false).fact(&[], Fact::StreamsUndeclared);
        scene.delegation("d-1").needs.streaming = Need::Required;
        let x = scene.probe(B, JsonRpc, Operation::SendStreamingMessage);
        scene.completed(x, "t-0");
        scene
    }

    #[test]
    fn what_was_found_out_is_warned_of() {
        let mut scene = streams_in_secret();
        scene.stream(B, JsonRpc, "d-1");
        let warning = gauntlet_evidence::contract::Warning { code: "capability-discrepancy".to_owned(), detail: None };
        scene.outcome("d-1", Status::Completed).warnings = vec![warning];
        scene.upheld(ID);
        scene.case.evidence.outcomes[0].warnings.clear();
        assert!(scene.broken(ID).contains("no outcome warns"));
    }

    #[test]
    fn what_was_found_out_is_used() {
        let mut scene = streams_in_secret();
        let warning = gauntlet_evidence::contract::Warning { code: "capability-discrepancy".to_owned(), detail: None };
        scene.outcome("d-1", Status::Refused).warnings = vec![warning];
        assert!(scene.broken(ID).contains("was refused"));
    }

    #[test]
    fn what_was_not_found_out_is_not_judged() {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.capability("streaming", false).fact(&[], Fact::StreamsUndeclared);
        scene.dispatch(B, JsonRpc, "d-1");
        scene.outcome("d-1", Status::Completed);
        scene.open(ID);
    }
}
