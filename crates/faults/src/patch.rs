//! Changing JSON at one place. What would change nothing is no change.

use gauntlet_scenario::{Fields, FileError, words};
use gauntlet_wire::protojson;
use serde_json::{Map, Value};

use crate::Encoded;

/// Puts a value in its place and says where that was; `None` where it stood there already or cannot stand there.
pub(crate) fn set(card: &mut Value, pointer: &str, value: &Value) -> Option<String> {
    let mut here = card;
    let mut path = String::new();
    for step in pointer.split('/').skip(1) {
        let name = unescape(step);
        if here.is_null() {
            *here = Value::Object(Map::new());
        }
        match here {
            Value::Object(object) => {
                path.push_str(&format!("/{step}"));
                here = object.entry(name).or_insert(Value::Null);
            }
            Value::Array(items) => {
                let index = if name == "-" { items.len() } else { name.parse().ok()? };
                if index == items.len() {
                    items.push(Value::Null);
                }
                path.push_str(&format!("/{index}"));
                here = items.get_mut(index)?;
            }
            _ => return None,
        }
    }
    (here != value).then(|| {
        value.clone_into(here);
        path
    })
}

/// Takes a value away; `None` where there is none.
pub(crate) fn remove(card: &mut Value, pointer: &str) -> Option<()> {
    let (parent, last) = pointer.rsplit_once('/')?;
    match card.pointer_mut(parent)? {
        Value::Object(object) => object.shift_remove(&unescape(last)).map(drop),
        Value::Array(items) => {
            let index: usize = last.parse().ok()?;
            (index < items.len()).then(|| drop(items.remove(index)))
        }
        _ => None,
    }
}

fn unescape(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

/// A change at one place, as `at` with `to` or `remove` say it.
#[derive(Debug)]
pub(crate) struct Patch {
    pub(crate) at: String,
    /// Nothing stands there where there is no value.
    pub(crate) to: Option<Value>,
}

/// Reads `at` with `to` or `remove`.
pub(crate) fn patch(fields: &Fields<'_>) -> Result<Patch, FileError> {
    let at = words::pointer(fields.required("at")?)?.to_owned();
    let to = match fields.exactly_one(&["to", "remove"])? {
        ("to", value) => Some(value.json()),
        (_, value) if !value.boolean()? => return Err(value.error("write `remove: true`, or `to`")),
        _ => None,
    };
    Ok(Patch { at, to })
}

impl Patch {
    /// Where something was changed.
    pub(crate) fn apply(&self, json: &mut Value) -> Option<String> {
        match &self.to {
            Some(value) => set(json, &self.at, value),
            None => remove(json, &self.at).map(|()| self.at.clone()),
        }
    }
}

/// Changes a frame as JSON, whatever its form; `None` where nothing was changed or the form cannot say it.
pub(crate) fn edit<T>(encoded: &mut Encoded<'_>, change: impl FnOnce(&mut Value) -> Option<T>) -> Option<T> {
    match encoded {
        Encoded::Json(json) => change(json),
        Encoded::Proto(descriptor, bytes) => {
            let mut json = protojson::bytes_to_json(descriptor, bytes).ok()?;
            let changed = change(&mut json)?;
            **bytes = protojson::json_to_bytes(descriptor, &json).ok()?;
            Some(changed)
        }
    }
}
