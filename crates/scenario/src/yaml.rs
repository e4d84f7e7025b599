//! From text to [`Node`] trees.
//!
//! The YAML taken is the plain part: one document, no anchors, aliases or tags, string keys, no key twice. Size and
//! depth are bounded, because files come from users. Plain scalars follow the YAML 1.2 core schema: `yes` and `no` are
//! text.

use std::sync::Arc;

use indexmap::IndexMap;
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span};

use crate::node::{FileError, Node, NodeKind, Place};

/// The longest text that is read, in bytes.
pub const MAX_BYTES: usize = 1 << 20;
/// How deep lists and mappings may be nested.
pub const MAX_DEPTH: usize = 64;

/// Reads one YAML document; an empty text is null. `file` is the name errors show.
///
/// # Errors
/// When the text is not YAML, or uses a part of it that is refused here.
pub fn parse(file: &str, text: &str) -> Result<Node, FileError> {
    // A byte order mark would shift every position by one.
    let source = Source::new(file, text.strip_prefix('\u{feff}').unwrap_or(text));
    if text.len() > MAX_BYTES {
        return Err(source
            .start()
            .error(format!("the file is {} bytes long", text.len()))
            .help(format!("the limit is {MAX_BYTES} bytes")));
    }
    let mut builder = Builder { source: &source, open: Vec::new(), root: None };
    for event in Parser::new_from_str(&source.text) {
        match event {
            Ok((event, span)) => builder.event(event, span)?,
            Err(error) => {
                let place = source.place(*error.marker(), *error.marker());
                let wrong = place.error(format!("this is not YAML: {}", error.info()));
                let star = error.info().contains("anchor");
                return Err(if star { wrong.help("a text that begins with `*` or `&` needs quotes") } else { wrong });
            }
        }
    }
    Ok(builder.root.unwrap_or_else(|| Node { place: source.start(), kind: NodeKind::Null }))
}

struct Source {
    file: Arc<str>,
    text: Arc<str>,
    /// Byte offset of every character: the scanner counts characters.
    offsets: Vec<usize>,
}

impl Source {
    fn new(file: &str, text: &str) -> Self {
        Self { file: file.into(), text: text.into(), offsets: text.char_indices().map(|(at, _)| at).collect() }
    }

    fn start(&self) -> Place {
        Place { file: self.file.clone(), text: self.text.clone(), span: 0..0, line: 1, column: 1 }
    }

    fn offset(&self, marker: Marker) -> usize {
        self.offsets.get(marker.index()).copied().unwrap_or(self.text.len())
    }

    fn place(&self, start: Marker, end: Marker) -> Place {
        let (from, to) = (self.offset(start), self.offset(end));
        Place {
            file: self.file.clone(),
            text: self.text.clone(),
            span: from..to.max(from),
            line: start.line(),
            column: start.col() + 1,
        }
    }
}

enum Open {
    Seq(Place, Vec<Node>),
    Map { place: Place, entries: IndexMap<String, (Place, Node)>, key: Option<(String, Place)> },
}

struct Builder<'a> {
    source: &'a Source,
    open: Vec<Open>,
    root: Option<Node>,
}

impl Builder<'_> {
    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), FileError> {
        let place = self.source.place(span.start, span.end);
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::DocumentStart(_) if self.root.is_some() => {
                Err(place.error("a second document begins here").help("write one document per file"))
            }
            Event::DocumentStart(_) => Ok(()),
            Event::Alias(_) => Err(place
                .error("aliases are not taken here")
                .help("write the value out; a text that begins with `*` needs quotes")),
            Event::Scalar(text, style, anchor, tag) => {
                plain_only(&place, anchor, tag.is_some())?;
                self.scalar(&text, style, place)
            }
            Event::SequenceStart(anchor, tag) => {
                plain_only(&place, anchor, tag.is_some())?;
                self.push(Open::Seq(place, Vec::new()))
            }
            Event::MappingStart(anchor, tag) => {
                plain_only(&place, anchor, tag.is_some())?;
                self.push(Open::Map { place, entries: IndexMap::new(), key: None })
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(),
        }
    }

    fn push(&mut self, open: Open) -> Result<(), FileError> {
        let (Open::Seq(place, _) | Open::Map { place, .. }) = &open;
        if let Some(Open::Map { key: None, .. }) = self.open.last() {
            return Err(place
                .error("a key must be text, not a list or a mapping")
                .help("a placeholder such as \"{x}\" needs its quotes"));
        }
        if self.open.len() == MAX_DEPTH {
            return Err(place.error(format!("nested more than {MAX_DEPTH} deep")));
        }
        self.open.push(open);
        Ok(())
    }

    fn close(&mut self) -> Result<(), FileError> {
        let node = match self.open.pop() {
            None => return Ok(()),
            Some(Open::Seq(place, items)) => Node { place, kind: NodeKind::Seq(items) },
            Some(Open::Map { place, entries, .. }) => {
                let entries = entries.into_iter().map(|(key, (place, value))| (key, place, value)).collect();
                Node { place, kind: NodeKind::Map(entries) }
            }
        };
        self.value(node);
        Ok(())
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, place: Place) -> Result<(), FileError> {
        if let Some(Open::Map { entries, key: key @ None, .. }) = self.open.last_mut() {
            if text.is_empty() {
                return Err(place.error("a key is missing before the colon"));
            }
            if let Some((first, _)) = entries.get(text) {
                return Err(place
                    .error(format!("the key `{text}` stands here twice"))
                    .help(format!("first on line {}", first.line)));
            }
            *key = Some((text.to_owned(), place));
            return Ok(());
        }
        let kind = if style == ScalarStyle::Plain { resolve(text, &place)? } else { NodeKind::Str(text.to_owned()) };
        self.value(Node { place, kind });
        Ok(())
    }

    fn value(&mut self, node: Node) {
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open::Seq(_, items)) => items.push(node),
            Some(Open::Map { entries, key, .. }) => {
                if let Some((key, place)) = key.take() {
                    entries.insert(key, (place, node));
                }
            }
        }
    }
}

fn plain_only(place: &Place, anchor: usize, tagged: bool) -> Result<(), FileError> {
    if anchor != 0 {
        return Err(place.error("anchors are not taken here").help("write the value out where it is needed"));
    }
    if tagged {
        return Err(place.error("tags are not taken here").help("a text that begins with `!` needs quotes"));
    }
    Ok(())
}

/// The YAML 1.2 core schema for plain scalars, without octal and hexadecimal numbers.
fn resolve(text: &str, place: &Place) -> Result<NodeKind, FileError> {
    Ok(match text {
        "" | "~" | "null" | "Null" | "NULL" => NodeKind::Null,
        "true" | "True" | "TRUE" => NodeKind::Bool(true),
        "false" | "False" | "FALSE" => NodeKind::Bool(false),
        _ if looks_numeric(text) => match (text.parse::<i64>(), text.parse::<f64>()) {
            (Ok(number), _) => NodeKind::Int(number),
            (_, Ok(number)) if text.contains(['.', 'e', 'E']) && number.is_finite() => NodeKind::Float(number),
            (_, Ok(_)) => return Err(place.error(format!("the number {text} is too large"))),
            _ => NodeKind::Str(text.to_owned()),
        },
        _ => NodeKind::Str(text.to_owned()),
    })
}

fn looks_numeric(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    digits.strip_prefix('.').unwrap_or(digits).starts_with(|first: char| first.is_ascii_digit())
}
