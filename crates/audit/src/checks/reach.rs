//! Whether somebody is there, and lets callers in.

use gauntlet_card::Severity;

use super::look::{first, with};
use super::{Check, Judge, Verdict, demand};
use crate::call::Reading;
use crate::dial::DialError;

pub(super) static CHECKS: &[Check] = &[
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
