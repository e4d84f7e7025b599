//! `patch-request`: the peer takes calls to say something else than they do.

use gauntlet_scenario::{Fields, FileError, Node, words};
use gauntlet_wire::protojson::{Unknown, dynamic_from_json};
use prost::Message as _;
use serde_json::Value;

use crate::patch::{Patch, patch};
use crate::{Call, Claim, Fault, FaultKind, Stage};

pub(crate) const KIND: FaultKind = FaultKind {
    id: "patch-request",
    summary: "Requests are understood as if something else stood at one place.",
    stages: &[Stage::RequestDecoded],
    arguments: &[
        ("at", "JSON pointer into the request message: the place; missing objects on the way are made"),
        ("to", "any value: what stands there then"),
        ("remove", "true: nothing stands there then"),
    ],
    build,
};

#[derive(Debug)]
struct PatchRequest(Patch);

fn build(arguments: &Node) -> Result<Box<dyn Fault>, FileError> {
    let fields = Fields::of(arguments, "`patch-request`", &["at", "to", "remove"])?;
    if words::pointer(fields.required("at")?)?.is_empty() {
        return Err(fields.required("at")?.error("the whole request cannot be replaced"));
    }
    Ok(Box::new(PatchRequest(patch(&fields)?)))
}

impl Fault for PatchRequest {
    fn on_request(&self, call: &Call, message: &mut Value) -> Option<Vec<String>> {
        let mut patched = message.clone();
        let pointer = self.0.apply(&mut patched)?;
        // A default that is spelt out, or left out, says the same.
        let read = |json: &Value| {
            let message = dynamic_from_json(&call.operation.request(), json, Unknown::Ignore);
            message.ok().map(|message| message.encode_to_vec())
        };
        if read(&patched) == read(message) {
            return None;
        }
        *message = patched;
        Some(vec![pointer])
    }

    fn claims(&self) -> Vec<Claim> {
        vec![Claim::Request(self.0.at.clone())]
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{call, refusal, set};
    use gauntlet_wire::{Binding, Operation};
    use serde_json::{Value, json};

    fn understood(arguments: &str, configuration: &Value) -> (Value, Vec<String>) {
        let set = set(&format!("[patch-request: {{ {arguments} }}]"));
        let mut request = json!({ "message": { "messageId": "m" }, "configuration": configuration });
        let bites = set.request(&call(Binding::Grpc, Operation::SendMessage), &mut request);
        (request["configuration"].take(), bites.into_iter().flat_map(|bite| bite.pointers).collect())
    }

    #[test]
    fn a_call_is_understood_otherwise() {
        let at = "/configuration/returnImmediately".to_owned();
        let to = "at: /configuration/returnImmediately, to: true";
        assert_eq!(understood(to, &Value::Null), (json!({ "returnImmediately": true }), vec![at.clone()]));
        let remove = "at: /configuration/returnImmediately, remove: true";
        assert_eq!(understood(remove, &json!({ "returnImmediately": true })), (json!({}), vec![at]));
    }

    #[test]
    fn what_means_the_same_is_no_bite() {
        let off = json!({ "returnImmediately": false });
        for arguments in
            ["at: /configuration/returnImmediately, remove: true", "at: /configuration/returnImmediately, to: false"]
        {
            assert_eq!(understood(arguments, &off), (off.clone(), Vec::new()));
            assert_eq!(understood(arguments, &json!({})), (json!({}), Vec::new()));
        }
    }

    #[test]
    fn arguments_that_are_wrong() {
        let shown = [
            "[patch-request: { to: 1 }]",
            "[patch-request: { at: \"\", to: 1 }]",
            "[patch-request: { at: /id }]",
            "[patch-request: { at: /id, remove: false }]",
        ]
        .map(refusal)
        .join("\n");
        insta::assert_snapshot!(shown);
    }
}
