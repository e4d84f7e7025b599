//! Messages to and from ProtoJSON. Messages of A2A have a generated codec; reflection reads what that one leaves alone,
//! says what is wrong, and does all for other messages.

mod codec;
#[cfg(test)]
mod codec_tests;
mod mark;
pub(crate) mod missing;
pub(crate) mod read;
mod required;
pub(crate) mod write;

use prost::Message;
use prost_reflect::{DeserializeOptions, DynamicMessage, MessageDescriptor, SerializeOptions};
use serde_json::Value;

pub use codec::ProtoJson;
pub(crate) use codec::{Codec, Of};

use crate::v1;

/// What to do with members the proto does not define.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// Skip them, as receivers must (specification §5.7).
    Ignore,
    /// Refuse the document: for judging what a party sends.
    Refuse,
}

/// JSON that is not the ProtoJSON of the message asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a valid {message}: {detail}")]
pub struct NotProtoJson {
    /// Short name of the message.
    pub message: String,
    /// What was wrong.
    pub detail: String,
}

/// The ProtoJSON of `message`: camelCase names, enum names as strings, unset fields left out.
pub fn to_json<M: ProtoJson>(message: &M) -> Value {
    serde_json::to_value(message).expect("a message has a JSON form")
}

/// The same as text.
pub fn to_text<M: ProtoJson>(message: &M) -> String {
    let mut text = Vec::with_capacity(512);
    serde_json::to_writer(&mut text, message).expect("a message has a JSON form");
    String::from_utf8(text).expect("JSON is UTF-8")
}

fn options() -> SerializeOptions {
    SerializeOptions::new().stringify_64_bit_integers(true)
}

/// The whole number that a double holds, where it is one. A `google.protobuf.Value` holds every number as a double;
/// `42.0` where `42` was sent would be legal, and is what nobody writes.
fn whole(value: f64) -> Option<i64> {
    /// Up to here doubles hold every whole number.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "whole and within the bounds")]
    let whole = (value.fract() == 0.0 && value.abs() <= EXACT).then_some(value as i64);
    whole
}

/// The ProtoJSON of a message known only by its descriptor.
pub fn dynamic_to_json(message: &DynamicMessage) -> Value {
    let mut json = message
        .serialize_with_options(serde_json::value::Serializer, &options())
        .expect("a message of our own pool has a JSON form");
    write_whole_numbers_whole(&mut json);
    json
}

fn write_whole_numbers_whole(json: &mut Value) {
    match json {
        Value::Number(number) if number.is_f64() => {
            if let Some(whole) = number.as_f64().and_then(whole) {
                *json = whole.into();
            }
        }
        Value::Number(_) => {}
        Value::Array(items) => items.iter_mut().for_each(write_whole_numbers_whole),
        Value::Object(members) => members.values_mut().for_each(write_whole_numbers_whole),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// Reads ProtoJSON into a generated message; both camelCase and snake_case names are understood.
///
/// # Errors
/// When the document does not fit the message, says why.
pub fn from_json<M: ProtoJson>(json: &Value, unknown: Unknown) -> Result<M, NotProtoJson> {
    if let Some(message) = M::read(json, unknown) {
        return Ok(message);
    }
    let descriptor = M::default().descriptor();
    let dynamic = dynamic_from_json(&descriptor, json, unknown)?;
    dynamic
        .transcode_to()
        .map_err(|error| NotProtoJson { message: descriptor.name().to_owned(), detail: error.to_string() })
}

/// Reads ProtoJSON into a message known only by its descriptor.
///
/// # Errors
/// When the document does not fit the message, says why.
pub fn dynamic_from_json(
    descriptor: &MessageDescriptor,
    json: &Value,
    unknown: Unknown,
) -> Result<DynamicMessage, NotProtoJson> {
    let options = DeserializeOptions::new().deny_unknown_fields(unknown == Unknown::Refuse);
    DynamicMessage::deserialize_with_options(descriptor.clone(), json, &options)
        .map_err(|error| NotProtoJson { message: descriptor.name().to_owned(), detail: error.to_string() })
}

/// A member of an object of ProtoJSON by its camelCase name, in whichever of the two spellings it stands there.
pub fn member<'a>(object: &'a Value, name: &str) -> Option<&'a Value> {
    object.get(name).or_else(|| object.get(snake_case(name)))
}

fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

/// Decodes protobuf bytes into ProtoJSON, for journals.
///
/// # Errors
/// When the bytes are not that message.
pub fn bytes_to_json(descriptor: &MessageDescriptor, bytes: &[u8]) -> Result<Value, NotProtoJson> {
    if let Some(json) = v1::codec(descriptor.full_name()).and_then(|codec| codec.json_of_bytes(bytes)) {
        return Ok(json);
    }
    DynamicMessage::decode(descriptor.clone(), bytes)
        .map(|message| dynamic_to_json(&message))
        .map_err(|error| NotProtoJson { message: descriptor.name().to_owned(), detail: error.to_string() })
}

/// Encodes ProtoJSON as protobuf bytes.
///
/// # Errors
/// When the document does not fit the message.
pub fn json_to_bytes(descriptor: &MessageDescriptor, json: &Value) -> Result<Vec<u8>, NotProtoJson> {
    if let Some(bytes) = v1::codec(descriptor.full_name()).and_then(|codec| codec.bytes_of_json(json)) {
        return Ok(bytes);
    }
    dynamic_from_json(descriptor, json, Unknown::Ignore).map(|message| message.encode_to_vec())
}

/// Names the first required field (by `google.api.field_behavior`) that is unset or empty, as a JSON pointer.
///
/// Required lists must hold an element, except `ListTasksResponse.tasks`; required numbers and flags cannot be told
/// from their default and are not looked at.
pub fn missing_required(message: &DynamicMessage) -> Option<String> {
    required::first_missing(message)
}

/// Whether the specification requires a field (by `google.api.field_behavior`), and an empty value counts as missing.
pub fn is_required(field: &prost_reflect::FieldDescriptor) -> bool {
    mark::is_required(required::mark(), field)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn null_data_is_a_part_and_survives() {
        let part: v1::Part = from_json(&json!({ "data": null }), Unknown::Refuse).unwrap();
        assert!(part.content.is_some());
        assert_eq!(to_json(&part), json!({ "data": null }));
    }

    #[test]
    fn numbers_in_data_are_written_as_people_write_them() {
        let data = json!({ "data": { "whole": 42, "half": 0.5, "large": 1e300, "below": [-7, 0] } });
        let part: v1::Part = from_json(&data, Unknown::Refuse).unwrap();
        assert_eq!(to_json(&part), data);
        assert_eq!(serde_json::from_str::<Value>(&to_text(&part)).unwrap(), data);
    }

    #[test]
    fn both_spellings_are_read_and_unknown_members_only_where_allowed() {
        let camel = json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "hi" }] });
        let snake = json!({ "message_id": "m", "role": "ROLE_USER", "parts": [{ "text": "hi" }] });
        let read = |json| from_json::<v1::Message>(json, Unknown::Refuse);
        assert_eq!(read(&camel).unwrap(), read(&snake).unwrap());
        let extra = json!({ "messageId": "m", "extra": 1 });
        assert!(read(&extra).is_err());
        assert!(from_json::<v1::Message>(&extra, Unknown::Ignore).is_ok());
    }

    #[test]
    fn members_are_found_in_either_spelling() {
        for object in [json!({ "referenceTaskIds": 1 }), json!({ "reference_task_ids": 1 })] {
            assert_eq!(member(&object, "referenceTaskIds"), Some(&json!(1)));
            assert_eq!(member(&object, "taskIds"), None);
        }
    }

    #[test]
    fn required_fields_are_named_by_pointer() {
        let missing = |name: &str, json: Value| {
            let message = dynamic_from_json(&crate::message(name).unwrap(), &json, Unknown::Ignore).unwrap();
            missing_required(&message)
        };
        let request = json!({ "message": { "messageId": "m", "role": "ROLE_USER", "parts": [] } });
        assert_eq!(missing("SendMessageRequest", request).as_deref(), Some("/message/parts"));
        assert_eq!(missing("GetTaskRequest", json!({})).as_deref(), Some("/id"));
        assert_eq!(missing("ListTasksResponse", json!({ "tasks": [] })), None);
    }
}
