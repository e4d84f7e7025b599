//! `gauntlet steps`: what can be said in a scenario.

use gauntlet_report::wrap_hanging;
use gauntlet_suite::steps::{Pattern, patterns};
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::output;

/// Prints every step with its meaning, in the order of the sources.
pub(crate) fn steps(as_json: bool) -> Exit {
    let steps = patterns();
    let text = if as_json {
        let values: Vec<Value> = steps
            .iter()
            .map(|step| json!({"keyword": keyword(step), "step": step.text, "meaning": step.meaning}))
            .collect();
        format!("{:#}\n", Value::Array(values))
    } else {
        let style = output::stdout_style();
        steps.iter().map(|step| shown(step, style.width)).collect::<String>() + ARGUMENTS
    };
    output::out(&text);
    Exit::Fine
}

const ARGUMENTS: &str = "
{string}    words in double quotes
{word}      one word without quotes
{int}       a whole number
{bindings}  JSONRPC, GRPC, HTTP+JSON, or several: GRPC and JSONRPC
{status}    completed, refused, failed, rejected, canceled, input-required,
            auth-required, timed-out
A step that ends in a colon takes YAML between \"\"\" below it.
";

fn keyword(step: &Pattern) -> String {
    format!("{:?}", step.kind)
}

fn shown(step: &Pattern, width: usize) -> String {
    let mut text = format!("{:5} {}\n", keyword(step), step.text);
    for line in wrap_hanging(&format!("      {}", step.meaning), width, 6) {
        text.push_str(&format!("{line}\n"));
    }
    text
}
