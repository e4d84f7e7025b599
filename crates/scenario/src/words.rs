//! The words of A2A as they stand in scenario files.

use std::collections::BTreeSet;

use gauntlet_wire::v1::TaskState;
use gauntlet_wire::{Binding, Operation};

use crate::model::When;
use crate::node::{FileError, Node};
use crate::read::Fields;

/// Reads a binding.
///
/// # Errors
/// When it is none, with the nearest.
pub fn binding(node: &Node) -> Result<Binding, FileError> {
    node.parsed("a binding", &Binding::ALL.map(Binding::name))
}

/// Reads an operation.
///
/// # Errors
/// When it is none, with the nearest.
pub fn operation(node: &Node) -> Result<Operation, FileError> {
    node.parsed("an operation", &Operation::ALL.map(Operation::name))
}

/// Reads a JSON pointer (RFC 6901): empty, or beginning with a slash.
///
/// # Errors
/// When it is something else.
pub fn pointer(node: &Node) -> Result<&str, FileError> {
    match node.text()? {
        text if text.is_empty() || text.starts_with('/') => Ok(text),
        text => Err(node
            .error(format!("`{text}` is not a JSON pointer"))
            .help("write it with a slash before every step, such as /capabilities/streaming")),
    }
}

/// Reads which interface of a peer is meant: its position in the list, from 1.
///
/// # Errors
/// When it is no such number.
pub fn interface(node: &Node) -> Result<u32, FileError> {
    node.count(1, u32::MAX)
}

const WHEN: &[&str] = &[
    "binding",
    "bindings",
    "interface",
    "interfaces",
    "operation",
    "operations",
    "nth",
    "first",
    "afterEvents",
    "probability",
    "messageIdPrefix",
    "text",
    "namesWebhook",
    "taskState",
    "taskStates",
];

/// Reads the conditions under which a fault bites.
///
/// # Errors
/// When they are malformed.
pub fn when(node: &Node) -> Result<When, FileError> {
    let fields = Fields::of(node, "`when`", WHEN)?;
    let probability = fields.map("probability", |node| match node.number()? {
        number if (0.0..=1.0).contains(&number) => Ok(number),
        number => Err(node.error(format!("{number} is not a probability")).help("write a number from 0 to 1")),
    })?;
    let words = |key| fields.map(key, |node| node.words().map(str::to_owned));
    Ok(When {
        bindings: set(&fields, "binding", "bindings", binding)?,
        interfaces: set(&fields, "interface", "interfaces", interface)?,
        operations: set(&fields, "operation", "operations", operation)?,
        nth: fields.map("nth", |node| node.count(1, u32::MAX))?,
        first: fields.map("first", |node| node.count(1, u32::MAX))?,
        after_events: fields.map("afterEvents", |node| node.count(0, u32::MAX))?,
        probability,
        message_id_prefix: words("messageIdPrefix")?,
        text: words("text")?,
        names_webhook: fields.map("namesWebhook", Node::boolean)?,
        task_states: set(&fields, "taskState", "taskStates", task_state)?,
    })
}

fn task_state(node: &Node) -> Result<TaskState, FileError> {
    const STATES: [(&str, TaskState); 8] = [
        ("submitted", TaskState::Submitted),
        ("working", TaskState::Working),
        ("input-required", TaskState::InputRequired),
        ("auth-required", TaskState::AuthRequired),
        ("completed", TaskState::Completed),
        ("failed", TaskState::Failed),
        ("canceled", TaskState::Canceled),
        ("rejected", TaskState::Rejected),
    ];
    node.one_of("a state of tasks", &STATES)
}

fn set<T: Ord>(
    fields: &Fields<'_>,
    one: &'static str,
    many: &'static str,
    read: fn(&Node) -> Result<T, FileError>,
) -> Result<BTreeSet<T>, FileError> {
    if fields.optional(one).is_none() && fields.optional(many).is_none() {
        return Ok(BTreeSet::new());
    }
    let (_, node) = fields.exactly_one(&[one, many])?;
    let items = node.one_or_more();
    if items.is_empty() {
        return Err(node.error("an empty list means never").help("leave the key out to mean always"));
    }
    items.iter().map(read).collect()
}
