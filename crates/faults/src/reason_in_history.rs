//! `reason-in-history`: the status of a task that failed says nothing; its words stand in the history.

use gauntlet_scenario::{Fields, FileError, Node};
use serde_json::Value;

use crate::patch::edit;
use crate::{Fault, FaultKind, FrameAction, FrameView, Stage};

pub(crate) const KIND: FaultKind = FaultKind {
    id: "reason-in-history",
    summary: "The words of a failed or rejected task stand in its history instead of its status.",
    stages: &[Stage::FrameEncoded],
    arguments: &[],
    build,
};

#[derive(Debug)]
struct ReasonInHistory;

fn build(arguments: &Node) -> Result<Box<dyn Fault>, FileError> {
    Fields::of(arguments, "`reason-in-history`", &[])?;
    Ok(Box::new(ReasonInHistory))
}

impl Fault for ReasonInHistory {
    fn on_frame(&self, frame: &mut FrameView<'_>) -> Option<FrameAction> {
        edit(&mut frame.encoded, |answer| {
            let at = ["/task", "/statusUpdate", ""].into_iter().find(|at| {
                let state = answer.pointer(&format!("{at}/status/state")).and_then(Value::as_str);
                matches!(state, Some("TASK_STATE_FAILED" | "TASK_STATE_REJECTED"))
            })?;
            let told = answer.pointer_mut(at)?.as_object_mut()?;
            let words = told.get_mut("status")?.as_object_mut()?.shift_remove("message")?;
            let mut pointers = vec![format!("{at}/status/message")];
            // An update has no history; whoever wants to know has to ask for the task.
            if at != "/statusUpdate" {
                let history = told.entry("history").or_insert_with(|| Value::Array(Vec::new())).as_array_mut()?;
                pointers.push(format!("{at}/history/{}", history.len()));
                history.push(words);
            }
            Some(pointers)
        })
        .map(FrameAction::Changed)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{call, set};
    use crate::{Encoded, FrameView};
    use gauntlet_wire::{Binding, Operation};
    use serde_json::{Value, json};

    fn answered(mut answer: Value) -> Value {
        let call = call(Binding::JsonRpc, Operation::SendMessage);
        let encoded = Encoded::Json(&mut answer);
        set("[reason-in-history]").frame(&mut FrameView { call: &call, index: 0, last: true, encoded });
        answer
    }

    #[test]
    fn words_move_to_the_history() {
        let status = |state: &str| json!({ "state": state, "message": { "messageId": "m" } });
        let task = |state: &str| json!({ "task": { "id": "t", "status": status(state), "history": [] } });
        assert_eq!(
            answered(task("TASK_STATE_FAILED")),
            json!({ "task": { "id": "t", "status": { "state": "TASK_STATE_FAILED" }, "history": [{ "messageId": "m" }] } })
        );
        assert_eq!(answered(task("TASK_STATE_INPUT_REQUIRED")), task("TASK_STATE_INPUT_REQUIRED"));
        let update = json!({ "statusUpdate": { "taskId": "t", "status": status("TASK_STATE_REJECTED") } });
        assert_eq!(
            answered(update),
            json!({ "statusUpdate": { "taskId": "t", "status": { "state": "TASK_STATE_REJECTED" } } })
        );
    }
}
