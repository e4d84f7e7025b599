//! `artifact-append`: artifact updates do not say whether they append, and the peer has its own idea.

use gauntlet_scenario::{Fields, FileError, Node};
use gauntlet_wire::v1::stream_response::Payload;

use crate::{Claim, EventAction, EventView, Fault, FaultKind, Fold, Stage};

pub(crate) const KIND: FaultKind = FaultKind {
    id: "artifact-append",
    summary: "Artifact updates leave append and lastChunk out, and the peer holds the chunks in its own way.",
    stages: &[Stage::EngineEvent],
    arguments: &[
        ("said", "omit: `append` and `lastChunk` are left out of every update"),
        ("held", "append or replace: how the peer takes each update"),
    ],
    build,
};

#[derive(Debug)]
struct ArtifactAppend {
    held: Fold,
}

fn build(arguments: &Node) -> Result<Box<dyn Fault>, FileError> {
    let fields = Fields::of(arguments, "`artifact-append`", &["said", "held"])?;
    fields.required("said")?.one_of("a way to say it", &[("omit", ())])?;
    let folds = [("append", Fold::Append), ("replace", Fold::Replace)];
    Ok(Box::new(ArtifactAppend { held: fields.required("held")?.one_of("a way to hold it", &folds)? }))
}

impl Fault for ArtifactAppend {
    fn on_event(&self, event: &mut EventView<'_>) -> Option<EventAction> {
        let Some(Payload::ArtifactUpdate(update)) = &mut event.said.payload else { return None };
        *event.held = Some(self.held);
        let flags = [("append", &mut update.append), ("lastChunk", &mut update.last_chunk)];
        let changed = flags.into_iter().filter_map(|(name, flag)| {
            let set = std::mem::take(flag);
            set.then(|| format!("/artifactUpdate/{name}"))
        });
        let pointers: Vec<String> = changed.collect();
        (!pointers.is_empty()).then_some(EventAction::Changed(pointers))
    }

    fn claims(&self) -> Vec<Claim> {
        vec![Claim::ArtifactUpdates]
    }
}

#[cfg(test)]
mod tests {
    use crate::Fold;
    use crate::testing::{artifact_update, refusal, set};

    #[test]
    fn nothing_is_said_and_every_update_is_held_one_way() {
        for (held, fold) in [("append", Fold::Append), ("replace", Fold::Replace)] {
            let set = set(&format!("[artifact-append: {{ said: omit, held: {held} }}]"));
            let (said, how, pointers) = artifact_update(&set, true, true);
            assert_eq!((said.append, said.last_chunk, how), (false, false, Some(fold)));
            assert_eq!(pointers, ["/artifactUpdate/append", "/artifactUpdate/lastChunk"]);
        }
    }

    #[test]
    fn an_update_that_says_nothing_anyway_is_not_stamped() {
        let set = set("[artifact-append: { said: omit, held: append }]");
        let (_, how, pointers) = artifact_update(&set, false, false);
        assert_eq!((how, pointers), (Some(Fold::Append), Vec::new()));
    }

    #[test]
    fn both_words_are_needed() {
        assert_eq!(
            refusal("[artifact-append: { said: omit, held: add }]"),
            "t.yaml:1:39: `add` is not a way to hold it (known: append, replace)"
        );
        assert_eq!(
            refusal("[artifact-append: { held: append }]"),
            "t.yaml:1:19: `artifact-append` needs the key `said`"
        );
    }
}
