//! The tasks of a peer, in order of creation.

use std::collections::{HashMap, VecDeque};

use gauntlet_wire::{A2aError, ErrorKind};

use super::task::{Phase, TaskRecord};
use crate::limits;

/// What a peer remembers.
#[derive(Default)]
pub(super) struct Tasks {
    records: VecDeque<TaskRecord>,
    /// The number of the first of them: how many are forgotten.
    forgotten: usize,
    by_id: HashMap<String, usize>,
}

impl Tasks {
    /// Takes a task in, and forgets the oldest where there are too many and it has ended. Gives its number.
    pub(super) fn push(&mut self, record: TaskRecord) -> usize {
        let has_ended = |oldest: &TaskRecord| oldest.phase() == Phase::Ended;
        while self.records.len() >= limits::TASKS && self.records.front().is_some_and(has_ended) {
            let oldest = self.records.pop_front();
            oldest.map(|oldest| self.by_id.remove(oldest.id()));
            self.forgotten += 1;
        }
        let number = self.forgotten + self.records.len();
        self.by_id.insert(record.id().to_owned(), number);
        self.records.push_back(record);
        number
    }

    /// The number of a task.
    ///
    /// # Errors
    /// TaskNotFound.
    pub(super) fn number_of(&self, id: &str) -> Result<usize, A2aError> {
        let unknown = || A2aError::new(ErrorKind::TaskNotFound, "there is no such task").with("taskId", id);
        self.by_id.get(id).copied().ok_or_else(unknown)
    }

    /// A task by a number that was given out just now.
    pub(super) fn numbered(&mut self, number: usize) -> &mut TaskRecord {
        &mut self.records[number - self.forgotten]
    }

    /// A task by its id.
    ///
    /// # Errors
    /// TaskNotFound.
    pub(super) fn find(&mut self, id: &str) -> Result<&mut TaskRecord, A2aError> {
        self.number_of(id).map(|number| self.numbered(number))
    }

    /// All that are there, with their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &TaskRecord)> {
        (self.forgotten..).zip(&self.records)
    }
}
