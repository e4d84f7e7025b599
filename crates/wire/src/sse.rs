//! Server-sent events (WHATWG HTML, "Server-sent events"), as far as A2A uses them.

/// One event on the wire: every line of `data` gets a `data:` prefix, a blank line ends the event.
pub fn event(data: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(data.len() + 8);
    for line in data.split('\n') {
        bytes.extend_from_slice(b"data: ");
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
    }
    bytes.push(b'\n');
    bytes
}

/// A dispatched event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Event {
    /// The `event:` field.
    pub event: Option<String>,
    /// The `data:` lines, joined by newlines.
    pub data: String,
}

/// Reads events out of bytes in whatever pieces they arrive: CR, LF and CRLF, comments, a byte order mark, multi-line
/// data and characters split across pieces are all read alike. Invalid UTF-8 becomes replacement characters.
#[derive(Debug, Default)]
pub struct Decoder {
    line: Vec<u8>,
    after_cr: bool,
    begun: bool,
    event: Option<String>,
    data: Option<String>,
}

impl Decoder {
    /// Takes more bytes and returns the events they complete.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        for &byte in bytes {
            let ends_line = match byte {
                b'\n' if self.after_cr => {
                    self.after_cr = false;
                    continue;
                }
                b'\n' | b'\r' => true,
                _ => false,
            };
            self.after_cr = byte == b'\r';
            if ends_line {
                events.extend(self.end_line());
            } else {
                self.line.push(byte);
            }
        }
        events
    }

    /// Ends the stream: returns the event that no blank line closed. The standard drops it; callers decide.
    pub fn finish(mut self) -> Option<Event> {
        if !self.line.is_empty() {
            self.end_line();
        }
        self.dispatch()
    }

    fn end_line(&mut self) -> Option<Event> {
        let bytes = std::mem::take(&mut self.line);
        let mut line: &[u8] = &bytes;
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        }
        if line.is_empty() {
            return self.dispatch();
        }
        let line = String::from_utf8_lossy(line);
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            "event" => self.event = Some(value.to_owned()),
            // Comments have an empty field name; ids and retry times mean nothing to A2A.
            _ => {}
        }
        None
    }

    fn dispatch(&mut self) -> Option<Event> {
        let event = self.event.take();
        self.data.take().map(|data| Event { event, data })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(pieces: &[&[u8]]) -> Vec<String> {
        let mut decoder = Decoder::default();
        let mut events: Vec<Event> = pieces.iter().flat_map(|piece| decoder.push(piece)).collect();
        events.extend(decoder.finish());
        events.into_iter().map(|event| event.data).collect()
    }

    #[test]
    fn every_legal_framing_is_read_alike() {
        for text in [
            "data: {\"a\":\ndata: 1}\n\n",
            "data: {\"a\":\r\ndata: 1}\r\n\r\n",
            "data: {\"a\":\rdata: 1}\r\r",
            "\u{feff}data:{\"a\":\ndata:1}\n\n",
            ": hello\nevent: x\nid: 7\nretry: 1\ndata: {\"a\":\n: between\ndata: 1}\n\n",
        ] {
            assert_eq!(read(&[text.as_bytes()]), ["{\"a\":\n1}"], "{text:?}");
        }
    }

    #[test]
    fn an_event_without_its_blank_line_is_only_given_up_at_the_end() {
        let mut decoder = Decoder::default();
        assert_eq!(decoder.push(b"data: last\n"), []);
        assert_eq!(decoder.finish().unwrap().data, "last");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_in_any_pieces(texts in proptest::collection::vec("[^\r]{0,20}", 1..5), cut in 1usize..7) {
            let bytes: Vec<u8> = texts.iter().flat_map(|text| event(text)).collect();
            let pieces: Vec<&[u8]> = bytes.chunks(cut).collect();
            prop_assert_eq!(read(&pieces), texts);
        }

        #[test]
        fn nothing_makes_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&[&bytes]);
        }
    }
}
