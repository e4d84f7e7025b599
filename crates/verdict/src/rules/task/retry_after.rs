//! A peer that turns a message away as busy, and says when to come back, is asked again then: not before, and not for
//! ever. Handing that over to the caller, by calling the failure transient, is as good. Exempt: work that ran out of
//! time.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use gauntlet_wire::error::retry_delay;

use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "task-retry-after", needs: &[], judge };

/// Clocks differ a little.
const GRACE: Duration = Duration::from_millis(20);
/// More than this are no bounded retries.
const MOST: usize = 10;

fn judge(view: &View<'_>, tally: &mut Tally) {
    for (delegation, outcome) in view.reported().filter(|(_, outcome)| outcome.status != Status::TimedOut) {
        let turned_away: Vec<_> = view.dispatches(&delegation.id).filter_map(|x| Some((x, come_back(x)?))).collect();
        for (nth, (x, delay)) in turned_away.iter().enumerate() {
            let answered = x.frames.first().map_or(x.entry, |(entry, _)| *entry);
            let next = view.dispatches(&delegation.id).find(|later| {
                later.entry.seq > answered.seq && later.peer == x.peer && view.interface(later) == view.interface(x)
            });
            let told = format!("{}: told to come back in {} ms{}", x.peer, delay.as_millis(), cite(&[answered.seq]));
            match next {
                Some(next) => {
                    let after = Duration::from_micros(next.entry.at_us.saturating_sub(answered.at_us));
                    let entries = [answered.seq, next.entry.seq];
                    let early = format!("{told}, asked again after {} ms{}", after.as_millis(), cite(&entries[1..]));
                    tally.check(after + GRACE >= *delay, || early, entries);
                }
                None if nth + 1 == turned_away.len() && !outcome.status.is_success() => {
                    let transient = outcome.transient == Some(true);
                    let why =
                        || format!("{told} and never asked again; reported as {}, not as transient", outcome.status);
                    tally.check(transient, why, [answered.seq]);
                }
                None => {}
            }
        }
        if turned_away.len() > MOST {
            let entries: Vec<u64> = turned_away.iter().map(|(x, _)| x.entry.seq).collect();
            tally.broken(format!("turned away {} times and asked again each time{}", MOST, cite(&entries)), entries);
        }
    }
}

/// When the peer said to come back, where it turned a message away as busy.
fn come_back(x: &Exchange<'_>) -> Option<Duration> {
    let busy =
        x.error().is_some_and(|error| matches!(&*error.code, "429" | "503" | "RESOURCE_EXHAUSTED" | "UNAVAILABLE"));
    let header = |name: &str| x.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let seconds = || header("retry-after")?.trim().parse().ok().map(Duration::from_secs);
    let details = || {
        let text = header("grpc-status-details-bin")?;
        let bytes = STANDARD_NO_PAD.decode(text).or_else(|_| STANDARD.decode(text)).ok()?;
        retry_delay(&bytes)
    };
    busy.then(|| seconds().or_else(details)).flatten()
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;

    use super::*;
    use crate::testing::{B, Scene};

    const ID: &str = "task-retry-after";

    /// Turned away with `seconds`, and asked again the entry after; entries are a millisecond apart.
    fn busy(seconds: &str) -> Scene {
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.answered(x, 503, &[("retry-after", seconds)]);
        scene.refuse(x, "503");
        scene
    }

    #[test]
    fn nobody_comes_back_early() {
        for (seconds, early) in [("0", false), ("2", true)] {
            let mut scene = busy(seconds);
            let x = scene.dispatch(B, JsonRpc, "d-1");
            scene.completed(x, "t-1").outcome("d-1", Status::Completed);
            if early {
                assert!(scene.broken(ID).contains("told to come back in 2000 ms"));
            } else {
                scene.upheld(ID);
            }
        }
    }

    #[test]
    fn the_caller_may_be_told_to_try_again() {
        let mut scene = busy("1");
        scene.outcome("d-1", Status::Failed);
        assert!(scene.broken(ID).contains("never asked again"));
        scene.outcome("d-1", Status::Failed).transient = Some(true);
        scene.upheld(ID);
        scene.outcome("d-1", Status::TimedOut);
        scene.open(ID);
    }

    #[test]
    fn other_failures_are_not_judged() {
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.refuse(x, "503");
        scene.outcome("d-1", Status::Failed);
        scene.open(ID);
    }
}
