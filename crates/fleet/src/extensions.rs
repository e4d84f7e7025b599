//! Protocol extensions: what the card declares, and what callers say they support (specification §4.6).

use gauntlet_wire::{A2aError, ErrorKind};
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

/// Lists extensions, in requests those that the caller supports, in answers those that are in use.
pub(crate) const HEADER: HeaderName = HeaderName::from_static("a2a-extensions");

/// The extensions of a card, by uri.
#[derive(Debug)]
pub(crate) struct Extensions {
    declared: Vec<String>,
    required: Vec<String>,
}

impl Extensions {
    pub(crate) fn new(card: &Value) -> Self {
        let entries = || card.pointer("/capabilities/extensions").and_then(Value::as_array).into_iter().flatten();
        let uri = |entry: &Value| entry.get("uri").and_then(Value::as_str).map(str::to_owned);
        let is_required = |entry: &&Value| entry.get("required").and_then(Value::as_bool) == Some(true);
        Self {
            declared: entries().filter_map(uri).collect(),
            required: entries().filter(is_required).filter_map(uri).collect(),
        }
    }

    /// Those in use for a request, as a header says it; `None` where there are none.
    ///
    /// # Errors
    /// ExtensionSupportRequired, naming what the caller would have to support.
    pub(crate) fn negotiate(&self, headers: &HeaderMap) -> Result<Option<HeaderValue>, A2aError> {
        if self.declared.is_empty() {
            return Ok(None);
        }
        let lists = headers.get_all(HEADER).iter().filter_map(|value| value.to_str().ok());
        let supported: Vec<&str> = lists.flat_map(|list| list.split(',')).map(str::trim).collect();
        if let Some(missing) = self.required.iter().find(|uri| !supported.contains(&uri.as_str())) {
            let why = format!("callers must support the extension {missing}; name it in A2A-Extensions");
            return Err(A2aError::new(ErrorKind::ExtensionSupportRequired, why).with("extension", missing));
        }
        let used: Vec<&str> = self.declared.iter().map(String::as_str).filter(|uri| supported.contains(uri)).collect();
        Ok(HeaderValue::try_from(used.join(", ")).ok().filter(|value| !value.is_empty()))
    }
}
