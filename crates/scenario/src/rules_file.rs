//! The list of rules: `rules:` with an entry `{ id, level, statement, source, fix, needs, standing, since }` for each.

use crate::model::RuleEntry;
use crate::node::{FileError, Node};
use crate::read::Fields;

/// What is older than rule sets belongs to the first.
const FIRST_RULESET: u32 = 1;

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
    let fields =
        Fields::of(node, "a rule", &["id", "level", "statement", "source", "fix", "needs", "standing", "since"])?;
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
        since: fields
            .map("since", |node| node.integer(1, 10_000).map(|set| u32::try_from(set).unwrap_or(u32::MAX)))?
            .unwrap_or(FIRST_RULESET),
        fix: fields.map("fix", |node| node.words().map(str::to_owned))?.unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Vec<RuleEntry>, String> {
        crate::yaml::parse("rules.yaml", text).and_then(|node| read(&node)).map_err(|error| error.to_string())
    }

    #[test]
    fn needs_and_standing_may_be_left_out() {
        let text = "rules:\n- { id: a, level: must, statement: Do., source: spec §1 }\n\
                    - { id: b, level: hardened, statement: Do not., source: seed, needs: [streaming], standing: true, since: 2, fix: Stop. }";
        let rules = read_text(text).unwrap();
        assert_eq!((rules[0].needs.len(), rules[0].standing, rules[0].since), (0, false, 1));
        assert_eq!((rules[1].since, rules[1].fix.as_str()), (2, "Stop."));
        assert_eq!(rules[1].to_string(), "b (hardened): Do not.");
        assert_eq!((rules[1].needs.as_slice(), rules[1].standing), (&["streaming".to_owned()][..], true));
    }

    #[test]
    fn levels_are_closed_and_ids_single() {
        let rule = "{ id: a, level: must, statement: x, source: y }";
        assert_eq!(
            read_text(&format!("rules: [{rule}, {rule}]")).unwrap_err(),
            format!("rules.yaml:1:{}: the rule `a` is listed twice", 11 + rule.len())
        );
        assert_eq!(
            read_text("rules: [{ id: a, level: shoud, statement: x, source: y }]").unwrap_err(),
            "rules.yaml:1:25: `shoud` is not a level (did you mean `should`?)"
        );
    }
}
