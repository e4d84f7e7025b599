//! Text to nodes. The grammar is `jiter`'s; the depth is ours to bound, because nodes are walked by recursion.

use std::borrow::Cow;
use std::collections::HashSet;

use jiter::{Jiter, JiterError, JiterErrorType, JsonErrorType, Peek};

use super::{Data, Member, Node, Span};

/// Why there is no document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Broken {
    pub(crate) span: Span,
    pub(crate) why: Why,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Why {
    /// Not JSON, in the reader's words.
    Syntax(String),
    /// Nested deeper than allowed.
    Depth,
}

/// Legal JSON that not every reader takes alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Oddity {
    pub(crate) span: Span,
    pub(crate) kind: OddityKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OddityKind {
    /// The key stands there already; the value begins at this byte.
    DuplicateKey { key: String, value: usize },
    /// No double holds it.
    Number(String),
}

/// Reads a document. `skip` bytes at the beginning are no part of it; spans count from the beginning of `source`.
pub(crate) fn read(source: &str, skip: usize, max_depth: usize) -> Result<(Node<'_>, Vec<Oddity>), Broken> {
    let text = &source[skip..];
    let mut reader = Reader { json: Jiter::new(text.as_bytes()), source, skip, max_depth, oddities: Vec::new() };
    let document = reader.document();
    document.map(|node| (node, reader.oddities))
}

struct Reader<'a> {
    json: Jiter<'a>,
    source: &'a str,
    skip: usize,
    max_depth: usize,
    oddities: Vec<Oddity>,
}

impl<'a> Reader<'a> {
    fn document(&mut self) -> Result<Node<'a>, Broken> {
        let peek = self.json.peek().map_err(|error| self.syntax(&error))?;
        let node = self.value(peek, 0)?;
        self.json.finish().map_err(|error| self.syntax(&error))?;
        Ok(node)
    }

    fn value(&mut self, peek: Peek, depth: usize) -> Result<Node<'a>, Broken> {
        let begin = self.here();
        if depth > self.max_depth {
            return Err(Broken { span: begin..begin + 1, why: Why::Depth });
        }
        let data = match peek {
            Peek::Null => self.json.known_null().map(|()| Data::Null).map_err(|error| self.syntax(&error))?,
            Peek::True | Peek::False => {
                self.json.known_bool(peek).map(Data::Bool).map_err(|error| self.syntax(&error))?
            }
            Peek::String => {
                let plain = self.json.known_str().map(str::len).map_err(|error| self.syntax(&error));
                let length = plain?;
                Data::Text(self.string(begin, self.here(), length)?)
            }
            Peek::Array => Data::List(self.list(depth)?),
            Peek::Object => Data::Object(self.object(depth)?),
            number if number.is_num() => self.number(number, begin)?,
            _ => return Err(self.unexpected(begin)),
        };
        Ok(Node { span: begin..self.here(), data })
    }

    fn list(&mut self, depth: usize) -> Result<Vec<Node<'a>>, Broken> {
        let mut items = Vec::new();
        let mut next = self.json.known_array().map_err(|error| self.syntax(&error))?;
        while let Some(peek) = next {
            items.push(self.value(peek, depth + 1)?);
            next = self.json.array_step().map_err(|error| self.syntax(&error))?;
        }
        Ok(items)
    }

    fn object(&mut self, depth: usize) -> Result<Vec<Member<'a>>, Broken> {
        let mut members = Vec::with_capacity(8);
        let mut before = self.here();
        let mut length = self.json.known_object().map(|key| key.map(str::len)).map_err(|error| self.syntax(&error))?;
        while let Some(decoded) = length {
            let key_span = self.key_span(before);
            let key = self.string(key_span.start, key_span.end, decoded)?;
            let peek = self.json.peek().map_err(|error| self.syntax(&error))?;
            let value = self.value(peek, depth + 1)?;
            members.push(Member { key, key_span, value, name: None });
            before = self.here();
            length = self.json.next_key().map(|key| key.map(str::len)).map_err(|error| self.syntax(&error))?;
        }
        self.note_duplicates(&members);
        Ok(members)
    }

    /// The last key read: its quotes are the first quote after what came before it, and the last before the colon.
    fn key_span(&self, before: usize) -> Span {
        let bytes = &self.source.as_bytes()[..self.here()];
        let begin = bytes[before..].iter().position(|byte| *byte == b'"').map_or(before, |at| before + at);
        let end = bytes.iter().rposition(|byte| *byte == b'"').map_or(before, |at| at + 1);
        begin..end
    }

    /// A string between its quotes, borrowed unless something is escaped. `decoded` is its length in bytes.
    fn string(&self, begin: usize, end: usize, decoded: usize) -> Result<Cow<'a, str>, Broken> {
        let quoted = &self.source[begin..end];
        let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
        if inner.len() == decoded {
            return Ok(Cow::Borrowed(inner));
        }
        let unescaped: Result<String, _> = serde_json::from_str(quoted);
        unescaped.map(Cow::Owned).map_err(|error| Broken { span: begin..end, why: Why::Syntax(error.to_string()) })
    }

    fn number(&mut self, peek: Peek, begin: usize) -> Result<Data<'a>, Broken> {
        let read = self.json.known_number_bytes(peek).map(|_| ());
        read.map_err(|error| self.syntax(&error))?;
        let number = &self.source[begin..self.here()];
        // Short numbers without an exponent always fit.
        let may_overflow = number.len() > 300 || number.contains(['e', 'E']);
        if may_overflow && number.parse::<f64>().is_ok_and(f64::is_infinite) {
            self.oddities.push(Oddity { span: begin..self.here(), kind: OddityKind::Number(number.to_owned()) });
        }
        Ok(Data::Number(number))
    }

    fn note_duplicates(&mut self, members: &[Member<'a>]) {
        // Up to so many, comparing is faster than hashing: most keys differ in length.
        const FEW: usize = 32;
        let mut seen = HashSet::new();
        for (index, member) in members.iter().enumerate() {
            let again = if members.len() <= FEW {
                members[..index].iter().any(|earlier| earlier.key == member.key)
            } else {
                !seen.insert(member.key.as_ref())
            };
            if again {
                let kind = OddityKind::DuplicateKey { key: member.key.to_string(), value: member.value.span.start };
                self.oddities.push(Oddity { span: member.key_span.clone(), kind });
            }
        }
    }

    fn here(&self) -> usize {
        self.json.current_index() + self.skip
    }

    fn syntax(&self, error: &JiterError) -> Broken {
        let words = match &error.error_type {
            JiterErrorType::JsonError(JsonErrorType::ExpectedSomeValue) => "a value is expected here".to_owned(),
            JiterErrorType::JsonError(JsonErrorType::TrailingCharacters) => {
                "the document has ended, and something follows".to_owned()
            }
            other => other.to_string(),
        };
        self.broken(error.index + self.skip, words)
    }

    fn unexpected(&self, at: usize) -> Broken {
        self.broken(at, "a value is expected here".to_owned())
    }

    /// One character, or the end of the text, is to blame.
    fn broken(&self, at: usize, words: String) -> Broken {
        let mut begin = at.min(self.source.len());
        while !self.source.is_char_boundary(begin) {
            begin -= 1;
        }
        let width = self.source[begin..].chars().next().map_or(0, char::len_utf8);
        Broken { span: begin..begin + width, why: Why::Syntax(words) }
    }
}
