//! Artifacts: what the caller gets is what the peer holds.

mod append_explicit;
mod equals_peer;

use serde_json::Value;

use super::prelude::*;
use crate::view::{Content, artifacts, contains_in_order, texts};

pub(super) static RULES: &[&dyn crate::Rule] = &[&equals_peer::RULE, &append_explicit::RULE];

/// How the content that was reported relates to what the peer holds.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::rules) enum Likeness {
    Equal,
    /// What is held, and what was reported instead.
    Different(String, String),
    /// The report says nothing about content, or says that it is not known.
    Unknown,
}

/// Compares what was reported with a task's artifacts: by artifact where the driver reports them, or else by the text,
/// which must contain every text part in order.
pub(in crate::rules) fn likeness(view: &View<'_>, outcome: &Outcome, task: &Value) -> Likeness {
    if outcome.warnings.iter().any(|warning| warning.code == "artifact-unknown") {
        return Likeness::Unknown;
    }
    if let Some(reported) = outcome.artifacts.as_ref().filter(|_| view.supports(Support::Artifacts)) {
        let different = artifacts(task).find_map(|held| {
            let wanted = Content::of([held]);
            let same = |other: &&Value| other.get("artifactId") == held.get("artifactId");
            let by_id = Content::of(reported.iter().filter(same));
            let found = by_id == wanted || reported.iter().any(|other| Content::of([other]) == wanted);
            (!found).then(|| Likeness::Different(show(&wanted), show(&by_id)))
        });
        return different.unwrap_or(Likeness::Equal);
    }
    let wanted: Vec<&str> = artifacts(task).flat_map(texts).collect();
    match outcome.text.as_deref() {
        Some(text) if !wanted.is_empty() => {
            if contains_in_order(text, wanted.iter().copied()) {
                Likeness::Equal
            } else {
                Likeness::Different(format!("{:?}", wanted.concat()), format!("{text:?}"))
            }
        }
        _ => Likeness::Unknown,
    }
}

fn show(content: &Content) -> String {
    let Content { text, data, files } = content;
    match (text.is_empty(), data.is_empty(), files.is_empty()) {
        (true, true, true) => "nothing".to_owned(),
        (false, true, true) => format!("{text:?}"),
        _ => format!("{text:?}, {} and {}", count(data.len(), "value", "values"), count(files.len(), "file", "files")),
    }
}

/// Delegations that were reported as done and whose peer holds the work completed, with artifacts.
fn finished<'v, 'a>(
    view: &'v View<'a>,
) -> impl Iterator<Item = (&'a Delegation, &'a Outcome, &'a gauntlet_evidence::PeerState, &'a gauntlet_evidence::HeldTask)>
+ use<'v, 'a> {
    view.reported().filter(|(_, outcome)| outcome.status.is_success()).filter_map(|(delegation, outcome)| {
        let (peer, task) = view.reported_task(outcome)?;
        let comparable = task.state() == "TASK_STATE_COMPLETED"
            && artifacts(&task.task).next().is_some()
            && !view.truth_is_hidden(&peer.name)
            && view.told(&peer.name, task.id()).is_some();
        comparable.then_some((delegation, outcome, peer, task))
    })
}
