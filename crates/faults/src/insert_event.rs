//! `insert-event`: streams tell of something that never happened to the task.

use gauntlet_scenario::{Fields, FileError, Node};
use gauntlet_wire::protojson::{self, Unknown};
use gauntlet_wire::v1::{StreamResponse, TaskState, TaskStatus, stream_response::Payload};
use serde_json::{Value, json};

use crate::gate::mix;
use crate::{EventAction, EventView, Fault, FaultKind, Stage};

pub(crate) const KIND: FaultKind = FaultKind {
    id: "insert-event",
    summary: "After some events another one is told that never happened.",
    stages: &[Stage::EngineEvent],
    arguments: &[
        (
            "after",
            "working, artifact or end: the status WORKING, each artifact update, or the state that ends the task",
        ),
        ("event", "mapping: a statusUpdate or artifactUpdate; the ids of task and context are filled in"),
        ("foreign", "true: it is about another task, of which nobody has heard; false by default"),
    ],
    build,
};

#[derive(Debug)]
struct InsertEvent {
    after: After,
    /// With the kind of the event as its only member.
    event: Value,
    foreign: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    Working,
    Artifact,
    End,
}

fn build(arguments: &Node) -> Result<Box<dyn Fault>, FileError> {
    let fields = Fields::of(arguments, "`insert-event`", &["after", "event", "foreign"])?;
    let places = [("working", After::Working), ("artifact", After::Artifact), ("end", After::End)];
    let node = fields.required("event")?;
    let event = node.json();
    let is_update = ["statusUpdate", "artifactUpdate"].iter().any(|kind| event.get(kind).is_some());
    match protojson::from_json::<StreamResponse>(&event, Unknown::Refuse) {
        Ok(_) if is_update => {}
        Ok(_) => return Err(node.error("an event is a `statusUpdate` or an `artifactUpdate`")),
        Err(error) => return Err(node.error(format!("this is no event of A2A: {error}"))),
    }
    Ok(Box::new(InsertEvent {
        after: fields.required("after")?.one_of("a place", &places)?,
        event,
        foreign: fields.map("foreign", Node::boolean)?.unwrap_or_default(),
    }))
}

impl Fault for InsertEvent {
    fn on_event(&self, event: &mut EventView<'_>) -> Option<EventAction> {
        let (place, task, context) = match &event.said.payload {
            Some(Payload::StatusUpdate(update)) => {
                (of_state(update.status.as_ref()?)?, &update.task_id, &update.context_id)
            }
            Some(Payload::ArtifactUpdate(update)) => (After::Artifact, &update.task_id, &update.context_id),
            _ => return None,
        };
        if place != self.after {
            return None;
        }
        let (task, context) = if self.foreign {
            (foreign("task", task), foreign("context", context))
        } else {
            (task.clone(), context.clone())
        };
        let mut inserted = self.event.clone();
        for update in inserted.as_object_mut()?.values_mut() {
            update["taskId"] = json!(task);
            update["contextId"] = json!(context);
        }
        Some(EventAction::Also(vec![protojson::from_json(&inserted, Unknown::Refuse).ok()?]))
    }
}

fn of_state(status: &TaskStatus) -> Option<After> {
    match status.state() {
        TaskState::Working => Some(After::Working),
        TaskState::Completed | TaskState::Failed | TaskState::Canceled | TaskState::Rejected => Some(After::End),
        _ => None,
    }
}

/// An id that looks like the peer's own, and that it has not given away.
fn foreign(kind: &str, own: &str) -> String {
    let hash = own.bytes().fold(1, |hash, byte| mix(hash ^ u64::from(byte)));
    format!("{kind}-{:012x}", hash & 0xffff_ffff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{refusal, set, told};

    #[test]
    fn an_event_follows_under_the_ids_of_the_task() {
        let late = "after: artifact, event: { statusUpdate: { status: { state: TASK_STATE_FAILED } } }";
        let outcome = told(&set(&format!("[insert-event: {{ {late} }}]")), false, true);
        let Some(Payload::StatusUpdate(update)) = &outcome.also[0].0.payload else { panic!("{outcome:?}") };
        assert_eq!((update.task_id.as_str(), update.status.as_ref().unwrap().state()), ("t", TaskState::Failed));
        let outcome = told(&set(&format!("[insert-event: {{ {late}, foreign: true }}]")), false, true);
        let Some(Payload::StatusUpdate(update)) = &outcome.also[0].0.payload else { panic!("{outcome:?}") };
        assert!(update.task_id.starts_with("task-"), "{}", update.task_id);
    }

    #[test]
    fn it_follows_where_it_should_and_nowhere_else() {
        let end =
            set("[insert-event: { after: end, event: { statusUpdate: { status: { state: TASK_STATE_WORKING } } } }]");
        assert_eq!(told(&end, true, true).also, Vec::new());
    }

    #[test]
    fn arguments_that_are_wrong() {
        let shown = [
            "[insert-event: { after: start, event: { statusUpdate: {} } }]",
            "[insert-event: { after: end, event: { task: { id: x } } }]",
            "[insert-event: { after: end, event: { statusUpdate: { state: x } } }]",
        ]
        .map(refusal)
        .join("\n");
        insta::assert_snapshot!(shown);
    }
}
