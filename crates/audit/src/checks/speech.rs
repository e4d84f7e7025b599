//! Whether what speaks there is the agent, in the words that the card says.

use gauntlet_card::Severity;
use gauntlet_wire::{Binding, ErrorKind, Operation};

use super::look::{ALWAYS, first, is, is_misplaced, told, turned_away, unknown, with};
use super::{Check, Judge, Verdict, demand};
use crate::call::{Answer, Reading};
use crate::dial::DialError;
use crate::observe::ABSURD_VERSION;

pub(super) static CHECKS: &[Check] = &[
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
