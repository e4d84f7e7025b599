//! The canonical form of a card: without `signatures`, without members that only repeat a default, in RFC 8785.
//!
//! Members that the proto does not know are kept: a signature that left them out would let anybody add to a signed card.

use serde_json::{Map, Value};

use crate::edition::Edition;
use crate::json::Node;
use crate::shape::{Field, Kind, Shape, ShapeId, Shapes};

/// What is signed of a card.
pub(crate) fn canonical(card: &Node<'_>, edition: Edition) -> Vec<u8> {
    canonical_bytes(&card.to_json(), edition)
}

/// What is signed of a card: the bytes of its canonical form (specification §8.4.1).
pub fn canonical_bytes(card: &Value, edition: Edition) -> Vec<u8> {
    let shapes = if edition.is_current() { Shapes::current() } else { Shapes::legacy() };
    let mut payload = match shapes.find("AgentCard") {
        Some(shape) => object(shapes, shape, card),
        None => card.clone(),
    };
    if let Value::Object(members) = &mut payload {
        members.shift_remove("signatures");
    }
    serde_json_canonicalizer::to_vec(&payload).unwrap_or_default()
}

fn object(shapes: &'static Shapes, id: ShapeId, value: &Value) -> Value {
    let Value::Object(members) = value else { return value.clone() };
    let shape: &Shape = shapes.get(id);
    let mut kept = Map::new();
    for (key, value) in members {
        match shape.field(key) {
            Some(field) if says_nothing(field, value) => {}
            Some(field) => _ = kept.insert(key.clone(), self::value(shapes, &field.kind, value)),
            None => _ = kept.insert(key.clone(), value.clone()),
        }
    }
    Value::Object(kept)
}

fn value(shapes: &'static Shapes, kind: &Kind, value: &Value) -> Value {
    match (kind, value) {
        (Kind::Object(id), _) => object(shapes, *id, value),
        (Kind::List(item), Value::Array(items)) => items.iter().map(|value| self::value(shapes, item, value)).collect(),
        (Kind::Map(item), Value::Object(members)) => {
            members.iter().map(|(key, value)| (key.clone(), self::value(shapes, item, value))).collect()
        }
        _ => value.clone(),
    }
}

/// Whether a member only repeats what its absence says: then the proto cannot tell that it was there.
fn says_nothing(field: &Field, value: &Value) -> bool {
    if value.is_null() {
        return field.kind != Kind::Any;
    }
    if field.required {
        return false;
    }
    match (&field.kind, value) {
        // Lists and maps have no presence in any edition.
        (Kind::List(_), Value::Array(items)) => items.is_empty(),
        (Kind::Map(_), Value::Object(members)) => members.is_empty(),
        _ if field.presence => false,
        (Kind::Text | Kind::Bytes, Value::String(text)) => text.is_empty(),
        (Kind::Flag, Value::Bool(flag)) => !flag,
        (Kind::Whole | Kind::Enum(_), Value::Number(number)) => number.as_f64() == Some(0.0),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn defaults_go_and_what_was_set_or_is_required_stays() {
        // The example of the specification, and what it does not show.
        let card = json!({
            "name": "Example Agent", "description": "",
            "capabilities": {
                "streaming": false, "pushNotifications": false,
                "extensions": [{ "uri": "https://example.com/x", "required": false, "params": { "empty": "", "n": 1.0 } }],
            },
            "supportedInterfaces": [{ "url": "u", "tenant": "", "protocolBinding": "GRPC", "protocolVersion": "1.0" }],
            "securityRequirements": [], "securitySchemes": {}, "iconUrl": "",
            "skills": [], "signatures": [{ "protected": "x", "signature": "y" }],
        });
        let expected = concat!(
            r#"{"capabilities":{"extensions":[{"params":{"empty":"","n":1},"uri":"https://example.com/x"}],"#,
            r#""pushNotifications":false,"streaming":false},"description":"","iconUrl":"","name":"Example Agent","skills":[],"#,
            r#""supportedInterfaces":[{"protocolBinding":"GRPC","protocolVersion":"1.0","url":"u"}]}"#,
        );
        assert_eq!(String::from_utf8(canonical_bytes(&card, Edition::V1_0)).unwrap(), expected);
    }
}
