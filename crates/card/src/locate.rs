//! Where a JSON pointer leads in the text of a document.

use std::ops::Range;

use crate::json::{self, Data};
use crate::options::Options;

/// The bytes of the value that a JSON pointer (RFC 6901) leads to; none where it leads nowhere, or the document is no JSON.
pub fn locate(document: &[u8], pointer: &str) -> Option<Range<usize>> {
    let text = std::str::from_utf8(document).ok()?;
    let skip = text.len() - text.trim_start_matches('\u{feff}').len();
    let (root, _) = json::read(text, skip, Options::DEEPEST).ok()?;
    let mut here = &root;
    for segment in pointer.split('/').skip(1) {
        let key = segment.replace("~1", "/").replace("~0", "~");
        here = match &here.data {
            Data::List(items) => items.get(key.parse::<usize>().ok()?)?,
            _ => here.key(&key)?,
        };
    }
    Some(here.span.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_lead_to_bytes() {
        let text = r#"{"a": [1, {"b/c": "x"}]}"#;
        let at = |pointer| locate(text.as_bytes(), pointer).map(|span| &text[span]);
        assert_eq!(at("/a/1/b~1c"), Some("\"x\""));
        assert_eq!(at("/a/0"), Some("1"));
        assert_eq!(at(""), Some(text));
        assert_eq!(at("/a/2"), None);
        assert_eq!(at("/a/b"), None);
        assert_eq!(locate(b"{", ""), None);
    }
}
