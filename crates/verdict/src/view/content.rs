//! Content of tasks, artifacts and messages, whatever the borders of its parts.

use serde_json::Value;

/// Content of one artifact, borders of parts ignored: chunks that came apart are equal to what came whole.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Content {
    /// All text, in order.
    pub text: String,
    /// All data, in order.
    pub data: Vec<Value>,
    /// Base64 and urls of files, in order.
    pub files: Vec<String>,
}

impl Content {
    /// The content of artifacts, one after the other.
    pub fn of<'v>(artifacts: impl IntoIterator<Item = &'v Value>) -> Self {
        let mut content = Self::default();
        for part in artifacts.into_iter().flat_map(parts) {
            if let Some(text) = part.get("text").and_then(Value::as_str) {
                content.text.push_str(text);
            } else if let Some(file) = part.get("raw").or_else(|| part.get("url")).and_then(Value::as_str) {
                content.files.push(file.to_owned());
            } else if let Some(data) = part.get("data") {
                content.data.push(data.clone());
            }
        }
        content
    }
}

fn parts(holder: &Value) -> impl Iterator<Item = &Value> {
    holder.get("parts").and_then(Value::as_array).into_iter().flatten()
}

/// The text parts of a message or an artifact that are not blank, in order.
pub fn texts(holder: &Value) -> impl Iterator<Item = &str> {
    parts(holder).filter_map(|part| part.get("text")?.as_str()).filter(|text| !text.trim().is_empty())
}

/// The artifacts of a task.
pub fn artifacts(task: &Value) -> impl Iterator<Item = &Value> {
    task.get("artifacts").and_then(Value::as_array).into_iter().flatten()
}

/// Whether `text` contains every one of `wanted`, one after the other.
pub fn contains_in_order<'t>(text: &str, wanted: impl IntoIterator<Item = &'t str>) -> bool {
    let mut rest = text;
    wanted.into_iter().all(|piece| match rest.find(piece.trim()) {
        Some(at) => {
            rest = &rest[at + piece.trim().len()..];
            true
        }
        None => false,
    })
}

/// Every string in a value: what could carry words of a user.
pub fn strings(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(strings).collect(),
        Value::Object(members) => members.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}
