//! Lines of bounded length from a stream that may hold anything.

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Without its line end. The last line of a stream need not have one.
    Whole(Vec<u8>),
    /// The first part of a line longer than the limit; what follows comes as lines of its own.
    Cut(Vec<u8>),
}

pub(crate) struct Lines<R> {
    stream: BufReader<R>,
    limit: usize,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(stream: R, limit: usize) -> Self {
        Self { stream: BufReader::new(stream), limit: limit.max(1) }
    }

    /// The next line; nothing once the stream has ended or broken.
    pub(crate) async fn next(&mut self) -> Option<Line> {
        let mut line = Vec::new();
        loop {
            let bytes = self.stream.fill_buf().await.unwrap_or_default();
            if bytes.is_empty() {
                return (!line.is_empty()).then_some(Line::Whole(line));
            }
            let room = self.limit - line.len();
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let taken = end.unwrap_or(bytes.len()).min(room);
            line.extend_from_slice(&bytes[..taken]);
            if end == Some(taken) {
                self.stream.consume(taken + 1);
                line.pop_if(|byte| *byte == b'\r');
                return Some(Line::Whole(line));
            }
            let more = taken < bytes.len();
            self.stream.consume(taken);
            if more {
                return Some(Line::Cut(line));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    async fn all(bytes: &[u8], limit: usize) -> Vec<Line> {
        let mut lines = Lines::new(bytes, limit);
        let mut all = Vec::new();
        while let Some(line) = lines.next().await {
            all.push(line);
        }
        all
    }

    fn whole(text: &str) -> Line {
        Line::Whole(text.into())
    }

    #[tokio::test]
    async fn ends_of_lines() {
        assert_eq!(all(b"a\r\n\nbc", 9).await, [whole("a"), whole(""), whole("bc")]);
        assert_eq!(all(b"", 9).await, []);
    }

    #[tokio::test]
    async fn the_limit_itself_is_whole() {
        assert_eq!(all(b"abc\n", 3).await, [whole("abc")]);
        assert_eq!(all(b"abcd\n", 3).await, [Line::Cut(b"abc".into()), whole("d")]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost(bytes: Vec<u8>, limit in 1usize..20) {
            let lines = tokio::runtime::Runtime::new().unwrap().block_on(all(&bytes, limit));
            let mut kept = Vec::new();
            for line in lines {
                let (Line::Whole(line) | Line::Cut(line)) = line;
                prop_assert!(line.len() <= limit);
                kept.extend(line);
            }
            let without = |bytes: &[u8]| bytes.iter().copied().filter(|byte| !b"\r\n".contains(byte)).collect::<Vec<_>>();
            prop_assert_eq!(without(&kept), without(&bytes));
        }
    }
}
