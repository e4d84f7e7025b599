//! Layer schema: every member that A2A defines has its JSON type. The shape is read from the proto, so a member added
//! there is checked here without a further line. Unknown members are skipped, and null means absent, as in ProtoJSON.

use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MessageDescriptor};
use serde_json::Value;

use gauntlet_wire::protojson::{self, Unknown};

use crate::parse::kind;
use crate::problem::{CardProblem, Layer};

/// Checks the types and gives the card as a message.
pub(crate) fn check(document: &Value) -> Result<DynamicMessage, CardProblem> {
    let descriptor = gauntlet_wire::message("AgentCard").expect("a2a.proto declares the card");
    message(&descriptor, document, "")?;
    // The walk above names the place; what it does not know (two members of a oneof, say) is caught here.
    protojson::dynamic_from_json(&descriptor, document, Unknown::Ignore)
        .map_err(|error| problem("value", "", error.to_string()))
}

fn problem(rule: &'static str, pointer: &str, message: String) -> CardProblem {
    CardProblem { layer: Layer::Schema, rule, pointer: pointer.to_owned(), message }
}

fn wrong_type(pointer: &str, expected: &str, found: &Value) -> CardProblem {
    problem("type", pointer, format!("expected {expected}, found {}", kind(found)))
}

fn message(descriptor: &MessageDescriptor, value: &Value, at: &str) -> Result<(), CardProblem> {
    // The well-known types (Struct, Value, Timestamp) have JSON forms of their own.
    if descriptor.package_name() == "google.protobuf" {
        return Ok(());
    }
    let members = value.as_object().ok_or_else(|| wrong_type(at, "an object", value))?;
    for (name, member) in members {
        let Some(field) = descriptor.get_field_by_json_name(name).or_else(|| descriptor.get_field_by_name(name)) else {
            continue;
        };
        if !member.is_null() {
            field_value(&field, member, &format!("{at}/{}", escape(name)))?;
        }
    }
    Ok(())
}

fn field_value(field: &FieldDescriptor, value: &Value, at: &str) -> Result<(), CardProblem> {
    if field.is_map() {
        let entries = value.as_object().ok_or_else(|| wrong_type(at, "an object", value))?;
        let kind = map_value(field);
        return entries.iter().try_for_each(|(key, entry)| single(&kind, entry, &format!("{at}/{}", escape(key))));
    }
    if field.is_list() {
        let items = value.as_array().ok_or_else(|| wrong_type(at, "a list", value))?;
        return items
            .iter()
            .enumerate()
            .try_for_each(|(index, item)| single(&field.kind(), item, &format!("{at}/{index}")));
    }
    single(&field.kind(), value, at)
}

fn map_value(field: &FieldDescriptor) -> Kind {
    match field.kind() {
        Kind::Message(entry) => entry.map_entry_value_field().kind(),
        other => other,
    }
}

fn single(expected: &Kind, value: &Value, at: &str) -> Result<(), CardProblem> {
    match expected {
        Kind::Message(descriptor) => message(descriptor, value, at),
        Kind::String if !value.is_string() => Err(wrong_type(at, "a string", value)),
        Kind::Bool if !value.is_boolean() => Err(wrong_type(at, "a boolean", value)),
        _ => Ok(()),
    }
}

/// A member name as a segment of a JSON pointer (RFC 6901).
fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
