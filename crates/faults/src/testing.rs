//! Faults from YAML, for the tests of this crate.

use gauntlet_scenario::{AppliedDefect, FaultCall, FileError, Node, NodeKind, When, words, yaml};
use gauntlet_wire::{Binding, Operation};

use crate::{Call, Encoded, EventView, Fault, FaultSet, FrameOutcome, FrameView, catalogue};

/// The defects that a list of `fault: { argument: value, when: { … } }` makes, one for each item: `d0`, `d1`, ….
pub(crate) fn defects(text: &str) -> Vec<AppliedDefect> {
    let list = yaml::parse("t.yaml", text).expect("a test's YAML");
    let items = list.list().expect("a list").iter().enumerate();
    items.map(|(index, item)| defect(format!("d{index}"), item)).collect()
}

fn defect(id: String, item: &Node) -> AppliedDefect {
    let (name, place, mut arguments) = item.named().expect("a fault");
    let mut when = When::default();
    if let NodeKind::Map(entries) = &mut arguments.kind {
        if let Some(node) = entries.iter().find(|(key, ..)| key == "when") {
            when = words::when(&node.2).expect("conditions");
        }
        entries.retain(|(key, ..)| key != "when");
    }
    let call = FaultCall { name: name.to_owned(), place: place.clone(), arguments, when };
    AppliedDefect {
        title: id.clone(),
        id,
        faults: vec![call],
        facts: Vec::new(),
        exercises: Vec::new(),
        place: place.clone(),
    }
}

pub(crate) fn set(text: &str) -> FaultSet {
    FaultSet::build(&defects(text), 1).expect("faults that compose")
}

/// One fault, without conditions.
pub(crate) fn fault(text: &str) -> Result<Box<dyn Fault>, FileError> {
    let defects = defects(text);
    let call = &defects[0].faults[0];
    (catalogue::find(call)?.build)(&call.arguments)
}

/// What people read when the arguments are wrong.
pub(crate) fn refusal(text: &str) -> String {
    fault(text).expect_err("wrong arguments").to_string()
}

pub(crate) const fn call(binding: Binding, operation: Operation) -> Call {
    Call { binding, interface: 0, operation, nth: 1, message: None, on_task: false, token: None, task: None }
}

/// What becomes of each frame of an answer of `frames` frames.
pub(crate) fn outcomes(set: &FaultSet, call: &Call, frames: u32) -> Vec<FrameOutcome> {
    let outcome = |index| {
        let mut json = serde_json::json!({});
        let encoded = Encoded::Json(&mut json);
        set.frame(&mut FrameView { call, index, last: index + 1 == frames, encoded }).0
    };
    (0..frames).map(outcome).collect()
}

/// An artifact update as subscribers are told it, how the peer takes it, and the stamped pointers.
pub(crate) fn artifact_update(
    set: &FaultSet,
    append: bool,
    last_chunk: bool,
) -> (gauntlet_wire::v1::TaskArtifactUpdateEvent, Option<crate::Fold>, Vec<String>) {
    use gauntlet_wire::v1::{StreamResponse, TaskArtifactUpdateEvent, stream_response::Payload};
    let update = TaskArtifactUpdateEvent { task_id: "t".to_owned(), append, last_chunk, ..Default::default() };
    let mut said = StreamResponse { payload: Some(Payload::ArtifactUpdate(update)) };
    let mut held = None;
    let outcome = set.event(&mut EventView { said: &mut said, held: &mut held, index: 0 });
    let Some(Payload::ArtifactUpdate(update)) = said.payload else { unreachable!("the payload keeps its kind") };
    (update, held, outcome.changed.into_iter().flat_map(|bite| bite.pointers).collect())
}

/// What becomes of an artifact update.
pub(crate) fn told(set: &FaultSet, append: bool, last_chunk: bool) -> crate::EventOutcome {
    use gauntlet_wire::v1::{StreamResponse, TaskArtifactUpdateEvent, stream_response::Payload};
    let update = TaskArtifactUpdateEvent { task_id: "t".to_owned(), append, last_chunk, ..Default::default() };
    let mut said = StreamResponse { payload: Some(Payload::ArtifactUpdate(update)) };
    set.event(&mut EventView { said: &mut said, held: &mut None, index: 0 })
}

/// What becomes of bytes, and the pieces they are written in.
pub(crate) fn written(
    set: &FaultSet,
    call: &Call,
    framing: crate::WireFraming,
    index: u32,
    last: bool,
    text: &str,
) -> (crate::BytesOutcome, Vec<String>) {
    let mut pieces = vec![text.as_bytes().to_vec()];
    let (outcome, _) = set.bytes(&mut crate::BytesView { call, framing, index, last, pieces: &mut pieces });
    (outcome, pieces.iter().map(|piece| String::from_utf8_lossy(piece).into_owned()).collect())
}

/// A notification as it is sent.
pub(crate) struct Sent {
    pub(crate) object: serde_json::Value,
    pub(crate) headers: Vec<(String, String)>,
}

/// What becomes of a notification that a task waits for input, with a header `x-token: a`.
pub(crate) fn notified(set: &FaultSet, index: u32) -> (crate::WebhookOutcome, Sent, Vec<crate::Bite>) {
    let mut object =
        serde_json::json!({ "statusUpdate": { "taskId": "t", "status": { "state": "TASK_STATE_INPUT_REQUIRED" } } });
    let mut headers = vec![("x-token".to_owned(), "a".to_owned())];
    let task = gauntlet_wire::v1::Task { id: "t".to_owned(), ..Default::default() };
    let view = &mut crate::WebhookView { task: &task, index, object: &mut object, headers: &mut headers };
    let (outcome, bites) = set.webhook(view);
    (outcome, Sent { object, headers }, bites)
}
