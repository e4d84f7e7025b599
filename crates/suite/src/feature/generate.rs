//! Scenarios for defects that come without any.

use std::fmt::Write as _;

use gauntlet_scenario::Defect;

/// A feature that puts the defect on a peer of its own, for each binding it applies to, with streaming and without, and holds the outcome
/// against what the defect's facts permit.
pub(super) fn feature(defect: &Defect) -> String {
    let mut text = format!("Feature: {}\n", defect.title);
    let asks = defect.applies.needs_behaviour.iter().any(|need| need == "ask" || need == "auth");
    let work = if asks { "asks \"Which order?\" before it completes" } else { "answers \"done as asked\" in 3 chunks" };
    for binding in defect.applies.bindings() {
        for (how, quality) in [("", ""), (" by stream", " that prefers streaming")] {
            let _ = write!(
                text,
                "\n  Scenario: {id} over {binding}{how}\n    Given a peer \"peer\" serving {binding}\n    \
                 And \"peer\" {work}\n    And \"peer\" has the defect {id}\n    \
                 When work{quality} is delegated to \"peer\"\n    \
                 Then the outcome is one that the facts permit\n",
                id = defect.id
            );
        }
    }
    text
}
