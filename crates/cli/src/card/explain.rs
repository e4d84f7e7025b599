//! `gauntlet card validate --explain`: what a rule demands, why, and how to mend what breaks it.

use gauntlet_card::{Callers, Editions, Layer, Mutation, Rule};
use gauntlet_report::wrap_hanging;
use gauntlet_scenario::suggest::closest;

use crate::diagnostics::Failure;
use crate::exit::Exit;
use crate::output;

/// How wide the words before the text are.
const LABEL: usize = 12;

/// Prints a rule, or the list of them.
pub(crate) fn explain(id: &str) -> Result<Exit, Failure> {
    if id == "all" {
        output::out(&list());
        return Ok(Exit::Fine);
    }
    let Some(rule) = Rule::find(id) else {
        let help = match closest(id, Rule::all().map(|rule| rule.id)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`--explain all` lists them".to_owned(),
        };
        return Err(Failure::Usage(format!("there is no rule `{id}` of cards; {help}")));
    };
    output::out(&page(rule, output::stdout_style().width));
    Ok(Exit::Fine)
}

fn list() -> String {
    let mut text = String::new();
    for layer in Layer::ALL {
        text.push_str(&format!("{layer}\n"));
        for rule in Rule::all().filter(|rule| rule.layer == layer) {
            text.push_str(&format!("  {:36}  {:8} {}\n", rule.id, rule.severity, rule.statement));
        }
    }
    text
}

/// All there is to know of a rule.
pub(crate) fn page(rule: &Rule, width: usize) -> String {
    let mut text = format!("{} ({}, layer {})\n", rule.id, rule.severity, rule.layer);
    for line in wrap_hanging(&format!("  {}", rule.statement), width, 2) {
        text.push_str(&format!("{line}\n"));
    }
    text.push('\n');
    let editions = match rule.editions {
        Editions::All => "all editions",
        Editions::Current => "A2A 1.0",
        Editions::Legacy => "A2A 0.3 and 0.2",
    };
    let callers = match rule.callers {
        Callers::Refuse => "with `--for consume` just as at publication",
        Callers::Warned => "with `--for consume` a warning",
        Callers::Ignore => "at publication only",
    };
    let breaks = Mutation::all().filter(|mutation| mutation.rule.id == rule.id);
    let breaks = breaks.map(|mutation| mutation.name()).collect::<Vec<_>>().join(", ");
    let example = format!("gauntlet card generate --count 1 --only {}", rule.id);
    let example = if breaks.is_empty() { "" } else { example.as_str() };
    for (label, words) in [
        ("why", rule.why),
        ("mend", rule.fix),
        ("source", rule.source),
        ("holds in", editions),
        ("weighs", callers),
        ("broken by", &breaks),
        ("example", example),
    ] {
        if words.is_empty() {
            continue;
        }
        for line in wrap_hanging(&format!("  {label:LABEL$}{words}"), width, LABEL + 2) {
            text.push_str(&format!("{line}\n"));
        }
    }
    text
}
