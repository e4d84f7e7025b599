//! `rewrite-sse`: the events of a stream keep their content and are framed in another of the ways that server-sent events
//! allow (WHATWG HTML, "Server-sent events"), or, in one case, not quite.

use gauntlet_scenario::{Fields, FileError, Node};
use gauntlet_wire::sse::{self, Event};
use serde_json::Value;

use crate::{BytesAction, BytesView, Claim, Fault, FaultKind, Stage, WireFraming};

pub(crate) const KIND: FaultKind = FaultKind {
    id: "rewrite-sse",
    summary: "Events of a stream are framed otherwise and say the same.",
    stages: &[Stage::BytesWritten],
    arguments: &[
        ("newline", "lf, crlf or cr: how lines end; lf by default"),
        ("comments", "true: comments stand before and within every event"),
        ("keepAlive", "true: an empty comment of its own goes before every event"),
        ("eventNames", "true: every event has the name that it has without one, and an id"),
        ("multiline", "true: JSON is laid out over several data lines"),
        ("noSpace", "true: no space follows the colon"),
        ("bom", "true: the stream begins with a byte order mark"),
        ("splitUtf8", "true: events are written in pieces that end within characters, or at least within the event"),
        ("finalBlankLine", "false: the last event is not ended by a blank line, so that strict readers drop it"),
    ],
    build,
};

const BYTE_ORDER_MARK: &str = "\u{feff}";

#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a liberty of its own, to be taken alone or with others")]
struct RewriteSse {
    newline: &'static str,
    comments: bool,
    keep_alive: bool,
    event_names: bool,
    multiline: bool,
    no_space: bool,
    bom: bool,
    split_utf8: bool,
    drops_final_blank_line: bool,
}

fn build(arguments: &Node) -> Result<Box<dyn Fault>, FileError> {
    let names = KIND.arguments.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    let fields = Fields::of(arguments, "`rewrite-sse`", &names)?;
    if names.iter().all(|name| fields.optional(name).is_none()) {
        return Err(arguments
            .error("`rewrite-sse` rewrites nothing")
            .help(format!("name one of {}", names.join(", "))));
    }
    let is = |name| fields.map(name, Node::boolean).map(|given| given.unwrap_or(false));
    let newlines = [("lf", "\n"), ("crlf", "\r\n"), ("cr", "\r")];
    Ok(Box::new(RewriteSse {
        newline: fields.map("newline", |node| node.one_of("a line ending", &newlines))?.unwrap_or("\n"),
        comments: is("comments")?,
        keep_alive: is("keepAlive")?,
        event_names: is("eventNames")?,
        multiline: is("multiline")?,
        no_space: is("noSpace")?,
        bom: is("bom")?,
        split_utf8: is("splitUtf8")?,
        drops_final_blank_line: !fields.map("finalBlankLine", Node::boolean)?.unwrap_or(true),
    }))
}

impl Fault for RewriteSse {
    fn on_bytes(&self, bytes: &mut BytesView<'_>) -> Option<BytesAction> {
        if bytes.framing != WireFraming::Event {
            return None;
        }
        let before = std::mem::take(bytes.pieces);
        let event = sse::Decoder::default().push(&before.concat()).into_iter().next();
        let Some(event) = event else {
            *bytes.pieces = before;
            return None;
        };
        let text = self.text(&event, bytes.index, bytes.last);
        *bytes.pieces = if self.split_utf8 { split(&text) } else { vec![text.into_bytes()] };
        (*bytes.pieces != before).then_some(BytesAction::Changed)
    }

    fn claims(&self) -> Vec<Claim> {
        vec![Claim::EventFraming]
    }
}

impl RewriteSse {
    fn text(&self, event: &Event, index: u32, last: bool) -> String {
        let mut text = String::new();
        let data = self.data(event);
        if self.keep_alive {
            self.line(&mut text, "", "");
            text.push_str(self.newline);
        }
        if self.comments {
            self.line(&mut text, "", "a comment, which readers pass over");
        }
        if self.event_names {
            self.line(&mut text, "event", "message");
            self.line(&mut text, "id", &index.to_string());
        }
        for (nth, data) in data.split('\n').enumerate() {
            if self.comments && nth == 1 {
                self.line(&mut text, "", "data: in a comment is none");
            }
            self.line(&mut text, "data", data);
        }
        if self.comments {
            self.line(&mut text, "", "one more");
        }
        if !(last && self.drops_final_blank_line) {
            text.push_str(self.newline);
        }
        if self.bom && index == 0 {
            text.insert_str(0, BYTE_ORDER_MARK);
        }
        text
    }

    fn line(&self, text: &mut String, field: &str, value: &str) {
        // Of a value that begins with a space, a reader would take that one.
        let bare = value.is_empty() || self.no_space && !value.starts_with(' ');
        let space = if bare { "" } else { " " };
        text.push_str(&format!("{field}:{space}{value}{}", self.newline));
    }

    fn data(&self, event: &Event) -> String {
        let laid_out = || serde_json::to_string_pretty(&serde_json::from_str::<Value>(&event.data).ok()?).ok();
        self.multiline.then(laid_out).flatten().unwrap_or_else(|| event.data.clone())
    }
}

/// Pieces that end within every character of several bytes; where there is none, two halves.
fn split(text: &str) -> Vec<Vec<u8>> {
    let bytes = text.as_bytes();
    let mut cuts: Vec<usize> =
        text.char_indices().filter(|(_, character)| character.len_utf8() > 1).map(|(at, _)| at + 1).collect();
    if cuts.is_empty() {
        cuts.push(bytes.len() / 2);
    }
    let starts = std::iter::once(0).chain(cuts.iter().copied());
    let ends = cuts.iter().copied().chain([bytes.len()]);
    starts.zip(ends).map(|(start, end)| bytes[start..end].to_vec()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{call, refusal, set, written};
    use crate::{BytesOutcome, FaultSet};
    use gauntlet_wire::{Binding, Operation};

    const DATA: &str = "{\"text\":\"beschädigt — ok\",\"n\":[1]}";

    fn rewritten(set: &FaultSet, index: u32, last: bool) -> Vec<u8> {
        let stream = call(Binding::JsonRpc, Operation::SendStreamingMessage);
        let mut pieces = vec![sse::event(DATA)];
        let framing = WireFraming::Event;
        set.bytes(&mut BytesView { call: &stream, framing, index, last, pieces: &mut pieces });
        pieces.concat()
    }

    fn shown(arguments: &str) -> String {
        let set = set(&format!("[rewrite-sse: {{ {arguments} }}]"));
        format!("{arguments}\n  {:?}\n", String::from_utf8(rewritten(&set, 0, true)).unwrap())
    }

    #[test]
    fn framings() {
        let all = [
            "newline: crlf",
            "newline: cr",
            "comments: true",
            "keepAlive: true",
            "eventNames: true",
            "multiline: true",
            "noSpace: true",
            "bom: true",
            "splitUtf8: true",
            "finalBlankLine: false",
            "newline: cr, comments: true, keepAlive: true, eventNames: true, multiline: true, noSpace: true, bom: true",
        ];
        insta::assert_snapshot!(all.map(shown).concat());
    }

    #[test]
    fn every_reader_of_the_standard_reads_the_same() {
        let liberties = ["comments", "keepAlive", "eventNames", "multiline", "noSpace", "bom", "splitUtf8"];
        for newline in ["lf", "crlf", "cr"] {
            for chosen in 0..1_usize << liberties.len() {
                let given = liberties.iter().enumerate().filter(|(nth, _)| chosen >> nth & 1 == 1);
                let given: String = given.map(|(_, name)| format!(", {name}: true")).collect();
                let set = set(&format!("[rewrite-sse: {{ newline: {newline}{given} }}]"));
                let mut decoder = sse::Decoder::default();
                let bytes = [rewritten(&set, 0, false), rewritten(&set, 1, true)].concat();
                let read: Vec<Value> =
                    decoder.push(&bytes).iter().map(|event| serde_json::from_str(&event.data).unwrap()).collect();
                let said: Value = serde_json::from_str(DATA).unwrap();
                assert_eq!(read, [said.clone(), said], "{newline}{given}");
            }
        }
    }

    #[test]
    fn pieces_end_within_characters() {
        let set = set("[rewrite-sse: { splitUtf8: true }]");
        let stream = call(Binding::HttpJson, Operation::SubscribeToTask);
        let pieces = |text| written(&set, &stream, WireFraming::Event, 0, false, text).1;
        assert_eq!(
            pieces("data: ä—\n\n"),
            ["data: \u{fffd}", "\u{fffd}\u{fffd}", "\u{fffd}\u{fffd}\n\n"].map(str::to_owned).to_vec()
        );
        assert_eq!(pieces("data: a\n\n").len(), 2);
    }

    #[test]
    fn only_the_last_event_lacks_its_blank_line() {
        let set = set("[rewrite-sse: { finalBlankLine: false }]");
        assert_eq!(rewritten(&set, 0, false), sse::event(DATA));
        assert_eq!(rewritten(&set, 1, true), format!("data: {DATA}\n").into_bytes());
    }

    #[test]
    fn bodies_and_grpc_are_left_alone() {
        let set = set("[rewrite-sse: { newline: cr }]");
        let get = call(Binding::JsonRpc, Operation::GetTask);
        for framing in [WireFraming::Body, WireFraming::GrpcMessage] {
            let (outcome, pieces) = written(&set, &get, framing, 0, true, "data: x\n\n");
            assert_eq!((outcome, pieces), (BytesOutcome::Send, vec!["data: x\n\n".to_owned()]));
        }
    }

    #[test]
    fn arguments_that_are_wrong() {
        let shown = [
            "[rewrite-sse]",
            "[rewrite-sse: { newline: lfcr }]",
            "[rewrite-sse: { comment: true }]",
            "[rewrite-sse: { bom: 1 }]",
        ];
        insta::assert_snapshot!(shown.map(refusal).join("\n"));
    }
}
