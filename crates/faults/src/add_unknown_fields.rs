//! `add-unknown-fields`: the card and every answer hold members that no version of A2A knows yet.

use gauntlet_scenario::{Fields, FileError, Node};
use prost::encoding::{WireType, encode_key, encode_varint};
use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};
use serde_json::{Value, json};

use crate::{Encoded, Fault, FaultKind, FrameAction, FrameView, Stage};

pub(crate) const KIND: FaultKind = FaultKind {
    id: "add-unknown-fields",
    summary: "The card and all answers hold members that receivers must ignore.",
    stages: &[Stage::CardRendered, Stage::FrameEncoded],
    arguments: &[("count", "integer: how many in each object; 1 by default")],
    build,
};

/// Above every number of the protocol, below the range that protobuf keeps to itself.
const FIRST_NUMBER: u32 = 15_000;
const MAX_COUNT: u32 = 100;

#[derive(Debug)]
struct AddUnknownFields {
    count: u32,
}

fn build(arguments: &Node) -> Result<Box<dyn Fault>, FileError> {
    let fields = Fields::of(arguments, "`add-unknown-fields`", &["count"])?;
    let count = fields.map("count", |node| node.count(1, MAX_COUNT))?.unwrap_or(1);
    Ok(Box::new(AddUnknownFields { count }))
}

impl Fault for AddUnknownFields {
    fn on_card(&self, card: &mut Value) -> Option<Vec<String>> {
        self.json(card, &gauntlet_wire::message("AgentCard")?)
    }

    fn on_frame(&self, frame: &mut FrameView<'_>) -> Option<FrameAction> {
        let pointers = match &mut frame.encoded {
            Encoded::Json(object) => self.json(object, &frame.call.operation.response())?,
            Encoded::Proto(_, bytes) => self.protobuf(bytes),
        };
        Some(FrameAction::Changed(pointers))
    }
}

impl AddUnknownFields {
    fn json(&self, object: &mut Value, message: &MessageDescriptor) -> Option<Vec<String>> {
        let mut pointers = Vec::new();
        self.add(object, message, "", &mut pointers);
        (!pointers.is_empty()).then_some(pointers)
    }

    /// Follows the schema: what callers fill themselves (metadata, data parts, maps) would not be unknown there but
    /// content.
    fn add(&self, value: &mut Value, message: &MessageDescriptor, at: &str, pointers: &mut Vec<String>) {
        if message.package_name() == "google.protobuf" {
            return;
        }
        let Some(object) = value.as_object_mut() else { return };
        for field in message.fields() {
            let Kind::Message(inner) = field.kind() else { continue };
            if let Some(value) = object.get_mut(field.json_name()) {
                let at = format!("{at}/{}", field.json_name());
                for (value, step) in messages(&field, value) {
                    let inner = if field.is_map() { map_value(&inner) } else { Some(inner.clone()) };
                    if let Some(inner) = inner {
                        self.add(value, &inner, &format!("{at}{step}"), pointers);
                    }
                }
            }
        }
        for number in 1..=self.count {
            let name = format!("futureMember{number}");
            pointers.push(format!("{at}/{name}"));
            object.insert(name, json!({ "since": "99.0", "values": [number, "two", null] }));
        }
    }

    fn protobuf(&self, bytes: &mut Vec<u8>) -> Vec<String> {
        let numbers = FIRST_NUMBER..FIRST_NUMBER + self.count;
        numbers
            .map(|number| {
                let content = format!("future field {number}");
                encode_key(number, WireType::LengthDelimited, bytes);
                encode_varint(content.len() as u64, bytes);
                bytes.extend_from_slice(content.as_bytes());
                format!("/{number}")
            })
            .collect()
    }
}

/// The messages a field holds, each with its step in a JSON pointer.
fn messages<'a>(field: &FieldDescriptor, value: &'a mut Value) -> Vec<(&'a mut Value, String)> {
    if field.is_list() {
        let items = value.as_array_mut().into_iter().flatten();
        return items.enumerate().map(|(index, item)| (item, format!("/{index}"))).collect();
    }
    if field.is_map() {
        let entries = value.as_object_mut().into_iter().flatten();
        return entries.map(|(key, value)| (value, format!("/{}", escape(key)))).collect();
    }
    vec![(value, String::new())]
}

fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

fn map_value(entry: &MessageDescriptor) -> Option<MessageDescriptor> {
    match entry.map_entry_value_field().kind() {
        Kind::Message(message) => Some(message),
        _ => None,
    }
}
