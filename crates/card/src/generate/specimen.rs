//! A card under the knife: what mutations find in it, and what they put there before they break it.

use serde_json::{Value, json};

use super::Draw;

/// A valid card that is about to be broken.
#[derive(Debug)]
pub(crate) struct Specimen<'a, 'd> {
    pub(crate) card: &'a mut Value,
    pub(crate) draw: &'a mut Draw<'d>,
    /// Before 1.0.
    pub(crate) legacy: bool,
}

impl Specimen<'_, '_> {
    /// Puts a value at a pointer; the object that is to hold it is there. Returns the pointer.
    pub(crate) fn put(&mut self, pointer: &str, value: impl Into<Value>) -> String {
        let (parent, key) = pointer.rsplit_once('/').unwrap_or(("", pointer));
        match self.card.pointer_mut(parent) {
            Some(Value::Object(members)) => _ = members.insert(key.replace("~1", "/").replace("~0", "~"), value.into()),
            Some(Value::Array(items)) => {
                let slot = key.parse().ok().and_then(|index: usize| items.get_mut(index));
                if let Some(slot) = slot {
                    *slot = value.into();
                }
            }
            _ => {}
        }
        pointer.to_owned()
    }

    /// Takes a member away. Returns its pointer.
    pub(crate) fn remove(&mut self, pointer: &str) -> String {
        let (parent, key) = pointer.rsplit_once('/').unwrap_or(("", pointer));
        if let Some(Value::Object(members)) = self.card.pointer_mut(parent) {
            members.shift_remove(key);
        }
        pointer.to_owned()
    }

    /// The member of an object, made if it is not there.
    pub(crate) fn at(&mut self, pointer: &str, otherwise: impl FnOnce() -> Value) -> &mut Value {
        if self.card.pointer(pointer).is_none() {
            self.put(pointer, otherwise());
        }
        self.card.pointer_mut(pointer).unwrap_or_else(|| unreachable!("just put at {pointer}"))
    }

    /// Adds an element to a list, which is made if it is not there. Returns the element's pointer.
    pub(crate) fn push(&mut self, list: &str, element: impl Into<Value>) -> String {
        let items = self.at(list, || json!([]));
        let index = items.as_array().map_or(0, Vec::len);
        if let Value::Array(items) = items {
            items.push(element.into());
        }
        format!("{list}/{index}")
    }

    /// One of the skills.
    pub(crate) fn skill(&mut self) -> String {
        let count = self.card["skills"].as_array().map_or(0, Vec::len);
        format!("/skills/{}", self.draw.index(count))
    }

    /// A new interface with an address of its own. Returns its pointer; the address stands under `url`.
    pub(crate) fn interface(&mut self, binding: &str, url: &str) -> String {
        if !self.legacy {
            let interface = json!({ "url": url, "protocolBinding": binding, "protocolVersion": "1.0" });
            return self.push("/supportedInterfaces", interface);
        }
        if self.card.get("additionalInterfaces").is_none() {
            let main = json!({ "url": self.card["url"], "transport": self.card["preferredTransport"] });
            self.push("/additionalInterfaces", main);
        }
        self.push("/additionalInterfaces", json!({ "url": url, "transport": binding }))
    }

    /// A new interface over HTTP at this url.
    pub(crate) fn at_url(&mut self, url: &str) -> String {
        let binding = self.draw.pick(&["JSONRPC", "HTTP+JSON"]);
        format!("{}/url", self.interface(binding, url))
    }

    /// A new security scheme; its body, wherever the edition keeps it.
    pub(crate) fn scheme(&mut self, kind: &str, body: Value) -> String {
        const NAME: &str = "specimen";
        self.at("/securitySchemes", || json!({}));
        let scheme = format!("/securitySchemes/{NAME}");
        if self.legacy {
            let kind = match kind {
                "apiKeySecurityScheme" => "apiKey",
                "httpAuthSecurityScheme" => "http",
                "oauth2SecurityScheme" => "oauth2",
                "openIdConnectSecurityScheme" => "openIdConnect",
                _ => "mutualTLS",
            };
            let mut body = body;
            body["type"] = kind.into();
            self.put(&scheme, body)
        } else {
            self.put(&scheme, json!({}));
            self.put(&format!("{scheme}/{kind}"), body)
        }
    }

    /// A new OAuth flow; its pointer.
    pub(crate) fn flow(&mut self, flow: &str, body: Value) -> String {
        let mut flows = json!({});
        flows[flow] = body;
        format!("{}/flows/{flow}", self.scheme("oauth2SecurityScheme", json!({ "flows": flows })))
    }

    /// A new extension.
    pub(crate) fn extension(&mut self, body: Value) -> String {
        self.push("/capabilities/extensions", body)
    }

    /// A new signature, as these two members say.
    pub(crate) fn signature(&mut self, protected: &str, signature: &str) -> String {
        self.push("/signatures", json!({ "protected": protected, "signature": signature }))
    }
}
