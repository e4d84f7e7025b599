//! Printing that holds nothing up: whoever started us may never read what we print, and must still be able to end us.

use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use tokio::sync::oneshot;

use crate::output;

/// How many texts may wait for the reader.
const WAITING: usize = 4096;
/// How long the last words wait for the reader.
const PATIENCE: Duration = Duration::from_secs(1);

/// Prints on a thread of its own, which ends with this or with the process.
pub(super) struct Printer {
    texts: SyncSender<String>,
    done: oneshot::Receiver<()>,
    /// Texts that found no room.
    missed: usize,
}

impl Printer {
    pub(super) fn new() -> Self {
        let (texts, waiting) = sync_channel::<String>(WAITING);
        let (ended, done) = oneshot::channel();
        std::thread::spawn(move || {
            waiting.iter().for_each(|text| output::out(&text));
            // Nobody waits for it when the process is ending anyway.
            _ = ended.send(());
        });
        Self { texts, done, missed: 0 }
    }

    /// Prints, or leaves it out where the reader does not keep up.
    pub(super) fn print(&mut self, text: String) {
        if text.is_empty() {
            return;
        }
        let text = match self.missed {
            0 => text,
            missed => format!("          … {missed} not shown, because nobody read them\n{text}"),
        };
        match self.texts.try_send(text) {
            Ok(()) => self.missed = 0,
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => self.missed += 1,
        }
    }

    /// Waits until all is printed, but not for a reader that does not read.
    pub(super) async fn finish(self) {
        drop(self.texts);
        _ = tokio::time::timeout(PATIENCE, self.done).await;
    }
}
