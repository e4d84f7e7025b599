//! What peers hold, and whether a report agrees with it.

use gauntlet_evidence::contract::{Outcome, Status};
use gauntlet_evidence::{Exchange, HeldTask, PeerState};
use gauntlet_scenario::Fact;
use gauntlet_wire::Operation;

use super::View;
use super::answer::ids_told;

/// Whether a report agrees with what a peer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// The report, or the state, does not say.
    Open,
}

impl<'a> View<'a> {
    /// The tasks that dispatches of a delegation began, with their peers, in order of creation per peer.
    pub fn held(&self, delegation: &str) -> impl Iterator<Item = (&'a PeerState, &'a HeldTask)> {
        let peers = self.evidence().peers.iter();
        peers
            .flat_map(|peer| peer.tasks.iter().map(move |task| (peer, task)))
            .filter(move |(_, task)| task.delegation.as_deref() == Some(delegation))
    }

    /// The task a report is about: the one it names, or else the last that the delegation began.
    pub fn reported_task(&self, outcome: &Outcome) -> Option<(&'a PeerState, &'a HeldTask)> {
        let named = self.held(&outcome.id).find(|(_, task)| outcome.task_id.as_deref() == Some(task.id()));
        named.or_else(|| self.held(&outcome.id).max_by_key(|(_, task)| task.begun_by))
    }

    /// The task an exchange began.
    pub fn began(&self, exchange: &Exchange<'_>) -> Option<(&'a PeerState, &'a HeldTask)> {
        let peer = self.evidence().peer(exchange.peer)?;
        peer.tasks.iter().find(|task| task.begun_by == exchange.number).map(|task| (peer, task))
    }

    /// The entry in which a peer first told of a task.
    pub fn told(&self, peer: &str, task: &str) -> Option<u64> {
        let told = self.exchanges.iter().filter(|x| x.peer == peer).flat_map(ids_told);
        told.filter(|(_, id)| *id == task).map(|(entry, _)| entry).min()
    }

    /// The exchanges that ask for `operation` on a task of a peer.
    pub fn on_task<'v>(
        &'v self,
        operation: Operation,
        peer: &'v str,
        task: &'v str,
    ) -> impl Iterator<Item = &'v Exchange<'a>> {
        self.exchanges.iter().filter(move |x| {
            x.peer == peer && x.request.operation == Some(operation) && x.request.task_id() == Some(task)
        })
    }

    /// Whether the orchestrator asked a peer to cancel a task, whatever the answer.
    pub fn cancelled(&self, peer: &str, task: &str) -> bool {
        self.on_task(Operation::CancelTask, peer, task).next().is_some()
    }

    /// The failure of an exchange, where it says that there is no such task.
    pub fn unknown_task(&self, exchange: &Exchange<'a>) -> Option<super::Failure<'a>> {
        let failure = self.failure(exchange)?;
        (failure.reason == Some("TASK_NOT_FOUND") || failure.code == "-32001").then_some(failure)
    }

    /// Whether a peer has said of a task that there is none.
    pub fn disowned(&self, peer: &str, task: &str) -> bool {
        let asked = self.exchanges.iter().filter(|x| x.peer == peer && x.request.task_id() == Some(task));
        asked.into_iter().any(|x| self.unknown_task(x).is_some())
    }

    /// Whether a peer's answers cannot be relied on to tell its truth: nothing is held against a report then.
    pub fn truth_is_hidden(&self, peer: &str) -> bool {
        self.facts(peer).0.iter().any(|scoped| matches!(scoped.fact, Fact::TruthUnknown | Fact::ResponseInvalid))
    }

    /// Whether a report agrees with the task it is about.
    pub fn agrees(&self, outcome: &Outcome, peer: &PeerState, task: &HeldTask) -> Agreement {
        let hidden = self.truth_is_hidden(&peer.name) || self.disowned(&peer.name, task.id());
        if hidden || self.told(&peer.name, task.id()).is_none() {
            return Agreement::Open;
        }
        let shut_out = outcome.status == Status::AuthRequired && self.is_denied_on(&peer.name, task.id());
        if shut_out {
            return Agreement::Open;
        }
        agreement(outcome, task.state(), self.cancelled(&peer.name, task.id()))
    }
}

/// Whether the caller was told that the work failed: by the status, an error or a reason.
pub const fn told_of_failure(outcome: &Outcome) -> bool {
    !outcome.status.is_success() || outcome.error.is_some() || outcome.reason.is_some()
}

/// Whether a report agrees with a state that a peer holds; `cancelled` says whether the orchestrator asked for a
/// cancel. Statuses that hide states are judged on whether the caller was told of a failure.
pub fn agreement(outcome: &Outcome, state: &str, cancelled: bool) -> Agreement {
    let status = outcome.status;
    let yes = |agrees| if agrees { Agreement::Yes } else { Agreement::No };
    let failed = |equal: Status| match status {
        Status::Raised => Agreement::Yes,
        Status::Returned => yes(told_of_failure(outcome)),
        // A peer may dress a mismatch up as a failed task; an orchestrator that sees through it says why.
        Status::Refused if outcome.reason.is_some() => Agreement::Open,
        _ => yes(status == equal),
    };
    let waits = |equal: Status| match status {
        Status::Returned | Status::Raised => Agreement::Open,
        _ => yes(status == equal),
    };
    match state {
        _ if status == Status::TimedOut => Agreement::Open,
        "TASK_STATE_COMPLETED" => yes(status.is_success()),
        "TASK_STATE_FAILED" => failed(Status::Failed),
        "TASK_STATE_REJECTED" => failed(Status::Rejected),
        "TASK_STATE_CANCELED" if cancelled => yes(!status.is_success()),
        "TASK_STATE_CANCELED" => failed(Status::Canceled),
        "TASK_STATE_INPUT_REQUIRED" => waits(Status::InputRequired),
        "TASK_STATE_AUTH_REQUIRED" => waits(Status::AuthRequired),
        _ if status.is_success() => Agreement::No,
        _ => Agreement::Open,
    }
}
