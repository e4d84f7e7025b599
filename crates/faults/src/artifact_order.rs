//! `artifact-order`: the chunks of an artifact come in another order than they were made in, or more than once.

use gauntlet_scenario::{Fields, FileError, Node};
use gauntlet_wire::v1::stream_response::Payload;

use crate::{Claim, EventAction, EventView, Fault, FaultKind, Stage};

pub(crate) const KIND: FaultKind = FaultKind {
    id: "artifact-order",
    summary: "Chunks of artifacts are told out of order or twice; the peer holds them right.",
    stages: &[Stage::EngineEvent],
    arguments: &[(
        "chunks",
        "swapped: the first of several is told after the second; doubled: each that appends is told twice",
    )],
    build,
};

#[derive(Debug, Clone, Copy)]
enum ArtifactOrder {
    Swapped,
    Doubled,
}

fn build(arguments: &Node) -> Result<Box<dyn Fault>, FileError> {
    let fields = Fields::of(arguments, "`artifact-order`", &["chunks"])?;
    let orders = [("swapped", ArtifactOrder::Swapped), ("doubled", ArtifactOrder::Doubled)];
    Ok(Box::new(fields.required("chunks")?.one_of("an order", &orders)?))
}

impl Fault for ArtifactOrder {
    fn on_event(&self, event: &mut EventView<'_>) -> Option<EventAction> {
        let Some(Payload::ArtifactUpdate(update)) = &event.said.payload else { return None };
        match self {
            Self::Swapped => (!update.append && !update.last_chunk).then_some(EventAction::Later),
            Self::Doubled => update.append.then(|| EventAction::Also(vec![event.said.clone()])),
        }
    }

    fn claims(&self) -> Vec<Claim> {
        vec![Claim::ArtifactUpdates]
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{refusal, set, told};

    #[test]
    fn the_first_of_several_chunks_waits_for_the_next() {
        let set = set("[artifact-order: { chunks: swapped }]");
        assert!(told(&set, false, false).later.is_some());
        assert!(told(&set, true, false).later.is_none());
        assert!(told(&set, false, true).later.is_none(), "an artifact in one piece has no order");
    }

    #[test]
    fn what_appends_is_told_twice() {
        let set = set("[artifact-order: { chunks: doubled }]");
        assert_eq!(told(&set, true, true).also.len(), 1);
        assert_eq!(told(&set, false, true).also.len(), 0);
    }

    #[test]
    fn an_order_is_needed() {
        assert_eq!(
            refusal("[artifact-order: { chunks: mixed }]"),
            "t.yaml:1:28: `mixed` is not an order (known: swapped, doubled)"
        );
    }
}
