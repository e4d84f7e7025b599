//! Journals as short, stable text.

use gauntlet_evidence::{JournalEntry, JournalEvent};
use gauntlet_wire::Operation;
use serde_json::Value;

use super::names::Names;
use super::script::{Came, PEER, Play, Step};
use super::validate;

/// More pointers of one stamp than this are counted.
const POINTERS_SHOWN: usize = 2;

/// The whole journal of a healthy peer.
pub(super) fn healthy(play: &Play) -> String {
    let names = &mut names(play);
    play.steps
        .iter()
        .map(|step| section(step, |entries| lines(entries.iter().map(|entry| line(entry, names)))))
        .collect()
}

/// The journal of a peer with a defect: in full where it bit, and with what stands in the healthy twin's in its place.
pub(super) fn defective(title: &str, play: &Play, twin: &Play) -> String {
    let (names, twin_names) = (&mut names(play), &mut names(twin));
    let mut text = format!("{title}\n\n");
    for (step, healthy) in play.steps.iter().zip(&twin.steps) {
        text += &section(step, |entries| {
            if entries.iter().all(|entry| entry.stamps.is_empty()) {
                return " as a healthy peer\n".to_owned();
            }
            let (Came::Exchange(healthy) | Came::Notified(healthy)) = &healthy.came else { return String::new() };
            let operation = operation(entries);
            lines(entries.iter().enumerate().map(|(index, entry)| {
                let changes = changes(entry, counterpart(entry, index, healthy), operation, names, twin_names);
                line(entry, names) + &changes
            }))
        });
    }
    text
}

/// Names by first appearance in the whole run, shown or not.
fn names(play: &Play) -> Names {
    let mut names = Names::default();
    names.replace(&play.authority);
    for step in &play.steps {
        let (Came::Exchange(entries) | Came::Notified(entries)) = &step.came else { continue };
        for entry in entries {
            names.replace(&serde_json::to_string(entry).expect("an entry is JSON"));
        }
    }
    names
}

fn section(step: &Step, mut exchange: impl FnMut(&[JournalEntry]) -> String) -> String {
    let body = match &step.came {
        Came::Notified(entries) if entries.is_empty() => " none\n".to_owned(),
        Came::Exchange(entries) | Came::Notified(entries) => exchange(entries),
        Came::Refused => " nobody listens\n".to_owned(),
        Came::LeftOut { after } => format!(" left out, since no task came of `{after}`\n"),
    };
    format!("{}:{body}", step.name)
}

fn lines(lines: impl Iterator<Item = String>) -> String {
    format!("\n{}", lines.collect::<String>())
}

/// As people see it, without the journal's numbers and times.
fn line(entry: &JournalEntry, names: &mut Names) -> String {
    let line = entry.to_string();
    let (_, said) = line.split_once(PEER).expect("an entry names its peer");
    format!("  {}\n", names.replace(said.trim_start()))
}

/// What stands at the stamped pointers, and what a healthy peer says there.
fn changes(
    entry: &JournalEntry,
    twin: Option<&JournalEntry>,
    operation: Option<Operation>,
    names: &mut Names,
    twin_names: &mut Names,
) -> String {
    let mut text = String::new();
    let is_request = matches!(entry.event, JournalEvent::Request(_));
    for stamp in &entry.stamps {
        if is_request {
            text += &match &stamp.pointers[..] {
                [] => "      the agent does something else with it\n".to_owned(),
                pointers => format!("      {} is understood otherwise\n", pointers.join(", ")),
            };
            continue;
        }
        for pointer in stamp.pointers.iter().take(POINTERS_SHOWN) {
            let before = twin
                .and_then(object)
                .and_then(|twin| twin.pointer(pointer))
                .map(|value| twin_names.replace(&value.to_string()));
            let now = object(entry).and_then(|object| object.pointer(pointer));
            let now = now.map(|value| names.replace(&value.to_string()));
            let change = match (before, now) {
                (None, Some(now)) => format!("{now} is added"),
                (Some(before), None) => format!("{before} is left out"),
                (Some(before), Some(now)) if before == now => format!("{now} as well"),
                (Some(before), Some(now)) => format!("{now} instead of {before}"),
                (None, None) => "a field that the proto does not have".to_owned(),
            };
            text += &format!("      {pointer}: {change}\n");
        }
        let more = stamp.pointers.len().saturating_sub(POINTERS_SHOWN);
        if more > 0 {
            text += &format!("      and at {more} more\n");
        }
    }
    match &entry.event {
        JournalEvent::WebhookSent(sent) => {
            let healthy = twin.map(|twin| match &twin.event {
                JournalEvent::WebhookSent(said) => said.headers.as_slice(),
                _ => &[],
            });
            for header in sent.headers.iter().filter(|header| !healthy.unwrap_or_default().contains(header)) {
                text += &format!("      {}: {}\n", header.0, header.1);
            }
        }
        // The head of a refusal.
        JournalEvent::Answered { headers, .. } if !entry.stamps.is_empty() => {
            for (name, value) in headers {
                text += &format!("      {name}: {value}\n");
            }
        }
        JournalEvent::Frame(frame) if frame.error.is_some() && !entry.stamps.is_empty() && !frame.raw.is_empty() => {
            text += &format!("      {}\n", names.replace(frame.raw.text().unwrap_or("no text")));
        }
        // Whoever changed bytes alone left the object as it was.
        JournalEvent::Frame(frame)
            if entry.stamps.iter().any(|stamp| stamp.pointers.is_empty()) && frame.raw.text().is_some() =>
        {
            text += &format!("      {}\n", names.replace(&format!("{:?}", frame.raw.text().unwrap_or_default())));
        }
        JournalEvent::Frame(frame) => {
            let surplus = operation.and_then(|operation| validate::surplus(&operation.response(), frame));
            if let Some(surplus @ 1..) = surplus {
                text += &format!("      {surplus} bytes that no field of the proto accounts for\n");
            }
        }
        _ => {}
    }
    text
}

/// What a healthy peer says in the place of an entry. Notifications are known by their number: they may come in another
/// order.
fn counterpart<'a>(entry: &JournalEntry, index: usize, healthy: &'a [JournalEntry]) -> Option<&'a JournalEntry> {
    match &entry.event {
        JournalEvent::WebhookSent(sent) => healthy
            .iter()
            .find(|other| matches!(&other.event, JournalEvent::WebhookSent(said) if said.index == sent.index)),
        _ => healthy.get(index),
    }
}

fn object(entry: &JournalEntry) -> Option<&Value> {
    match &entry.event {
        JournalEvent::Frame(frame) => frame.object.as_ref(),
        JournalEvent::WebhookSent(sent) => Some(&sent.object),
        _ => None,
    }
}

fn operation(entries: &[JournalEntry]) -> Option<Operation> {
    match &entries.first()?.event {
        JournalEvent::Request(request) => request.operation,
        _ => None,
    }
}
