//! Then: what must have come of it. The first of these steps freezes the evidence.
//!
//! Frameworks that hide task states report `returned` or `raised`: they are held only to whether the caller was told of
//! a failure. Reasons and warnings are expected only of drivers that report them.

use cucumber::then;
use gauntlet_evidence::{Evidence, Exchange, Judgement, Outcome, Request, Status, Support};
use gauntlet_verdict::oracle;

use super::params::{Bindings, StatusWord};
use crate::Scene;

/// The delegation ends in that status.
#[then(expr = "the delegation ends as {status}")]
async fn ends_as(scene: &mut Scene, expected: StatusWord) {
    let expected = expected.0;
    let Some((evidence, outcome)) = seen(scene).await else { return };
    let fits = match outcome.status {
        status if status == expected => true,
        Status::Returned => expected.is_success(),
        Status::Raised => !expected.is_success(),
        _ => false,
    };
    if !fits {
        let entries = work_entries(&evidence);
        scene.unmet(format!("the delegation ends as {expected}"), reported(&outcome), entries);
    }
}

/// The caller got an answer that contains this text.
#[then(expr = "the answer is {string}")]
async fn answer_is(scene: &mut Scene, expected: String) {
    let Some((evidence, outcome)) = seen(scene).await else { return };
    let answer = answer(&outcome);
    if !answer.contains(&expected) {
        let entries = work_entries(&evidence);
        scene.unmet(format!("the answer is \"{expected}\""), format!("the answer is \"{answer}\""), entries);
    }
}

/// The caller got no answer that contains this text: it belongs to a failure.
#[then(expr = "{string} is not given as an answer")]
async fn not_an_answer(scene: &mut Scene, text: String) {
    let Some((evidence, outcome)) = seen(scene).await else { return };
    if outcome.status.is_success() && answer(&outcome).contains(&text) {
        let entries = work_entries(&evidence);
        scene.unmet(format!("\"{text}\" is not given as an answer"), reported(&outcome), entries);
    }
}

/// The caller was told that the work was not done.
#[then(expr = "the caller is told of a failure")]
async fn told_of_failure(scene: &mut Scene) {
    let Some((evidence, outcome)) = seen(scene).await else { return };
    if outcome.status.is_success() {
        let entries = work_entries(&evidence);
        scene.unmet("the caller is told of a failure", reported(&outcome), entries);
    }
}

/// The work reached no peer, and the caller was told so.
#[then(expr = "the delegation is refused before dispatch")]
async fn refused(scene: &mut Scene) {
    refused_before_dispatch(scene, "the delegation is refused before dispatch").await;
}

/// The work reached no peer, and the caller was given that reason.
#[then(expr = "the delegation is refused before dispatch as {word}")]
async fn refused_as(scene: &mut Scene, code: String) {
    let expected = format!("the delegation is refused before dispatch as {code}");
    if refused_before_dispatch(scene, &expected).await {
        expect_reason(scene, &expected, |reason| reason.code == code).await;
    }
}

/// The reason names that capability.
#[then(expr = "the refusal names {word}")]
async fn names_capability(scene: &mut Scene, capability: String) {
    let expected = format!("the refusal names {capability}");
    expect_reason(scene, &expected, |reason| reason.capability.as_deref() == Some(&capability)).await;
}

/// The reason names that capability and that binding.
#[then(expr = "the refusal names {word} and {bindings}")]
async fn names_both(scene: &mut Scene, capability: String, bindings: Bindings) {
    let expected = format!("the refusal names {capability} and {}", bindings.0[0]);
    expect_reason(scene, &expected, |reason| {
        reason.capability.as_deref() == Some(&capability) && reason.binding == Some(bindings.0[0])
    })
    .await;
}

/// A reason with that code is given.
#[then(expr = "the reason is {word}")]
async fn reason_is(scene: &mut Scene, code: String) {
    expect_reason(scene, &format!("the reason is {code}"), |reason| reason.code == code).await;
}

/// A warning with that code is given.
#[then(expr = "a warning {word} is given")]
async fn warned(scene: &mut Scene, code: String) {
    let Some((evidence, outcome)) = seen(scene).await else { return };
    let reports = evidence.hello.supports(Support::Reasons);
    if reports && !outcome.warnings.iter().any(|warning| warning.code == code) {
        let given: Vec<&str> = outcome.warnings.iter().map(|warning| warning.code.as_str()).collect();
        let why =
            if given.is_empty() { "no warning is given".to_owned() } else { format!("given: {}", given.join(", ")) };
        scene.unmet(format!("a warning {code} is given"), why, work_entries(&evidence));
    }
}

/// The peer is handed the work of the last delegation exactly once.
#[then(expr = "{string} receives the work once")]
async fn receives_once(scene: &mut Scene, name: String) {
    expect_dispatches(scene, &name, &format!("\"{name}\" receives the work once"), 1, None).await;
}

/// The peer is handed the work of the last delegation exactly once, over one of these bindings.
#[then(expr = "{string} receives the work once over {bindings}")]
async fn receives_once_over(scene: &mut Scene, name: String, bindings: Bindings) {
    let expected = format!("\"{name}\" receives the work once over {}", list(&bindings));
    expect_dispatches(scene, &name, &expected, 1, Some(bindings)).await;
}

/// The peer is not handed the work of the last delegation.
#[then(expr = "{string} receives no work")]
async fn receives_none(scene: &mut Scene, name: String) {
    expect_dispatches(scene, &name, &format!("\"{name}\" receives no work"), 0, None).await;
}

/// The peer sees no operation at all; its card may be read.
#[then(expr = "{string} is not called")]
async fn not_called(scene: &mut Scene, name: String) {
    let Some((evidence, _)) = seen(scene).await else { return };
    let exchanges = evidence.exchanges();
    let calls: Vec<_> = exchanges.iter().filter(|call| call.peer == name && call.request.operation.is_some()).collect();
    if !calls.is_empty() {
        let why = calls.iter().map(|call| call.request.to_string()).collect::<Vec<_>>().join(", ");
        let entries = calls.iter().map(|call| call.entry.seq).collect();
        scene.unmet(format!("\"{name}\" is not called"), why, entries);
    }
}

/// The peer is asked to cancel a task.
#[then(expr = "{string} is asked to cancel")]
async fn asked_to_cancel(scene: &mut Scene, name: String) {
    let Some((evidence, _)) = seen(scene).await else { return };
    if !(evidence.hello.supports(Support::Deadline) || evidence.hello.supports(Support::Cancel)) {
        return;
    }
    let cancels =
        |call: &Exchange<'_>| call.peer == name && call.request.operation == Some(gauntlet_wire::Operation::CancelTask);
    if !evidence.exchanges().iter().any(cancels) {
        let entries = work_entries(&evidence);
        scene.unmet(format!("\"{name}\" is asked to cancel"), "no CancelTask arrived", entries);
    }
}

/// The outcome is among those that the oracle derives from the facts of the peers.
#[then(expr = "the outcome is one that the facts permit")]
async fn permitted(scene: &mut Scene) {
    let delegation = scene.last_delegation();
    let Some(case) = scene.case().await else { return };
    if let Judgement::Broken { why, entries } = oracle::judge(case, &delegation) {
        scene.unmet("the outcome is one that the facts permit", why, entries);
    }
}

/// The evidence and the last outcome.
async fn seen(scene: &mut Scene) -> Option<(Evidence, Outcome)> {
    let evidence = scene.case().await?.evidence.clone();
    let outcome = scene.outcome()?.clone();
    Some((evidence, outcome))
}

async fn refused_before_dispatch(scene: &mut Scene, expected: &str) -> bool {
    let delegation = scene.last_delegation();
    let Some((evidence, outcome)) = seen(scene).await else { return false };
    let exchanges = evidence.exchanges();
    let dispatches: Vec<_> = dispatches(&exchanges, &delegation).collect();
    if !dispatches.is_empty() {
        let why = requests(&dispatches);
        scene.unmet(expected, why, dispatches.iter().map(|call| call.entry.seq).collect());
        return false;
    }
    let told = matches!(outcome.status, Status::Refused | Status::Failed | Status::Raised);
    if !told {
        scene.unmet(expected, reported(&outcome), Vec::new());
    }
    told
}

async fn expect_reason(scene: &mut Scene, expected: &str, fits: impl Fn(&gauntlet_evidence::contract::Reason) -> bool) {
    let Some((evidence, outcome)) = seen(scene).await else { return };
    if !evidence.hello.supports(Support::Reasons) || outcome.reason.as_ref().is_some_and(fits) {
        return;
    }
    let why = match &outcome.reason {
        Some(reason) => format!("the reason is {}", serde_json::to_string(reason).unwrap_or_default()),
        None => format!("{}, without a reason", reported(&outcome)),
    };
    let entries = work_entries(&evidence);
    scene.unmet(expected, why, entries);
}

async fn expect_dispatches(scene: &mut Scene, name: &str, expected: &str, times: usize, over: Option<Bindings>) {
    let delegation = scene.last_delegation();
    let Some((evidence, outcome)) = seen(scene).await else { return };
    let exchanges = evidence.exchanges();
    let there: Vec<_> = dispatches(&exchanges, &delegation).filter(|call| call.peer == name).collect();
    // A call that was refused as a whole began nothing: it is no delivery of the work.
    let taken: Vec<_> = there.iter().copied().filter(|call| call.error().is_none()).collect();
    let right_binding = |call: &&Exchange<'_>| {
        over.as_ref().is_none_or(|over| call.request.binding.is_some_and(|binding| over.0.contains(&binding)))
    };
    let counted = if times == 0 { &there } else { &taken };
    if counted.len() != times || !counted.iter().all(right_binding) {
        let why =
            if there.is_empty() { format!("no dispatch arrived; {}", reported(&outcome)) } else { requests(&there) };
        scene.unmet(expected, why, there.iter().map(|call| call.entry.seq).collect());
    }
}

fn dispatches<'a>(exchanges: &'a [Exchange<'a>], delegation: &'a str) -> impl Iterator<Item = &'a Exchange<'a>> {
    exchanges
        .iter()
        .filter(move |call| call.request.class.is_dispatch() && call.request.class.delegation() == Some(delegation))
}

/// `1 dispatch: SendMessage over GRPC (entry 4)`.
fn requests(calls: &[&Exchange<'_>]) -> String {
    let each: Vec<String> =
        calls.iter().map(|call| format!("{} (entry {})", shown(call.request), call.entry.seq)).collect();
    let noun = if calls.len() == 1 { "dispatch" } else { "dispatches" };
    format!("{} {noun}: {}", calls.len(), each.join(", "))
}

fn shown(request: &Request) -> String {
    match (request.operation, request.binding) {
        (Some(operation), Some(binding)) => format!("{operation} over {binding}"),
        _ => format!("{} {}", request.method, request.path),
    }
}

/// Where the work went, for findings about outcomes.
fn work_entries(evidence: &Evidence) -> Vec<u64> {
    evidence
        .exchanges()
        .iter()
        .filter(|call| call.request.operation.is_some())
        .flat_map(|call| std::iter::once(call.entry.seq).chain(call.frames.last().map(|(entry, _)| entry.seq)))
        .collect()
}

fn reported(outcome: &Outcome) -> String {
    let detail = outcome
        .text
        .clone()
        .filter(|text| !text.is_empty())
        .or_else(|| outcome.error.as_ref().map(|error| format!("{}: {}", error.kind, error.message)));
    match detail {
        Some(detail) => format!("reported as {}: {detail}", outcome.status),
        None => format!("reported as {}", outcome.status),
    }
}

/// What the caller was given: the text, or the text of the artifacts.
fn answer(outcome: &Outcome) -> String {
    let artifacts = outcome.artifacts.iter().flatten();
    let texts = artifacts
        .filter_map(|artifact| artifact.get("parts").and_then(serde_json::Value::as_array))
        .flatten()
        .filter_map(|part| part.get("text").and_then(serde_json::Value::as_str));
    let mut answer: String = texts.collect();
    if let Some(text) = &outcome.text
        && !answer.contains(text.as_str())
    {
        answer.push_str(text);
    }
    answer
}

fn list(bindings: &Bindings) -> String {
    bindings.0.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ")
}
