//! Scenarios for defects that come without any.

use std::fmt::Write as _;

use gauntlet_scenario::Defect;

/// A feature that puts the defect on a peer of its own, once for each binding it applies to, and holds the outcome
/// against what the defect's facts permit.
pub(super) fn feature(defect: &Defect) -> String {
    let mut text = format!("Feature: {}\n", defect.title);
    let asks = defect.applies.needs_behaviour.iter().any(|need| need == "ask" || need == "auth");
    for binding in defect.applies.bindings() {
        let _ = write!(
            text,
            "\n  @{binding}\n  Scenario: {id} over {binding}\n    Given a peer \"peer\" serving {binding}\n",
            id = defect.id
        );
        if asks {
            let _ = writeln!(text, "    And \"peer\" asks \"Which order?\" before it completes");
        } else {
            let _ = writeln!(text, "    And \"peer\" answers \"done as asked\" in 3 chunks");
        }
        let _ = write!(
            text,
            "    And \"peer\" has the defect {}\n    When work is delegated to \"peer\"\n    \
             Then the outcome is one that the facts permit\n",
            defect.id
        );
    }
    text
}
