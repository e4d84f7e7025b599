//! What agents do, as scenario files write it: a list of steps, or a list of `when`/`do` branches.

use crate::model::{ArtifactStep, Behaviour, Branch, FileContent, MessageMatch, Step, Turn};
use crate::node::{FileError, Node, NodeKind};
use crate::read::Fields;
use crate::suggest::help_for;
use crate::yaml;

const STEPS: &[&str] =
    &["working", "artifact", "ask", "auth", "complete", "fail", "reject", "reply", "cancel", "hang", "wait"];
/// More chunks than this are a mistake rather than a test.
const MAX_CHUNKS: u32 = 10_000;
/// No conversation in a test is longer.
const MAX_TURN: u32 = 1_000;
/// Ten minutes: longer waits outlast every deadline.
const MAX_WAIT_MS: i64 = 600_000;

impl Behaviour {
    /// Reads a behaviour from its YAML form; `file` is the name errors show.
    ///
    /// # Errors
    /// When it is not YAML, a step is unknown or malformed, or the steps do not end the task exactly once.
    pub fn parse(yaml: &str, file: &str) -> Result<Self, FileError> {
        Self::read(&yaml::parse(file, yaml)?)
    }

    /// Reads the steps of one branch.
    ///
    /// # Errors
    /// When a step is unknown or malformed, or the steps do not end the task exactly once.
    pub fn read_steps(node: &Node) -> Result<Vec<Step>, FileError> {
        steps(node)
    }

    pub(crate) fn read(node: &Node) -> Result<Self, FileError> {
        let items = node.list()?;
        if !items.iter().any(|item| item.get("do").is_some()) {
            return Ok(Self::steps(steps(node)?));
        }
        let branches = items.iter().map(branch).collect::<Result<Vec<_>, _>>()?;
        for (index, later) in branches.iter().enumerate() {
            if branches[..index].iter().any(|earlier| takes_all_of(&earlier.when, &later.when)) {
                return Err(items[index]
                    .error("this branch is never reached")
                    .help("an earlier one takes every message it would; put the narrower one first"));
            }
        }
        Ok(Self { branches })
    }
}

/// Whether every message that meets the conditions of `narrow` also meets those of `wide`.
fn takes_all_of(wide: &MessageMatch, narrow: &MessageMatch) -> bool {
    let turn = match (wide.turn, narrow.turn) {
        (Turn::Any, _) | (Turn::Later, Turn::Nth(_)) => true,
        (wide, narrow) => wide == narrow,
    };
    let within = |wide: &Option<String>, narrow: &Option<String>, fits: fn(&str, &str) -> bool| {
        wide.as_ref().is_none_or(|wide| narrow.as_ref().is_some_and(|narrow| fits(narrow, wide)))
    };
    turn && within(&wide.text, &narrow.text, |narrow, wide| narrow.contains(wide))
        && within(&wide.word, &narrow.word, str::eq_ignore_ascii_case)
        && within(&wide.message_id_prefix, &narrow.message_id_prefix, |narrow, wide| narrow.starts_with(wide))
        && wide.metadata.iter().all(|(key, value)| narrow.metadata.get(key) == Some(value))
}

fn branch(node: &Node) -> Result<Branch, FileError> {
    let fields = Fields::of(node, "a branch", &["when", "do"])?;
    let when = fields.map("when", message_match)?.unwrap_or_default();
    Ok(Branch { when, steps: steps(fields.required("do")?)?.into() })
}

fn message_match(node: &Node) -> Result<MessageMatch, FileError> {
    let fields = Fields::of(node, "a branch's `when`", &["turn", "text", "word", "messageIdPrefix", "metadata"])?;
    Ok(MessageMatch {
        turn: fields.map("turn", turn)?.unwrap_or_default(),
        text: fields.map("text", words)?,
        word: fields.map("word", word)?,
        message_id_prefix: fields.map("messageIdPrefix", words)?,
        metadata: fields
            .map("metadata", |node| {
                Ok(node.entries()?.iter().map(|(key, _, value)| (key.clone(), value.json())).collect())
            })?
            .unwrap_or_default(),
    })
}

fn turn(node: &Node) -> Result<Turn, FileError> {
    match node.kind {
        NodeKind::Int(_) => Ok(match node.count(1, MAX_TURN)? {
            1 => Turn::First,
            nth => Turn::Nth(nth),
        }),
        _ => node.one_of("a turn", &[("any", Turn::Any), ("later", Turn::Later)]),
    }
}

fn steps(node: &Node) -> Result<Vec<Step>, FileError> {
    let items = node.list()?;
    let steps = items.iter().map(step).collect::<Result<Vec<_>, _>>()?;
    if let (Some(reply), true) = (steps.iter().position(|step| matches!(step, Step::Reply(_))), steps.len() > 1) {
        return Err(items[reply]
            .error("`reply` answers with a message and no task, so it must be the only step")
            .help("for a task with words use `working` or `complete`"));
    }
    match steps.iter().position(ends) {
        None => Err(node
            .error("these steps do not end the task")
            .help("end with `complete`, `fail`, `reject`, `cancel`, or `hang` for a task that never ends")),
        Some(end) => match items.get(end + 1) {
            Some(item) => Err(item.error("this step comes after the task has ended")),
            None => Ok(steps),
        },
    }
}

const fn ends(step: &Step) -> bool {
    matches!(step, Step::Complete(_) | Step::Fail(_) | Step::Reject(_) | Step::Cancel | Step::Hang | Step::Reply(_))
}

fn step(node: &Node) -> Result<Step, FileError> {
    let (name, place, value) = node.named()?;
    let text = || match &value.kind {
        NodeKind::Map(entries) if entries.is_empty() => {
            Err(place.error(format!("`{name}` needs its words")).help(format!("write `{name}: \"…\"`")))
        }
        _ => words(&value),
    };
    let optional_text = || if value.entries().is_ok_and(<[_]>::is_empty) { Ok(None) } else { words(&value).map(Some) };
    let nothing = |step| Fields::of(&value, &format!("`{name}`"), &[]).map(|_| step);
    match name {
        "working" => optional_text().map(Step::Working),
        "complete" => optional_text().map(Step::Complete),
        "artifact" => artifact(&value).map(Step::Artifact),
        "ask" => text().map(Step::Ask),
        "auth" => text().map(Step::Auth),
        "fail" => text().map(Step::Fail),
        "reject" => text().map(Step::Reject),
        "reply" => text().map(Step::Reply),
        "cancel" => nothing(Step::Cancel),
        "hang" => nothing(Step::Hang),
        "wait" => value.integer(0, MAX_WAIT_MS).map(|ms| Step::Wait(ms.unsigned_abs())),
        _ => Err(place.error(format!("`{name}` is not a step")).help(help_for(name, STEPS.iter().copied()))),
    }
}

fn artifact(node: &Node) -> Result<ArtifactStep, FileError> {
    let fields = Fields::of(node, "an artifact", &["name", "text", "data", "file", "mediaType", "chunks"])?;
    fields.exactly_one(&["text", "data", "file"])?;
    let text = fields.map("text", words)?;
    let chunks = fields.map("chunks", |node| {
        let chunks = node.count(1, MAX_CHUNKS)?;
        let length = text.as_ref().map_or(1, |text| text.chars().count());
        if usize::try_from(chunks).is_ok_and(|chunks| chunks <= length) {
            return Ok(chunks);
        }
        let help = if text.is_some() {
            format!("the text has {length} characters")
        } else {
            "only text is cut into chunks".to_owned()
        };
        Err(node.error(format!("this cannot be cut into {chunks} chunks")).help(help))
    })?;
    Ok(ArtifactStep {
        name: fields.map("name", words)?,
        data: fields.optional("data").map(Node::json),
        file: fields.map("file", file)?,
        media_type: fields.map("mediaType", words)?,
        chunks: chunks.unwrap_or(1),
        text,
    })
}

fn file(node: &Node) -> Result<FileContent, FileError> {
    let fields = Fields::of(node, "a file", &["name", "text", "url"])?;
    fields.exactly_one(&["text", "url"])?;
    Ok(FileContent {
        name: words(fields.required("name")?)?,
        text: fields.map("text", words)?,
        url: fields.map("url", words)?,
    })
}

fn word(node: &Node) -> Result<String, FileError> {
    match node.words()? {
        word if word.chars().all(char::is_alphanumeric) => Ok(word.to_owned()),
        text => Err(node.error(format!("`{text}` is not one word")).help("for any other text use `text`")),
    }
}

fn words(node: &Node) -> Result<String, FileError> {
    node.words().map(str::to_owned)
}
