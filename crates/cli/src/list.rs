//! `gauntlet list`: what can be run, and what it is made of.

use std::path::PathBuf;

use gauntlet_faults::catalogue;
use gauntlet_reference::flaws;
use gauntlet_scenario::{Defect, FleetFile, Library, LibraryError};
use gauntlet_suite::Selection;
use serde_json::{Value, json};

use crate::args::{ListArgs, Listed};
use crate::diagnostics::Failure;
use crate::exit::Exit;
use crate::output;

/// One thing listed: for people a name and a line, for programs everything.
struct Row {
    name: String,
    note: String,
    json: Value,
}

/// Prints the list. Nothing to list is said by the exit code.
pub(crate) fn list(args: &ListArgs) -> Result<Exit, Failure> {
    let rows = match args.what {
        Listed::Scenarios => scenarios(args)?,
        Listed::Defects => library(&args.paths)?.defects().map(defect).collect(),
        Listed::Rules => library(&args.paths)?.rules().map(rule).collect::<Result<_, _>>()?,
        Listed::Faults => catalogue().iter().map(fault).collect(),
        Listed::Fleets => library(&args.paths)?.fleets().map(fleet).collect(),
        Listed::Flaws => flaws::all().iter().map(flaw).collect(),
    };
    let text = if args.json {
        let values: Vec<Value> = rows.iter().map(|row| row.json.clone()).collect();
        format!("{:#}\n", Value::Array(values))
    } else {
        table(&rows)
    };
    output::out(&text);
    Ok(if rows.is_empty() { Exit::Nothing } else { Exit::Fine })
}

fn table(rows: &[Row]) -> String {
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or_default();
    rows.iter().map(|row| format!("{}\n", format!("{:width$}  {}", row.name, row.note).trim_end())).collect()
}

fn library(paths: &[PathBuf]) -> Result<Library, Failure> {
    let mut library = Library::embedded().map_err(LibraryError::from)?;
    for path in paths {
        library.add_path(path)?;
    }
    Ok(library)
}

fn scenarios(args: &ListArgs) -> Result<Vec<Row>, Failure> {
    let selection = Selection {
        tags: args.tags.clone(),
        bindings: args.binding.clone(),
        names: args.filter.clone(),
        ..Selection::default()
    };
    let infos = gauntlet_suite::scenarios(&args.paths, &selection)?;
    let row = |info: gauntlet_suite::ScenarioInfo| {
        let mut json = json!(info.id);
        json["id"] = info.id.stable().into();
        json["tags"] = json!(info.tags);
        json["defects"] = json!(info.defects);
        Row { name: format!("{}:{}", info.id.file, info.id.line), note: info.id.name, json }
    };
    Ok(infos.into_iter().map(row).collect())
}

fn defect(defect: &Defect) -> Row {
    let parameters: Vec<Value> = defect
        .parameters
        .iter()
        .map(|(name, parameter)| json!({"name": name, "type": parameter.kind, "required": parameter.default.is_none()}))
        .collect();
    let seen_in: Vec<Value> =
        defect.seen_in.iter().map(|(kind, reference)| json!({"kind": kind, "reference": reference})).collect();
    let faults: Vec<&str> = defect.faults.iter().map(|fault| fault.name.as_str()).collect();
    let json = json!({
        "id": defect.id, "title": defect.title, "area": defect.area, "seenIn": seen_in, "parameters": parameters,
        "bindings": defect.applies.bindings(), "faults": faults, "exercises": defect.exercises,
        "file": defect.place.file.as_ref(),
    });
    Row { name: defect.id.clone(), note: defect.title.clone(), json }
}

fn fleet(fleet: &FleetFile) -> Row {
    let peer = |peer: &gauntlet_scenario::PeerSpec| {
        let bindings: Vec<&str> = peer.interfaces.iter().map(|interface| interface.binding.name()).collect();
        let defects: Vec<&str> = peer.defects.iter().map(|defect| defect.id.as_str()).collect();
        json!({"name": peer.name, "protocol": peer.protocol, "bindings": bindings, "defects": defects})
    };
    let peers: Vec<Value> = fleet.peers.iter().map(peer).collect();
    let json = json!({"id": fleet.id, "title": fleet.title, "peers": peers});
    Row { name: fleet.id.clone(), note: fleet.title.clone(), json }
}

fn rule(rule: &gauntlet_scenario::RuleEntry) -> Result<Row, Failure> {
    let json = serde_json::to_value(rule).map_err(|error| Failure::System(error.to_string()))?;
    Ok(Row { name: rule.id.clone(), note: format!("{:8}  {}", rule.level, rule.statement), json })
}

fn fault(fault: &gauntlet_faults::FaultKind) -> Row {
    let arguments: Vec<Value> =
        fault.arguments.iter().map(|(name, meaning)| json!({"name": name, "meaning": meaning})).collect();
    let stages: Vec<String> = fault.stages.iter().map(ToString::to_string).collect();
    let json = json!({"id": fault.id, "summary": fault.summary, "stages": stages, "arguments": arguments});
    Row { name: fault.id.to_owned(), note: fault.summary.to_owned(), json }
}

fn flaw(flaw: &gauntlet_reference::Flaw) -> Row {
    let json = json!({"id": flaw.id, "title": flaw.title, "breaks": flaw.breaks});
    Row { name: flaw.id.to_owned(), note: flaw.title.to_owned(), json }
}
