//! ContentTypeNotSupported is an error about the media type: it is reported as one, and what was refused is not sent to
//! that interface again.

use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "mode-error-typed", needs: &[Support::Reasons], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, outcome) in view.reported().filter(|(_, outcome)| outcome.status != Status::TimedOut) {
        let refused = view.dispatches(&delegation.id).find_map(|x| {
            let failure = view.failure(x)?;
            let is_mode = failure.reason == Some("CONTENT_TYPE_NOT_SUPPORTED") || failure.code == "-32005";
            is_mode.then_some((x, failure.entry))
        });
        let Some((x, entry)) = refused else { continue };
        let again: Vec<u64> = view
            .dispatches_to(&delegation.id, x.peer)
            .filter(|later| later.entry.seq > entry && view.interface(later) == view.interface(x))
            .map(|later| later.entry.seq)
            .collect();
        if !again.is_empty() {
            let why =
                format!("{}: the media type was refused{}, and sent again{}", x.peer, cite(&[entry]), cite(&again));
            tally.broken(why, again.iter().copied().chain([entry]));
        } else if !outcome.status.is_success() {
            let code = outcome.reason.as_ref().map_or("no reason", |reason| reason.code.as_str());
            let why = || format!("{}: the media type was refused{}, reported as {code}", x.peer, cite(&[entry]));
            tally.check(code.starts_with("mode-"), why, [entry]);
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;

    use super::*;
    use crate::testing::{B, Scene, reported};

    const ID: &str = "mode-error-typed";

    fn refused() -> Scene {
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.refuse_as(x, "-32005", Some("CONTENT_TYPE_NOT_SUPPORTED"));
        scene
    }

    #[test]
    fn it_is_reported_as_what_it_is_and_not_repeated() {
        let mut scene = refused();
        scene.because("d-1", Status::Refused, "mode-unsupported");
        scene.upheld(ID);
        scene.because("d-1", Status::Failed, "task-failed");
        assert!(scene.broken(ID).contains("reported as task-failed"));
        scene.dispatch(B, JsonRpc, "d-1");
        assert!(scene.broken(ID).contains("and sent again"));
    }

    #[test]
    fn other_failures_are_not_judged() {
        reported("TASK_STATE_FAILED", Status::Failed).open(ID);
    }
}
