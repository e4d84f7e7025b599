//! `refuse-operation`: operations are answered as if they did not exist, or with an error of the A2A table.

use std::collections::{BTreeMap, BTreeSet};

use gauntlet_scenario::{Fields, FileError, Node, NodeKind, suggest, words};
use gauntlet_wire::error::GRPC_CODES;
use gauntlet_wire::{A2aError, Binding, ErrorKind, Operation};

use crate::{Call, Claim, Fault, FaultKind, Instead, Refusal, Stage};

pub(crate) const KIND: FaultKind = FaultKind {
    id: "refuse-operation",
    summary: "Operations are refused before anything of them is carried out.",
    stages: &[Stage::OperationAdmitted],
    arguments: &[
        ("operation", "operation, list of operations, or \"*\": which are refused"),
        (
            "as",
            "error of the A2A table, or for each binding that or the binding's own code; by default the binding's answer to a method it does not know",
        ),
    ],
    build,
};

#[derive(Debug)]
struct RefuseOperation {
    operations: BTreeSet<Operation>,
    answers: BTreeMap<Binding, Answer>,
}

#[derive(Debug, Clone, Copy)]
enum Answer {
    Kind(ErrorKind),
    Code(i64),
}

fn build(arguments: &Node) -> Result<Box<dyn Fault>, FileError> {
    let fields = Fields::of(arguments, "`refuse-operation`", &["operation", "as"])?;
    let operations = operations(fields.required("operation")?)?;
    let answers = fields.map("as", answers)?.unwrap_or_default();
    Ok(Box::new(RefuseOperation { operations, answers }))
}

/// An operation, a list of operations, or `*` for all.
pub(crate) fn operations(node: &Node) -> Result<BTreeSet<Operation>, FileError> {
    if node.text().is_ok_and(|text| text == "*") {
        return Ok(Operation::ALL.into_iter().collect());
    }
    node.one_or_more().iter().map(words::operation).collect()
}

fn answers(node: &Node) -> Result<BTreeMap<Binding, Answer>, FileError> {
    if matches!(node.kind, NodeKind::Str(_)) {
        let kind = error_kind(node)?;
        return Ok(Binding::ALL.into_iter().map(|binding| (binding, Answer::Kind(kind))).collect());
    }
    let entries = node.entries()?.iter().map(|(key, place, value)| {
        let key = Node { place: place.clone(), kind: NodeKind::Str(key.clone()) };
        let binding = words::binding(&key)?;
        Ok((binding, answer(binding, value)?))
    });
    entries.collect()
}

fn answer(binding: Binding, node: &Node) -> Result<Answer, FileError> {
    match (binding, &node.kind) {
        (Binding::JsonRpc, NodeKind::Int(_)) => node.integer(i32::MIN.into(), i32::MAX.into()).map(Answer::Code),
        (Binding::HttpJson, NodeKind::Int(_)) => node.integer(400, 599).map(Answer::Code),
        (Binding::Grpc, NodeKind::Int(_)) => node.integer(1, 16).map(Answer::Code),
        (Binding::Grpc, NodeKind::Str(text)) => match GRPC_CODES.iter().position(|name| name == text) {
            Some(0) => Err(node.error("OK is no refusal")),
            Some(code) => Ok(Answer::Code(i64::try_from(code).unwrap_or_default())),
            None => error_kind(node).map(Answer::Kind).map_err(|error| {
                let help = suggest::help_for(text, GRPC_CODES.into_iter().skip(1));
                FileError { message: format!("`{text}` is neither a gRPC status nor an A2A error"), ..error }.help(help)
            }),
        },
        _ => error_kind(node).map(Answer::Kind),
    }
}

fn error_kind(node: &Node) -> Result<ErrorKind, FileError> {
    let names: Vec<(String, ErrorKind)> = ErrorKind::all().map(|kind| (kind.to_string(), kind)).collect();
    let choices: Vec<(&str, ErrorKind)> = names.iter().map(|(name, kind)| (name.as_str(), *kind)).collect();
    node.one_of("an A2A error", &choices)
}

impl Fault for RefuseOperation {
    fn on_operation(&self, call: &Call) -> Option<Instead> {
        if !self.operations.contains(&call.operation) {
            return None;
        }
        let unknown = Answer::Code(unknown_method(call.binding));
        let refusal = match self.answers.get(&call.binding).copied().unwrap_or(unknown) {
            Answer::Kind(kind) => {
                let words = match kind {
                    ErrorKind::TaskNotFound => "there is no such task".to_owned(),
                    _ => format!("{} is not supported here", call.operation),
                };
                Refusal::A2a(A2aError::new(kind, words))
            }
            Answer::Code(code) => Refusal::Bare { code, message: words_for(call, code) },
        };
        Some(Instead::Refusal(refusal))
    }

    fn claims(&self) -> Vec<Claim> {
        self.operations.iter().copied().map(Claim::Answer).collect()
    }
}

fn unknown_method(binding: Binding) -> i64 {
    let kind = ErrorKind::MethodNotFound;
    match binding {
        Binding::JsonRpc => kind.jsonrpc_code(),
        Binding::Grpc => kind.grpc_code().into(),
        Binding::HttpJson => kind.http_status().into(),
    }
}

/// What servers say when a method is not there; plain words for every other code.
fn words_for(call: &Call, code: i64) -> String {
    if code != unknown_method(call.binding) {
        return format!("{} was refused", call.operation);
    }
    match call.binding {
        Binding::JsonRpc => "Method not found".to_owned(),
        Binding::Grpc => format!("unknown method {} for service lf.a2a.v1.A2AService", call.operation),
        Binding::HttpJson => "Not Found".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{call, fault, refusal, set};

    fn code(text: &str, binding: Binding) -> Option<i64> {
        match fault(text).unwrap().on_operation(&call(binding, Operation::SendStreamingMessage))? {
            Instead::Refusal(Refusal::Bare { code, .. } | Refusal::Later { code, .. }) => Some(code),
            Instead::Refusal(Refusal::A2a(error)) => Some(error.kind.jsonrpc_code()),
            Instead::Http { .. } | Instead::Reset | Instead::Denied(_) => None,
        }
    }

    #[test]
    fn each_binding_answers_in_its_own_way() {
        let text = "[refuse-operation: { operation: SendStreamingMessage, as: { GRPC: UNAVAILABLE, JSONRPC: -32099, HTTP+JSON: 405 } }]";
        assert_eq!(Binding::ALL.map(|binding| code(text, binding)), [Some(-32099), Some(14), Some(405)]);
    }

    #[test]
    fn without_a_code_the_method_is_unknown() {
        let text = "[refuse-operation: { operation: \"*\", as: { JSONRPC: UnsupportedOperation } }]";
        assert_eq!(Binding::ALL.map(|binding| code(text, binding)), [Some(-32004), Some(12), Some(404)]);
        let refused = fault(text).unwrap().on_operation(&call(Binding::Grpc, Operation::GetTask));
        let message = "unknown method GetTask for service lf.a2a.v1.A2AService".to_owned();
        assert_eq!(refused, Some(Instead::Refusal(Refusal::Bare { code: 12, message })));
    }

    #[test]
    fn other_operations_are_carried_out() {
        let set = set("[refuse-operation: { operation: [GetTask, ListTasks] }]");
        assert!(set.refuse(&call(Binding::Grpc, Operation::ListTasks)).is_some());
        assert!(set.refuse(&call(Binding::Grpc, Operation::SendMessage)).is_none());
    }

    #[test]
    fn only_the_first_calls_are_refused_where_that_is_said() {
        let set = set("[refuse-operation: { operation: GetTask, when: { first: 2 } }]");
        let refused = (1..5)
            .filter(|nth| set.refuse(&Call { nth: *nth, ..call(Binding::JsonRpc, Operation::GetTask) }).is_some());
        assert_eq!(refused.collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn arguments_that_are_wrong() {
        let shown = [
            "[refuse-operation]",
            "[refuse-operation: { operation: GetTsk }]",
            "[refuse-operation: { operation: GetTask, as: { GRPC: UNIMPLEMENTD } }]",
            "[refuse-operation: { operation: GetTask, as: { GRPC: OK } }]",
            "[refuse-operation: { operation: GetTask, as: { HTTP+JSON: 200 } }]",
            "[refuse-operation: { operation: GetTask, as: { JSONRPC: x } }]",
            "[refuse-operation: { operation: GetTask, as: { REST: 404 } }]",
            "[refuse-operation: { operation: GetTask, as: UnsupportedOp }]",
        ]
        .map(refusal)
        .join("\n");
        insta::assert_snapshot!(shown);
    }
}
