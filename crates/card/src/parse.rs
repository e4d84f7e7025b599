//! Layer parse: bytes to a JSON object. The JSON reader refuses nesting beyond 128 levels, so depth is bounded.

use serde_json::Value;

use crate::problem::{CardProblem, Layer};

pub(crate) fn parse(bytes: &[u8]) -> Result<Value, CardProblem> {
    let problem = |rule, message| CardProblem { layer: Layer::Parse, rule, pointer: String::new(), message };
    let document: Value =
        serde_json::from_slice(bytes).map_err(|error| problem("json", format!("the card is not JSON: {error}")))?;
    if document.is_object() {
        Ok(document)
    } else {
        Err(problem("object", format!("a card is a JSON object, this is {}", kind(&document))))
    }
}

/// What a value is, for people.
pub(crate) const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
