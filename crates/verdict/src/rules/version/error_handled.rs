//! An interface that answers that it does not speak the version is not asked again in the same way. What is then done
//! is done elsewhere, or the caller is told; where reasons are reported, by a word that speaks of versions or interfaces.

use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "version-error-handled", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, outcome) in view.reported().filter(|(_, outcome)| outcome.status != Status::TimedOut) {
        let refused = view
            .operations()
            .filter(|x| view.delegation_of(x).is_some_and(|known| known.id == delegation.id))
            .find_map(|x| Some((x, refusal(view, x)?)));
        let Some((x, entry)) = refused else { continue };
        let again: Vec<u64> = view
            .operations()
            .filter(|later| later.entry.seq > entry && later.peer == x.peer && later.number != x.number)
            .filter(|later| later.request.version == x.request.version && view.interface(later) == view.interface(x))
            .filter(|later| view.session_of(later) == Some(delegation.session.as_str()))
            .map(|later| later.entry.seq)
            .collect();
        let about = || {
            let version = x.request.version.as_deref().unwrap_or("no version");
            format!("{}: {version} is not spoken there{}", x.peer, cite(&[entry]))
        };
        if !again.is_empty() {
            let why = format!("{}, and was asked for again{}", about(), cite(&again));
            tally.broken(why, again.iter().copied().chain([entry]));
            continue;
        }
        let code = outcome.reason.as_ref().map_or("no reason", |reason| reason.code.as_str());
        let typed = outcome.status.is_success()
            || !view.supports(Support::Reasons)
            || matches!(code, "version-unsupported" | "interface-mismatch" | "no-shared-interface");
        tally.check(typed, || format!("{}, reported as {code}", about()), [entry]);
    }
}

/// The entry in which an interface says that it does not speak the version.
fn refusal(view: &View<'_>, x: &Exchange<'_>) -> Option<u64> {
    // Whoever names no version asked for an old one; that is another rule's affair.
    let failure = view.failure(x).filter(|_| x.request.version.is_some())?;
    (failure.reason == Some("VERSION_NOT_SUPPORTED") || failure.code == "-32009").then_some(failure.entry)
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::{Grpc, JsonRpc};

    use super::*;
    use crate::testing::{B, Scene, reported};

    const ID: &str = "version-error-handled";

    fn refused() -> Scene {
        let mut scene = Scene::new(&[JsonRpc, Grpc]);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.refuse_as(x, "-32009", Some("VERSION_NOT_SUPPORTED"));
        scene
    }

    #[test]
    fn another_interface_or_a_word_about_versions() {
        let mut scene = refused();
        scene.because("d-1", Status::Failed, "version-unsupported");
        scene.upheld(ID);
        scene.because("d-1", Status::Failed, "task-failed");
        assert!(scene.broken(ID).contains("reported as task-failed"));
        let x = scene.dispatch(B, Grpc, "d-1");
        scene.completed(x, "t-1").outcome("d-1", Status::Completed);
        scene.upheld(ID);
    }

    #[test]
    fn nobody_asks_again_in_the_same_way() {
        let mut scene = refused();
        scene.dispatch(B, JsonRpc, "d-1");
        scene.because("d-1", Status::Failed, "version-unsupported");
        assert!(scene.broken(ID).contains("and was asked for again"));
    }

    #[test]
    fn other_failures_are_not_judged() {
        reported("TASK_STATE_FAILED", Status::Failed).open(ID);
    }
}
