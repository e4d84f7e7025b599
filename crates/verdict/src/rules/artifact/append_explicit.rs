//! An artifact that came in several chunks is put together as their `append` says. Where the chunks do not say it, the
//! peer's snapshot does: a guess that happens to be right proves nothing.

use super::{Likeness, finished, likeness};
use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "artifact-append-explicit", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, outcome, peer, task) in finished(view) {
        let mut told = view.belonging(&delegation.id).filter(|x| x.peer == peer.name);
        let Some((x, chunks)) = told.find_map(|x| Some((x, chunks(x, task.id())?))) else { continue };
        let Some(on) = view.interface(x) else { continue };
        let ambiguous = view.holds(&peer.name, on, &Fact::ArtifactAmbiguous);
        let snapshot = !ambiguous || snapshot_after(view, &peer.name, task.id(), chunks.last);
        match likeness(view, outcome, &task.task) {
            Likeness::Different(held, reported) => {
                let how = if ambiguous { "chunks without `append`" } else { "explicit chunks" };
                let why = format!(
                    "{}: {how}{} make {held} at the peer, returned was {reported}",
                    peer.name,
                    cite(&chunks.entries)
                );
                tally.broken(why, chunks.entries);
            }
            Likeness::Equal if snapshot => tally.upheld(),
            Likeness::Equal | Likeness::Unknown => {}
        }
    }
}

struct Chunks {
    entries: Vec<u64>,
    last: u64,
}

/// The chunks of the first artifact that an answer tells in more than one.
fn chunks(x: &Exchange<'_>, task: &str) -> Option<Chunks> {
    let updates: Vec<(u64, &str)> = x
        .frames
        .iter()
        .filter_map(|(entry, frame)| {
            let update = frame.object.as_ref()?.get("artifactUpdate")?;
            let own = update.get("taskId")?.as_str() == Some(task);
            own.then_some((entry.seq, update.pointer("/artifact/artifactId")?.as_str()?))
        })
        .collect();
    updates.iter().find_map(|(_, artifact)| {
        let entries: Vec<u64> =
            updates.iter().filter(|(_, other)| other == artifact).map(|(entry, _)| *entry).collect();
        let last = entries.last().copied().filter(|_| entries.len() > 1)?;
        Some(Chunks { entries, last })
    })
}

/// Whether the peer told the whole task after the last chunk.
fn snapshot_after(view: &View<'_>, peer: &str, task: &str, last: u64) -> bool {
    view.exchanges.iter().filter(|x| x.peer == peer).flat_map(|x| &x.frames).any(|(entry, frame)| {
        let told = frame.object.as_ref().map(|object| object.get("task").unwrap_or(object));
        entry.seq > last && told.is_some_and(|told| told.get("id").and_then(|id| id.as_str()) == Some(task))
    })
}

#[cfg(test)]
mod tests {
    use gauntlet_evidence::journal::Ending;
    use gauntlet_wire::Binding::JsonRpc;
    use serde_json::json;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "artifact-append-explicit";

    /// Two chunks, of which the peer makes "label: damaged".
    fn chunked(append: bool, reported: &str) -> Scene {
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.stream(B, JsonRpc, "d-1");
        scene.hold(x, "t-1", "TASK_STATE_COMPLETED");
        for (nth, text) in ["label: ", "damaged"].into_iter().enumerate() {
            let artifact = json!({ "artifactId": "a", "parts": [{ "text": text }] });
            let mut update = json!({ "taskId": "t-1", "contextId": "c-t-1", "artifact": artifact });
            if append && nth > 0 {
                update["append"] = json!(true);
            }
            scene.answer(x, json!({ "artifactUpdate": update }));
        }
        let done = json!({ "taskId": "t-1", "status": { "state": "TASK_STATE_COMPLETED" } });
        scene.answer(x, json!({ "statusUpdate": done }));
        scene.end(x, Ending::Complete).outcome("d-1", Status::Completed).text = Some(reported.to_owned());
        if !append {
            scene.fact(&[], Fact::ArtifactAmbiguous);
        }
        scene
    }

    #[test]
    fn explicit_chunks_are_put_together() {
        chunked(true, "label: damaged").upheld(ID);
        assert!(chunked(true, "damaged").broken(ID).contains("explicit chunks"));
    }

    #[test]
    fn chunks_that_do_not_say_are_looked_up() {
        assert!(chunked(false, "damaged").broken(ID).contains("chunks without `append`"));
        // Right by luck, for all that can be seen.
        chunked(false, "label: damaged").open(ID);
        let mut scene = chunked(false, "label: damaged");
        let x = scene.on_task(B, JsonRpc, Operation::GetTask, "t-1");
        scene.answer(x, json!({ "id": "t-1", "status": { "state": "TASK_STATE_COMPLETED" } }));
        scene.upheld(ID);
    }

    #[test]
    fn artifacts_in_one_piece_are_not_judged() {
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.completed(x, "t-1").outcome("d-1", Status::Completed).text = Some("label: damaged".to_owned());
        scene.open(ID);
    }
}
