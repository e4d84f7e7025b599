//! A value and its place.

use std::borrow::Cow;
use std::ops::Range;

/// Bytes of the source.
pub(crate) type Span = Range<usize>;

/// A value of a document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node<'a> {
    pub(crate) span: Span,
    pub(crate) data: Data<'a>,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Data<'a> {
    Null,
    Bool(bool),
    /// As it is written.
    Number(&'a str),
    Text(Cow<'a, str>),
    List(Vec<Node<'a>>),
    Object(Vec<Member<'a>>),
}

/// A key and what stands under it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member<'a> {
    pub(crate) key: Cow<'a, str>,
    pub(crate) key_span: Span,
    pub(crate) value: Node<'a>,
    /// The member this is, where the shape of the object knows it, whichever way the key is spelt.
    pub(crate) name: Option<&'static str>,
}

impl<'a> Node<'a> {
    /// What it is, for people.
    pub(crate) const fn kind(&self) -> &'static str {
        match self.data {
            Data::Null => "null",
            Data::Bool(_) => "a boolean",
            Data::Number(_) => "a number",
            Data::Text(_) => "a string",
            Data::List(_) => "a list",
            Data::Object(_) => "an object",
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match &self.data {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) const fn flag(&self) -> Option<bool> {
        match self.data {
            Data::Bool(flag) => Some(flag),
            _ => None,
        }
    }

    pub(crate) const fn is_null(&self) -> bool {
        matches!(self.data, Data::Null)
    }

    /// The elements of a list; none of anything else.
    pub(crate) fn items(&self) -> &[Self] {
        match &self.data {
            Data::List(items) => items,
            _ => &[],
        }
    }

    /// The members of an object; none of anything else.
    pub(crate) fn members(&self) -> &[Member<'a>] {
        match &self.data {
            Data::Object(members) => members,
            _ => &[],
        }
    }

    /// What stands under a name that the object's shape knows. Of a key that is there twice the last one counts, as with
    /// nearly all readers; null counts as absent.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        let member = self.members().iter().rev().find(|member| member.name == Some(name))?;
        (!member.value.is_null()).then_some(&member.value)
    }

    /// What stands under a key, literally.
    pub(crate) fn key(&self, key: &str) -> Option<&Self> {
        self.members().iter().rev().find(|member| member.key == key).map(|member| &member.value)
    }

    /// The JSON pointer (RFC 6901) of the value that begins at this byte.
    pub(crate) fn pointer_to(&self, begin: usize) -> String {
        let mut pointer = String::new();
        let mut here = self;
        while here.span.start != begin {
            // Children stand in the order of the source.
            let next = match &here.data {
                Data::List(items) => {
                    let index = items.partition_point(|item| item.span.start <= begin).saturating_sub(1);
                    pointer.push_str(&format!("/{index}"));
                    items.get(index)
                }
                Data::Object(members) => {
                    let index = members.partition_point(|member| member.value.span.start <= begin).saturating_sub(1);
                    let member = members.get(index);
                    if let Some(member) = member {
                        pointer.push('/');
                        pointer.push_str(&escape(&member.key));
                    }
                    member.map(|member| &member.value)
                }
                _ => None,
            };
            match next {
                Some(next) if next.span.start <= begin && begin < next.span.end => here = next,
                _ => break,
            }
        }
        pointer
    }

    /// The same value without places, for readers that ask for one.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        match &self.data {
            Data::Null => serde_json::Value::Null,
            Data::Bool(flag) => (*flag).into(),
            Data::Number(number) => serde_json::from_str(number).unwrap_or_default(),
            Data::Text(text) => text.as_ref().into(),
            Data::List(items) => items.iter().map(Self::to_json).collect(),
            Data::Object(members) => {
                members.iter().map(|member| (member.key.to_string(), member.value.to_json())).collect()
            }
        }
    }
}

/// A key as a segment of a JSON pointer.
pub(crate) fn escape(key: &str) -> Cow<'_, str> {
    if key.contains(['~', '/']) { key.replace('~', "~0").replace('/', "~1").into() } else { key.into() }
}
