//! An audit as people read it.

use gauntlet_audit::Outcome;
use gauntlet_card::{Severity, locate};
use gauntlet_report::wrap_hanging;

use super::Audited;
use crate::card::text::{self, Shown, Told, show};
use crate::live::Look;
use crate::output::Style;

/// Of checks that were not made for one reason, so many are named.
const NAMED: usize = 3;

pub(super) fn render(audited: &Audited, style: Style) -> String {
    let look = &audited.look;
    let mut text = match &audited.judged {
        Some(judged) => text::render(judged, style),
        None => format!("{}: no card\n", look.observed.fetched.url),
    };
    text.push_str(&format!("\n{}\n", headline(look)));
    for (index, seen) in look.observed.interfaces.iter().enumerate() {
        let broken: Vec<&str> = look
            .broken()
            .filter(|(outcome, _)| outcome.interface == Some(index))
            .map(|(outcome, _)| outcome.check.id)
            .collect();
        let (sign, more) = match (seen.not_dialled(), broken.as_slice()) {
            (Some(_), []) => ('–', ": not dialled".to_owned()),
            (None, []) => ('✓', String::new()),
            (_, broken) => ('✗', format!(": {}", broken.join(", "))),
        };
        let line = format!("  {sign} [{index}] {:10} {}{more}", seen.listed.protocol_binding, seen.listed.url);
        for line in wrap_hanging(&line, style.width, 8) {
            text.push_str(&format!("{line}\n"));
        }
    }
    for (outcome, why) in look.broken() {
        text.push_str(&finding(audited, outcome, why, style));
    }
    text.push_str(&not_checked(look, style.width));
    text
}

fn headline(look: &Look) -> String {
    let mut counts = Vec::new();
    for (severity, word) in [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "note")] {
        match look.count(severity) {
            0 => {}
            1 => counts.push(format!("1 {word}")),
            more => counts.push(format!("{more} {word}s")),
        }
    }
    counts.push(format!("{} upheld", look.upheld()));
    if look.not_checked().next().is_some() {
        counts.push(format!("{} not checked", look.not_checked().count()));
    }
    let verdict = if look.passes() { "served as declared" } else { "not served as declared" };
    format!("live: {verdict} ({})", counts.join(" · "))
}

fn finding(audited: &Audited, outcome: &Outcome, why: &str, style: Style) -> String {
    let observed = &audited.look.observed;
    let seen = outcome.interface.and_then(|index| observed.interfaces.get(index));
    let pointer = seen.map_or("", |seen| seen.listed.pointer.as_str());
    let document = audited.judged.as_ref().map(|judged| judged.document.bytes.as_slice());
    // What concerns the card as a whole has no place in it.
    let span = document.filter(|_| seen.is_some()).and_then(|bytes| locate(bytes, pointer)).unwrap_or_default();
    let told = Told {
        code: outcome.check.id.to_owned(),
        severity: outcome.check.severity,
        message: why,
        help: outcome.check.fix,
        pointer,
        span,
    };
    let source = document.and_then(|bytes| std::str::from_utf8(bytes).ok());
    show(&Shown::new(told, &observed.fetched.url, source), style)
}

/// What was not looked at, by reason.
fn not_checked(look: &Look, width: usize) -> String {
    let mut reasons: Vec<(&str, Vec<&Outcome>)> = Vec::new();
    for (outcome, why) in look.not_checked() {
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, outcomes)) => outcomes.push(outcome),
            None => reasons.push((why, vec![outcome])),
        }
    }
    let mut text = String::new();
    for (why, outcomes) in reasons {
        let mut ids: Vec<&str> = outcomes.iter().map(|outcome| outcome.check.id).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut places: Vec<String> = outcomes.iter().map(|outcome| Look::place(outcome)).collect();
        places.dedup();
        places.sort_unstable();
        places.dedup();
        let what = match ids.as_slice() {
            few if few.len() <= NAMED => few.join(", "),
            many => format!("{} checks", many.len()),
        };
        if text.is_empty() {
            text.push_str("\nnot checked\n");
        }
        for line in wrap_hanging(&format!("  {why}: {what} ({})", places.join(" ")), width, 4) {
            text.push_str(&format!("{line}\n"));
        }
    }
    text
}
