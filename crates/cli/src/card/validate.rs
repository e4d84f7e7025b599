//! `gauntlet card validate`.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use gauntlet_card::{Jwks, Options, Report, SchemaFile, kinds};
use gauntlet_scenario::suggest::closest;
use serde_json::Value;

use super::args::{ReportFormat, ValidateArgs};
use super::source::{self, Document};
use super::{explain, migrate, sarif, text};
use crate::diagnostics::{self, Failure};
use crate::exit::Exit;
use crate::output;

/// A document and what was found.
pub(crate) struct Judged {
    pub(crate) document: Document,
    pub(crate) report: Report,
}

/// Judges the documents and prints what was found.
pub(crate) fn validate(args: &ValidateArgs) -> Result<Exit, Failure> {
    if let Some(rule) = &args.explain {
        return explain::explain(rule);
    }
    let options = options(args)?;
    if args.migrate {
        return migrate::migrate(&args.documents, &options);
    }
    let mut unreachable = false;
    let mut documents = Vec::new();
    for name in &args.documents {
        match source::read(name, options.max_bytes) {
            Ok(document) => documents.push(document),
            // The others are judged all the same.
            Err(failure @ Failure::System(_)) => {
                output::err(&diagnostics::render(&failure, output::stderr_style()));
                unreachable = true;
            }
            Err(failure) => return Err(failure),
        }
    }
    let named: Vec<(&str, &[u8])> =
        documents.iter().map(|document| (document.name.as_str(), document.bytes.as_slice())).collect();
    let reports = gauntlet_card::validate_all(&named, &options);
    let judged: Vec<Judged> =
        documents.into_iter().zip(reports).map(|(document, report)| Judged { document, report }).collect();
    output::out(&render(&judged, args, output::stdout_style()));
    let valid = judged.iter().all(|judged| judged.report.is_valid());
    Ok(if unreachable {
        Exit::CouldNotRun
    } else if valid {
        Exit::Fine
    } else {
        Exit::Findings
    })
}

fn render(judged: &[Judged], args: &ValidateArgs, style: output::Style) -> String {
    match args.format {
        ReportFormat::Text => judged.iter().map(|judged| text::render(judged, style)).collect(),
        ReportFormat::Sarif => format!("{:#}\n", sarif::log(judged)),
        ReportFormat::Json => {
            let report = |judged: &Judged| {
                let mut report = judged.report.to_json(&judged.document.name);
                if let Some(schema) = &args.schema {
                    report["schema"]["bundle"] = schema.display().to_string().into();
                }
                report
            };
            match judged {
                [one] => format!("{:#}\n", report(one)),
                several => format!("{:#}\n", several.iter().map(report).collect::<Value>()),
            }
        }
    }
}

fn options(args: &ValidateArgs) -> Result<Options, Failure> {
    if !kinds().contains(&args.kind.as_str()) {
        let help = match closest(&args.kind, kinds()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("use one of {}", kinds().join(", ")),
        };
        return Err(Failure::Usage(format!("A2A has no type `{}`; {help}", args.kind)));
    }
    let schema = match &args.schema {
        None => None,
        Some(path) => {
            let read = SchemaFile::read(&file(path)?, &args.kind);
            Some(read.map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?)
        }
    };
    let jwks = match &args.jwks {
        None => None,
        Some(path) => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
            let read = Jwks::read(&file(path)?, now);
            Some(read.map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?)
        }
    };
    Ok(Options {
        kind: args.kind.clone(),
        needs: args.needs.clone(),
        jwks,
        schema,
        ..Options::new(args.purpose.into())
    })
}

fn file(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| Failure::Usage(format!("{} cannot be read: {error}", path.display())))
}
