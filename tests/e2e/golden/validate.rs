//! That every frame which no fault has touched is valid, and that its bytes say what the journal says they do.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gauntlet_evidence::journal::{Frame, Raw, Request};
use gauntlet_evidence::{JournalEntry, JournalEvent};
use gauntlet_wire::protojson::{self, Unknown};
use gauntlet_wire::{Binding, jsonrpc, sse};
use prost_reflect::MessageDescriptor;
use serde_json::Value;

/// Where tokens are asked for; what is said there is no A2A.
const TOKEN_PATH: &str = "/token";

/// Says what is wrong with the unstamped frames of an exchange.
pub(super) fn invalid(entries: &[JournalEntry]) -> Vec<String> {
    let Some(JournalEvent::Request(request)) = entries.first().map(|entry| &entry.event) else {
        return vec!["the exchange does not begin with a request".to_owned()];
    };
    let unstamped = entries.iter().filter(|entry| entry.stamps.is_empty());
    let wrong = unstamped.filter_map(|entry| match &entry.event {
        JournalEvent::Frame(frame) => breach(request, frame).map(|why| format!("{entry}: {why}")),
        _ => None,
    });
    wrong.collect()
}

/// Says what is wrong with the unstamped notifications among some.
pub(super) fn invalid_notifications(entries: &[JournalEntry]) -> Vec<String> {
    let unstamped = entries.iter().filter(|entry| entry.stamps.is_empty());
    let wrong = unstamped.filter_map(|entry| match &entry.event {
        JournalEvent::WebhookSent(sent) => {
            let descriptor = gauntlet_wire::message("StreamResponse").expect("the proto has stream items");
            let message = protojson::dynamic_from_json(&descriptor, &sent.object, Unknown::Refuse);
            let why = match message.map(|message| protojson::missing_required(&message)) {
                Err(error) => Some(error.to_string()),
                Ok(missing) => missing.map(|pointer| format!("{pointer} is missing")),
            };
            let says_so = serde_json::from_slice(&bytes(&sent.body)).is_ok_and(|said: Value| said == sent.object);
            why.or_else(|| (!says_so).then(|| "its bytes say something else".to_owned()))
                .map(|why| format!("{entry}: {why}"))
        }
        _ => None,
    });
    wrong.collect()
}

fn breach(request: &Request, frame: &Frame) -> Option<String> {
    let Some(object) = &frame.object else {
        return frame.error.is_none().then(|| "neither an object nor an error".to_owned());
    };
    if request.path == TOKEN_PATH {
        return object.get("access_token").is_none().then(|| "no token is given".to_owned());
    }
    let descriptor = match request.operation {
        Some(operation) => operation.response(),
        None => gauntlet_wire::message("AgentCard").expect("the proto has cards"),
    };
    let message = match protojson::dynamic_from_json(&descriptor, object, Unknown::Refuse) {
        Ok(message) => message,
        Err(error) => return Some(error.to_string()),
    };
    if let Some(pointer) = protojson::missing_required(&message) {
        return Some(format!("{pointer} is missing"));
    }
    let bytes = bytes(&frame.raw);
    let says_so = match request.binding {
        Some(Binding::Grpc) => surplus(&descriptor, frame) == Some(0),
        binding => json(&bytes, binding).as_ref() == Some(object),
    };
    (!says_so).then(|| format!("its bytes say something else: {}", String::from_utf8_lossy(&bytes)))
}

/// How many bytes of a protobuf message its object does not account for: fields that the proto does not have. `None`
/// where it is not that message.
pub(super) fn surplus(descriptor: &MessageDescriptor, frame: &Frame) -> Option<usize> {
    let (bytes, object) = (bytes(&frame.raw), frame.object.as_ref()?);
    let known = protojson::json_to_bytes(descriptor, object).ok()?;
    bytes.strip_prefix(known.as_slice()).map(<[u8]>::len)
}

/// The object within an answer or stream item, without any envelope.
fn json(bytes: &[u8], binding: Option<Binding>) -> Option<Value> {
    let mut events = sse::Decoder::default().push(bytes).into_iter();
    let body = events.next().map_or_else(|| bytes.to_vec(), |event| event.data.into_bytes());
    if events.next().is_some() {
        return None;
    }
    match binding {
        Some(Binding::JsonRpc) => jsonrpc::parse_response(&body).ok()?.result.ok(),
        _ => serde_json::from_slice(&body).ok(),
    }
}

fn bytes(raw: &Raw) -> Vec<u8> {
    match raw {
        Raw::Empty => Vec::new(),
        Raw::Text(text) => text.clone().into_bytes(),
        Raw::Binary { base64 } => STANDARD.decode(base64).expect("the journal writes base64"),
    }
}
