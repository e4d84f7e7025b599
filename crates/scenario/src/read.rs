//! Reading [`Node`] trees strictly: every access names what it wants, and says where it did not find it.
//!
//! Fault primitives read their arguments with the same functions.

use std::str::FromStr;

use serde_json::Value;

use crate::node::{FileError, Node, NodeKind, Place};
use crate::suggest::help_for;

impl Node {
    /// An error at this node.
    pub fn error(&self, message: impl Into<String>) -> FileError {
        self.place.error(message)
    }

    /// What it is, for messages.
    pub const fn kind_name(&self) -> &'static str {
        match self.kind {
            NodeKind::Null => "nothing",
            NodeKind::Bool(_) => "true or false",
            NodeKind::Int(_) | NodeKind::Float(_) => "a number",
            NodeKind::Str(_) => "text",
            NodeKind::Seq(_) => "a list",
            NodeKind::Map(_) => "a mapping",
        }
    }

    fn wrong_kind(&self, wanted: &str) -> FileError {
        self.error(format!("{wanted} is wanted here, not {}", self.kind_name()))
    }

    /// The text.
    ///
    /// # Errors
    /// When it is something else.
    pub fn text(&self) -> Result<&str, FileError> {
        match &self.kind {
            NodeKind::Str(text) => Ok(text),
            NodeKind::Int(_) | NodeKind::Float(_) | NodeKind::Bool(_) => {
                let written = self.place.text.get(self.place.span.clone()).unwrap_or_default();
                Err(self.wrong_kind("text").help(format!("put it in quotes: \"{written}\"")))
            }
            _ => Err(self.wrong_kind("text")),
        }
    }

    /// Text that is not blank.
    ///
    /// # Errors
    /// When it is blank or something else.
    pub fn words(&self) -> Result<&str, FileError> {
        match self.text()? {
            text if text.trim().is_empty() => Err(self.error("this text must not be empty")),
            text => Ok(text),
        }
    }

    /// A whole number from `least` to `most`.
    ///
    /// # Errors
    /// When it is out of range or something else.
    pub fn integer(&self, least: i64, most: i64) -> Result<i64, FileError> {
        match self.kind {
            NodeKind::Int(number) if (least..=most).contains(&number) => Ok(number),
            NodeKind::Int(number) => Err(self.error(format!("{number} is not from {least} to {most}"))),
            _ => Err(self.wrong_kind("a whole number")),
        }
    }

    /// A whole number from `least` to `most`, as `u32`.
    ///
    /// # Errors
    /// As [`Node::integer`].
    pub fn count(&self, least: u32, most: u32) -> Result<u32, FileError> {
        let number = self.integer(least.into(), most.into())?;
        Ok(u32::try_from(number).unwrap_or(most))
    }

    /// A number.
    ///
    /// # Errors
    /// When it is something else.
    #[expect(clippy::cast_precision_loss, reason = "numbers in scenario files are small")]
    pub fn number(&self) -> Result<f64, FileError> {
        match self.kind {
            NodeKind::Int(number) => Ok(number as f64),
            NodeKind::Float(number) => Ok(number),
            _ => Err(self.wrong_kind("a number")),
        }
    }

    /// True or false.
    ///
    /// # Errors
    /// When it is something else.
    pub fn boolean(&self) -> Result<bool, FileError> {
        match self.kind {
            NodeKind::Bool(value) => Ok(value),
            _ => Err(self.wrong_kind("true or false")),
        }
    }

    /// The items of a list.
    ///
    /// # Errors
    /// When it is something else.
    pub fn list(&self) -> Result<&[Self], FileError> {
        match &self.kind {
            NodeKind::Seq(items) => Ok(items),
            _ => Err(self.wrong_kind("a list")),
        }
    }

    /// The items of a list, or the value itself as the only item.
    pub fn one_or_more(&self) -> &[Self] {
        match &self.kind {
            NodeKind::Seq(items) => items,
            _ => std::slice::from_ref(self),
        }
    }

    /// The entries of a mapping: key, its place, value.
    ///
    /// # Errors
    /// When it is something else.
    pub fn entries(&self) -> Result<&[(String, Place, Self)], FileError> {
        match &self.kind {
            NodeKind::Map(entries) => Ok(entries),
            _ => Err(self.wrong_kind("a mapping")),
        }
    }

    /// The value under a key, where this is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match &self.kind {
            NodeKind::Map(entries) => entries.iter().find(|(name, ..)| name == key).map(|(.., value)| value),
            _ => None,
        }
    }

    /// `name` or `name: value`, the form of steps, faults, facts and defect uses. The value of a bare name is an empty
    /// mapping, and so is that of a name with nothing after the colon.
    ///
    /// # Errors
    /// When it is neither.
    pub fn named(&self) -> Result<(&str, &Place, Self), FileError> {
        let empty = || Self { place: self.place.clone(), kind: NodeKind::Map(Vec::new()) };
        match &self.kind {
            NodeKind::Str(name) => Ok((name, &self.place, empty())),
            NodeKind::Map(entries) => match entries.as_slice() {
                [(name, place, value)] if value.kind == NodeKind::Null => Ok((name, place, empty())),
                [(name, place, value)] => Ok((name, place, value.clone())),
                [] => Err(self.error("a name is missing here")),
                [_, (second, place, _), ..] => Err(place
                    .error(format!("`{second}` is a second name in one item"))
                    .help("write one name per item; arguments go into braces: `name: { argument: value }`")),
            },
            _ => Err(self.wrong_kind("a name, or `name: { … }`,")),
        }
    }

    /// One of a closed set of words.
    ///
    /// # Errors
    /// When it is none of them, with the nearest one.
    pub fn one_of<T: Clone>(&self, what: &str, choices: &[(&str, T)]) -> Result<T, FileError> {
        let text = self.text()?;
        choices.iter().find(|(word, _)| *word == text).map(|(_, value)| value.clone()).ok_or_else(|| {
            self.error(format!("`{text}` is not {what}")).help(help_for(text, choices.iter().map(|(word, _)| *word)))
        })
    }

    /// Text that parses as one of `names`, such as a binding or an operation.
    ///
    /// # Errors
    /// When it does not, with the nearest name.
    pub fn parsed<T: FromStr>(&self, what: &str, names: &[&str]) -> Result<T, FileError> {
        let text = self.text()?;
        text.parse()
            .map_err(|_| self.error(format!("`{text}` is not {what}")).help(help_for(text, names.iter().copied())))
    }

    /// The value as JSON.
    pub fn json(&self) -> Value {
        match &self.kind {
            NodeKind::Null => Value::Null,
            NodeKind::Bool(value) => Value::from(*value),
            NodeKind::Int(number) => Value::from(*number),
            NodeKind::Float(number) => Value::from(*number),
            NodeKind::Str(text) => Value::from(text.as_str()),
            NodeKind::Seq(items) => items.iter().map(Self::json).collect(),
            NodeKind::Map(entries) => {
                Value::Object(entries.iter().map(|(key, _, value)| (key.clone(), value.json())).collect())
            }
        }
    }
}

/// A mapping whose keys are known.
#[derive(Debug, Clone, Copy)]
pub struct Fields<'a> {
    node: &'a Node,
    what: &'a str,
}

impl<'a> Fields<'a> {
    /// Takes a mapping and refuses every key that is not among `known`. `what` names it in messages: `a peer`.
    ///
    /// # Errors
    /// When it is no mapping, or has another key.
    pub fn of(node: &'a Node, what: &'a str, known: &[&str]) -> Result<Self, FileError> {
        let entries =
            node.entries().map_err(|error| error.help(format!("{what} has the keys: {}", known.join(", "))))?;
        match entries.iter().find(|(key, ..)| !known.contains(&key.as_str())) {
            None => Ok(Self { node, what }),
            Some((key, place, _)) if known.is_empty() => {
                Err(place.error(format!("{what} takes nothing, so `{key}` cannot stand here")))
            }
            Some((key, place, _)) => {
                Err(place.error(format!("{what} has no key `{key}`")).help(help_for(key, known.iter().copied())))
            }
        }
    }

    /// The value under a key, where it is given.
    pub fn optional(&self, key: &str) -> Option<&'a Node> {
        self.node.get(key)
    }

    /// The value under a key that must be given.
    ///
    /// # Errors
    /// When it is not.
    pub fn required(&self, key: &str) -> Result<&'a Node, FileError> {
        self.optional(key).ok_or_else(|| self.node.error(format!("{} needs the key `{key}`", self.what)))
    }

    /// The only one of `keys` that is given.
    ///
    /// # Errors
    /// When none or more than one is.
    pub fn exactly_one(&self, keys: &[&'static str]) -> Result<(&'static str, &'a Node), FileError> {
        let given: Vec<_> = keys.iter().filter_map(|key| self.optional(key).map(|node| (*key, node))).collect();
        match given[..] {
            [one] => Ok(one),
            [] => Err(self.node.error(format!("{} needs one of: {}", self.what, keys.join(", ")))),
            [(first, _), (second, node), ..] => {
                Err(node.error(format!("{} has both `{first}` and `{second}`", self.what)).help("keep one of them"))
            }
        }
    }

    /// Reads an optional value.
    ///
    /// # Errors
    /// As `read`.
    pub fn map<T>(
        &self,
        key: &str,
        read: impl FnOnce(&'a Node) -> Result<T, FileError>,
    ) -> Result<Option<T>, FileError> {
        self.optional(key).map(read).transpose()
    }
}
