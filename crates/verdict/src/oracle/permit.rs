//! A permitted outcome as a predicate over evidence.

use std::fmt;

use gauntlet_evidence::contract::{Delegation, Outcome, Status};
use gauntlet_evidence::{Exchange, Support};
use gauntlet_wire::Operation;

use crate::view::{Agreement, View, agreement};

/// A permitted outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permit {
    /// The work is done over the first interface that the orchestrator speaks.
    Complete,
    /// The work is done over a later interface.
    Fallback,
    /// The work is done over the first interface, followed by other means than a stream to the end.
    Degrade,
    /// The work is not done, and the reason is told.
    Refuse {
        /// The reasons that fit.
        codes: Vec<&'static str>,
        /// Whether nothing may be handed over before; otherwise what the peer turned away counts as not handed over.
        before_dispatch: bool,
    },
    /// The agent's own state is reported.
    Surface {
        /// Its wire name, such as `TASK_STATE_REJECTED`.
        state: String,
    },
    /// The work is given up at the deadline: the task is cancelled, or reported as open.
    GiveUp,
}

impl Permit {
    /// Whether the outcome of a delegation is this one.
    pub fn covers(&self, view: &View<'_>, delegation: &Delegation, outcome: &Outcome) -> bool {
        let held = view.reported_task(outcome);
        match self {
            Self::Complete => done(view, outcome) && reached(view, delegation).any(|x| on_first(view, delegation, x)),
            Self::Fallback => done(view, outcome) && reached(view, delegation).any(|x| !on_first(view, delegation, x)),
            Self::Degrade => {
                let followed = || {
                    view.belonging(&delegation.id)
                        .any(|x| matches!(x.request.operation, Some(Operation::GetTask | Operation::SubscribeToTask)))
                };
                let unary = |x: &Exchange<'_>| x.request.operation == Some(Operation::SendMessage);
                done(view, outcome)
                    && reached(view, delegation).any(|x| on_first(view, delegation, x) && (unary(x) || followed()))
            }
            Self::Refuse { codes, before_dispatch } => {
                let told = outcome.reason.as_ref().is_some_and(|reason| codes.contains(&reason.code.as_str()));
                let nothing_sent = view.dispatches(&delegation.id).next().is_none();
                matches!(outcome.status, Status::Refused | Status::Failed | Status::Raised)
                    && (told || !view.supports(Support::Reasons))
                    && (nothing_sent || !before_dispatch && reached(view, delegation).next().is_none())
            }
            Self::Surface { state } => {
                let cancelled = held.is_some_and(|(peer, task)| view.cancelled(&peer.name, task.id()));
                let agrees = agreement(outcome, state, cancelled);
                outcome.status != Status::TimedOut && agrees != Agreement::No
            }
            Self::GiveUp => held.is_some_and(|(peer, task)| {
                let settled =
                    task.is_terminal() || view.cancelled(&peer.name, task.id()) || task.state().ends_with("_REQUIRED");
                settled && !outcome.status.is_success() && at_deadline(view, delegation, outcome)
            }),
        }
    }
}

impl fmt::Display for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Complete => f.write_str("complete"),
            Self::Fallback => f.write_str("complete over a later interface"),
            Self::Degrade => f.write_str("complete by other means than a stream"),
            Self::Refuse { codes, before_dispatch } => {
                let when = if *before_dispatch { " before dispatch" } else { "" };
                write!(f, "refuse{when} ({})", codes.join(" or "))
            }
            Self::Surface { state } => {
                write!(f, "report {}", state.trim_start_matches("TASK_STATE_").to_lowercase().replace('_', "-"))
            }
            Self::GiveUp => f.write_str("give up at the deadline and cancel"),
        }
    }
}

/// Whether the caller has its answer, and the peer agrees.
fn done(view: &View<'_>, outcome: &Outcome) -> bool {
    let agrees = view.reported_task(outcome).map(|(peer, task)| view.agrees(outcome, peer, task));
    outcome.status.is_success() && agrees != Some(Agreement::No)
}

fn reached<'v, 'a>(view: &'v View<'a>, delegation: &'v Delegation) -> impl Iterator<Item = &'v Exchange<'a>> {
    view.dispatches(&delegation.id).filter(|x| view.reached(x))
}

/// Whether an exchange used the first interface there was to choose. What cannot be told counts as that.
fn on_first(view: &View<'_>, delegation: &Delegation, exchange: &Exchange<'_>) -> bool {
    let Some(peer) = view.evidence().peer(exchange.peer) else { return true };
    let first = view.candidates(delegation, peer).first().map(|(index, _)| *index);
    view.interface(exchange).is_none_or(|(used, _)| first == Some(used))
}

/// Whether time was really up: the report says so, or the cancel came in the second half of the time allowed.
fn at_deadline(view: &View<'_>, delegation: &Delegation, outcome: &Outcome) -> bool {
    let says_so = outcome.reason.as_ref().is_some_and(|reason| reason.code == "deadline");
    let began = view.dispatches(&delegation.id).map(|x| x.entry.at_us).min();
    let cancels = view.belonging(&delegation.id).filter(|x| x.request.operation == Some(Operation::CancelTask));
    let late = cancels
        .map(|x| x.entry.at_us)
        .any(|at| began.is_some_and(|began| at.saturating_sub(began) >= delegation.deadline_ms.saturating_mul(500)));
    let waits = matches!(outcome.status, Status::InputRequired | Status::AuthRequired);
    outcome.status == Status::TimedOut || says_so || late || waits
}
