//! What was observed of an agent, as JSON.

use gauntlet_audit::{Answer, Outcome, Seen, Verdict};
use gauntlet_wire::Operation;
use serde_json::{Map, Value, json};

use super::{Look, word};

/// What was observed, and what each check says of it.
pub(crate) fn json(look: &Look) -> Value {
    json!({
        "pass": look.passes(),
        "asked": look.observed.fetched.asked,
        "interfaces": look.observed.interfaces.iter().map(interface).collect::<Vec<_>>(),
        "checks": look.outcomes.iter().map(check).collect::<Vec<_>>(),
    })
}

fn interface(seen: &Seen) -> Value {
    let operations: Map<String, Value> = Operation::ALL
        .into_iter()
        .filter_map(|operation| seen.answer(operation).map(|answer| (operation, answer)))
        .map(|(operation, answer)| (operation.name().to_owned(), called(answer)))
        .collect();
    json!({
        "path": seen.listed.pointer,
        "url": seen.listed.url,
        "protocolBinding": seen.listed.protocol_binding,
        "protocolVersion": seen.listed.protocol_version,
        "tenant": seen.listed.tenant,
        "notDialled": seen.not_dialled(),
        "operations": operations,
    })
}

fn called(answer: &Answer) -> Value {
    json!({ "is": word(answer), "answer": answer.words })
}

fn check(outcome: &Outcome) -> Value {
    let (result, why) = match &outcome.verdict {
        Verdict::Upheld => ("upheld", None),
        Verdict::Broken(why) => ("broken", Some(why)),
        Verdict::NotChecked(why) => ("not-checked", Some(why)),
        Verdict::Moot(why) => ("not-applicable", Some(why)),
    };
    json!({
        "id": outcome.check.id,
        "interface": outcome.interface,
        "severity": outcome.check.severity.word(),
        "result": result,
        "why": why,
    })
}
