//! A notification that comes again changes nothing: state and content that are reported are those that the peer holds.
//! Judged where the webhook took one notification more than once, on peers about which nothing else is wrong.

use std::collections::BTreeMap;

use super::watched;
use crate::rules::artifact::{Likeness, likeness};
use crate::rules::prelude::*;
use crate::view::artifacts;

pub(super) static RULE: Requirement = Requirement { id: "push-idempotent", needs: &[Support::Push], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (_, outcome, peer, task, notices) in watched(view) {
        let mut times: BTreeMap<(&str, u32), Vec<u64>> = BTreeMap::new();
        for notice in notices.iter().filter(|notice| notice.status.is_some_and(|status| (200..300).contains(&status))) {
            times.entry((&notice.sent.config_id, notice.sent.index)).or_default().push(notice.entry.seq);
        }
        let again: Vec<u64> = times.into_values().filter(|entries| entries.len() > 1).flatten().collect();
        if again.is_empty() || outcome.status == Status::TimedOut || !view.facts(&peer.name).0.is_empty() {
            continue;
        }
        let comparable = outcome.status.is_success() && artifacts(&task.task).next().is_some();
        let content = if comparable { likeness(view, outcome, &task.task) } else { Likeness::Unknown };
        let wrong = match content {
            Likeness::Different(held, reported) => Some(format!("holds {held}, returned was {reported}")),
            _ if view.agrees(outcome, peer, task) == Agreement::No => {
                Some(format!("is {}, reported as {}", task.state(), outcome.status))
            }
            _ => None,
        };
        let why = || {
            format!(
                "{}: notifications of task {} came more than once{}; it {}",
                peer.name,
                task.id(),
                cite(&again),
                wrong.as_deref().unwrap_or_default()
            )
        };
        tally.check(wrong.is_none(), why, again.iter().copied());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::{Scene, notified};

    const ID: &str = "push-idempotent";

    fn twice(text: &str) -> Scene {
        let mut scene = notified();
        for _ in 0..2 {
            scene.notice("t-1", "agreed", "TASK_STATE_COMPLETED", Some(200));
        }
        let parts = json!([{ "text": text }]);
        scene.outcome("d-1", Status::Completed).artifacts = Some(vec![json!({ "artifactId": "a", "parts": parts })]);
        scene
    }

    #[test]
    fn what_comes_again_changes_nothing() {
        twice("label: damaged").upheld(ID);
        assert!(twice("label: label: damaged").broken(ID).contains("came more than once"));
        let mut scene = twice("label: damaged");
        scene.case.evidence.outcomes[0].status = Status::Failed;
        assert!(scene.broken(ID).contains("reported as failed"));
    }

    #[test]
    fn what_came_once_and_peers_with_other_defects_are_not_judged() {
        let mut scene = notified();
        scene.notice("t-1", "agreed", "TASK_STATE_COMPLETED", Some(200));
        scene.outcome("d-1", Status::Failed);
        scene.open(ID);
        let mut scene = twice("label: label: damaged");
        scene.fact(&[], Fact::ArtifactAmbiguous).open(ID);
    }
}
