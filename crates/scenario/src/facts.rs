//! Facts: what a defect makes true of a peer, read from the form defect files give them.

use crate::model::{Fact, Resume};
use crate::node::{FileError, Node, NodeKind};
use crate::read::Fields;
use crate::suggest::help_for;
use crate::words;

const FACTS: &[&str] = &[
    "lacks-operation",
    "interface-unusable",
    "card-illegal",
    "mode-only-skill",
    "stream-ends-early",
    "streams-undeclared",
    "push-lost",
    "resume",
    "artifact-ambiguous",
    "history-only",
    "auth",
    "slow",
    "response-invalid",
    "truth-unknown",
];
const RESUMES: &[(&str, Resume)] = &[("same", Resume::Same), ("fresh", Resume::Fresh), ("never", Resume::Never)];

/// Whether a fact is known, whatever its arguments.
pub(crate) fn check_name(node: &Node) -> Result<(), FileError> {
    let (name, place, _) = node.named()?;
    if FACTS.contains(&name) {
        return Ok(());
    }
    Err(place.error(format!("`{name}` is not a fact")).help(help_for(name, FACTS.iter().copied())))
}

/// Reads one fact; placeholders are already replaced. A list of operations is that many facts.
pub(crate) fn read(node: &Node) -> Result<Vec<Fact>, FileError> {
    check_name(node)?;
    let (name, _, value) = node.named()?;
    let bare = |fact| Fields::of(&value, &format!("the fact `{name}`"), &[]).map(|_| fact);
    let fact = match name {
        "lacks-operation" => {
            return value.one_or_more().iter().map(|item| words::operation(item).map(Fact::LacksOperation)).collect();
        }
        "interface-unusable" => {
            let fields = Fields::of(&value, "`interface-unusable`", &["cause"])?;
            Fact::InterfaceUnusable { cause: fields.required("cause")?.words()?.to_owned() }
        }
        "card-illegal" => {
            let fields = Fields::of(&value, "`card-illegal`", &["layer", "rule"])?;
            let layers = [("parse", "parse"), ("schema", "schema"), ("spec", "spec")];
            Fact::CardIllegal {
                layer: fields.required("layer")?.one_of("a layer", &layers)?.to_owned(),
                rule: fields.required("rule")?.words()?.to_owned(),
            }
        }
        "resume" => Fact::Resume(value.one_of("a way to go on", RESUMES)?),
        "auth" => auth(&value)?,
        "mode-only-skill" => bare(Fact::ModeOnlySkill)?,
        "stream-ends-early" => bare(Fact::StreamEndsEarly)?,
        "streams-undeclared" => bare(Fact::StreamsUndeclared)?,
        "push-lost" => bare(Fact::PushLost)?,
        "artifact-ambiguous" => bare(Fact::ArtifactAmbiguous)?,
        "history-only" => bare(Fact::HistoryOnly)?,
        "slow" => bare(Fact::Slow)?,
        "response-invalid" => bare(Fact::ResponseInvalid)?,
        _ => bare(Fact::TruthUnknown)?,
    };
    Ok(vec![fact])
}

fn auth(value: &Node) -> Result<Fact, FileError> {
    let fields = Fields::of(value, "`auth`", &["scheme", "scopes", "audience"])?;
    let optional = |key| fields.optional(key).filter(|node| node.kind != NodeKind::Null);
    Ok(Fact::Auth {
        scheme: fields.required("scheme")?.words()?.to_owned(),
        scopes: match optional("scopes") {
            Some(node) => node.list()?.iter().map(|item| item.words().map(str::to_owned)).collect::<Result<_, _>>()?,
            None => Vec::new(),
        },
        audience: optional("audience").map(|node| node.words().map(str::to_owned)).transpose()?,
    })
}
