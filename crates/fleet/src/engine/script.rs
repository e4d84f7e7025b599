//! Running a behaviour: which branch a message meets, and what each step does.

use std::sync::Arc;
use std::time::Duration;

use gauntlet_scenario::{ArtifactStep, Behaviour, FileContent, MessageMatch, Step};
use gauntlet_wire::protojson::{self, Unknown};
use gauntlet_wire::v1::{self, TaskState, part::Content};
use serde_json::json;

use super::Agent;
use super::task::{TaskRecord, Waits};

/// The steps for a message that begins a task. Where no branch fits, the agent says so by rejecting the task.
pub(super) fn begin(behaviour: &Behaviour, message: &v1::Message) -> Arc<[Step]> {
    let steps = choose(behaviour, message, 1);
    steps.map_or_else(|| [Step::Reject("no work of this kind is done here".to_owned())].into(), Arc::clone)
}

/// The steps of the first branch that is for the message, the nth that the user sends to its task, from 1.
pub(super) fn choose<'a>(behaviour: &'a Behaviour, message: &v1::Message, nth: u32) -> Option<&'a Arc<[Step]>> {
    let branch = behaviour.branches.iter().find(|branch| branch.when.turn.is(nth) && meets(&branch.when, message));
    branch.map(|branch| &branch.steps)
}

fn meets(when: &MessageMatch, message: &v1::Message) -> bool {
    let says = |wanted: &dyn Fn(&str) -> bool| {
        message.parts.iter().any(|part| matches!(&part.content, Some(Content::Text(text)) if wanted(text)))
    };
    let holds_word = |text: &str, word: &str| {
        text.split(|c: char| !c.is_alphanumeric()).any(|found| found.eq_ignore_ascii_case(word))
    };
    if when.text.as_deref().is_some_and(|wanted| !says(&|text| text.contains(wanted)))
        || when.word.as_deref().is_some_and(|wanted| !says(&|text| holds_word(text, wanted)))
        || when.message_id_prefix.as_deref().is_some_and(|prefix| !message.message_id.starts_with(prefix))
    {
        return false;
    }
    if when.metadata.is_empty() {
        return true;
    }
    let message = protojson::to_json(message);
    when.metadata.iter().all(|(key, wanted)| message["metadata"].get(key).is_some_and(|value| alike(value, wanted)))
}

/// Equal as JSON: a protobuf Struct turns every number into a double.
fn alike(value: &serde_json::Value, wanted: &serde_json::Value) -> bool {
    value == wanted || value.as_f64().is_some_and(|number| wanted.as_f64() == Some(number))
}

/// Runs steps until one waits or none is left. Returns how long to wait where the clock has to be waited for.
pub(super) fn advance(agent: &Agent, record: &mut TaskRecord) -> Option<Duration> {
    while record.waits == Waits::Nothing
        && let Some(step) = record.steps.get(record.next).cloned()
    {
        record.next += 1;
        match step {
            Step::Working(words) => record.tell_status(agent, TaskState::Working, words.as_deref()),
            Step::Artifact(step) => produce(agent, record, &step),
            Step::Ask(question) => ask(agent, record, TaskState::InputRequired, &question),
            Step::Auth(words) => ask(agent, record, TaskState::AuthRequired, &words),
            Step::Complete(words) => record.end(agent, TaskState::Completed, words.as_deref()),
            Step::Fail(words) => record.end(agent, TaskState::Failed, Some(&words)),
            Step::Reject(words) => record.end(agent, TaskState::Rejected, Some(&words)),
            Step::Cancel => record.end(agent, TaskState::Canceled, None),
            // A reply is the only step of its branch and begins no task; in a task it can only be words.
            Step::Reply(words) => record.tell_status(agent, TaskState::Working, Some(&words)),
            Step::Hang => record.waits = Waits::Cancel,
            Step::Wait(milliseconds) => {
                if let Some(delay) = agent.clock.skip(milliseconds) {
                    record.waits = Waits::Clock;
                    return Some(delay);
                }
            }
        }
    }
    None
}

fn ask(agent: &Agent, record: &mut TaskRecord, state: TaskState, words: &str) {
    record.waits = Waits::Answer;
    record.tell_status(agent, state, Some(words));
}

fn produce(agent: &Agent, record: &mut TaskRecord, step: &ArtifactStep) {
    let chunks = chunks(step);
    let artifact_id = agent.ids.next("artifact");
    let last = chunks.len() - 1;
    for (index, parts) in chunks.into_iter().enumerate() {
        let name = step.name.clone().unwrap_or_default();
        let artifact = v1::Artifact { artifact_id: artifact_id.clone(), name, parts, ..v1::Artifact::default() };
        record.tell_artifact(agent, artifact, index > 0, index == last);
    }
}

/// The parts of each event, at least one event with at least one part. Data and files stand in the first event, text
/// is spread over all.
fn chunks(step: &ArtifactStep) -> Vec<Vec<v1::Part>> {
    let media_type = step.media_type.clone().unwrap_or_default();
    let text = |text: &str| v1::Part {
        content: Some(Content::Text(text.to_owned())),
        media_type: media_type.clone(),
        ..v1::Part::default()
    };
    let mut whole = Vec::new();
    if let Some(data) = &step.data {
        // A part is built from JSON because that is what the script holds.
        whole.extend(protojson::from_json(&json!({ "data": data, "mediaType": media_type }), Unknown::Refuse).ok());
    }
    whole.extend(step.file.as_ref().map(|file| file_part(file, &media_type)));
    let pieces = step.text.as_deref().map(|words| cut(words, step.chunks)).unwrap_or_default();
    let mut chunks: Vec<Vec<v1::Part>> = pieces.into_iter().map(|piece| vec![text(piece)]).collect();
    if chunks.is_empty() {
        if whole.is_empty() {
            whole.push(text(""));
        }
        chunks.push(whole);
    } else {
        chunks[0].splice(0..0, whole);
    }
    chunks
}

fn file_part(file: &FileContent, media_type: &str) -> v1::Part {
    let content = match &file.url {
        Some(url) => Content::Url(url.clone()),
        None => Content::Raw(file.text.clone().unwrap_or_default().into()),
    };
    v1::Part {
        content: Some(content),
        filename: file.name.clone(),
        media_type: media_type.to_owned(),
        ..v1::Part::default()
    }
}

/// Cuts text at character borders into `count` pieces of about equal length; fewer where there are fewer characters.
fn cut(text: &str, count: u32) -> Vec<&str> {
    let borders: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let characters = borders.len() - 1;
    let count = usize::try_from(count).unwrap_or(usize::MAX).clamp(1, characters.max(1));
    let border = |piece: usize| borders[piece * characters / count];
    (0..count).map(|piece| &text[border(piece)..border(piece + 1)]).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pieces_are_the_text_and_about_equal(text in ".{0,40}", count in 1u32..12) {
            let pieces = cut(&text, count);
            prop_assert_eq!(pieces.concat(), text.clone());
            let lengths: Vec<usize> = pieces.iter().map(|piece| piece.chars().count()).collect();
            prop_assert_eq!(pieces.len(), text.chars().count().clamp(1, count as usize));
            prop_assert!(lengths.iter().max().unwrap() - lengths.iter().min().unwrap() <= 1);
        }
    }

    #[test]
    fn branches_are_met_by_text_message_id_and_metadata() {
        let message: v1::Message = protojson::from_json(
            &json!({ "messageId": "probe-1", "parts": [{ "text": "classify 4411" }], "metadata": { "tries": 2 } }),
            Unknown::Refuse,
        )
        .unwrap();
        let meets = |when: &MessageMatch| meets(when, &message);
        assert!(meets(&MessageMatch::default()));
        assert!(meets(&MessageMatch { text: Some("4411".into()), ..Default::default() }));
        assert!(!meets(&MessageMatch { text: Some("4412".into()), ..Default::default() }));
        let word = |word: &str| meets(&MessageMatch { word: Some(word.to_owned()), ..Default::default() });
        assert!(word("4411"));
        assert!(!word("441"));
        assert!(meets(&MessageMatch { message_id_prefix: Some("probe-".into()), ..Default::default() }));
        assert!(meets(&MessageMatch { metadata: [("tries".to_owned(), json!(2))].into(), ..Default::default() }));
        assert!(!meets(&MessageMatch { metadata: [("tries".to_owned(), json!(3))].into(), ..Default::default() }));
    }
}
