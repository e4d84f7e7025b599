//! What the engine has under way by itself: scripts that wait for the clock, and webhooks that are told.

use std::future::Future;

use tokio::task::{AbortHandle, JoinError, JoinSet};

/// Owns tasks and remembers which of them panicked.
#[derive(Debug, Default)]
pub(super) struct Errands {
    running: JoinSet<()>,
    panics: Vec<String>,
}

impl Errands {
    pub(super) fn spawn(&mut self, errand: impl Future<Output = ()> + Send + 'static) -> AbortHandle {
        self.reap();
        self.running.spawn(errand)
    }

    /// The panics so far.
    pub(super) fn take_panics(&mut self) -> Vec<String> {
        self.reap();
        std::mem::take(&mut self.panics)
    }

    fn reap(&mut self) {
        while let Some(ended) = self.running.try_join_next() {
            self.panics.extend(panic_of(ended));
        }
    }

    /// Ends all of them; gives the panics that there were.
    pub(super) async fn end(mut self) -> Vec<String> {
        self.running.abort_all();
        while let Some(ended) = self.running.join_next().await {
            self.panics.extend(panic_of(ended));
        }
        self.panics
    }
}

fn panic_of(ended: Result<(), JoinError>) -> Option<String> {
    ended.err().filter(JoinError::is_panic).map(|error| error.to_string())
}
