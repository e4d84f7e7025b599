//! `cut-connection`: streams are broken off in the middle of an item, and the connection with them; or calls get no answer
//! but a reset.

use std::collections::BTreeSet;

use gauntlet_scenario::{Fields, FileError, Node};
use gauntlet_wire::Operation;

use crate::refuse_operation::operations;
use crate::{BreakOff, BytesAction, BytesView, Call, Claim, Fault, FaultKind, Instead, Stage};

pub(crate) const KIND: FaultKind = FaultKind {
    id: "cut-connection",
    summary: "Streams are broken off in the middle of an item, while the task goes on; or nothing is answered at all.",
    stages: &[Stage::OperationAdmitted, Stage::BytesWritten],
    arguments: &[
        (
            "after",
            "integer: how many items go out whole; with 0 nothing goes out, and nothing of the call is carried out",
        ),
        ("operation", "operation, list of operations, or \"*\": which calls; by default those that stream"),
        (
            "how",
            "reset: the connection is reset, with all that is on it (the default); close: it is closed without a word, over HTTP/2 the stream alone",
        ),
    ],
    build,
};

#[derive(Debug)]
struct CutConnection {
    after: u32,
    operations: BTreeSet<Operation>,
    how: BreakOff,
}

fn build(arguments: &Node) -> Result<Box<dyn Fault>, FileError> {
    let fields = Fields::of(arguments, "`cut-connection`", &["after", "operation", "how"])?;
    let ways = [("reset", BreakOff::Reset), ("close", BreakOff::Close)];
    let streaming = || Operation::ALL.into_iter().filter(|operation| operation.is_streaming()).collect();
    let after = fields.required("after")?.count(0, u32::MAX)?;
    let operations = fields.map("operation", operations)?.unwrap_or_else(streaming);
    // What has one item has no second to cut.
    if let (1.., Some(operation)) = (after, operations.iter().find(|operation| !operation.is_streaming())) {
        let why = format!("{operation} does not stream: nothing is left to cut after the first item");
        return Err(fields.required("after")?.error(why).help("write `after: 0`"));
    }
    let how = fields.map("how", |node| match node.one_of("a way to break off", &ways)? {
        BreakOff::Close if after == 0 => Err(node.error("before anything goes out the connection can only be reset")),
        how => Ok(how),
    })?;
    Ok(Box::new(CutConnection { after, operations, how: how.unwrap_or(BreakOff::Reset) }))
}

impl Fault for CutConnection {
    fn on_operation(&self, call: &Call) -> Option<Instead> {
        (self.after == 0 && self.operations.contains(&call.operation)).then_some(Instead::Reset)
    }

    fn on_bytes(&self, bytes: &mut BytesView<'_>) -> Option<BytesAction> {
        if !self.operations.contains(&bytes.call.operation) || bytes.index < self.after {
            return None;
        }
        let mut whole = bytes.pieces.concat();
        whole.truncate(whole.len() / 2);
        *bytes.pieces = vec![whole];
        Some(BytesAction::BreakOff(self.how))
    }

    fn claims(&self) -> Vec<Claim> {
        if self.after == 0 {
            return self.operations.iter().copied().map(Claim::Answer).collect();
        }
        vec![Claim::StreamEnd]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{call, refusal, set, written};
    use crate::{BytesOutcome, WireFraming};
    use gauntlet_wire::{Binding, Operation};

    #[test]
    fn the_item_after_so_many_is_cut_in_half() {
        let set = set("[cut-connection: { after: 1 }]");
        let stream = call(Binding::JsonRpc, Operation::SendStreamingMessage);
        let write = |index| written(&set, &stream, WireFraming::Event, index, false, "data: whole\n\n");
        assert_eq!(write(0), (BytesOutcome::Send, vec!["data: whole\n\n".to_owned()]));
        assert_eq!(write(1), (BytesOutcome::BreakOff(BreakOff::Reset), vec!["data: ".to_owned()]));
    }

    #[test]
    fn answers_that_are_no_streams_are_left_alone() {
        let set = set("[cut-connection: { after: 1, how: close }]");
        let get = call(Binding::JsonRpc, Operation::GetTask);
        assert_eq!(written(&set, &get, WireFraming::Body, 0, true, "{}").0, BytesOutcome::Send);
        assert_eq!(written(&set, &get, WireFraming::Body, 1, true, "{}").0, BytesOutcome::Send);
    }

    #[test]
    fn calls_get_no_answer_where_nothing_may_go_out() {
        let set = set("[cut-connection: { after: 0, operation: [GetTask, SubscribeToTask] }]");
        for operation in [Operation::GetTask, Operation::SubscribeToTask] {
            assert_eq!(set.refuse(&call(Binding::Grpc, operation)).unwrap().0, Instead::Reset);
        }
        assert_eq!(set.refuse(&call(Binding::Grpc, Operation::SendStreamingMessage)), None);
    }

    #[test]
    fn arguments_that_are_wrong() {
        let shown = [
            "[cut-connection: { operation: GetTask }]",
            "[cut-connection: { after: 1, operation: GetTask }]",
            "[cut-connection: { after: 0, how: close }]",
        ];
        insta::assert_snapshot!(shown.map(refusal).join("\n"));
    }
}
