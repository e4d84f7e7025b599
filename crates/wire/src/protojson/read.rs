//! How generated code reads values. It knows what correct parties write; `None` leaves the rest (numbers in quotes,
//! base64 for URLs, numbers for names, and what is wrong) to the reader that works by reflection.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use prost_types::value::Kind;
use serde_json::Value;

pub(crate) fn string(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

pub(crate) fn int32(value: &Value) -> Option<i32> {
    value.as_i64()?.try_into().ok()
}

pub(crate) fn bytes(value: &Value) -> Option<Bytes> {
    BASE64_STANDARD.decode(value.as_str()?).ok().map(Bytes::from)
}

pub(crate) fn list<T>(value: &Value, item: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    value.as_array()?.iter().map(item).collect()
}

pub(crate) fn map<T>(value: &Value, item: impl Fn(&Value) -> Option<T>) -> Option<BTreeMap<String, T>> {
    value.as_object()?.iter().map(|(name, value)| Some((name.clone(), item(value)?))).collect()
}

/// `2026-11-30T12:00:00Z`, with or without fractions of the second.
pub(crate) fn timestamp(value: &Value) -> Option<prost_types::Timestamp> {
    let text = value.as_str()?;
    let (date_and_time, rest) = text.split_at_checked("2026-11-30T12:00:00".len())?;
    let fraction = rest.strip_suffix('Z')?;
    let plain = date_and_time.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        10 => byte == b'T',
        13 | 16 => byte == b':',
        _ => byte.is_ascii_digit(),
    });
    let digits = fraction.strip_prefix('.').unwrap_or(if fraction.is_empty() { "0" } else { "" });
    let counted = (1..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    // The year 0 and leap seconds are for the other reader.
    let usual = !text.starts_with("0000") && &text[17..19] < "60";
    (plain && counted && usual).then(|| text.parse().ok()).flatten()
}

pub(crate) fn object(value: &Value) -> Option<prost_types::Struct> {
    let fields = value.as_object()?.iter().map(|(name, value)| (name.clone(), any(value))).collect();
    Some(prost_types::Struct { fields })
}

pub(crate) fn any(value: &Value) -> prost_types::Value {
    let kind = match value {
        Value::Null => Kind::NullValue(0),
        Value::Bool(value) => Kind::BoolValue(*value),
        Value::Number(number) => Kind::NumberValue(number.as_f64().unwrap_or(f64::NAN)),
        Value::String(text) => Kind::StringValue(text.clone()),
        Value::Array(items) => Kind::ListValue(prost_types::ListValue { values: items.iter().map(any).collect() }),
        Value::Object(members) => {
            let fields = members.iter().map(|(name, value)| (name.clone(), any(value))).collect();
            Kind::StructValue(prost_types::Struct { fields })
        }
    };
    prost_types::Value { kind: Some(kind) }
}
