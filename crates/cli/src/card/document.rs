//! Documents as members of a JSON object, whatever their bytes.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// The key and the value: `"card":{…}`; what is no JSON object as `"text":"…"`, what is no text as `"base64":"…"`.
pub(crate) fn member(document: &[u8]) -> String {
    let text = std::str::from_utf8(document).ok();
    // As it is, byte for byte: a key that stands there twice is still there twice. Lines are kept whole.
    let is_card = |text: &&str| {
        text.starts_with('{') && !text.contains(['\n', '\r']) && serde_json::from_str::<Value>(text).is_ok()
    };
    match (text.filter(is_card), text) {
        (Some(card), _) => format!("\"card\":{card}"),
        (None, Some(text)) => format!("\"text\":{}", Value::from(text)),
        (None, None) => format!("\"base64\":\"{}\"", STANDARD.encode(document)),
    }
}
