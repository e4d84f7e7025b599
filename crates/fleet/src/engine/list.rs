//! ListTasks: the newest status first, a page at a time (specification §3.1.4).

use std::cmp::Reverse;

use gauntlet_wire::{A2aError, ErrorKind, v1};

use super::task::TaskRecord;
use super::tasks::Tasks;

const DEFAULT_PAGE: i32 = 50;
const LARGEST_PAGE: i32 = 100;

/// Where a task stands in the list: seconds and nanoseconds of its status, then the order of creation, all descending.
type Place = Reverse<((i64, i32), usize)>;

pub(super) fn page(tasks: &Tasks, request: &v1::ListTasksRequest) -> Result<v1::ListTasksResponse, A2aError> {
    let invalid = |field: &str, why: &str| A2aError::new(ErrorKind::InvalidParams, why).at(field);
    let page_size = request.page_size.unwrap_or(DEFAULT_PAGE);
    if !(1..=LARGEST_PAGE).contains(&page_size) {
        return Err(invalid("pageSize", "`pageSize` must be from 1 to 100"));
    }
    let after = match request.page_token.as_str() {
        "" => None,
        token => Some(read(token).ok_or_else(|| invalid("pageToken", "`pageToken` was not given out by this agent"))?),
    };
    let wanted = tasks.iter().filter(|(_, record)| wanted(record, request));
    let mut found: Vec<(Place, &TaskRecord)> =
        wanted.map(|(number, record)| (Reverse((changed(record), number)), record)).collect();
    found.sort_by_key(|(place, _)| *place);
    let total = found.len();
    // Tasks that move to the front between two pages shift nothing.
    let begin = after.map_or(0, |after| found.partition_point(|(place, _)| *place <= after));
    let end = total.min(begin.saturating_add(usize::try_from(page_size).unwrap_or_default()));
    let tasks = found[begin..end].iter().map(|(_, record)| {
        let mut task = record.snapshot().with_history(request.history_length)?.task;
        if !request.include_artifacts.unwrap_or_default() {
            task.artifacts.clear();
        }
        Ok(task)
    });
    Ok(v1::ListTasksResponse {
        tasks: tasks.collect::<Result<_, A2aError>>()?,
        next_page_token: if end < total { write(found[end - 1].0) } else { String::new() },
        page_size,
        total_size: i32::try_from(total).unwrap_or(i32::MAX),
    })
}

fn write(Reverse(((seconds, nanos), index)): Place) -> String {
    format!("{seconds}.{nanos}.{index}")
}

fn read(token: &str) -> Option<Place> {
    let mut numbers = token.split('.');
    let place =
        Reverse(((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?), numbers.next()?.parse().ok()?));
    numbers.next().is_none().then_some(place)
}

fn wanted(record: &TaskRecord, request: &v1::ListTasksRequest) -> bool {
    let after = request.status_timestamp_after.as_ref().map(|after| (after.seconds, after.nanos));
    (request.context_id.is_empty() || request.context_id == record.task.context_id)
        && (request.status == 0 || request.status == i32::from(record.state()))
        && after.is_none_or(|after| changed(record) > after)
}

fn changed(record: &TaskRecord) -> (i64, i32) {
    let timestamp = record.task.status.as_ref().and_then(|status| status.timestamp.as_ref());
    timestamp.map_or((0, 0), |timestamp| (timestamp.seconds, timestamp.nanos))
}
