//! `gauntlet probe`: what an agent really serves, as a table.

use gauntlet_audit::{Observed, Seen};
use gauntlet_report::wrap_hanging;
use gauntlet_wire::Operation;

use crate::diagnostics::Failure;
use crate::exit::Exit;
use crate::live::{self, Look, ProbeArgs, word};
use crate::output;

/// So many interfaces stand side by side.
const COLUMNS: usize = 3;

/// Looks at an agent and prints what it serves.
pub(crate) fn probe(args: &ProbeArgs) -> Result<Exit, Failure> {
    let look = live::look(&args.look)?;
    output::out(&if args.json {
        format!("{:#}\n", live::json(&look))
    } else {
        render(&look, output::stdout_style().width)
    });
    let fine = look.passes() && !look.observed.interfaces.is_empty();
    Ok(if fine { Exit::Fine } else { Exit::Findings })
}

fn render(look: &Look, width: usize) -> String {
    let mut text = format!("{}\n", look.observed.fetched.url);
    let mut line = |line: &str, hang: usize| {
        for line in wrap_hanging(line, width, hang) {
            text.push_str(&format!("{line}\n"));
        }
    };
    for (index, seen) in look.observed.interfaces.iter().enumerate() {
        let listed = &seen.listed;
        let tenant = listed.tenant.as_ref().map(|tenant| format!(", tenant {tenant}")).unwrap_or_default();
        let what = format!(
            "  [{index}] {:10} {} (A2A {}{tenant})",
            listed.protocol_binding, listed.url, listed.protocol_version
        );
        line(&what, 6);
        if let Some(why) = seen.not_dialled() {
            line(&format!("      not dialled: {why}"), 19);
        }
    }
    if look.observed.fetched.bytes.is_some() && look.observed.interfaces.is_empty() {
        text.push_str("  no interface is listed: `gauntlet card validate` says what is wrong with the card\n");
    }
    text.push_str(&table(&look.observed));
    text.push_str(&answers(&look.observed, width));
    for (at, (outcome, why)) in look.broken().enumerate() {
        if at == 0 {
            text.push('\n');
        }
        let sign = if outcome.check.severity == gauntlet_card::Severity::Error { "✗" } else { "!" };
        let said = format!("{sign} {:4} {}: {why}", Look::place(outcome), outcome.check.id);
        for line in wrap_hanging(&said, width, 7) {
            text.push_str(&format!("{line}\n"));
        }
    }
    text
}

fn table(observed: &Observed) -> String {
    let mut text = String::new();
    for (block, several) in observed.interfaces.chunks(COLUMNS).enumerate() {
        let heads = (0..several.len()).map(|index| format!("  {:13}", format!("[{}]", block * COLUMNS + index)));
        text.push_str(format!("\n{:32}{}", "", heads.collect::<String>()).trim_end());
        text.push('\n');
        for operation in Operation::ALL {
            let cells = several.iter().map(|seen| format!("  {:13}", cell(seen, operation)));
            text.push_str(format!("{:32}{}", operation.name(), cells.collect::<String>()).trim_end());
            text.push('\n');
        }
    }
    text
}

fn cell(seen: &Seen, operation: Operation) -> &'static str {
    match seen.answer(operation) {
        _ if seen.not_dialled().is_some() => "not dialled",
        Some(answer) => word(answer),
        None => "not tried",
    }
}

/// The words of what was answered otherwise than by serving it; those of one answer together.
fn answers(observed: &Observed, width: usize) -> String {
    let mut text = String::new();
    for (index, seen) in observed.interfaces.iter().enumerate() {
        let mut said: Vec<(Vec<&str>, String)> = Vec::new();
        for (operation, answer) in seen.calls.iter().filter(|(_, answer)| word(answer) != "served") {
            // Some servers repeat the name of what was called.
            let words = answer.words.replace(operation.name(), "…");
            match said.iter_mut().find(|(_, known)| *known == words) {
                Some((names, _)) => names.push(operation.name()),
                None => said.push((vec![operation.name()], words)),
            }
        }
        for (names, words) in said {
            if text.is_empty() {
                text.push('\n');
            }
            let what =
                if names.len() > 1 && names.len() == seen.calls.len() { "all".to_owned() } else { names.join(", ") };
            for line in wrap_hanging(&format!("  [{index}] {what}: {words}"), width, 6) {
                text.push_str(&format!("{line}\n"));
            }
        }
    }
    text
}
