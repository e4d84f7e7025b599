//! What the checks of interfaces ask of what was seen.

use gauntlet_wire::{ErrorKind, Operation};

use super::Verdict;
use crate::call::Answer;
use crate::observe::Seen;

/// What every agent serves, beside sending messages.
pub(super) const ALWAYS: [Operation; 3] = [Operation::GetTask, Operation::ListTasks, Operation::CancelTask];

/// What came of GetTask, with credentials where they are shown.
pub(super) fn first(seen: &Seen) -> Option<&Answer> {
    seen.answer(Operation::GetTask)
}

/// Judges an answer that there is.
pub(super) fn with(answer: &Option<Answer>, judge: impl FnOnce(&Answer) -> Verdict) -> Verdict {
    answer.as_ref().map_or_else(unknown, judge)
}

/// Whether an operation was called, and answered like that.
pub(super) fn is(seen: &Seen, operation: Operation, of: impl FnOnce(&Answer) -> bool) -> bool {
    seen.answer(operation).is_some_and(of)
}

/// Whether the agent is there for everybody but the tenant that the card says.
pub(super) fn is_misplaced(seen: &Seen) -> bool {
    seen.homeless.as_ref().is_some_and(|answer| answer.kind() == Some(ErrorKind::TaskNotFound))
}

/// Nobody asked.
pub(super) fn unknown() -> Verdict {
    Verdict::NotChecked("it was not called".to_owned())
}

/// Why there was no more to see than a closed door.
pub(super) fn turned_away(seen: &Seen) -> String {
    match &seen.withheld {
        Some(why) => why.clone(),
        None if seen.has_credentials => "the credentials are not accepted".to_owned(),
        None => "credentials are demanded: give --bearer or --header".to_owned(),
    }
}

/// Operations and what they were answered; those of one answer together.
pub(super) fn told(seen: &Seen, operations: &[Operation]) -> String {
    let mut groups: Vec<(Vec<&str>, &str)> = Vec::new();
    for operation in operations {
        let Some(answer) = seen.answer(*operation) else { continue };
        match groups.iter_mut().find(|(_, words)| *words == answer.words) {
            Some((names, _)) => names.push(operation.name()),
            None => groups.push((vec![operation.name()], &answer.words)),
        }
    }
    groups.iter().map(|(names, words)| format!("{}: {words}", names.join(", "))).collect::<Vec<_>>().join("; ")
}
