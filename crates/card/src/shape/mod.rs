//! The shapes of documents as tables: which members an object has, of which type, and which are required.
//!
//! Those of 1.0 are compiled from the proto, those of 0.3 are written down here. The schema layer, the table of required
//! members, the schema bundle and the canonical form all read the same tables.

mod bundle;
mod current;
mod legacy;

use std::collections::HashMap;

use crate::rules::Rule;

pub use bundle::bundle;

/// A set of shapes that refer to each other.
#[derive(Debug)]
pub(crate) struct Shapes {
    shapes: Vec<Shape>,
    by_name: HashMap<String, ShapeId>,
}

/// The place of a shape in its set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ShapeId(usize);

/// An object.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) name: String,
    pub(crate) fields: Vec<Field>,
    /// How many groups there are of which at most one member may be there.
    pub(crate) oneofs: usize,
}

/// A member of an object.
#[derive(Debug)]
pub(crate) struct Field {
    /// In camelCase.
    pub(crate) name: String,
    /// As the proto spells it.
    pub(crate) snake: String,
    pub(crate) kind: Kind,
    pub(crate) required: bool,
    /// The rule that says so.
    pub(crate) rule: Option<&'static Rule>,
    /// Whether absence and the default value are two things.
    pub(crate) presence: bool,
    /// The group it belongs to.
    pub(crate) oneof: Option<usize>,
}

/// A type.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Text,
    Flag,
    /// A 32-bit integer.
    Whole,
    /// An enum of the proto, by name or number. The first name is the unspecified one.
    Enum(Vec<String>),
    /// One of these words.
    Words(Vec<String>),
    /// Base64.
    Bytes,
    /// RFC 3339.
    Time,
    Object(ShapeId),
    List(Box<Kind>),
    Map(Box<Kind>),
    /// Any object.
    Struct,
    /// Anything.
    Any,
}

impl Shapes {
    /// Those of A2A 1.0: cards and payloads.
    pub(crate) fn current() -> &'static Self {
        &current::SHAPES
    }

    /// Those of A2A 0.3: cards.
    pub(crate) fn legacy() -> &'static Self {
        &legacy::SHAPES
    }

    pub(crate) fn get(&self, id: ShapeId) -> &Shape {
        &self.shapes[id.0]
    }

    pub(crate) fn find(&self, name: &str) -> Option<ShapeId> {
        self.by_name.get(name).copied()
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.shapes.iter().map(|shape| shape.name.as_str())
    }

    fn new(shapes: Vec<Shape>) -> Self {
        let by_name = shapes.iter().enumerate().map(|(index, shape)| (shape.name.clone(), ShapeId(index))).collect();
        Self { shapes, by_name }
    }
}

impl Shape {
    /// The member of this key, in either spelling.
    pub(crate) fn field(&self, key: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.answers_to(key))
    }
}

impl Field {
    /// Whether a key means this member, in either spelling.
    pub(crate) fn answers_to(&self, key: &str) -> bool {
        self.name == key || self.snake == key
    }
}

/// The names of everything that documents can be held against with `--type`, in the order of the proto.
pub fn kinds() -> Vec<&'static str> {
    Shapes::current().names().collect()
}
