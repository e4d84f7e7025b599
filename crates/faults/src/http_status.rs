//! `http-status`: calls are answered with a status of HTTP alone, as a gateway or another server would.

use std::collections::BTreeSet;

use gauntlet_scenario::{Fields, FileError, Node};
use gauntlet_wire::Operation;

use crate::refuse_operation::operations;
use crate::{Call, Claim, Fault, FaultKind, Instead, Stage};

pub(crate) const KIND: FaultKind = FaultKind {
    id: "http-status",
    summary: "Calls are answered with a bare HTTP status, without anything of their binding.",
    stages: &[Stage::OperationAdmitted],
    arguments: &[
        ("code", "integer from 400 to 599: the status"),
        ("operation", "operation, list of operations, or \"*\": which calls; all by default"),
        ("headers", "mapping: further headers of the answer"),
    ],
    build,
};

#[derive(Debug)]
struct HttpStatus {
    code: u16,
    operations: BTreeSet<Operation>,
    headers: Vec<(String, String)>,
}

fn build(arguments: &Node) -> Result<Box<dyn Fault>, FileError> {
    let fields = Fields::of(arguments, "`http-status`", &["code", "operation", "headers"])?;
    let code = fields.required("code")?.count(400, 599)?;
    Ok(Box::new(HttpStatus {
        code: u16::try_from(code).unwrap_or(500),
        operations: fields.map("operation", operations)?.unwrap_or_else(|| Operation::ALL.into_iter().collect()),
        headers: fields.map("headers", headers)?.unwrap_or_default(),
    }))
}

fn headers(node: &Node) -> Result<Vec<(String, String)>, FileError> {
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let read = |(name, place, value): &(String, gauntlet_scenario::Place, Node)| {
        if !is_name(name) {
            return Err(place.error(format!("`{name}` is not the name of a header")));
        }
        match value.words()? {
            text if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) => {
                Ok((name.to_ascii_lowercase(), text.to_owned()))
            }
            _ => Err(value.error("the value of a header is one line of ASCII")),
        }
    };
    node.entries()?.iter().map(read).collect()
}

impl Fault for HttpStatus {
    fn on_operation(&self, call: &Call) -> Option<Instead> {
        let instead = || Instead::Http { status: self.code, headers: self.headers.clone() };
        self.operations.contains(&call.operation).then(instead)
    }

    fn claims(&self) -> Vec<Claim> {
        self.operations.iter().copied().map(Claim::Answer).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{call, refusal, set};
    use gauntlet_wire::Binding;

    #[test]
    fn the_chosen_calls_are_answered_by_http_alone() {
        let set = set("[http-status: { code: 405, operation: GetTask, headers: { Allow: \"GET, HEAD\" } }]");
        let headers = vec![("allow".to_owned(), "GET, HEAD".to_owned())];
        for binding in Binding::ALL {
            let (refused, _) = set.refuse(&call(binding, Operation::GetTask)).unwrap();
            assert_eq!(refused, Instead::Http { status: 405, headers: headers.clone() });
            assert_eq!(set.refuse(&call(binding, Operation::ListTasks)), None);
        }
    }

    #[test]
    fn arguments_that_are_wrong() {
        let shown = [
            "[http-status]",
            "[http-status: { code: 200 }]",
            "[http-status: { code: 503, operation: all }]",
            "[http-status: { code: 503, headers: { \"a b\": c } }]",
            "[http-status: { code: 503, headers: { Retry-After: 1 } }]",
        ]
        .map(refusal)
        .join("\n");
        insta::assert_snapshot!(shown);
    }
}
