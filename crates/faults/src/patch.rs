//! Changing JSON at one place. What would change nothing is no change.

use serde_json::{Map, Value};

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
