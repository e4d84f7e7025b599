//! `add-unknown-fields`: the card and every answer hold members that no version of A2A knows yet.

use gauntlet_scenario::{Fields, FileError, Node};
use prost::encoding::{WireType, encode_key, encode_varint};
use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};
use serde_json::{Value, json};

use crate::{Encoded, Fault, FaultKind, FrameAction, FrameView, Stage, WebhookAction, WebhookView};

pub(crate) const KIND: FaultKind = FaultKind {
    id: "add-unknown-fields",
    summary: "The card, all answers and all notifications hold members that receivers must ignore.",
    stages: &[Stage::CardRendered, Stage::FrameEncoded, Stage::WebhookEncoded],
    arguments: &[("count", "integer: how many in each object; 1 by default")],
    build,
};

/// Above every number of the protocol, below the range that protobuf keeps to itself.
const FIRST_NUMBER: u32 = 15_000;
const MAX_COUNT: u32 = 100;

#[derive(Debug)]
struct AddUnknownFields {
    count: u32,
}

fn build(arguments: &Node) -> Result<Box<dyn Fault>, FileError> {
    let fields = Fields::of(arguments, "`add-unknown-fields`", &["count"])?;
    let count = fields.map("count", |node| node.count(1, MAX_COUNT))?.unwrap_or(1);
    Ok(Box::new(AddUnknownFields { count }))
}

impl Fault for AddUnknownFields {
    fn on_card(&self, card: &mut Value) -> Option<Vec<String>> {
        self.json(card, &gauntlet_wire::message("AgentCard")?)
    }

    fn on_frame(&self, frame: &mut FrameView<'_>) -> Option<FrameAction> {
        let pointers = match &mut frame.encoded {
            Encoded::Json(object) => self.json(object, &frame.call.operation.response())?,
            Encoded::Proto(_, bytes) => self.protobuf(bytes),
        };
        Some(FrameAction::Changed(pointers))
    }

    fn on_webhook(&self, webhook: &mut WebhookView<'_>) -> Option<WebhookAction> {
        self.json(webhook.object, &gauntlet_wire::message("StreamResponse")?).map(WebhookAction::Changed)
    }
}

impl AddUnknownFields {
    fn json(&self, object: &mut Value, message: &MessageDescriptor) -> Option<Vec<String>> {
        let mut pointers = Vec::new();
        self.add(object, message, "", &mut pointers);
        (!pointers.is_empty()).then_some(pointers)
    }

    /// Follows the schema: what callers fill themselves (metadata, data parts, maps) would not be unknown there but
    /// content.
    fn add(&self, value: &mut Value, message: &MessageDescriptor, at: &str, pointers: &mut Vec<String>) {
        if message.package_name() == "google.protobuf" {
            return;
        }
        let Some(object) = value.as_object_mut() else { return };
        for field in message.fields() {
            let Kind::Message(inner) = field.kind() else { continue };
            if let Some(value) = object.get_mut(field.json_name()) {
                let at = format!("{at}/{}", field.json_name());
                for (value, step) in messages(&field, value) {
                    let inner = if field.is_map() { map_value(&inner) } else { Some(inner.clone()) };
                    if let Some(inner) = inner {
                        self.add(value, &inner, &format!("{at}{step}"), pointers);
                    }
                }
            }
        }
        for number in 1..=self.count {
            let name = format!("futureMember{number}");
            pointers.push(format!("{at}/{name}"));
            object.insert(name, json!({ "since": "99.0", "values": [number, "two", null] }));
        }
    }

    fn protobuf(&self, bytes: &mut Vec<u8>) -> Vec<String> {
        let numbers = FIRST_NUMBER..FIRST_NUMBER + self.count;
        numbers
            .map(|number| {
                let content = format!("future field {number}");
                encode_key(number, WireType::LengthDelimited, bytes);
                encode_varint(content.len() as u64, bytes);
                bytes.extend_from_slice(content.as_bytes());
                format!("/{number}")
            })
            .collect()
    }
}

/// The messages a field holds, each with its step in a JSON pointer.
fn messages<'a>(field: &FieldDescriptor, value: &'a mut Value) -> Vec<(&'a mut Value, String)> {
    if field.is_list() {
        let items = value.as_array_mut().into_iter().flatten();
        return items.enumerate().map(|(index, item)| (item, format!("/{index}"))).collect();
    }
    if field.is_map() {
        let entries = value.as_object_mut().into_iter().flatten();
        return entries.map(|(key, value)| (value, format!("/{}", escape(key)))).collect();
    }
    vec![(value, String::new())]
}

fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

fn map_value(entry: &MessageDescriptor) -> Option<MessageDescriptor> {
    match entry.map_entry_value_field().kind() {
        Kind::Message(message) => Some(message),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bite;
    use crate::testing::{call, refusal, set};
    use gauntlet_wire::protojson::{Unknown, bytes_to_json, dynamic_from_json, json_to_bytes};
    use gauntlet_wire::{Binding, Operation};

    fn answer() -> Value {
        json!({ "artifactUpdate": {
            "taskId": "t", "contextId": "c", "metadata": { "mine": {} },
            "artifact": { "artifactId": "a", "parts": [{ "data": { "k": 1 } }, { "text": "x" }] },
        }})
    }

    fn framed(set: &crate::FaultSet, encoded: Encoded<'_>) -> Vec<Bite> {
        let call = call(Binding::JsonRpc, Operation::SendStreamingMessage);
        set.frame(&mut FrameView { call: &call, index: 0, last: false, encoded }).1
    }

    #[test]
    fn every_object_of_the_protocol_gets_them_and_content_does_not() {
        let mut json = answer();
        let bites = framed(&set("[add-unknown-fields]"), Encoded::Json(&mut json));
        assert_eq!(
            bites[0].pointers,
            [
                "/artifactUpdate/artifact/parts/0/futureMember1",
                "/artifactUpdate/artifact/parts/1/futureMember1",
                "/artifactUpdate/artifact/futureMember1",
                "/artifactUpdate/futureMember1",
                "/futureMember1",
            ]
        );
        assert_eq!(json["artifactUpdate"]["metadata"], json!({ "mine": {} }));
        assert_eq!(json["artifactUpdate"]["artifact"]["parts"][0]["data"], json!({ "k": 1 }));
    }

    #[test]
    fn a_receiver_that_ignores_them_reads_the_same() {
        let message = Operation::SendStreamingMessage.response();
        let read = |json: &Value| dynamic_from_json(&message, json, Unknown::Ignore).unwrap();
        let mut json = answer();
        framed(&set("[add-unknown-fields: { count: 3 }]"), Encoded::Json(&mut json));
        assert_eq!(read(&json), read(&answer()));
        assert!(dynamic_from_json(&message, &json, Unknown::Refuse).is_err());
    }

    #[test]
    fn protobuf_gets_fields_that_no_message_has() {
        let message = Operation::SendStreamingMessage.response();
        let plain = json_to_bytes(&message, &answer()).unwrap();
        let mut bytes = plain.clone();
        let bites = framed(&set("[add-unknown-fields: { count: 2 }]"), Encoded::Proto(&message, &mut bytes));
        assert_eq!(bites[0].pointers, ["/15000", "/15001"]);
        assert!(bytes.len() > plain.len());
        assert_eq!(bytes_to_json(&message, &bytes).unwrap(), bytes_to_json(&message, &plain).unwrap());
    }

    #[test]
    fn maps_of_the_card_keep_their_entries() {
        let mut card = json!({ "name": "n", "skills": [{ "id": "s" }], "securitySchemes": { "a/b": {
            "oauth2SecurityScheme": { "flows": { "clientCredentials": { "tokenUrl": "u", "scopes": { "work": "w" } } } }
        } } });
        let bites = set("[add-unknown-fields]").card(&mut card);
        let flow = "/securitySchemes/a~1b/oauth2SecurityScheme/flows/clientCredentials";
        assert!(bites[0].pointers.contains(&format!("{flow}/futureMember1")), "{:?}", bites[0].pointers);
        assert_eq!(card["securitySchemes"].as_object().unwrap().len(), 1);
        assert_eq!(card.pointer(flow).unwrap()["scopes"], json!({ "work": "w" }));
        assert!(card["skills"][0].get("futureMember1").is_some());
    }

    #[test]
    fn the_count_is_bounded() {
        assert_eq!(refusal("[add-unknown-fields: { count: 0 }]"), "t.yaml:1:31: 0 is not from 1 to 100");
    }
}
