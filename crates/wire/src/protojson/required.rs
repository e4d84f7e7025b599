//! Required fields, found by reflection.

use std::collections::HashMap;
use std::sync::LazyLock;

use prost_reflect::{DynamicMessage, ExtensionDescriptor, FieldDescriptor, Kind, ReflectMessage, Value};

use super::mark::is_required;
use crate::pool;

/// What there is to look at in each message, by its full name: required fields, and fields that hold messages.
/// Options are decoded anew at every look, so one look has to do.
static LOOKS: LazyLock<HashMap<String, Vec<Look>>> = LazyLock::new(|| {
    let mark = mark();
    let ours = pool().all_messages().filter(|message| message.package_name() != "google.protobuf");
    ours.map(|message| {
        let looks = message.fields().map(|field| Look { required: is_required(mark, &field), field });
        let looks = looks.filter(|look| look.required || matches!(look.field.kind(), Kind::Message(_)));
        (message.full_name().to_owned(), looks.collect())
    })
    .collect()
});

/// The option that marks required fields.
pub(super) fn mark() -> &'static ExtensionDescriptor {
    static MARK: LazyLock<ExtensionDescriptor> = LazyLock::new(|| {
        pool().get_extension_by_name("google.api.field_behavior").expect("field_behavior.proto is compiled in")
    });
    &MARK
}

struct Look {
    field: FieldDescriptor,
    required: bool,
}

pub(super) fn first_missing(message: &DynamicMessage) -> Option<String> {
    // The well-known types have a JSON form of their own; nothing in them is required.
    let looks = LOOKS.get(message.descriptor().full_name())?;
    looks.iter().find_map(|Look { field, required }| {
        let present = message.has_field(field);
        let value = message.get_field(field);
        if *required && is_empty(field, &value, present) {
            return Some(format!("/{}", field.json_name()));
        }
        let rest = if present { below(&value) } else { None };
        rest.map(|rest| format!("/{}{rest}", field.json_name()))
    })
}

fn below(value: &Value) -> Option<String> {
    match value {
        Value::Message(inner) => first_missing(inner),
        Value::List(items) => {
            items.iter().enumerate().find_map(|(index, item)| below(item).map(|rest| format!("/{index}{rest}")))
        }
        Value::Map(entries) => entries.values().find_map(below),
        _ => None,
    }
}

fn is_empty(field: &FieldDescriptor, value: &Value, present: bool) -> bool {
    if field.is_list() {
        return value.as_list().is_none_or(<[_]>::is_empty);
    }
    if field.is_map() {
        return false;
    }
    match field.kind() {
        Kind::String => value.as_str().is_none_or(str::is_empty),
        Kind::Message(_) => !present,
        Kind::Enum(_) => value.as_enum_number().is_none_or(|number| number == 0),
        _ => false,
    }
}
