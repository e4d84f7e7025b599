//! `cut-connection`: streams are broken off in the middle of an item, and the connection with them.

use gauntlet_scenario::{Fields, FileError, Node};

use crate::{BreakOff, BytesAction, BytesView, Claim, Fault, FaultKind, Stage};

pub(crate) const KIND: FaultKind = FaultKind {
    id: "cut-connection",
    summary: "Streams are broken off in the middle of an item, while the task goes on.",
    stages: &[Stage::BytesWritten],
    arguments: &[
        ("after", "integer, at least 1: how many items go out whole"),
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
    how: BreakOff,
}

fn build(arguments: &Node) -> Result<Box<dyn Fault>, FileError> {
    let fields = Fields::of(arguments, "`cut-connection`", &["after", "how"])?;
    let ways = [("reset", BreakOff::Reset), ("close", BreakOff::Close)];
    Ok(Box::new(CutConnection {
        after: fields.required("after")?.count(1, u32::MAX)?,
        how: fields.map("how", |node| node.one_of("a way to break off", &ways))?.unwrap_or(BreakOff::Reset),
    }))
}

impl Fault for CutConnection {
    fn on_bytes(&self, bytes: &mut BytesView<'_>) -> Option<BytesAction> {
        if !bytes.call.operation.is_streaming() || bytes.index < self.after {
            return None;
        }
        let mut whole = bytes.pieces.concat();
        whole.truncate(whole.len() / 2);
        *bytes.pieces = vec![whole];
        Some(BytesAction::BreakOff(self.how))
    }

    fn claims(&self) -> Vec<Claim> {
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
    fn something_has_to_go_out_whole() {
        assert_eq!(refusal("[cut-connection: { after: 0 }]"), "t.yaml:1:27: 0 is not from 1 to 4294967295");
    }
}
