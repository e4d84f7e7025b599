//! How the card is served.

use gauntlet_card::{Reach, Severity, reach};
use http::header::{CACHE_CONTROL, ETAG};

use super::{Check, Judge, Verdict, demand};
use crate::dial::{DialError, Got};
use crate::fetch::{Fetched, Lost};

pub(super) static CHECKS: &[Check] = &[
    Check {
        id: "live-card-reachable",
        severity: Severity::Error,
        statement: "The card is served at its address, with status 200.",
        why: "Without a card nobody knows how to reach the agent.",
        fix: "serve the card at /.well-known/agent-card.json, without credentials",
        source: "spec §8.2",
        judge: Judge::Card(|fetched| match &fetched.answer {
            Ok(got) => demand(got.status == 200, || format!("{}: HTTP {}", fetched.url, got.status.as_u16())),
            Err(Lost::Dial(DialError::Tls(_))) => Verdict::NotChecked("needs live-card-tls".to_owned()),
            Err(Lost::Dial(error)) => Verdict::Broken(format!("{}: {error}", fetched.url)),
            Err(Lost::Redirect(_)) => Verdict::NotChecked("needs live-card-redirect".to_owned()),
        }),
    },
    Check {
        id: "live-card-tls",
        severity: Severity::Error,
        statement: "Outside this machine the card is served over TLS, with a certificate that holds.",
        why: "A card decides where work and credentials go; without TLS anybody on the way can rewrite it.",
        fix: "serve the card over https, with a certificate of a known authority for this host",
        source: "spec §7.1",
        judge: Judge::Card(|fetched| match &fetched.answer {
            Err(Lost::Dial(DialError::Tls(why))) => Verdict::Broken(format!("{}: {why}", fetched.url)),
            Err(_) => Verdict::NotChecked("there is no card".to_owned()),
            Ok(_) if fetched.place.secure => Verdict::Upheld,
            Ok(_) if reach(&fetched.place.host) == Reach::Loopback => Verdict::Moot("loopback needs no TLS".to_owned()),
            Ok(_) => Verdict::Broken(format!("{} is not https", fetched.url)),
        }),
    },
    Check {
        id: "live-card-redirect",
        severity: Severity::Warning,
        statement: "The card is served where it is asked for, or its redirects stay within the origin and within TLS.",
        why: "Careful callers follow no redirect to another origin: it could put any card in this one's place.",
        fix: "serve the card itself at the well-known address of the agent's own origin",
        source: "spec §8.2; seed: transport",
        judge: Judge::Card(|fetched| match &fetched.answer {
            Err(Lost::Redirect(why)) => Verdict::Broken(format!("{}: {why}", fetched.url)),
            Err(Lost::Dial(_)) => Verdict::NotChecked("there is no card".to_owned()),
            Ok(_) => demand(!fetched.strayed, || format!("{} leads to {}", fetched.asked, fetched.url)),
        }),
    },
    Check {
        id: "live-card-media-type",
        severity: Severity::Warning,
        statement: "The card is served as application/json.",
        why: "Some clients refuse a document that is served as text or HTML.",
        fix: "send Content-Type: application/json",
        source: "spec §14.3",
        judge: Judge::Card(|fetched| {
            with_card(fetched, |got| {
                let media_type = got.media_type();
                let right = matches!(media_type.as_str(), "application/json" | "application/a2a+json");
                demand(right, || match media_type.as_str() {
                    "" => "no Content-Type".to_owned(),
                    other => format!("Content-Type: {other}"),
                })
            })
        }),
    },
    Check {
        id: "live-card-cache-headers",
        severity: Severity::Warning,
        statement: "The card comes with Cache-Control: max-age and with an ETag.",
        why: "Clients that know nothing of its age fetch the card for every task, or keep one that is long out of date.",
        fix: "send Cache-Control with max-age, and an ETag made of the card's version or content",
        source: "spec §8.6.1",
        judge: Judge::Card(|fetched| {
            with_card(fetched, |got| {
                let aged =
                    got.header(CACHE_CONTROL).is_some_and(|control| control.to_ascii_lowercase().contains("max-age"));
                let tagged = got.headers.contains_key(ETAG);
                let missing = [(aged, "Cache-Control: max-age"), (tagged, "ETag")];
                let missing: Vec<&str> =
                    missing.into_iter().filter(|(there, _)| !there).map(|(_, name)| name).collect();
                demand(missing.is_empty(), || format!("without {}", missing.join(" and without ")))
            })
        }),
    },
    Check {
        id: "live-card-etag-304",
        severity: Severity::Warning,
        statement: "Whoever has this very card already is answered 304.",
        why: "An ETag that nothing compares saves nothing.",
        fix: "answer 304 without a body where If-None-Match holds the ETag of the card",
        source: "spec §8.6.1; RFC 9110 §13.1.2",
        judge: Judge::Card(|fetched| {
            with_card(fetched, |_| match &fetched.again {
                None => Verdict::Moot("the card has no ETag".to_owned()),
                Some(Ok(status)) => demand(*status == 304, || format!("If-None-Match with its ETag: HTTP {status}")),
                Some(Err(error)) => Verdict::Broken(format!("If-None-Match with its ETag: {error}")),
            })
        }),
    },
];

fn with_card(fetched: &Fetched, judge: impl FnOnce(&Got) -> Verdict) -> Verdict {
    match &fetched.answer {
        Ok(got) if got.status == 200 => judge(got),
        _ => Verdict::NotChecked("there is no card".to_owned()),
    }
}
