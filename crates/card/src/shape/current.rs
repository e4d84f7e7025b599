//! The shapes of A2A 1.0, compiled from the proto once.

use std::collections::HashMap;
use std::sync::LazyLock;

use gauntlet_wire::protojson::is_required;
use prost_reflect::{FieldDescriptor, Kind as ProtoKind, MessageDescriptor};

use crate::rules::required_rule;

use super::{Field, Kind, Shape, ShapeId, Shapes};

pub(super) static SHAPES: LazyLock<Shapes> = LazyLock::new(|| {
    let ours = |message: &MessageDescriptor| message.package_name() == "lf.a2a.v1" && !message.is_map_entry();
    let messages: Vec<MessageDescriptor> = gauntlet_wire::pool().all_messages().filter(ours).collect();
    let names = messages.iter().enumerate().map(|(index, message)| (message.full_name().to_owned(), ShapeId(index)));
    let ids: HashMap<String, ShapeId> = names.collect();
    Shapes::new(messages.iter().map(|message| shape(message, &ids)).collect())
});

fn shape(message: &MessageDescriptor, ids: &HashMap<String, ShapeId>) -> Shape {
    // A field that is `optional` makes a oneof of its own, which is none.
    let oneofs: Vec<_> = message.oneofs().filter(|oneof| !oneof.is_synthetic()).collect();
    let fields = message.fields().map(|field| Field {
        name: field.json_name().to_owned(),
        snake: field.name().to_owned(),
        kind: kind(&field, ids),
        required: is_required(&field),
        rule: required_rule(message.name(), field.json_name()),
        presence: field.supports_presence(),
        oneof: field.containing_oneof().and_then(|own| oneofs.iter().position(|oneof| *oneof == own)),
    });
    Shape { name: message.name().to_owned(), fields: fields.collect(), oneofs: oneofs.len() }
}

fn kind(field: &FieldDescriptor, ids: &HashMap<String, ShapeId>) -> Kind {
    if field.is_map() {
        let entry = field.kind();
        let value = entry.as_message().expect("a map has entries").map_entry_value_field();
        return Kind::Map(Box::new(single(&value.kind(), ids)));
    }
    let single = single(&field.kind(), ids);
    if field.is_list() { Kind::List(Box::new(single)) } else { single }
}

fn single(kind: &ProtoKind, ids: &HashMap<String, ShapeId>) -> Kind {
    match kind {
        ProtoKind::String => Kind::Text,
        ProtoKind::Bool => Kind::Flag,
        ProtoKind::Int32 => Kind::Whole,
        ProtoKind::Bytes => Kind::Bytes,
        ProtoKind::Enum(names) => Kind::Enum(names.values().map(|value| value.name().to_owned()).collect()),
        ProtoKind::Message(message) => match message.full_name() {
            "google.protobuf.Struct" => Kind::Struct,
            "google.protobuf.Value" => Kind::Any,
            "google.protobuf.Timestamp" => Kind::Time,
            other => Kind::Object(ids.get(other).copied().unwrap_or_else(|| unreachable!("a2a.proto has no {other}"))),
        },
        other => unreachable!("a2a.proto has no field of type {other:?}"),
    }
}
