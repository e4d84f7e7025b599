//! The standing self check: what no fault has touched must be valid. A breach is a bug of the mock, not of the
//! orchestrator, and is told as such when the fleet stops.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use gauntlet_wire::protojson::{self, Unknown};
use prost_reflect::MessageDescriptor;
use serde_json::Value;

use crate::lock::lock;

/// What went wrong inside the fleet.
#[derive(Default)]
pub(crate) struct Troubles {
    panics: Mutex<Vec<String>>,
    /// Whether a task has panicked that nobody has joined yet.
    unwound: AtomicBool,
}

/// Sees a panic pass before anybody outside can see what comes of it, such as a connection that closes.
pub(crate) struct Witness<'a>(pub(crate) &'a Troubles);

impl Drop for Witness<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.unwound.store(true, Ordering::Relaxed);
        }
    }
}

impl Troubles {
    /// Keeps the panic of a task, if that is how it ended.
    pub(crate) fn joined(&self, ended: Result<(), tokio::task::JoinError>) {
        if let Err(error) = ended
            && error.is_panic()
        {
            self.panicked(error.to_string());
        }
    }

    pub(crate) fn panicked(&self, what: String) {
        lock(&self.panics).push(what);
    }

    pub(crate) fn has_unwound(&self) -> bool {
        self.unwound.load(Ordering::Relaxed)
    }

    pub(crate) fn take_panics(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.panics))
    }
}

/// What is wrong with an object that a peer has said.
pub(crate) fn breach(peer: &str, descriptor: &MessageDescriptor, object: &Value) -> Option<String> {
    let why = match protojson::dynamic_from_json(descriptor, object, Unknown::Refuse) {
        Err(error) => error.detail,
        Ok(message) => format!("{} is required", protojson::missing_required(&message)?),
    };
    Some(format!("{peer} said an invalid {}: {why}: {object}", descriptor.name()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_panic_is_witnessed_while_it_passes() {
        let troubles = Troubles::default();
        drop(Witness(&troubles));
        assert!(!troubles.has_unwound());
        let panics = std::panic::AssertUnwindSafe(|| {
            let _witness = Witness(&troubles);
            panic!("over");
        });
        assert!(std::panic::catch_unwind(panics).is_err() && troubles.has_unwound());
    }

    #[test]
    fn extra_and_missing_members_are_breaches() {
        let task = gauntlet_wire::message("Task").unwrap();
        let check = |object: Value| breach("vendor-a", &task, &object).iter().count();
        assert_eq!(check(json!({ "id": "t", "status": { "state": "TASK_STATE_WORKING" } })), 0);
        assert_eq!(check(json!({ "id": "t", "status": { "state": "TASK_STATE_WORKING" }, "kind": "task" })), 1);
        assert_eq!(check(json!({ "id": "t" })), 1);
    }
}
