//! Everything known about one scenario, frozen, and views of it.

use gauntlet_wire::Binding;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::contract::{Delegation, Hello, Outcome};
use crate::journal::{Ending, Frame, JournalEntry, JournalEvent, Request};

/// Everything known about one scenario, frozen after a bounded grace for late traffic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// Who was under test.
    pub hello: Hello,
    /// What was delegated, in order.
    pub delegations: Vec<Delegation>,
    /// For each delegation, the number of the last journal entry before it was handed over: what came later and belongs
    /// to no task, such as probes, was done for it.
    #[serde(default)]
    pub delegated_after: Vec<u64>,
    /// What was reported, in order of arrival. A delegation without an outcome has none here.
    pub outcomes: Vec<Outcome>,
    /// What the peers saw and said.
    pub journal: Vec<JournalEntry>,
    /// What the peers hold at the end.
    pub peers: Vec<PeerState>,
}

/// What a peer holds at the end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PeerState {
    /// The peer.
    pub name: String,
    /// Its card as it was served.
    pub card: Value,
    /// Its interfaces, in the order of the card.
    pub interfaces: Vec<InterfaceState>,
    /// Its tasks, in order of creation: the truth, whatever was said on the wire.
    pub tasks: Vec<HeldTask>,
}

/// An interface as the card declares it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InterfaceState {
    /// Its url.
    pub url: String,
    /// Its binding.
    pub binding: Binding,
    /// Its protocol version.
    pub version: String,
    /// Its tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
}

/// A task as the peer holds it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HeldTask {
    /// The task as ProtoJSON.
    pub task: Value,
    /// The exchange that began it.
    pub begun_by: u64,
    /// The delegation whose dispatch began it; unset for probes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegation: Option<String>,
}

impl HeldTask {
    /// The task's id.
    pub fn id(&self) -> &str {
        self.task.get("id").and_then(Value::as_str).unwrap_or_default()
    }

    /// The state's wire name, such as `TASK_STATE_COMPLETED`.
    pub fn state(&self) -> &str {
        self.task.pointer("/status/state").and_then(Value::as_str).unwrap_or_default()
    }

    /// Whether the task has ended.
    pub fn is_terminal(&self) -> bool {
        matches!(
            self.state(),
            "TASK_STATE_COMPLETED" | "TASK_STATE_FAILED" | "TASK_STATE_CANCELED" | "TASK_STATE_REJECTED"
        )
    }
}

/// A request and everything that answered it.
#[derive(Debug, Clone)]
pub struct Exchange<'a> {
    /// The peer.
    pub peer: &'a str,
    /// Its number.
    pub number: u64,
    /// The journal entry of the request.
    pub entry: &'a JournalEntry,
    /// The request.
    pub request: &'a Request,
    /// HTTP status of the answer.
    pub status: Option<u16>,
    /// Headers of the answer, lower-case names.
    pub headers: &'a [(String, String)],
    /// What was sent, with the entry of each frame.
    pub frames: Vec<(&'a JournalEntry, &'a Frame)>,
    /// How the answer ended.
    pub ending: Option<&'a Ending>,
}

impl Exchange<'_> {
    /// The error the peer answered with.
    pub fn error(&self) -> Option<&crate::journal::WireError> {
        self.frames.iter().find_map(|(_, frame)| frame.error.as_ref())
    }

    /// Ids of the tasks this answer told the orchestrator of.
    pub fn task_ids_told(&self) -> impl Iterator<Item = &str> {
        self.frames.iter().filter_map(|(_, frame)| frame.object.as_ref()).flat_map(|object| {
            ["/task/id", "/statusUpdate/taskId", "/artifactUpdate/taskId", "/message/taskId", "/id", "/taskId"]
                .into_iter()
                .filter_map(|pointer| object.pointer(pointer).and_then(Value::as_str))
        })
    }
}

impl Evidence {
    /// The journal as requests with their answers, in order of the requests.
    pub fn exchanges(&self) -> Vec<Exchange<'_>> {
        let mut exchanges: Vec<Exchange<'_>> = Vec::new();
        for entry in &self.journal {
            let Some(number) = entry.exchange else { continue };
            if let JournalEvent::Request(request) = &entry.event {
                exchanges.push(Exchange {
                    peer: &entry.peer,
                    number,
                    entry,
                    request,
                    status: None,
                    headers: &[],
                    frames: Vec::new(),
                    ending: None,
                });
                continue;
            }
            let Some(exchange) = exchanges.iter_mut().rev().find(|exchange| exchange.number == number) else {
                continue;
            };
            match &entry.event {
                JournalEvent::Answered { status, headers } => {
                    exchange.status = Some(*status);
                    exchange.headers = headers;
                }
                JournalEvent::Frame(frame) => exchange.frames.push((entry, frame)),
                JournalEvent::Ended { how } => exchange.ending = Some(how),
                JournalEvent::Request(_)
                | JournalEvent::Opened { .. }
                | JournalEvent::Closed { .. }
                | JournalEvent::WebhookSent(_)
                | JournalEvent::WebhookAnswered { .. }
                | JournalEvent::WebhookWithheld { .. } => {}
            }
        }
        exchanges
    }

    /// Where a peer ended up.
    pub fn peer(&self, name: &str) -> Option<&PeerState> {
        self.peers.iter().find(|peer| peer.name == name)
    }

    /// The last outcome of a delegation.
    pub fn outcome(&self, delegation: &str) -> Option<&Outcome> {
        self.outcomes.iter().rev().find(|outcome| outcome.id == delegation)
    }
}
