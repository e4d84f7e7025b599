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
                    .filter(|(_, frame)| {
                        frame.object.as_ref().is_some_and(|object| object.get("artifactUpdate").is_some())
                    })
                    .map(|(entry, _)| entry.seq)
                    .collect();
                let why = format!(
                    "{}: task {} holds {held}, returned was {reported}{}",
                    peer.name,
                    task.id(),
                    cite(&entries)
                );
                tally.broken(why, entries);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;
    use serde_json::json;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "artifact-equals-peer";

    fn finished(status: Status) -> Scene {
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.completed(x, "t-1").outcome("d-1", status);
        scene
    }

    #[test]
    fn artifacts_are_compared_without_the_borders_of_parts() {
        for (parts, well) in [
            (json!([{ "text": "label: damaged" }]), true),
            (json!([{ "text": "label: " }, { "text": "damaged" }]), true),
            (json!([{ "text": "damaged" }]), false),
            (json!([{ "text": "label: label: damaged" }]), false),
            (json!([{ "text": "label: damaged" }, { "data": 1 }]), false),
        ] {
            let mut scene = finished(Status::Completed);
            scene.case.evidence.outcomes[0].artifacts = Some(vec![json!({ "artifactId": "a", "parts": parts })]);
            if well {
                scene.upheld(ID);
            } else {
                assert!(scene.broken(ID).contains("task t-1 holds \"label: damaged\", returned was"));
            }
        }
        let mut scene = finished(Status::Completed);
        scene.case.evidence.outcomes[0].artifacts = Some(Vec::new());
        assert!(scene.broken(ID).ends_with("returned was nothing"));
    }

    #[test]
    fn without_artifacts_the_text_has_every_part_in_order() {
        for (text, well) in
            [("label: damaged", true), ("label:\ndamaged", true), ("damaged", false), ("damaged label:", false)]
        {
            let mut scene = finished(Status::Returned);
            scene.without(Support::Artifacts).case.evidence.outcomes[0].text = Some(text.to_owned());
            if well { scene.upheld(ID) } else { drop(scene.broken(ID)) }
        }
    }

    #[test]
    fn silence_failure_and_admitted_ignorance_are_not_judged() {
        finished(Status::Completed).open(ID);
        let mut scene = finished(Status::Failed);
        scene.case.evidence.outcomes[0].text = Some("no".to_owned());
        scene.open(ID);
        let mut scene = finished(Status::Completed);
        scene.case.evidence.outcomes[0].text = Some("damaged".to_owned());
        scene.broken(ID);
        let warning = gauntlet_evidence::contract::Warning { code: "artifact-unknown".to_owned(), detail: None };
        scene.case.evidence.outcomes[0].warnings = vec![warning];
        scene.open(ID);
    }
}
