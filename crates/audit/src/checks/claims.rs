//! Whether the agent does what the card claims.

use gauntlet_card::Severity;
use gauntlet_wire::{ErrorKind, Operation};

use super::look::{ALWAYS, is, is_misplaced, told};
use super::{Check, Judge, Verdict, demand};
use crate::call::{Answer, Reading};
use crate::observe::Seen;

const PUSH: [Operation; 4] = [
    Operation::CreateTaskPushNotificationConfig,
    Operation::GetTaskPushNotificationConfig,
    Operation::ListTaskPushNotificationConfigs,
    Operation::DeleteTaskPushNotificationConfig,
];

pub(super) static CHECKS: &[Check] = &[
    Check {
        id: "live-operations-served",
        severity: Severity::Error,
        statement: "The operations that every agent has are served: GetTask, ListTasks, CancelTask.",
        why: "Work that was handed over can be neither followed nor stopped.",
        fix: "implement the operation in this binding as well",
        source: "spec §3.1, spec §5.1",
        judge: Judge::Interface(|seen| {
            // With a tenant that is not taken it is another check that fails.
            let missing = ALWAYS.into_iter().filter(|_| !is_misplaced(seen));
            let missing: Vec<Operation> =
                missing.filter(|operation| is(seen, *operation, |answer| !answer.is_served())).collect();
            demand(missing.is_empty(), || told(seen, &missing))
        }),
    },
    Check {
        id: "live-streaming-as-declared",
        severity: Severity::Error,
        statement: "Where the card declares streaming, SubscribeToTask is served.",
        why: "Clients that rely on streams fail at the first one, on this binding only.",
        fix: "implement streaming in this binding too, or declare capabilities.streaming: false",
        source: "spec §3.3.4; seed: closure",
        judge: Judge::Interface(|seen| {
            declared(seen, seen.declared.streaming, "streaming", &[Operation::SubscribeToTask])
        }),
    },
    Check {
        id: "live-streaming-undeclared",
        severity: Severity::Warning,
        statement: "Where the card does not declare streaming, SubscribeToTask is refused as unsupported.",
        why: "Clients go by the card and poll, though they could stream.",
        fix: "declare capabilities.streaming: true, or refuse streaming operations as UnsupportedOperation",
        source: "spec §3.3.4; seed: mismatch",
        judge: Judge::Interface(|seen| {
            undeclared(seen, seen.declared.streaming, "streaming", &[Operation::SubscribeToTask])
        }),
    },
    Check {
        id: "live-push-as-declared",
        severity: Severity::Error,
        statement: "Where the card declares push notifications, all four of their operations are served.",
        why: "Clients register a webhook, wait, and are never told.",
        fix: "implement the operations in this binding too, or declare capabilities.pushNotifications: false",
        source: "spec §3.3.4; seed: closure",
        judge: Judge::Interface(|seen| declared(seen, seen.declared.push, "push notifications", &PUSH)),
    },
    Check {
        id: "live-push-undeclared",
        severity: Severity::Warning,
        statement: "Where the card does not declare push notifications, their operations are refused.",
        why: "Clients go by the card and poll, though they could be told.",
        fix: "declare capabilities.pushNotifications: true, or answer PushNotificationNotSupported",
        source: "spec §3.3.4; seed: mismatch",
        judge: Judge::Interface(|seen| undeclared(seen, seen.declared.push, "push notifications", &PUSH)),
    },
    Check {
        id: "live-extended-card-as-declared",
        severity: Severity::Error,
        statement: "Where the card declares an extended card, GetExtendedAgentCard is served.",
        why: "Clients ask for it after they have shown who they are, and get nothing.",
        fix: "configure the extended card, or declare capabilities.extendedAgentCard: false",
        source: "spec §3.1.11",
        judge: Judge::Interface(|seen| {
            declared(seen, seen.declared.extended_card, "an extended card", &[Operation::GetExtendedAgentCard])
        }),
    },
    Check {
        id: "live-extended-card-undeclared",
        severity: Severity::Warning,
        statement: "Where the card does not declare an extended card, there is none.",
        why: "Clients that go by the card never see what it says.",
        fix: "declare capabilities.extendedAgentCard: true, or answer UnsupportedOperation",
        source: "spec §3.1.11",
        judge: Judge::Interface(|seen| {
            undeclared(seen, seen.declared.extended_card, "an extended card", &[Operation::GetExtendedAgentCard])
        }),
    },
    Check {
        id: "live-message-answered",
        severity: Severity::Error,
        statement: "A message is answered with a task or a message.",
        why: "This is what an agent is for.",
        fix: "see the log of the agent for the message that was sent",
        source: "spec §3.1.1",
        judge: Judge::Interface(|seen| {
            sent(seen, Operation::SendMessage, |answer| matches!(answer.reading, Reading::Result))
        }),
    },
    Check {
        id: "live-message-streams",
        severity: Severity::Error,
        statement: "Where the card declares streaming, SendStreamingMessage answers with a stream.",
        why: "Clients that rely on streams fail at the first message, on this binding only.",
        fix: "implement SendStreamingMessage in this binding too, or declare capabilities.streaming: false",
        source: "spec §3.1.2; seed: closure",
        judge: Judge::Interface(|seen| match seen.declared.streaming {
            Some(true) => sent(seen, Operation::SendStreamingMessage, |answer| {
                matches!(answer.reading, Reading::Result) && answer.streamed
            }),
            _ => not_declared("streaming"),
        }),
    },
];

fn not_declared(what: &str) -> Verdict {
    Verdict::Moot(format!("the card does not declare {what}"))
}

/// What is declared is served, every operation of it.
fn declared(seen: &Seen, flag: Option<bool>, what: &str, operations: &[Operation]) -> Verdict {
    if flag != Some(true) {
        return not_declared(what);
    }
    let absent = |operation: &&Operation| is(seen, **operation, |answer| !answer.is_served());
    let absent: Vec<Operation> = operations.iter().filter(absent).copied().collect();
    demand(absent.is_empty(), || told(seen, &absent))
}

/// What is not declared is not served. That a request is refused for another reason shows nothing.
fn undeclared(seen: &Seen, flag: Option<bool>, what: &str, operations: &[Operation]) -> Verdict {
    if flag == Some(true) {
        return Verdict::Moot(format!("the card declares {what}"));
    }
    let there = |answer: &Answer| answer.reading == Reading::Result || answer.kind() == Some(ErrorKind::TaskNotFound);
    let there: Vec<Operation> = operations.iter().filter(|operation| is(seen, **operation, there)).copied().collect();
    demand(there.is_empty(), || told(seen, &there))
}

fn sent(seen: &Seen, operation: Operation, right: impl FnOnce(&Answer) -> bool) -> Verdict {
    match seen.answer(operation) {
        None => Verdict::NotChecked("no message is sent without --send".to_owned()),
        Some(answer) => demand(right(answer), || format!("{operation}: {answer}")),
    }
}
