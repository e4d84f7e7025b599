//! `gauntlet list`: what can be run, and what it is made of. What belongs together is told together: a defect with the
//! scenarios that use it, the flaws that these catch, and the golden journals that show it.

mod connected;

use std::path::PathBuf;

use gauntlet_faults::catalogue;
use gauntlet_report::wrap_hanging;
use gauntlet_scenario::{FleetFile, Library, LibraryError};
use gauntlet_suite::Selection;
use serde_json::{Value, json};

use crate::args::{ListArgs, Listed};
use crate::diagnostics::Failure;
use crate::exit::Exit;
use crate::output;
use connected::Connected;

/// How far a note below its name is indented.
const INDENT: usize = 4;

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
        Listed::Defects => Connected::new(&args.paths)?.defects(),
        Listed::Rules => Connected::new(&args.paths)?.rules()?,
        Listed::Faults => catalogue().iter().map(fault).collect(),
        Listed::Fleets => library(&args.paths)?.fleets().map(fleet).collect(),
        Listed::Flaws => Connected::new(&args.paths)?.flaws(),
        Listed::CardRules => gauntlet_card::Rule::all().map(card_rule).collect(),
    };
    let text = if args.json {
        let values: Vec<Value> = rows.iter().map(|row| row.json.clone()).collect();
        format!("{:#}\n", Value::Array(values))
    } else if args.what == Listed::Scenarios {
        // One line each, however long: places and names are there to be searched for.
        rows.iter().map(|row| format!("{}  {}\n", row.name, row.note)).collect()
    } else {
        table(&rows, output::stdout_style().width)
    };
    output::out(&text);
    Ok(if rows.is_empty() { Exit::Nothing } else { Exit::Fine })
}

/// Names and notes side by side where all of them find room, else each note below its name.
fn table(rows: &[Row], width: usize) -> String {
    let longest = |part: fn(&Row) -> &str| rows.iter().map(|row| part(row).chars().count()).max().unwrap_or_default();
    let names = longest(|row| &row.name);
    if names + 2 + longest(|row| &row.note) <= width {
        return rows
            .iter()
            .map(|row| format!("{}\n", format!("{:names$}  {}", row.name, row.note).trim_end()))
            .collect();
    }
    let below = |row: &Row| {
        let note = wrap_hanging(&format!("{:INDENT$}{}", "", row.note), width, INDENT);
        std::iter::once(row.name.clone()).chain(note).map(|line| line + "\n").collect::<String>()
    };
    rows.iter().map(below).collect()
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
        json["rules"] = json!(info.rules().collect::<Vec<_>>());
        json["bindings"] = json!(info.bindings);
        json["defects"] = json!(info.defects);
        json["since"] = json!(info.since);
        Row { name: format!("{}:{}", info.id.file, info.id.line), note: info.id.name, json }
    };
    Ok(infos.into_iter().map(row).collect())
}

fn card_rule(rule: &gauntlet_card::Rule) -> Row {
    let json = json!({
        "id": rule.id,
        "layer": rule.layer.word(),
        "severity": rule.severity.word(),
        "statement": rule.statement,
        "source": rule.source,
        "fix": rule.fix,
    });
    Row { name: rule.id.to_owned(), note: format!("({}) {}", rule.layer, rule.statement), json }
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

fn fault(fault: &gauntlet_faults::FaultKind) -> Row {
    let arguments: Vec<Value> =
        fault.arguments.iter().map(|(name, meaning)| json!({"name": name, "meaning": meaning})).collect();
    let stages: Vec<String> = fault.stages.iter().map(ToString::to_string).collect();
    let json = json!({"id": fault.id, "summary": fault.summary, "stages": stages, "arguments": arguments});
    Row { name: fault.id.to_owned(), note: fault.summary.to_owned(), json }
}
