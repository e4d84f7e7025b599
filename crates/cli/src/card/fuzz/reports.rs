//! What a hunt came to, for programs: JSON, JUnit, and the cards themselves.

use std::path::Path;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use serde_json::{Value, json};

use super::super::document;
use super::hunt::{Found, Kind, Outcome, Row};
use super::{Told, text};

/// The document; `kind` tells what it is.
pub(super) fn json(told: &Told<'_>) -> Value {
    let (args, outcome) = (told.args, told.outcome);
    let totals = |kind| outcome.total(kind);
    json!({
        "kind": "card-fuzz-report",
        "command": told.command,
        "version": args.series.version.word(),
        "purpose": gauntlet_card::Purpose::from(args.purpose).word(),
        "layer": gauntlet_card::Layer::from(args.layer).word(),
        "seed": args.series.seed,
        "cards": outcome.cards(),
        "untried": outcome.untried,
        "agrees": outcome.agrees(),
        "falseAccepts": totals(Kind::FalseAccept),
        "falseRejects": totals(Kind::FalseReject),
        "crashes": totals(Kind::Crash),
        "rules": outcome.rows.iter().map(row).collect::<Vec<_>>(),
        "found": outcome.found.iter().map(found).collect::<Vec<_>>(),
    })
}

fn row(row: &Row) -> Value {
    let [accepts, rejects, crashes] = row.wrong;
    json!({
        "rule": row.rule.map(|rule| rule.id),
        "layer": row.rule.map(|rule| rule.layer.word()),
        "cards": row.cards,
        "falseAccepts": accepts,
        "falseRejects": rejects,
        "crashes": crashes,
    })
}

fn found(found: &Found) -> Value {
    // The document as it is sent to a validator. What is large is made again from seed and index.
    let large = found.bytes.len() > text::LARGE;
    let member = if large { "{}".to_owned() } else { format!("{{{}}}", document::member(&found.bytes)) };
    let mut json: Value = serde_json::from_str(&member).unwrap_or_default();
    json["kind"] = found.kind.words().replace(' ', "-").into();
    json["rule"] = found.rule.map(|rule| rule.id).into();
    json["index"] = found.index.into();
    json["mutation"] = found.mutation.clone().into();
    json["path"] = found.ours.error.as_ref().map(|error| error.pointer.clone()).into();
    json["ours"] = found.ours().into();
    json["theirs"] = found.theirs().into();
    json["bytes"] = found.bytes.len().into();
    json["was"] = found.was.into();
    json["file"] = found.file.as_ref().map(|path| path.display().to_string()).into();
    json
}

/// One suite a layer, one case a rule.
pub(super) fn junit(told: &Told<'_>) -> String {
    let mut report = Report::new("gauntlet card fuzz");
    for row in &told.outcome.rows {
        let layer = row.rule.map_or("valid", |rule| rule.layer.word());
        let mut case = TestCase::new(row.rule.map_or("valid cards", |rule| rule.id), status(row, told.outcome));
        case.set_classname(format!("card.{layer}"));
        match report.test_suites.iter_mut().find(|suite| suite.name.as_str() == layer) {
            Some(suite) => _ = suite.add_test_case(case),
            None => {
                let mut suite = TestSuite::new(layer);
                suite.add_test_case(case);
                report.add_test_suite(suite);
            }
        }
    }
    // What goes in is text alone, and strings take any amount of it.
    report.to_string().unwrap_or_default()
}

fn status(row: &Row, outcome: &Outcome) -> TestCaseStatus {
    if row.agrees() {
        return TestCaseStatus::success();
    }
    let wrong = Kind::ALL.into_iter().filter(|kind| row.wrong[*kind as usize] > 0);
    let words: Vec<String> = wrong.map(|kind| format!("{}: {}", kind.words(), row.wrong[kind as usize])).collect();
    let crashes = row.wrong[Kind::Crash as usize] > 0;
    let mut status = TestCaseStatus::non_success(if crashes { NonSuccessKind::Error } else { NonSuccessKind::Failure });
    let shown = outcome.found.iter().filter(|found| found.rule == row.rule).map(|found| {
        format!("{}\nours: {}\ntheirs: {}\n{}", found.kind.words(), found.ours(), found.theirs(), found.document())
    });
    status.set_message(format!("{} ({} cards)", words.join(", "), row.cards));
    status.set_description(shown.collect::<Vec<_>>().join("\n\n"));
    status
}

/// Writes the cards that were found to a folder, each under what it shows.
pub(super) fn cards(outcome: &mut Outcome, folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut names: Vec<String> = Vec::new();
    for found in &mut outcome.found {
        let rule = found.rule.map_or("valid", |rule| rule.id);
        let base = format!("{}-{rule}", found.kind.words().replace(' ', "-"));
        let before = names.iter().filter(|name| **name == base).count();
        let name = if before == 0 { format!("{base}.json") } else { format!("{base}-{}.json", before + 1) };
        names.push(base);
        let path = folder.join(name);
        std::fs::write(&path, &found.bytes)?;
        found.file = Some(path);
    }
    Ok(())
}
