//! `patch-card`: the card says something else than what the peer does.

use gauntlet_scenario::{Fields, FileError, Node, words};
use serde_json::{Map, Value};

use crate::patch::{remove, set};
use crate::{Claim, Fault, FaultKind, Stage};

pub(crate) const KIND: FaultKind = FaultKind {
    id: "patch-card",
    summary: "The card is changed at one place; the peer behaves as before.",
    stages: &[Stage::CardRendered],
    arguments: &[
        ("at", "JSON pointer: the place; missing objects on the way are made, `-` adds to a list"),
        ("to", "any value: what stands there then"),
        ("remove", "true: nothing stands there then"),
        ("insert", "any value: it is put before what stands there in a list"),
        (
            "entry",
            "mapping: `at` is a list, and `to` is merged over its entry with these members; what is missing is added",
        ),
    ],
    build,
};

#[derive(Debug)]
struct PatchCard {
    at: String,
    change: Change,
}

#[derive(Debug)]
enum Change {
    Set(Value),
    Remove,
    Insert(Value),
    Entry { key: Map<String, Value>, members: Map<String, Value> },
}

fn build(arguments: &Node) -> Result<Box<dyn Fault>, FileError> {
    let fields = Fields::of(arguments, "`patch-card`", &["at", "to", "remove", "insert", "entry"])?;
    let at = words::pointer(fields.required("at")?)?.to_owned();
    let (given, value) = fields.exactly_one(&["to", "remove", "insert"])?;
    let change = match (fields.optional("entry"), given) {
        (Some(entry), "to") => Change::Entry { key: members(entry)?, members: members(value)? },
        (None, "to") => Change::Set(value.json()),
        (None, "insert") => Change::Insert(value.json()),
        (Some(_), given) => return Err(value.error(format!("`{given}` does not go with `entry`"))),
        (None, _) if !value.boolean()? => return Err(value.error("write `remove: true`, or `to`")),
        (None, _) if at.is_empty() => return Err(value.error("the whole card cannot be removed")),
        (None, _) => Change::Remove,
    };
    Ok(Box::new(PatchCard { at, change }))
}

fn members(node: &Node) -> Result<Map<String, Value>, FileError> {
    Ok(node.entries()?.iter().map(|(key, _, value)| (key.clone(), value.json())).collect())
}

impl Fault for PatchCard {
    fn on_card(&self, card: &mut Value) -> Option<Vec<String>> {
        let pointer = match &self.change {
            Change::Set(value) => set(card, &self.at, value)?,
            Change::Remove => {
                remove(card, &self.at)?;
                self.at.clone()
            }
            Change::Insert(value) => {
                let (list, index) = self.at.rsplit_once('/')?;
                let (items, index) = (card.pointer_mut(list)?.as_array_mut()?, index.parse::<usize>().ok()?);
                (index <= items.len()).then(|| items.insert(index, value.clone()))?;
                // What stood there and behind it has moved.
                list.to_owned()
            }
            Change::Entry { key, members } => {
                let made = card.pointer(&self.at).is_none().then(|| set(card, &self.at, &Value::Array(Vec::new())));
                let index = merge_entry(card.pointer_mut(&self.at)?.as_array_mut()?, key, members)?;
                made.flatten().unwrap_or_else(|| format!("{}/{index}", self.at))
            }
        };
        Some(if pointer.is_empty() { Vec::new() } else { vec![pointer] })
    }

    fn claims(&self) -> Vec<Claim> {
        // Two additions to a list go together, and so do changes of different entries.
        match &self.change {
            Change::Set(_) if self.at.ends_with("/-") => Vec::new(),
            Change::Insert(_) => Vec::new(),
            Change::Entry { key, .. } => {
                let key = Value::Object(key.clone()).to_string();
                vec![Claim::Card(format!("{}/{}", self.at, key.replace('~', "~0").replace('/', "~1")))]
            }
            _ => vec![Claim::Card(self.at.clone())],
        }
    }
}

/// Merges members over the entry that has the key, or adds one; `None` where it has them already.
fn merge_entry(items: &mut Vec<Value>, key: &Map<String, Value>, members: &Map<String, Value>) -> Option<usize> {
    let has_key = |item: &Value| key.iter().all(|(name, value)| item.get(name) == Some(value));
    let index = items.iter().position(has_key).unwrap_or_else(|| {
        items.push(Value::Object(key.clone()));
        items.len() - 1
    });
    let entry = items.get_mut(index)?.as_object_mut()?;
    let before = entry.clone();
    entry.extend(members.clone());
    (*entry != before).then_some(index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{fault, refusal};
    use serde_json::json;

    fn patched(arguments: &str) -> (Value, Option<Vec<String>>) {
        let mut card = json!({
            "name": "n", "capabilities": { "streaming": true }, "a/b": 1,
            "skills": [{ "id": "one", "name": "One" }, { "id": "two" }],
        });
        let pointers = fault(&format!("[patch-card: {{ {arguments} }}]")).unwrap().on_card(&mut card);
        (card, pointers)
    }

    fn changed(arguments: &str, pointer: &str) -> Value {
        let (card, pointers) = patched(arguments);
        assert_eq!(pointers, Some(vec![pointer.to_owned()]), "{arguments}");
        card
    }

    #[test]
    fn a_value_is_put_in_its_place() {
        assert_eq!(
            changed("at: /capabilities/streaming, to: false", "/capabilities/streaming")["capabilities"],
            json!({ "streaming": false })
        );
        assert_eq!(changed("at: /provider/url, to: u", "/provider/url")["provider"], json!({ "url": "u" }));
        assert_eq!(changed("at: /a~1b, to: ~", "/a~1b")["a/b"], Value::Null);
        assert_eq!(changed("at: /skills/0/name, to: 1", "/skills/0/name")["skills"][0]["name"], 1);
        assert_eq!(changed("at: /skills/-, to: { id: three }", "/skills/2")["skills"][2]["id"], "three");
        assert_eq!(changed("at: /skills/0, insert: { id: zero }", "/skills")["skills"][0]["id"], "zero");
        assert_eq!(patched("at: /skills/9, insert: 1").1, None);
        let (card, pointers) = patched("at: \"\", to: []");
        assert_eq!((card, pointers), (json!([]), Some(Vec::new())));
    }

    #[test]
    fn what_is_there_already_or_cannot_be_there_is_no_bite() {
        for arguments in [
            "at: /capabilities/streaming, to: true",
            "at: /skills/9/name, to: x",
            "at: /skills/x, to: x",
            "at: /name/first, to: x",
            "at: /absent, remove: true",
            "at: /skills/2, remove: true",
            "at: /skills, entry: { id: one }, to: { name: One }",
            "at: /name, entry: { id: one }, to: { name: One }",
        ] {
            assert_eq!(patched(arguments).1, None, "{arguments}");
        }
    }

    #[test]
    fn a_value_is_removed() {
        assert_eq!(changed("at: /capabilities, remove: true", "/capabilities").get("capabilities"), None);
        assert_eq!(changed("at: /skills/0, remove: true", "/skills/0")["skills"], json!([{ "id": "two" }]));
    }

    #[test]
    fn an_entry_is_found_or_added() {
        let card = changed("at: /skills, entry: { id: two }, to: { inputModes: [a/b] }", "/skills/1");
        assert_eq!(card["skills"][1], json!({ "id": "two", "inputModes": ["a/b"] }));
        let card = changed("at: /skills, entry: { id: new }, to: { name: New }", "/skills/2");
        assert_eq!(card["skills"][2], json!({ "id": "new", "name": "New" }));
        let card = changed(
            "at: /capabilities/extensions, entry: { uri: u }, to: { required: true }",
            "/capabilities/extensions",
        );
        assert_eq!(card["capabilities"]["extensions"], json!([{ "uri": "u", "required": true }]));
    }

    #[test]
    fn arguments_that_are_wrong() {
        let shown = [
            "[patch-card: { to: 1 }]",
            "[patch-card: { at: name, to: 1 }]",
            "[patch-card: { at: /name }]",
            "[patch-card: { at: /name, to: 1, remove: true }]",
            "[patch-card: { at: /name, remove: false }]",
            "[patch-card: { at: \"\", remove: true }]",
            "[patch-card: { at: /skills, entry: { id: x }, remove: true }]",
            "[patch-card: { at: /name, too: 1 }]",
        ]
        .map(refusal)
        .join("\n");
        insta::assert_snapshot!(shown);
    }
}
