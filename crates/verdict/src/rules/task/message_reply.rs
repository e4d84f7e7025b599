//! A message that answers the work directly is the whole answer: the caller gets it, and no task is asked for. Exempt:
//! work that ran out of time.

use crate::rules::prelude::*;
use crate::view::{contains_in_order, reply, texts};

pub(super) static RULE: Requirement = Requirement { id: "task-message-reply", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, outcome) in view.reported() {
        let replied = view.dispatches(&delegation.id).find_map(|x| Some((x, reply(x)?)));
        let Some((x, (entry, message))) = replied else { continue };
        if view.truth_is_hidden(x.peer) || view.held(&delegation.id).next().is_some() {
            continue;
        }
        let polls: Vec<u64> = view
            .operations()
            .filter(|y| y.peer == x.peer && y.entry.seq > entry)
            .filter(|y| {
                matches!(
                    y.request.operation,
                    Some(Operation::GetTask | Operation::SubscribeToTask | Operation::ListTasks)
                )
            })
            .filter(|y| y.request.task_id().is_none_or(|id| view.told(x.peer, id).is_none()))
            .map(|y| y.entry.seq)
            .collect();
        let text = outcome.text.as_deref();
        if !polls.is_empty() {
            let why = format!("{}: a message was the answer{}, yet a task was asked for{}", x.peer, cite(&[entry]), cite(&polls));
            tally.broken(why, polls.into_iter().chain([entry]));
        } else if outcome.status == Status::TimedOut {
        } else if !outcome.status.is_success() {
            let why = format!("{}: a message was the answer{}, reported as {}", x.peer, cite(&[entry]), outcome.status);
            tally.broken(why, [entry]);
        } else {
            let kept = text.is_none_or(|text| contains_in_order(text, texts(message)));
            let why = || format!("{}: the message that was the answer{} is not in the report", x.peer, cite(&[entry]));
            tally.check(kept, why, [entry]);
        }
    }
}
