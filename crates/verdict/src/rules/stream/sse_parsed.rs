//! A stream whose events are framed in another of the ways that server-sent events allow is read like any other: what is
//! reported agrees with the task, and with its artifacts. Judged only where nothing else about the peer permits to refuse
//! the work. Exempt: streams that did not go out whole, and work that ran out of time.

use gauntlet_evidence::journal::{Ending, Frame};
use gauntlet_wire::{Binding, sse};

use crate::oracle::must_serve;
use crate::rules::artifact::{Likeness, likeness};
use crate::rules::prelude::*;
use crate::view::binding_of;

pub(super) static RULE: Requirement = Requirement { id: "stream-sse-parsed", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, outcome) in view.reported().filter(|(delegation, _)| must_serve(view, delegation)) {
        let [peer] = view.peers_of(delegation).collect::<Vec<_>>()[..] else { continue };
        if !view.facts(&peer.name).0.is_empty() || outcome.status == Status::TimedOut {
            continue;
        }
        let Some(entry) = view.belonging(&delegation.id).find_map(reframed) else { continue };
        let Some((_, task)) = view.reported_task(outcome) else { continue };
        let whence =
            format!("{}: its events are framed otherwise than usual, and legally{}", peer.name, cite(&[entry]));
        match (view.agrees(outcome, peer, task), likeness(view, outcome, &task.task)) {
            (Agreement::Yes, Likeness::Different(held, reported)) => {
                tally.broken(format!("{whence}; the task holds {held}, returned was {reported}"), [entry]);
            }
            (Agreement::Yes, _) => tally.upheld(),
            (Agreement::No, _) if !outcome.status.is_success() => {
                let why = format!("{whence}; the task is {}, {} was reported", task.state(), outcome.status);
                tally.broken(why, [entry]);
            }
            _ => {}
        }
    }
}

/// The first frame of a stream that is framed otherwise than `data: …` on one line and a blank one, where the whole
/// stream went out and can be read by the standard.
fn reframed(x: &Exchange<'_>) -> Option<u64> {
    let over_http = matches!(binding_of(x), Some(Binding::JsonRpc | Binding::HttpJson));
    let streams = x.request.operation.is_some_and(Operation::is_streaming);
    if !over_http || !streams || x.error().is_some() || x.ending != Some(&Ending::Complete) {
        return None;
    }
    let mut decoder = sse::Decoder::default();
    let events: usize =
        x.frames.iter().map(|(_, frame)| decoder.push(frame.raw.text().unwrap_or_default().as_bytes()).len()).sum();
    if events != x.frames.len() || decoder.finish().is_some() {
        return None;
    }
    // What was cut into pieces reads as usual here: only the stamp of the fault that frames events tells.
    let odd = |(entry, frame): &&(&gauntlet_evidence::JournalEntry, &Frame)| {
        let in_pieces = entry.stamps.iter().any(|stamp| stamp.fault == "rewrite-sse");
        in_pieces || !is_plain(frame.raw.text().unwrap_or_default())
    };
    x.frames.iter().find(odd).map(|(entry, _)| entry.seq)
}

fn is_plain(raw: &str) -> bool {
    let data = raw.strip_prefix("data: ").and_then(|rest| rest.strip_suffix("\n\n"));
    data.is_some_and(|data| !data.contains(['\n', '\r']))
}

#[cfg(test)]
mod tests {
    use gauntlet_evidence::journal::Raw;
    use gauntlet_evidence::{JournalEvent, Stamp};
    use gauntlet_wire::Binding::{Grpc, HttpJson, JsonRpc};
    use serde_json::json;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "stream-sse-parsed";

    /// Work that was streamed and completed, each event with that framing.
    fn streamed(on: Binding, status: Status, framing: &str) -> Scene {
        let mut scene = Scene::new(&[on]);
        let x = scene.stream(B, on, "d-1");
        scene.completed(x, "t-1").outcome("d-1", status);
        for entry in &mut scene.case.evidence.journal {
            if let JournalEvent::Frame(frame) = &mut entry.event {
                frame.raw = Raw::Text(framing.to_owned());
            }
        }
        scene
    }

    #[test]
    fn legal_framings_are_read_alike() {
        for framing in
            ["data: {}\r\n\r\n", "data: {}\r\r", "data:{}\n\n", ": x\ndata: {\ndata: }\n\n", "\u{feff}data: {}\n\n"]
        {
            for on in [JsonRpc, HttpJson] {
                streamed(on, Status::Completed, framing).upheld(ID);
                let why = streamed(on, Status::Failed, framing).broken(ID);
                assert!(why.contains("the task is TASK_STATE_COMPLETED, failed was reported"), "{why}");
            }
        }
    }

    #[test]
    fn what_was_garbled_on_the_way_was_not_read() {
        let mut scene = streamed(JsonRpc, Status::Completed, "data:{}\n\n");
        let artifacts = json!([{ "artifactId": "a", "parts": [{ "text": "label: dam\u{fffd}ged" }] }]);
        scene.case.evidence.outcomes[0].artifacts = artifacts.as_array().cloned();
        assert!(scene.broken(ID).contains("the task holds \"label: damaged\""));
    }

    #[test]
    fn a_stamp_tells_of_pieces() {
        let mut scene = streamed(JsonRpc, Status::Failed, "data: {}\n\n");
        scene.open(ID);
        let stamp =
            Stamp { fault: "rewrite-sse".to_owned(), defect: "sse-split-utf8".to_owned(), pointers: Vec::new() };
        for entry in &mut scene.case.evidence.journal {
            if matches!(entry.event, JournalEvent::Frame(_)) {
                entry.stamps = vec![stamp.clone()];
            }
        }
        scene.broken(ID);
        // Frames that another fault replaced are other answers, not another framing.
        for entry in &mut scene.case.evidence.journal {
            entry.stamps.iter_mut().for_each(|stamp| stamp.fault = "insert-event".to_owned());
        }
        scene.open(ID);
    }

    #[test]
    fn other_bindings_other_faults_and_streams_that_are_not_whole_are_not_judged() {
        streamed(Grpc, Status::Failed, "data:{}\n\n").open(ID);
        streamed(JsonRpc, Status::TimedOut, "data:{}\n\n").open(ID);
        streamed(JsonRpc, Status::Failed, "data:{}\n").open(ID);
        let mut scene = streamed(JsonRpc, Status::Failed, "data:{}\n\n");
        scene.fact(&[], Fact::StreamEndsEarly);
        scene.open(ID);
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.stream(B, JsonRpc, "d-1");
        scene.early(x, "t-1", "TASK_STATE_COMPLETED").outcome("d-1", Status::Failed);
        scene.open(ID);
    }
}
