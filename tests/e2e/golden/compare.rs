//! That the stamps account for every difference between a peer with a defect and its healthy twin.
//!
//! An entry without stamps equals the twin's in everything but sequence numbers and times of the journal; a stamp with
//! pointers accounts for what stands in the frame at these pointers, one without on an error for the whole. Beyond the stamps
//! themselves only these consequences are allowed:
//!
//! 1. After a stamped refusal the answer ends: the frames that the twin goes on to say are missing.
//! 2. After a stamped end the same.
//! 3. After a stamped request, which was understood otherwise than it came, the answer is another one; each of its frames
//!    is stamped as a whole.
//! 4. A frame that is broken off under a stamp says nothing that could be compared; a stamped end follows.
//! 5. A step that asks for a task is left out where the step that should have told of it was refused or changed under a
//!    stamp, or found nobody listening.
//! 6. A step finds nobody listening where the address in the card is stamped.
//! 7. Nothing is notified where the send that names the webhook was refused or understood otherwise under a stamp.
//!    Notifications that are stamped may come in another place, or again; one that is missing was kept back under a stamp.
//! 8. Faults that tell events out of place or replace answers ([`TELL_OTHERWISE`]) stamp what they tell as a whole: such
//!    frames and notifications stand in the place of any number of the twin's.
//! 9. A request that was understood otherwise gives the tasks that it is about, or that it begins, another history, and so
//!    does a message to a task that is refused under a stamp: what is told of these later is not compared.
//! 10. Bytes follow their frame: the `etag` header is a digest of the card, and raw bodies are held against the object
//!     they carry instead of against the twin's.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use gauntlet_evidence::journal::Ending;
use gauntlet_evidence::{JournalEntry, JournalEvent, Stamp};
use serde_json::{Value, json};

use super::names::Names;
use super::script::{Came, Play};

/// Faults whose stamps without pointers account for frames that a healthy peer does not send, or sends elsewhere.
const TELL_OTHERWISE: [&str; 4] = ["artifact-order", "do-instead", "insert-event", "patch-answer"];

/// Says what departs from the twin without a stamp; nothing where all is accounted for.
pub(super) fn unaccounted(play: &Play, twin: &Play) -> Vec<String> {
    let came = |name: &str| play.steps.iter().find(|step| step.name == name).map(|step| &step.came);
    let mut found = Vec::new();
    assert_eq!(play.steps.len(), twin.steps.len(), "both went through the same script");
    let mut other_history = BTreeSet::new();
    for (step, healthy) in play.steps.iter().zip(&twin.steps) {
        let (Came::Exchange(said) | Came::Notified(said)) = &healthy.came else {
            panic!("a healthy peer answers `{}`", step.name)
        };
        let why = match &step.came {
            Came::Notified(entries) if entries.is_empty() => match came("send with a webhook") {
                Some(Came::Refused) => None,
                Some(Came::Exchange(send)) if send.iter().any(|entry| !entry.stamps.is_empty()) => None,
                _ => Some("nothing is notified although the send is as a healthy peer's".to_owned()),
            },
            Came::Notified(entries) if entries.iter().any(tells_otherwise) => None,
            Came::Notified(entries) => notifications(entries, said),
            Came::Exchange(entries) if is_about(entries, &other_history) => {
                other_history.extend(tasks(entries));
                None
            }
            Came::Exchange(entries) => {
                if is_misread(entries) || is_turned_away(entries) {
                    other_history.extend(tasks(entries));
                }
                exchange(entries, said)
            }
            Came::LeftOut { after } => match came(after) {
                Some(Came::Refused) => None,
                Some(Came::Exchange(entries)) if entries.iter().any(|entry| !entry.stamps.is_empty()) => None,
                _ => Some(format!("left out although nothing is stamped at `{after}`")),
            },
            Came::Refused => match came("card") {
                Some(Came::Exchange(card)) if card.iter().any(is_address_stamped) => None,
                _ => Some("nobody listens although the card's address is not stamped".to_owned()),
            },
        };
        found.extend(why.map(|why| format!("{}: {why}", step.name)));
    }
    found
}

fn exchange(entries: &[JournalEntry], twin: &[JournalEntry]) -> Option<String> {
    let (mut names, mut twin_names) = (Names::default(), Names::default());
    let mut is_refused = false;
    let is_misread = is_misread(entries);
    // How far the twin has been followed, and whether frames were told otherwise so far.
    let (mut at, mut is_told_otherwise) = (0, false);
    for (index, entry) in entries.iter().enumerate() {
        let is_last = index + 1 == entries.len();
        // Consequences 3 and 4.
        let is_stamped_whole = entry.stamps.iter().any(|stamp| stamp.pointers.is_empty());
        let says_nothing =
            matches!(&entry.event, JournalEvent::Frame(frame) if frame.object.is_none() && frame.error.is_none());
        let is_cut = || {
            entries
                .get(index + 1)
                .is_some_and(|next| !next.stamps.is_empty() && next.event == JournalEvent::Ended { how: Ending::Cut })
        };
        let is_answer = matches!(&entry.event, JournalEvent::Frame(frame) if frame.object.is_some());
        if is_answer && (tells_otherwise(entry) || is_misread && is_stamped_whole) {
            is_told_otherwise = true;
            continue;
        }
        if is_stamped_whole && (is_misread || says_nothing && is_cut()) {
            at += 1;
            continue;
        }
        if is_refusal(entry) {
            is_refused = true;
            continue;
        }
        if matches!(entry.event, JournalEvent::Ended { .. }) && !entry.stamps.is_empty() {
            return (!is_last).then(|| format!("something is said after the end: {}", entries[index + 1]));
        }
        // Consequence 1: nothing but the end is left.
        if is_refused {
            let is_over = is_last && entry.event == JournalEvent::Ended { how: Ending::Complete };
            return (!is_over).then(|| format!("said after a refusal: {entry}"));
        }
        let mut pointers: Vec<&str> =
            entry.stamps.iter().flat_map(|stamp| &stamp.pointers).map(String::as_str).collect();
        // From the back, so that indices into lists stay true while entries are taken out.
        let steps = |pointer: &&str| pointer.split('/').map(|step| (step.len(), step.to_owned())).collect::<Vec<_>>();
        pointers.sort_by_cached_key(|pointer| Reverse(steps(pointer)));
        let shown = |entry: &JournalEntry, names: &mut Names| {
            let mut outside = outside(entry, &pointers);
            // Positions shift with what is told otherwise.
            if is_told_otherwise && let Some(index) = outside.get_mut("index") {
                *index = Value::Null;
            }
            names.replace(&outside.to_string())
        };
        let said = shown(entry, &mut names);
        let reach = if is_told_otherwise { twin.len() } else { (at + 1).min(twin.len()) };
        let healthy = (at..reach).find_map(|place| {
            let mut tried = twin_names.clone();
            (shown(&twin[place], &mut tried) == said).then_some((place, tried))
        });
        let Some((place, tried)) = healthy else {
            let Some(healthy) = twin.get(at) else { return Some(format!("a healthy peer does not say: {entry}")) };
            let healthy = shown(healthy, &mut twin_names);
            return Some(format!("unstamped, the peer said\n  {said}\nwhere a healthy one says\n  {healthy}"));
        };
        (at, twin_names) = (place + 1, tried);
    }
    let missing = twin.get(at).filter(|_| !is_refused && !is_told_otherwise);
    missing.map(|missing| format!("it does not say what a healthy peer says: {missing}"))
}

/// Holds notifications against the twin's of the same number.
fn notifications(entries: &[JournalEntry], twin: &[JournalEntry]) -> Option<String> {
    let (mut names, mut twin_names) = (Names::default(), Names::default());
    let mut kept_back = Vec::new();
    let mut in_place = 0;
    for entry in entries {
        let sent = match &entry.event {
            JournalEvent::WebhookSent(sent) => sent,
            JournalEvent::WebhookWithheld { index: Some(index), .. } if !entry.stamps.is_empty() => {
                kept_back.push(*index);
                continue;
            }
            JournalEvent::WebhookAnswered { status: Some(200), .. } => continue,
            _ => return Some(format!("a healthy peer does not say: {entry}")),
        };
        let healthy = twin
            .iter()
            .find(|other| matches!(&other.event, JournalEvent::WebhookSent(said) if said.index == sent.index));
        let Some(healthy) = healthy else { return Some(format!("a healthy peer does not say: {entry}")) };
        let pointers: Vec<&str> = entry.stamps.iter().flat_map(|stamp| &stamp.pointers).map(String::as_str).collect();
        let is_header_stamped = entry.stamps.iter().any(|stamp| stamp.pointers.is_empty());
        let form = |entry: &JournalEntry, names: &mut Names| {
            let mut value = outside(entry, &pointers);
            let headers = value["headers"].take();
            let bare = if is_header_stamped { Value::Null } else { headers };
            names.replace(&json!([value["object"], value["attempt"], value["url"], bare]).to_string())
        };
        if form(entry, &mut names) != form(healthy, &mut twin_names) {
            return Some(format!("unstamped, it was notified otherwise: {entry}"));
        }
        if entry.stamps.is_empty() {
            if sent.index < in_place {
                return Some(format!("unstamped, it comes out of place: {entry}"));
            }
            in_place = sent.index + 1;
        }
    }
    let told = |index: u32| {
        kept_back.contains(&index)
            || entries
                .iter()
                .any(|entry| matches!(&entry.event, JournalEvent::WebhookSent(sent) if sent.index == index))
    };
    let missing =
        twin.iter().find(|healthy| matches!(&healthy.event, JournalEvent::WebhookSent(said) if !told(said.index)));
    missing.map(|missing| format!("it does not say what a healthy peer says: {missing}"))
}

/// Whether an entry stands in the place of any number of a healthy peer's.
fn tells_otherwise(entry: &JournalEntry) -> bool {
    let tells = |stamp: &Stamp| stamp.pointers.is_empty() && TELL_OTHERWISE.contains(&stamp.fault.as_str());
    entry.stamps.iter().any(tells)
}

/// Whether the request of an exchange was understood otherwise than it came.
fn is_misread(entries: &[JournalEntry]) -> bool {
    entries.first().is_some_and(|entry| !entry.stamps.is_empty())
}

/// Whether a message to a task was refused under a stamp.
fn is_turned_away(entries: &[JournalEntry]) -> bool {
    let sends = |entry: &JournalEntry| match &entry.event {
        JournalEvent::Request(request) => request.operation.is_some_and(|operation| operation.sends_message()),
        _ => false,
    };
    entries.first().is_some_and(sends) && asked(entries).is_some() && entries.iter().any(is_refusal)
}

/// Whether an exchange asks for one of these tasks.
fn is_about(entries: &[JournalEntry], tasks: &BTreeSet<String>) -> bool {
    asked(entries).is_some_and(|task| tasks.contains(task))
}

fn asked(entries: &[JournalEntry]) -> Option<&str> {
    match &entries.first()?.event {
        JournalEvent::Request(request) => request.task_id(),
        _ => None,
    }
}

/// The tasks that an exchange asks for or tells of.
fn tasks(entries: &[JournalEntry]) -> BTreeSet<String> {
    let told = entries.iter().filter_map(|entry| match &entry.event {
        JournalEvent::Frame(frame) => frame.object.as_ref(),
        _ => None,
    });
    let ids = told.flat_map(|object| ["/task/id", "/id"].map(|at| object.pointer(at).and_then(Value::as_str)));
    ids.flatten().chain(asked(entries)).map(str::to_owned).collect()
}

/// The head or body of an error, stamped as a whole: it stands in the place of another answer.
fn is_refusal(entry: &JournalEntry) -> bool {
    let answers = match &entry.event {
        JournalEvent::Answered { .. } => true,
        JournalEvent::Frame(frame) => frame.error.is_some(),
        _ => false,
    };
    answers && entry.stamps.iter().any(|stamp| stamp.pointers.is_empty())
}

fn is_address_stamped(entry: &JournalEntry) -> bool {
    let mut pointers = entry.stamps.iter().flat_map(|stamp| &stamp.pointers);
    pointers.any(|pointer| pointer == "/supportedInterfaces/0/url")
}

/// An entry without what may differ: the journal's own numbering, what is stamped, and consequence 8.
fn outside(entry: &JournalEntry, stamped: &[&str]) -> Value {
    let mut value = match &entry.event {
        JournalEvent::Frame(frame) => match &frame.object {
            Some(object) => json!({ "index": frame.index, "object": object, "error": frame.error }),
            None => json!(frame),
        },
        JournalEvent::Request(request) => {
            let mut request = json!(request);
            // Bytes that are no text hide the names of ids; the message says the same.
            if request.pointer("/body/base64").is_some() {
                request["body"] = Value::Null;
            }
            request
        }
        event => json!(event),
    };
    if let Some(object) = value.get_mut("object") {
        stamped.iter().for_each(|pointer| remove(object, pointer));
    }
    let headers = value.get_mut("headers").and_then(Value::as_array_mut).into_iter().flatten();
    for header in headers.filter(|header| header[0] == "etag") {
        header[1] = json!("etag");
    }
    value
}

fn remove(object: &mut Value, pointer: &str) {
    let Some((parent, last)) = pointer.rsplit_once('/') else { return };
    match object.pointer_mut(parent) {
        Some(Value::Object(members)) => {
            members.shift_remove(&last.replace("~1", "/").replace("~0", "~"));
        }
        Some(Value::Array(items)) => {
            if let Some(index) = last.parse().ok().filter(|index| *index < items.len()) {
                items.remove(index);
            }
        }
        _ => {}
    }
}

/// What the comparison is for: it must find what no stamp accounts for.
#[tokio::test]
async fn what_no_stamp_accounts_for_is_found() {
    let twin = super::script::play(gauntlet_wire::Binding::JsonRpc, None, false).await;
    let other = super::script::play(gauntlet_wire::Binding::JsonRpc, None, false).await;
    assert_eq!(unaccounted(&other, &twin), Vec::<String>::new(), "the same seed and script give the same journal");
    let early = super::script::play(gauntlet_wire::Binding::JsonRpc, Some("stream-closes-early"), false).await;
    let refused = super::script::play(gauntlet_wire::Binding::JsonRpc, Some("method-unimplemented"), false).await;
    let patched = super::script::play(gauntlet_wire::Binding::JsonRpc, Some("stream-undeclared"), false).await;
    let object = |entry: &mut JournalEntry, at: &str, value: Value| match &mut entry.event {
        JournalEvent::Frame(frame) => *frame.object.as_mut().unwrap().pointer_mut(at).unwrap() = value,
        event => panic!("not a frame: {event:?}"),
    };
    type Tamper<'a> = &'a dyn Fn(&mut Vec<JournalEntry>);
    let reordered = super::script::play(gauntlet_wire::Binding::JsonRpc, Some("push-reordered"), false).await;
    let dropped = super::script::play(gauntlet_wire::Binding::JsonRpc, Some("push-accepted-never-sent"), false).await;
    let unstamp = |said: &mut Vec<JournalEntry>| said.iter_mut().for_each(|entry| entry.stamps.clear());
    let cases: [(&Play, &str, Tamper<'_>, &str); 12] = [
        (&twin, "notifications", &|said| drop(said.drain(..2)), "does not say"),
        (&twin, "notifications", &|said| said.push(said[0].clone()), "out of place"),
        (&reordered, "notifications", &unstamp, "out of place"),
        (&dropped, "notifications", &unstamp, "does not say"),
        (&twin, "send", &|said| object(&mut said[2], "/task/status/state", json!("TASK_STATE_FAILED")), "unstamped"),
        (&twin, "get what was sent", &|said| object(&mut said[2], "/id", json!("task-000000000000")), "unstamped"),
        (&twin, "stream", &|said| said.truncate(4), "does not say"),
        (&twin, "stream", &|said| said.insert(4, said[3].clone()), "unstamped"),
        (&twin, "send", &|said| said.push(said[2].clone()), "does not say"),
        (&early, "stream", &|said| said[4].stamps.clear(), "unstamped"),
        (&refused, "stream", &|said| said.insert(3, JournalEntry { stamps: Vec::new(), ..said[2].clone() }), "after"),
        (&patched, "card", &|said| object(&mut said[2], "/name", json!("another")), "unstamped"),
    ];
    for (play, name, tamper, why) in cases {
        let mut play = play.clone();
        let step = play.steps.iter_mut().find(|step| step.name == name).unwrap();
        let (Came::Exchange(entries) | Came::Notified(entries)) = &mut step.came else {
            panic!("`{name}` has no exchange")
        };
        tamper(entries);
        let found = unaccounted(&play, &twin);
        assert!(found.len() == 1 && found[0].starts_with(name) && found[0].contains(why), "{name}, {why}: {found:?}");
    }
    let mut silent = refused.clone();
    for step in &mut silent.steps {
        if let Came::Exchange(entries) = &mut step.came {
            entries.iter_mut().for_each(|entry| entry.stamps.clear());
        }
    }
    let found = unaccounted(&silent, &twin);
    assert!(found.len() == 2 && found[1].contains("left out although"), "{found:?}");
}
