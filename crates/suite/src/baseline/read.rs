//! The YAML of a baseline: `entries:`, each with `rule` and `reason`, and optionally `scenarios`, `owner`, `expires` and
//! `flaky`.

use gauntlet_scenario::suggest::closest;
use gauntlet_scenario::{Fields, FileError, Node, yaml};
use gauntlet_wire::Binding;
use jiff::civil::Date;

use super::{EXPECTATION, Entry};

/// Reads the entries; `rules` are those that there are.
pub(super) fn entries(file: &str, text: &str, rules: &[&str]) -> Result<Vec<Entry>, FileError> {
    let node = yaml::parse(file, text)?;
    let fields = Fields::of(&node, "a baseline", &["entries"])?;
    fields.required("entries")?.list()?.iter().map(|node| entry(node, rules)).collect()
}

fn entry(node: &Node, rules: &[&str]) -> Result<Entry, FileError> {
    let fields = Fields::of(node, "an entry", &["rule", "scenarios", "reason", "owner", "expires", "flaky"])?;
    let (rule, binding) = listed(fields.required("rule")?, rules)?;
    let words = |node: &Node| node.words().map(str::to_owned);
    let scenarios = fields.map("scenarios", |node| match node.one_or_more() {
        [] => Err(node.error("no scenario is listed").help("leave `scenarios` out to list the rule in every scenario")),
        names => names.iter().map(scenario).collect::<Result<Vec<_>, _>>(),
    })?;
    Ok(Entry {
        rule,
        binding,
        scenarios: scenarios.unwrap_or_default(),
        reason: words(fields.required("reason")?)?,
        owner: fields.map("owner", words)?,
        expires: fields.map("expires", date)?,
        flaky: fields.map("flaky", Node::boolean)?.unwrap_or_default(),
        place: node.place.clone(),
    })
}

/// `rule` or `rule@BINDING`.
fn listed(node: &Node, rules: &[&str]) -> Result<(String, Option<Binding>), FileError> {
    let text = node.words()?;
    let (rule, binding) = text.split_once('@').map_or((text, None), |(rule, binding)| (rule, Some(binding)));
    if rule != EXPECTATION && !rules.contains(&rule) {
        let help = match closest(rule, rules.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("`gauntlet list rules` shows them; `{EXPECTATION}` is what a scenario itself expects"),
        };
        return Err(node.error(format!("there is no rule `{rule}`")).help(help));
    }
    let binding = binding.map(|name| {
        let names: Vec<&str> = Binding::ALL.iter().map(|binding| binding.name()).collect();
        let help = || format!("after the `@` stands one of {}", names.join(", "));
        name.parse::<Binding>().map_err(|_| node.error(format!("`{name}` is not a binding")).help(help()))
    });
    Ok((rule.to_owned(), binding.transpose()?))
}

fn scenario(node: &Node) -> Result<String, FileError> {
    let name = node.words()?;
    match name.split_once('#') {
        Some((file, name)) if !file.is_empty() && !name.is_empty() => {
            Ok(format!("{}#{name}", file.trim_start_matches("./")))
        }
        _ => Err(node
            .error(format!("`{name}` is not a scenario"))
            .help("write its file, `#` and its name, such as `features/wire/healthy.feature#A healthy peer`")),
    }
}

fn date(node: &Node) -> Result<Date, FileError> {
    let text = node.text()?;
    let date = Some(text).filter(|text| text.len() == "2026-12-31".len()).and_then(|text| text.parse().ok());
    date.ok_or_else(|| node.error(format!("`{text}` is not a date")).help("write it as 2026-12-31"))
}
