//! `patch-answer`: answers and stream items say something else at one place, whatever the peer holds.

use std::collections::BTreeSet;

use gauntlet_scenario::{Fields, FileError, Node, words};
use gauntlet_wire::Operation;

use crate::patch::{Patch, edit, patch};
use crate::refuse_operation::operations;
use crate::{Fault, FaultKind, FrameAction, FrameView, Stage};

pub(crate) const KIND: FaultKind = FaultKind {
    id: "patch-answer",
    summary: "Answers are changed at one place that they have; the peer holds what it holds.",
    stages: &[Stage::FrameEncoded],
    arguments: &[
        ("operation", "operation, list of operations, or \"*\": whose answers"),
        (
            "at",
            "JSON pointer into the answer, such as /task/id; \"\" is the whole. Answers without that place are left alone",
        ),
        ("to", "any value: what stands there then"),
        ("remove", "true: nothing stands there then"),
    ],
    build,
};

#[derive(Debug)]
struct PatchAnswer {
    operations: BTreeSet<Operation>,
    patch: Patch,
}

fn build(arguments: &Node) -> Result<Box<dyn Fault>, FileError> {
    let fields = Fields::of(arguments, "`patch-answer`", &["operation", "at", "to", "remove"])?;
    let patch = patch(&fields)?;
    if patch.to.is_none() && words::pointer(fields.required("at")?)?.is_empty() {
        return Err(fields.required("at")?.error("the whole answer cannot be removed").help("write `to: {}`"));
    }
    Ok(Box::new(PatchAnswer { operations: operations(fields.required("operation")?)?, patch }))
}

impl Fault for PatchAnswer {
    fn on_frame(&self, frame: &mut FrameView<'_>) -> Option<FrameAction> {
        if !self.operations.contains(&frame.call.operation) {
            return None;
        }
        let pointer = edit(&mut frame.encoded, |answer| {
            answer.pointer(&self.patch.at)?;
            self.patch.apply(answer)
        })?;
        Some(FrameAction::Changed(if pointer.is_empty() { Vec::new() } else { vec![pointer] }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{call, refusal, set};
    use crate::{Encoded, FrameOutcome};
    use gauntlet_wire::Binding;
    use gauntlet_wire::protojson::{bytes_to_json, json_to_bytes};
    use serde_json::{Value, json};

    fn answered(arguments: &str, answer: &Value) -> (Value, usize) {
        let set = set(&format!("[patch-answer: {{ operation: GetTask, {arguments} }}]"));
        let descriptor = Operation::GetTask.response();
        let call = call(Binding::Grpc, Operation::GetTask);
        let mut json = answer.clone();
        let encoded = Encoded::Json(&mut json);
        let (outcome, bites) = set.frame(&mut FrameView { call: &call, index: 0, last: true, encoded });
        assert_eq!(outcome, FrameOutcome::Send);
        let mut bytes = json_to_bytes(&descriptor, answer).unwrap();
        let encoded = Encoded::Proto(&descriptor, &mut bytes);
        let (_, same) = set.frame(&mut FrameView { call: &call, index: 0, last: true, encoded });
        assert_eq!(bites, same);
        assert_eq!(bytes_to_json(&descriptor, &bytes).unwrap(), json, "all bindings say the same");
        (json, bites.len())
    }

    #[test]
    fn answers_say_something_else() {
        let task = json!({ "id": "t", "contextId": "c" });
        assert_eq!(answered("at: /id, to: u", &task), (json!({ "id": "u", "contextId": "c" }), 1));
        assert_eq!(answered("at: /id, remove: true", &task), (json!({ "contextId": "c" }), 1));
        assert_eq!(answered("at: \"\", to: {}", &task), (json!({}), 1));
    }

    #[test]
    fn what_is_not_there_is_left_alone() {
        let task = json!({ "id": "t" });
        assert_eq!(answered("at: /contextId, to: u", &task), (task.clone(), 0));
        assert_eq!(answered("at: /id, to: t", &task), (task, 0));
    }

    #[test]
    fn the_whole_cannot_be_removed() {
        let refusal = refusal("[patch-answer: { operation: GetTask, at: \"\", remove: true }]");
        assert!(refusal.contains("the whole answer cannot be removed"), "{refusal}");
    }
}
