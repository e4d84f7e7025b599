//! `patch-event`: what an agent tells of its task says something else than what happened.

use gauntlet_scenario::{Fields, FileError, Node, words};
use gauntlet_wire::protojson::{self, Unknown};
use serde_json::Value;

use crate::patch::{Patch, patch};
use crate::{EventAction, EventView, Fault, FaultKind, Stage};

pub(crate) const KIND: FaultKind = FaultKind {
    id: "patch-event",
    summary: "Events are told with something else at one place; the peer holds what happened.",
    stages: &[Stage::EngineEvent],
    arguments: &[
        ("at", "JSON pointer into the event, such as /artifactUpdate/append; events of another kind are left alone"),
        ("to", "any value: what stands there then"),
        ("remove", "true: nothing stands there then"),
        ("chunk", "first: only the first chunk of an artifact"),
    ],
    build,
};

#[derive(Debug)]
struct PatchEvent {
    patch: Patch,
    first_chunk: bool,
}

fn build(arguments: &Node) -> Result<Box<dyn Fault>, FileError> {
    let fields = Fields::of(arguments, "`patch-event`", &["at", "to", "remove", "chunk"])?;
    let at = fields.required("at")?;
    if !["/statusUpdate/", "/artifactUpdate/"]
        .iter()
        .any(|kind| words::pointer(at).is_ok_and(|at| at.starts_with(kind)))
    {
        return Err(at.error("an event is a /statusUpdate/… or an /artifactUpdate/…"));
    }
    let first_chunk = fields.map("chunk", |node| node.one_of("a chunk", &[("first", ())]))?.is_some();
    Ok(Box::new(PatchEvent { patch: patch(&fields)?, first_chunk }))
}

impl Fault for PatchEvent {
    fn on_event(&self, event: &mut EventView<'_>) -> Option<EventAction> {
        let mut told = protojson::to_json(event.said);
        let kind = self.patch.at.split('/').nth(1)?;
        let update = told.get(kind)?;
        if self.first_chunk && update.get("append").and_then(Value::as_bool) == Some(true) {
            return None;
        }
        let pointer = self.patch.apply(&mut told)?;
        *event.said = protojson::from_json(&told, Unknown::Refuse).ok()?;
        Some(EventAction::Changed(vec![pointer]))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{artifact_update, refusal, set};

    #[test]
    fn a_flag_is_told_otherwise() {
        let omitted = set("[patch-event: { at: /artifactUpdate/lastChunk, remove: true }]");
        let (said, held, pointers) = artifact_update(&omitted, true, true);
        assert_eq!((said.append, said.last_chunk, held), (true, false, None));
        assert_eq!(pointers, ["/artifactUpdate/lastChunk"]);
        assert_eq!(artifact_update(&omitted, true, false).2, Vec::<String>::new(), "it was not there");
    }

    #[test]
    fn the_first_chunk_can_be_meant_alone() {
        let set = set("[patch-event: { at: /artifactUpdate/append, to: true, chunk: first }]");
        assert!(artifact_update(&set, false, false).0.append);
        assert_eq!(artifact_update(&set, true, false).2, Vec::<String>::new());
    }

    #[test]
    fn arguments_that_are_wrong() {
        let shown = [
            "[patch-event: { at: /task/id, to: x }]",
            "[patch-event: { at: /artifactUpdate/append }]",
            "[patch-event: { at: /artifactUpdate/append, to: true, chunk: last }]",
        ]
        .map(refusal)
        .join("\n");
        insta::assert_snapshot!(shown);
    }
}
