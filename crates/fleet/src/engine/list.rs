//! ListTasks: the newest status first, a page at a time (specification §3.1.4).

use gauntlet_wire::{A2aError, ErrorKind, v1};

use super::task::TaskRecord;

const DEFAULT_PAGE: i32 = 50;
const LARGEST_PAGE: i32 = 100;

pub(super) fn page(records: &[TaskRecord], request: &v1::ListTasksRequest) -> Result<v1::ListTasksResponse, A2aError> {
    let invalid = |why: &str| A2aError::new(ErrorKind::InvalidParams, why);
    let page_size = request.page_size.unwrap_or(DEFAULT_PAGE);
    if !(1..=LARGEST_PAGE).contains(&page_size) {
        return Err(invalid("`pageSize` must be from 1 to 100"));
    }
    let begin: usize = match request.page_token.as_str() {
        "" => 0,
        token => token.parse().map_err(|_| invalid("`pageToken` was not given out by this agent"))?,
    };
    let mut found: Vec<&TaskRecord> = records.iter().filter(|record| wanted(record, request)).collect();
    found.sort_by_key(|record| std::cmp::Reverse(changed(record)));
    let total = found.len();
    let end = total.min(begin.saturating_add(usize::try_from(page_size).unwrap_or_default()));
    let page = found.get(begin..end).unwrap_or_default().iter().map(|record| {
        let mut task = record.snapshot().with_history(request.history_length)?.task;
        if !request.include_artifacts.unwrap_or_default() {
            task.artifacts.clear();
        }
        Ok(task)
    });
    Ok(v1::ListTasksResponse {
        tasks: page.collect::<Result<_, A2aError>>()?,
        next_page_token: if end < total { end.to_string() } else { String::new() },
        page_size,
        total_size: i32::try_from(total).unwrap_or(i32::MAX),
    })
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
