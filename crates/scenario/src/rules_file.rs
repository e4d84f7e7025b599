//! The list of rules: `rules:` with an entry `{ id, level, statement, source, needs, standing }` for each.

use crate::model::RuleEntry;
use crate::node::{FileError, Node};
use crate::read::Fields;

const LEVELS: &[(&str, &str)] = &[("must", "must"), ("should", "should"), ("hardened", "hardened")];

/// Reads the list.
///
/// # Errors
/// When it has unknown keys or levels, or an id twice.
pub(crate) fn read(node: &Node) -> Result<Vec<RuleEntry>, FileError> {
    let fields = Fields::of(node, "the list of rules", &["rules"])?;
    let mut rules: Vec<RuleEntry> = Vec::new();
    for item in fields.required("rules")?.list()? {
        let rule = entry(item)?;
        if rules.iter().any(|known| known.id == rule.id) {
            return Err(item.error(format!("the rule `{}` is listed twice", rule.id)));
        }
        rules.push(rule);
    }
    Ok(rules)
}

fn entry(node: &Node) -> Result<RuleEntry, FileError> {
    let fields = Fields::of(node, "a rule", &["id", "level", "statement", "source", "needs", "standing"])?;
    let words = |key| fields.required(key)?.words().map(str::to_owned);
    Ok(RuleEntry {
        id: words("id")?,
        level: fields.required("level")?.one_of("a level", LEVELS)?.to_owned(),
        statement: words("statement")?,
        source: words("source")?,
        needs: fields
            .map("needs", |node| {
                node.list()?.iter().map(|item| item.words().map(str::to_owned)).collect::<Result<Vec<_>, _>>()
            })?
            .unwrap_or_default(),
        standing: fields.map("standing", Node::boolean)?.unwrap_or_default(),
    })
}
