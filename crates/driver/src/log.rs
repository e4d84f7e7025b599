//! What a driver says besides the protocol: the beginning and the end of it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Keeps the first and the last lines, a bounded number of bytes in all. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Log(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    limit: usize,
    head: String,
    tail: VecDeque<String>,
    tail_bytes: usize,
    lost: usize,
}

impl Log {
    /// A log that keeps about `limit` bytes, half of them from each end.
    pub(crate) fn new(limit: usize) -> Self {
        Self(Arc::new(Mutex::new(Kept { limit, ..Kept::default() })))
    }

    /// Adds a line; what is not UTF-8 in it is replaced.
    pub(crate) fn line(&self, origin: &str, line: &[u8]) {
        let line = format!("{origin}{}\n", String::from_utf8_lossy(line));
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    /// Gives what was kept and starts anew.
    pub(crate) fn take(&self) -> String {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let limit = kept.limit;
        let Kept { mut head, tail, lost, .. } = std::mem::replace(&mut *kept, Kept { limit, ..Kept::default() });
        if lost > 0 {
            head.push_str(&format!("[{lost} bytes left out]\n"));
        }
        head.extend(tail);
        head
    }

    /// The last lines, for a message; they stay in the log.
    pub(crate) fn last(&self, lines: usize) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all: Vec<&str> = kept.head.lines().chain(kept.tail.iter().flat_map(|line| line.lines())).collect();
        all[all.len().saturating_sub(lines)..].join("\n")
    }
}

impl Kept {
    fn push(&mut self, mut line: String) {
        let half = self.limit / 2;
        if self.tail.is_empty() && self.head.len() + line.len() <= half {
            self.head.push_str(&line);
            return;
        }
        if line.len() > half {
            let cut = (0..=half).rev().find(|at| line.is_char_boundary(*at)).unwrap_or_default();
            self.lost += line.len() - cut;
            line.truncate(cut);
            line.push('\n');
        }
        self.tail_bytes += line.len();
        self.tail.push_back(line);
        while self.tail_bytes > half
            && self.tail.len() > 1
            && let Some(oldest) = self.tail.pop_front()
        {
            self.tail_bytes -= oldest.len();
            self.lost += oldest.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_both_ends() {
        let log = Log::new(40);
        for number in 0..1000 {
            log.line("", format!("line {number:03}").as_bytes());
        }
        assert_eq!(log.take(), "line 000\nline 001\n[8964 bytes left out]\nline 998\nline 999\n");
        assert_eq!(log.take(), "");
    }

    #[test]
    fn a_short_log_is_whole() {
        let log = Log::new(100);
        log.line("stdout: ", b"a\xff");
        log.line("", b"b");
        assert_eq!(log.last(1), "b");
        assert_eq!(log.take(), "stdout: a\u{fffd}\nb\n");
    }

    #[test]
    fn a_single_endless_line_is_cut() {
        let log = Log::new(20);
        log.line("", &[b'x'; 1000]);
        assert_eq!(log.take(), format!("[991 bytes left out]\n{}\n", "x".repeat(10)));
    }
}
