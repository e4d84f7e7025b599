//! How generated code writes what has a JSON form of its own.

use std::fmt::Display;

use base64::display::Base64Display;
use base64::prelude::BASE64_STANDARD;
use prost_types::value::Kind;
use serde::ser::{Serialize, Serializer};

/// Bytes, in base64 with padding.
pub(crate) struct Base64<'a>(pub(crate) &'a [u8]);

/// The name of an enum's number; the number itself where there is none.
pub(crate) struct Name(pub(crate) i32, pub(crate) Option<&'static str>);

/// A JSON object.
pub(crate) struct Object<'a>(pub(crate) &'a prost_types::Struct);

/// Any JSON value.
pub(crate) struct Any<'a>(pub(crate) &'a prost_types::Value);

/// What stands in JSON as it is shown.
pub(crate) struct Text<'a, T>(pub(crate) &'a T);

impl Serialize for Base64<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&Base64Display::new(self.0, &BASE64_STANDARD))
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.1 {
            Some(name) => serializer.serialize_str(name),
            None => serializer.serialize_i32(self.0),
        }
    }
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.fields.iter().map(|(name, value)| (name, Any(value))))
    }
}

impl Serialize for Any<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0.kind {
            None | Some(Kind::NullValue(_)) => serializer.serialize_unit(),
            Some(Kind::BoolValue(value)) => serializer.serialize_bool(*value),
            Some(Kind::StringValue(value)) => serializer.serialize_str(value),
            Some(Kind::NumberValue(value)) => match super::whole(*value) {
                Some(whole) => serializer.serialize_i64(whole),
                None => serializer.serialize_f64(*value),
            },
            Some(Kind::ListValue(list)) => serializer.collect_seq(list.values.iter().map(Any)),
            Some(Kind::StructValue(object)) => Object(object).serialize(serializer),
        }
    }
}

impl<T: Display> Serialize for Text<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self.0)
    }
}
