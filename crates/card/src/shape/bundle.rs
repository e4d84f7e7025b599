//! The schema bundle: a JSON Schema with a definition for every message of A2A 1.0, as far as a proto can be said in one.
//!
//! Its structure is that of the bundle that the A2A project publishes. What no proto knows (required lists that must not
//! be empty, urls, which flags go together) is not in it; neither is that members are required, because the published
//! bundle does not say so either.

use serde_json::{Map, Value, json};

use super::{Kind, Shape, Shapes};

/// The bundle. The same bytes for the same proto: members stand in the order of the proto.
pub fn bundle() -> Value {
    let shapes = Shapes::current();
    let mut definitions = Map::new();
    for name in shapes.names() {
        if let Some(id) = shapes.find(name) {
            definitions.insert(name.to_owned(), definition(shapes, shapes.get(id)));
        }
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A2A 1.0: cards, messages, tasks",
        "description": "Point at a definition, such as #/$defs/AgentCard. The root accepts nothing.",
        "not": {},
        "$defs": definitions,
    })
}

fn definition(shapes: &Shapes, shape: &Shape) -> Value {
    let mut properties = Map::new();
    let mut patterns = Map::new();
    for field in &shape.fields {
        let mut schema = schema(shapes, &field.kind);
        if let Some(default) = default(&field.kind).filter(|_| !field.presence) {
            schema["default"] = default;
        }
        if field.snake != field.name {
            patterns.insert(format!("^({})$", field.snake), schema.clone());
        }
        properties.insert(field.name.clone(), schema);
    }
    let mut definition = json!({ "type": "object", "additionalProperties": false, "properties": properties });
    if !patterns.is_empty() {
        definition["patternProperties"] = patterns.into();
    }
    definition
}

fn schema(shapes: &Shapes, kind: &Kind) -> Value {
    match kind {
        Kind::Text => json!({ "type": "string" }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Whole => json!({ "anyOf": [whole(), { "type": "string", "pattern": "^-?[0-9]+$" }] }),
        Kind::Enum(names) => {
            let (unspecified, named) =
                names.split_first().map_or(("", names.as_slice()), |(first, rest)| (first, rest));
            let pattern = format!("^{unspecified}$");
            json!({ "anyOf": [{ "type": "string", "pattern": pattern }, { "type": "string", "enum": named }, whole()] })
        }
        Kind::Words(words) => json!({ "type": "string", "enum": words }),
        Kind::Bytes => json!({ "type": "string", "pattern": "^[A-Za-z0-9+/]*={0,2}$" }),
        Kind::Time => json!({ "type": "string", "format": "date-time" }),
        Kind::Object(id) => json!({ "$ref": format!("#/$defs/{}", shapes.get(*id).name) }),
        Kind::List(item) => json!({ "type": "array", "items": schema(shapes, item) }),
        Kind::Map(value) => json!({
            "type": "object", "propertyNames": { "type": "string" }, "additionalProperties": schema(shapes, value),
        }),
        Kind::Struct => json!({ "type": "object" }),
        Kind::Any => json!({}),
    }
}

fn whole() -> Value {
    json!({ "type": "integer", "minimum": i32::MIN, "maximum": i32::MAX })
}

/// What a member is when it is not there, of those that have no other word for it.
fn default(kind: &Kind) -> Option<Value> {
    match kind {
        Kind::Text | Kind::Bytes => Some("".into()),
        Kind::Flag => Some(false.into()),
        Kind::Whole | Kind::Enum(_) => Some(0.into()),
        _ => None,
    }
}
