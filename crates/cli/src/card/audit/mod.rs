//! `gauntlet card audit`: the document and what is served, in one report.

mod json;
mod sarif;
mod text;

use gauntlet_card::Options;

use super::args::{AuditArgs, ReportFormat};
use super::source::Document;
use super::validate::Judged;
use crate::diagnostics::Failure;
use crate::exit::Exit;
use crate::live::{self, Look};
use crate::output;

/// A card that was fetched and judged, where there is one, and how it is served.
struct Audited {
    judged: Option<Judged>,
    look: Look,
}

/// Looks at an agent and prints what was found.
pub(crate) fn audit(args: &AuditArgs) -> Result<Exit, Failure> {
    let look = live::look(&args.look)?;
    let judged = look.observed.fetched.bytes.clone().map(|bytes| Judged {
        report: gauntlet_card::validate(&bytes, &Options::new(args.purpose.into())),
        document: Document { name: look.observed.fetched.url.clone(), bytes },
    });
    let audited = Audited { judged, look };
    let printed = match args.format {
        ReportFormat::Text => text::render(&audited, output::stdout_style()),
        ReportFormat::Json => format!("{:#}\n", json::report(&audited)),
        ReportFormat::Sarif => format!("{:#}\n", sarif::log(&audited)),
    };
    output::out(&printed);
    let fine = audited.judged.as_ref().is_none_or(|judged| judged.report.is_valid()) && audited.look.passes();
    Ok(if fine { Exit::Fine } else { Exit::Findings })
}
