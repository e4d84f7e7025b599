//! Action: the fleet starts, work is delegated, questions are answered.

use std::collections::{BTreeMap, BTreeSet};

use gauntlet_evidence::contract::{Content, Continue, Need, Needs, PartKind, PeerAddress};
use gauntlet_evidence::{Delegation, Status, Support};
use gauntlet_fleet::{Fleet, FleetOptions};
use gauntlet_scenario::{Fact, Step};
use gauntlet_wire::Binding;
use serde_json::{Value, json};

use super::{End, NO_LIMIT, Scene};

/// The deadline of work that is not meant to run into it.
const AMPLE_DEADLINE_MS: u64 = 10_000;

/// The least for work that may wait for notifications in vain: long enough to find out and ask.
const LOST_PUSH_DEADLINE_MS: u64 = 3_000;

/// The work to be delegated, as the Given steps describe it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Work {
    pub(crate) text: Option<String>,
    pub(crate) media_type: Option<String>,
    pub(crate) skill: Option<String>,
    pub(crate) allowed: Option<Vec<Binding>>,
    pub(crate) credentials: BTreeMap<String, Vec<Value>>,
    /// Peers whose credentials are meant for the origin of the card alone, instead of every address of the peer.
    pub(crate) at_card_origin: BTreeSet<String>,
}

/// What the orchestrator is asked.
enum Ask {
    Delegate(Box<Delegation>),
    Proceed(Continue),
}

impl Scene {
    async fn ensure_fleet(&mut self) -> bool {
        if self.fleet.is_some() || self.end.is_some() {
            return self.end.is_none();
        }
        let plans = match self.plans() {
            Ok(plans) => plans,
            Err(error) => {
                self.wrong_file(error);
                return false;
            }
        };
        let options = FleetOptions { seed: self.setting.seed ^ self.number as u64, ..FleetOptions::default() };
        // On a task of its own: the scene's own task is not the runtime's to schedule.
        let started = tokio::spawn(Fleet::start(plans, options)).await;
        match started {
            Ok(Ok(fleet)) => self.fleet = Some(fleet),
            Ok(Err(error)) => self.end_with(End::Setup(error.to_string())),
            Err(error) => self.end_with(End::Harness(error.to_string())),
        }
        self.end.is_none()
    }

    /// Delegates the work to the peers, in order of preference, and waits for the outcome.
    pub(crate) async fn delegate(&mut self, peers: &[&str], streaming: Need) {
        self.delegate_needing(peers, Needs { streaming, push: Need::Unused }).await;
    }

    /// The same for work that may need more than one thing.
    pub(crate) async fn delegate_needing(&mut self, peers: &[&str], needs: Needs) {
        if self.frozen.is_some() {
            self.wrong("work is delegated after the first Then step", Some("delegate first, then expect".to_owned()));
        }
        if needs.streaming != Need::Unused && !(self.require(Support::Streaming) && self.require(Support::Needs)) {
            return;
        }
        if needs.push != Need::Unused && !self.require_push() {
            return;
        }
        if peers.len() > 1 && !self.require(Support::MultiPeer) {
            return;
        }
        if !self.delegations.is_empty() && !self.require(Support::Reset) {
            return;
        }
        if !self.ensure_fleet().await {
            return;
        }
        let Some(delegation) = self.delegation(peers, needs) else { return };
        let probes = self.setting.hello.supports(Support::Probe);
        if let Some(fleet) = &self.fleet {
            fleet.expect(&delegation, probes);
            self.delegated_after.push(fleet.last_entry());
        }
        self.delegations.push(delegation.clone());
        self.take_turn(Ask::Delegate(Box::new(delegation))).await;
    }

    /// Answers the delegation that waits.
    pub(crate) async fn answer(&mut self, text: &str) {
        let Some(id) = self.delegations.last().map(|delegation| delegation.id.clone()) else {
            self.wrong("nothing was delegated that could be answered", None);
            return;
        };
        if !self.require(Support::MultiTurn) {
            return;
        }
        let status = self.outcome().map(|outcome| outcome.status);
        if !matches!(status, Some(Status::InputRequired | Status::AuthRequired)) {
            let why = status.map_or_else(|| "there is no outcome".to_owned(), |status| format!("reported as {status}"));
            self.unmet("the delegation waits for an answer", why, Vec::new());
            return;
        }
        let parts = vec![json!({ "text": text, "mediaType": "text/plain" })];
        self.take_turn(Ask::Proceed(Continue { id, parts })).await;
    }

    /// Asks the orchestrator and waits for what it answers.
    async fn take_turn(&mut self, ask: Ask) {
        let Some(mut orchestrator) = self.orchestrator.take() else {
            self.end_with(End::Harness("the orchestrator was lost".to_owned()));
            return;
        };
        // On a task of its own, so that an orchestrator in this process runs where the runtime's other tasks do.
        let turn = tokio::spawn(async move {
            let outcome = match &ask {
                Ask::Delegate(delegation) => orchestrator.delegate(delegation).await,
                Ask::Proceed(answer) => orchestrator.proceed(answer).await,
            };
            (orchestrator, outcome)
        });
        match turn.await {
            Ok((orchestrator, outcome)) => {
                self.orchestrator = Some(orchestrator);
                match outcome {
                    Ok(outcome) => self.outcomes.push(outcome),
                    Err(error) => self.end_with(End::Driver(error)),
                }
            }
            Err(error) => self.end_with(End::Harness(format!("the orchestrator panicked: {error}"))),
        }
    }

    /// Skips the scenario unless the driver takes notifications, and where the fleet sends them; true if it goes on.
    fn require_push(&mut self) -> bool {
        if !(self.require(Support::Push) && self.require(Support::Needs)) {
            return false;
        }
        let webhook = self.setting.hello.webhook.as_ref().map(|webhook| webhook.url.clone());
        if let Some(Err(why)) = webhook.map(|url| FleetOptions::default().webhooks.reaches(&url)) {
            let reason = format!("no notification reaches the driver's webhook: {why}");
            self.end_with(End::Skipped { reason, unlock: None });
        }
        self.end.is_none()
    }

    fn delegation(&mut self, names: &[&str], needs: Needs) -> Option<Delegation> {
        let addresses = self.fleet.as_ref().map(Fleet::addresses).unwrap_or_default();
        let mut peers: Vec<PeerAddress> = Vec::new();
        for name in names {
            match addresses.iter().find(|address| address.name == *name) {
                Some(address) => peers.push(address.clone()),
                None => {
                    self.peer(name);
                    return None;
                }
            }
        }
        let work = self.work.clone();
        let turn = self.delegations.len() + 1;
        let id = format!("d-{}-{turn}", self.number);
        let marker =
            format!("{id}:{:04x}", (self.setting.seed.wrapping_mul(0x9e37_79b9) ^ self.number as u64) & 0xffff);
        if work.skill.is_some() && !self.require(Support::Skill) {
            return None;
        }
        if !self.takes_credentials(&peers) {
            return None;
        }
        let text = work.text.as_deref().unwrap_or("Classify return 4411");
        let media_type = work.media_type.as_deref().unwrap_or("text/plain");
        let part = if media_type.starts_with("text/") {
            json!({ "text": format!("{text} ({marker})"), "mediaType": media_type })
        } else {
            if !self.setting.hello.part_kinds.contains(&PartKind::Data) {
                let reason = format!("the driver does not send data parts, which {media_type} needs");
                self.end_with(End::Skipped { reason, unlock: None });
                return None;
            }
            json!({ "data": { "order": text, "reference": marker }, "mediaType": media_type })
        };
        Some(Delegation {
            id,
            session: self.session(),
            principal: None,
            marker,
            peers,
            select: Default::default(),
            message: Content { parts: vec![part] },
            skill: work.skill,
            accepted_output_modes: Vec::new(),
            needs,
            allowed_bindings: work.allowed,
            credentials: self.credentials(),
            policy: Default::default(),
            deadline_ms: self.deadline_ms(),
        })
    }

    /// Short where a peer never finishes or never notifies, so that nobody waits long; ample everywhere else, so that a busy
    /// machine is not taken for a slow orchestrator.
    fn deadline_ms(&self) -> u64 {
        let hangs = self.peers.iter().any(|peer| peer.behaviour.all_steps().any(|step| *step == Step::Hang));
        let facts = self.fleet.as_ref().map(Fleet::facts).unwrap_or_default();
        let lost = facts.values().flat_map(|peer| &peer.0).any(|scoped| scoped.fact == Fact::PushLost);
        match (hangs, self.setting.holds) {
            (true, _) => self.setting.deadline_ms,
            (false, true) => u64::try_from(NO_LIMIT.as_millis()).unwrap_or(u64::MAX),
            (false, false) if lost => self.setting.deadline_ms.max(LOST_PUSH_DEADLINE_MS),
            (false, false) => self.setting.deadline_ms.max(AMPLE_DEADLINE_MS),
        }
    }

    pub(super) fn session(&self) -> String {
        format!("s-{}", self.number)
    }
}
