//! YAML as a tree that knows where everything stands.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file as the user knows it.
    pub file: Arc<str>,
    /// Its text, for showing the line.
    pub text: Arc<str>,
    /// Byte range in the text.
    pub span: Range<usize>,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl Place {
    /// A whole text: for errors about a file as such.
    pub fn whole(file: &str, text: &str) -> Self {
        Self { file: file.into(), text: text.into(), span: 0..text.len(), line: 1, column: 1 }
    }

    /// An error here.
    pub fn error(&self, message: impl Into<String>) -> FileError {
        FileError { message: message.into(), place: self.clone(), help: None }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Where.
    pub place: Place,
    /// What.
    pub kind: NodeKind,
}

/// A YAML value. Mappings keep their order; keys are strings.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeKind {
    /// `null`, `~` or nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// Text.
    Str(String),
    /// A sequence.
    Seq(Vec<Node>),
    /// A mapping: key, place of the key, value.
    Map(Vec<(String, Place, Node)>),
}

/// Something wrong in a file, for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}{}", help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default())]
pub struct FileError {
    /// What is wrong.
    pub message: String,
    /// Where.
    pub place: Place,
    /// What to do.
    pub help: Option<String>,
}

impl FileError {
    /// Adds what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
