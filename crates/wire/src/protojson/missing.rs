//! How generated code looks for required fields inside of others.

use std::collections::BTreeMap;

use super::ProtoJson;

pub(crate) fn inside<M: ProtoJson>(pointer: &str, message: Option<&M>) -> Option<String> {
    message?.first_missing().map(|rest| format!("{pointer}{rest}"))
}

pub(crate) fn inside_list<M: ProtoJson>(pointer: &str, messages: &[M]) -> Option<String> {
    let mut each = messages.iter().enumerate();
    each.find_map(|(index, message)| message.first_missing().map(|rest| format!("{pointer}/{index}{rest}")))
}

pub(crate) fn inside_map<M: ProtoJson>(pointer: &str, messages: &BTreeMap<String, M>) -> Option<String> {
    messages.values().find_map(|message| inside(pointer, Some(message)))
}
