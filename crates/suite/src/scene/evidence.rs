//! Evidence: frozen at the first look, and what the steps find in it.

use std::time::Duration;

use gauntlet_evidence::{Evidence, Finding, JournalEntry, Outcome, PeerState};
use gauntlet_fleet::Fleet;
use gauntlet_verdict::Case;

use super::{End, Scene};

/// How long late traffic is waited for before the evidence is frozen.
const GRACE: Duration = Duration::from_millis(400);

impl Scene {
    /// The evidence, frozen at the first call: the fleet is ended and nothing can change any more. `None` where the
    /// scenario came to an end.
    pub(crate) async fn case(&mut self) -> Option<&Case> {
        if self.end.is_some() {
            return None;
        }
        if self.frozen.is_none() {
            self.freeze().await;
        }
        if self.end.is_some() { None } else { self.frozen.as_ref() }
    }

    pub(super) async fn freeze(&mut self) {
        let Some(fleet) = self.fleet.take() else {
            self.wrong("something is expected before any work was delegated", None);
            return;
        };
        if self.setting.holds {
            self.freeze_alive(fleet).await;
            return;
        }
        let facts = fleet.facts();
        let stopped = tokio::spawn(async move {
            fleet.settle(GRACE).await;
            fleet.stop().await
        })
        .await;
        let remains = match stopped {
            Ok(Ok(remains)) => remains,
            Ok(Err(error)) => return self.end_with(End::Harness(error.to_string())),
            Err(error) => return self.end_with(End::Harness(error.to_string())),
        };
        self.frozen = Some(Case { evidence: self.evidence(remains.journal, remains.states), facts });
    }

    /// Evidence as it stands, while the peers go on.
    async fn freeze_alive(&mut self, fleet: Fleet) {
        let facts = fleet.facts();
        fleet.settle(GRACE).await;
        self.frozen = Some(Case { evidence: self.evidence(fleet.journal(), fleet.states()), facts });
        self.held = Some(fleet);
    }

    fn evidence(&self, journal: Vec<JournalEntry>, peers: Vec<PeerState>) -> Evidence {
        Evidence {
            hello: self.setting.hello.clone(),
            delegations: self.delegations.clone(),
            delegated_after: self.delegated_after.clone(),
            outcomes: self.outcomes.clone(),
            journal,
            peers,
        }
    }

    /// The last outcome.
    pub(crate) fn outcome(&self) -> Option<&Outcome> {
        self.outcomes.last()
    }

    /// The id of the last delegation.
    pub(crate) fn last_delegation(&self) -> String {
        self.delegations.last().map(|delegation| delegation.id.clone()).unwrap_or_default()
    }

    /// Records an expectation that was not met.
    pub(crate) fn unmet(&mut self, expected: impl Into<String>, why: impl Into<String>, entries: Vec<u64>) {
        self.findings.push(Finding {
            rule: "expectation".to_owned(),
            level: self.level,
            why: why.into(),
            expected: expected.into(),
            entries,
            source: format!("{}:{}", self.file, self.line),
            fix: String::new(),
            newer_ruleset: None,
        });
    }
}
