//! What is served at an interface.

use gauntlet_card::Severity;
use gauntlet_wire::{Binding, ErrorKind, Operation};

use super::{Check, Judge, Verdict, demand};
use crate::call::{Answer, Reading};
use crate::dial::DialError;
use crate::observe::{ABSURD_VERSION, Seen};

const PUSH: [Operation; 4] = [
    Operation::CreateTaskPushNotificationConfig,
    Operation::GetTaskPushNotificationConfig,
    Operation::ListTaskPushNotificationConfigs,
    Operation::DeleteTaskPushNotificationConfig,
];

/// What every agent serves, beside sending messages.
const ALWAYS: [Operation; 3] = [Operation::GetTask, Operation::ListTasks, Operation::CancelTask];

/// Whether somebody is there, and lets callers in.
pub(super) static REACH: &[Check] = &[
    Check {
        id: "live-interface-dials",
        severity: Severity::Error,
        statement: "The address of the interface accepts connections.",
        why: "Whoever picks this interface fails, and others succeed: the failure depends on the client.",
        fix: "start the listener before the card is published, or take the interface out of the card",
        source: "seed: transport",
        judge: Judge::Gate(|seen| match (&seen.left_alone, seen.bare.as_ref().map(|answer| &answer.reading)) {
            (Some(why), _) => Verdict::NotChecked(why.clone()),
            (None, Some(Reading::Lost(DialError::Unreachable(why)))) => {
                Verdict::Broken(format!("{}: {why}", seen.listed.url))
            }
            _ => Verdict::Upheld,
        }),
    },
    Check {
        id: "live-tls",
        severity: Severity::Error,
        statement: "Outside this machine the interface speaks TLS, with a certificate that holds.",
        why: "Work and credentials travel in the clear otherwise, and careful clients do not connect.",
        fix: "serve TLS with a certificate of a known authority for this host; for gRPC, agree on h2 by ALPN",
        source: "spec §7.1, spec §7.2",
        judge: Judge::Interface(|seen| match (seen.bare.as_ref().map(|answer| &answer.reading), seen.secure) {
            (Some(Reading::Lost(DialError::Tls(why))), _) => Verdict::Broken(format!("{}: {why}", seen.listed.url)),
            (_, Some(true)) => Verdict::Upheld,
            _ if seen.loopback => Verdict::Moot("loopback needs no TLS".to_owned()),
            _ => Verdict::Broken(format!("{} is served without TLS", seen.listed.url)),
        }),
    },
    Check {
        id: "live-interface-answers",
        severity: Severity::Error,
        statement: "The interface answers in time, and not with a failure of the server.",
        why: "A listener in front of nothing looks like an agent until work is sent.",
        fix: "see what stands in front of the agent and whether the agent behind it has started",
        source: "seed: transport",
        judge: Judge::Gate(|seen| {
            with(&seen.bare, |answer| match &answer.reading {
                Reading::Lost(DialError::Tls(_)) => Verdict::NotChecked("needs live-tls".to_owned()),
                Reading::Lost(DialError::Silent(why)) => Verdict::Broken(format!("GetTask: {why}")),
                Reading::Failed => Verdict::Broken(format!("GetTask: {answer}")),
                _ => Verdict::Upheld,
            })
        }),
    },
    Check {
        id: "live-open-as-declared",
        severity: Severity::Error,
        statement: "Where the card demands no credentials, nobody is asked for any.",
        why: "Clients bring what the card asks for: nothing. All of them are turned away.",
        fix: "describe the scheme in securitySchemes and demand it in securityRequirements",
        source: "spec §7.3",
        judge: Judge::Interface(|seen| {
            with(&seen.bare, |answer| match answer.reading {
                _ if seen.declared.secured => Verdict::Moot("the card demands credentials".to_owned()),
                Reading::Denied { .. } => Verdict::Broken(format!("GetTask without credentials: {answer}")),
                _ => Verdict::Upheld,
            })
        }),
    },
    Check {
        id: "live-unauthenticated-refused",
        severity: Severity::Error,
        statement: "Where the card demands credentials, nobody is let in without.",
        why: "A card that promises a lock on an open door misleads everybody who trusts it with work.",
        fix: "authenticate every request before it is looked at; 401 or UNAUTHENTICATED for whoever brings nothing",
        source: "spec §7.4",
        judge: Judge::Interface(|seen| {
            with(&seen.bare, |answer| match answer.reading {
                _ if !seen.declared.secured => Verdict::Moot("the card demands no credentials".to_owned()),
                Reading::Denied { .. } => Verdict::Upheld,
                _ if answer.is_of_binding() => Verdict::Broken(format!("GetTask without credentials: {answer}")),
                _ => Verdict::NotChecked(format!("GetTask: {answer}")),
            })
        }),
    },
    Check {
        id: "live-challenge",
        severity: Severity::Warning,
        statement: "Whoever is turned away is told how to come in.",
        why: "Clients learn from the challenge which scheme, realm and scope is wanted; without it they give up.",
        fix: "send WWW-Authenticate with every 401",
        source: "spec §7.4; RFC 9110 §11.6.1",
        judge: Judge::Interface(|seen| {
            with(&seen.bare, |answer| match answer.reading {
                Reading::Denied { challenged } => demand(challenged, || format!("{answer}, without WWW-Authenticate")),
                _ => Verdict::Moot("nobody was turned away".to_owned()),
            })
        }),
    },
    Check {
        id: "live-credentials-accepted",
        severity: Severity::Error,
        statement: "The credentials that were given are accepted.",
        why: "They are wrong, or the agent takes others than its card says; either way nothing behind them was looked at.",
        fix: "see whether they have expired and are those that the card's schemes describe",
        source: "spec §7.4",
        judge: Judge::Interface(|seen| match (&seen.withheld, first(seen)) {
            _ if !seen.has_credentials => Verdict::Moot("no credentials were given".to_owned()),
            (Some(why), _) => Verdict::NotChecked(why.clone()),
            (None, Some(answer)) if matches!(answer.reading, Reading::Denied { .. }) => {
                Verdict::Broken(format!("GetTask with credentials: {answer}"))
            }
            _ => Verdict::Upheld,
        }),
    },
];

/// Whether what speaks there is the agent, in the words that the card says.
pub(super) static SPEECH: &[Check] = &[
    Check {
        id: "live-interface-binding-served",
        severity: Severity::Error,
        statement: "What is served at the address is the binding that the card lists.",
        why: "Clients dial the url in the binding that stands beside it, and meet something else.",
        fix: "let url and protocolBinding of the interface say what is listening there",
        source: "spec §8.3; seed: transport",
        judge: Judge::Gate(|seen| {
            let Some(answer) = first(seen) else { return unknown() };
            let binding = &seen.listed.protocol_binding;
            match &answer.reading {
                Reading::Denied { .. } => Verdict::NotChecked(turned_away(seen)),
                Reading::Foreign => Verdict::Broken(format!("{} is not {binding}: {answer}", seen.listed.url)),
                Reading::Lost(DialError::Garbled(why)) if seen.listed.binding == Some(Binding::Grpc) => {
                    Verdict::Broken(format!("{} is not {binding}: no HTTP/2: {why}", seen.listed.url))
                }
                Reading::Lost(why) => Verdict::Broken(format!("{} is not {binding}: {why}", seen.listed.url)),
                _ => Verdict::Upheld,
            }
        }),
    },
    Check {
        id: "live-version-accepted",
        severity: Severity::Error,
        statement: "The interface speaks the version that the card says it does.",
        why: "Clients send what the card says in A2A-Version, and each call fails.",
        fix: "let protocolVersion say what the endpoint speaks, or serve that version",
        source: "spec §3.6",
        judge: Judge::Gate(|seen| {
            let Some(answer) = first(seen) else { return unknown() };
            let version = &seen.listed.protocol_version;
            match answer.kind() {
                Some(ErrorKind::VersionNotSupported) => Verdict::Broken(format!("A2A-Version: {version}: {answer}")),
                _ if seen.listed.version().is_some_and(|version| version.major > 1) => {
                    Verdict::NotChecked(format!("A2A {version} is not known here, only 1.0 and 0.3"))
                }
                _ => Verdict::Upheld,
            }
        }),
    },
    Check {
        id: "live-handler-registered",
        severity: Severity::Error,
        statement: "The agent stands behind the binding: not every operation is unimplemented.",
        why: "The server runs and accepts calls, and the A2A service was never registered with it; this reads as version skew.",
        fix: "register the service before the listener starts; for HTTP+JSON, mount the routes at the url of the card",
        source: "seed: transport",
        judge: Judge::Gate(|seen| {
            let absent = |operation| is(seen, operation, |answer| matches!(answer.reading, Reading::Unimplemented));
            let mut asked = ALWAYS.into_iter().filter(|operation| seen.answer(*operation).is_some());
            let nothing = asked.all(absent) && !is_misplaced(seen);
            demand(!nothing, || format!("every operation is unimplemented: {}", told(seen, &[Operation::GetTask])))
        }),
    },
    Check {
        id: "live-version-unknown-refused",
        severity: Severity::Error,
        statement: "A version that the agent does not speak is refused as VersionNotSupported.",
        why: "A client of a later version is answered in an older one, and misreads it.",
        fix: "look at A2A-Version before anything else, and answer VersionNotSupported",
        source: "spec §3.6.2",
        judge: Judge::Interface(|seen| {
            if seen.absurd.is_none() {
                return Verdict::Moot("before 1.0 versions are not refused".to_owned());
            }
            with(&seen.absurd, |answer| {
                let refused = answer.kind() == Some(ErrorKind::VersionNotSupported);
                demand(refused, || format!("GetTask with A2A-Version: {ABSURD_VERSION}: {answer}"))
            })
        }),
    },
    Check {
        id: "live-tenant",
        severity: Severity::Error,
        statement: "The interface takes the tenant that the card says.",
        why: "Clients repeat the tenant with every request, and each one misses.",
        fix: "let tenant of the interface say what the endpoint routes by; for HTTP+JSON it is the first part of the path",
        source: "spec §4.4.6",
        judge: Judge::Interface(|seen| {
            let Some(tenant) = &seen.listed.tenant else {
                return Verdict::Moot("the card names no tenant".to_owned());
            };
            match (first(seen), &seen.homeless) {
                (Some(answer), Some(homeless)) if is_misplaced(seen) => {
                    Verdict::Broken(format!("GetTask of tenant {tenant}: {answer}; without a tenant: {homeless}"))
                }
                (Some(answer), _) if answer.is_served() => Verdict::Upheld,
                _ => unknown(),
            }
        }),
    },
    Check {
        id: "live-task-not-found",
        severity: Severity::Warning,
        statement: "A task that does not exist is answered with TaskNotFound.",
        why: "Clients cannot tell a task that is gone from a call that went wrong, and try again.",
        fix: "answer GetTask and CancelTask of an unknown id with TaskNotFound",
        source: "spec §3.3.2",
        judge: Judge::Interface(|seen| {
            let asked = [Operation::GetTask, Operation::CancelTask];
            let odd: Vec<Operation> = asked
                .into_iter()
                .filter(|operation| {
                    is(seen, *operation, |answer| answer.is_served() && answer.kind() != Some(ErrorKind::TaskNotFound))
                })
                .filter(|_| !is_misplaced(seen))
                .collect();
            demand(odd.is_empty(), || told(seen, &odd))
        }),
    },
    Check {
        id: "live-error-details",
        severity: Severity::Error,
        statement: "Over gRPC and HTTP+JSON errors of A2A carry an ErrorInfo.",
        why: "Several errors share one status: without the reason clients cannot tell them apart.",
        fix: "add a google.rpc.ErrorInfo with domain a2a-protocol.org and the reason to the details of each error",
        source: "spec §10.6, spec §11.6",
        judge: Judge::Interface(|seen| {
            if seen.listed.binding == Some(Binding::JsonRpc) {
                return Verdict::Moot("JSON-RPC has codes of its own".to_owned());
            }
            if seen.absurd.is_none() {
                return Verdict::Moot("before 1.0 errors have no details".to_owned());
            }
            let bare = |answer: &Answer| match answer.reading {
                Reading::Refused { kind, told } => !told && !kind.reason().is_empty(),
                _ => false,
            };
            let bare: Vec<Operation> =
                seen.calls.iter().filter(|(_, answer)| bare(answer)).map(|(called, _)| *called).collect();
            demand(bare.is_empty(), || told(seen, &bare[..1]))
        }),
    },
];

/// Whether the agent does what the card claims.
pub(super) static CLAIMS: &[Check] = &[
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

/// What came of GetTask, with credentials where they are shown.
fn first(seen: &Seen) -> Option<&Answer> {
    seen.answer(Operation::GetTask)
}

fn with(answer: &Option<Answer>, judge: impl FnOnce(&Answer) -> Verdict) -> Verdict {
    answer.as_ref().map_or_else(unknown, judge)
}

fn is(seen: &Seen, operation: Operation, of: impl FnOnce(&Answer) -> bool) -> bool {
    seen.answer(operation).is_some_and(of)
}

/// Whether the agent is there for everybody but the tenant that the card says.
fn is_misplaced(seen: &Seen) -> bool {
    seen.homeless.as_ref().is_some_and(|answer| answer.kind() == Some(ErrorKind::TaskNotFound))
}

fn unknown() -> Verdict {
    Verdict::NotChecked("it was not called".to_owned())
}

fn not_declared(what: &str) -> Verdict {
    Verdict::Moot(format!("the card does not declare {what}"))
}

fn turned_away(seen: &Seen) -> String {
    match &seen.withheld {
        Some(why) => why.clone(),
        None if seen.has_credentials => "the credentials are not accepted".to_owned(),
        None => "credentials are demanded: give --bearer or --header".to_owned(),
    }
}

/// Operations and what they were answered; those of one answer together.
fn told(seen: &Seen, operations: &[Operation]) -> String {
    let mut groups: Vec<(Vec<&str>, &str)> = Vec::new();
    for operation in operations {
        let Some(answer) = seen.answer(*operation) else { continue };
        match groups.iter_mut().find(|(_, words)| *words == answer.words) {
            Some((names, _)) => names.push(operation.name()),
            None => groups.push((vec![operation.name()], &answer.words)),
        }
    }
    groups.iter().map(|(names, words)| format!("{}: {words}", names.join(", "))).collect::<Vec<_>>().join("; ")
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
