//! `end-stream`: streaming answers end cleanly after some frames, while the task goes on.

use gauntlet_scenario::{Fields, FileError, Node};

use crate::{Claim, Fault, FaultKind, FrameAction, FrameView, Stage};

pub(crate) const KIND: FaultKind = FaultKind {
    id: "end-stream",
    summary: "Streams end cleanly before the task does, which goes on.",
    stages: &[Stage::FrameEncoded],
    arguments: &[("after", "integer: how many frames are sent; 0 ends the stream before the first")],
    build,
};

#[derive(Debug)]
struct EndStream {
    after: u32,
}

fn build(arguments: &Node) -> Result<Box<dyn Fault>, FileError> {
    let fields = Fields::of(arguments, "`end-stream`", &["after"])?;
    Ok(Box::new(EndStream { after: fields.required("after")?.count(0, u32::MAX)? }))
}

impl Fault for EndStream {
    fn on_frame(&self, frame: &mut FrameView<'_>) -> Option<FrameAction> {
        // The last frame of a healthy stream says how the task stands: ending after it would be no departure.
        if !frame.call.operation.is_streaming() || frame.last {
            return None;
        }
        match self.after {
            0 => Some(FrameAction::EndBefore),
            after => (frame.index.saturating_add(1) >= after).then_some(FrameAction::EndAfter),
        }
    }

    fn claims(&self) -> Vec<Claim> {
        vec![Claim::StreamEnd]
    }
}

#[cfg(test)]
mod tests {
    use crate::FrameOutcome::{EndAfter, EndBefore, Send};
    use crate::testing::{call, outcomes, refusal, set};
    use gauntlet_wire::{Binding, Operation};

    #[test]
    fn a_stream_ends_after_so_many_frames() {
        let stream = call(Binding::JsonRpc, Operation::SendStreamingMessage);
        assert_eq!(outcomes(&set("[end-stream: { after: 2 }]"), &stream, 4), [Send, EndAfter, EndAfter, Send]);
        assert_eq!(outcomes(&set("[end-stream: { after: 0 }]"), &stream, 2), [EndBefore, Send]);
    }

    #[test]
    fn a_stream_that_says_all_is_left_alone() {
        let stream = call(Binding::Grpc, Operation::SubscribeToTask);
        assert_eq!(outcomes(&set("[end-stream: { after: 3 }]"), &stream, 3), [Send, Send, Send]);
        assert_eq!(outcomes(&set("[end-stream: { after: 1 }]"), &stream, 1), [Send]);
    }

    #[test]
    fn answers_that_are_no_streams_are_left_alone() {
        let set = set("[end-stream: { after: 0 }]");
        let view = call(Binding::JsonRpc, Operation::GetTask);
        let mut json = serde_json::json!({});
        let encoded = crate::Encoded::Json(&mut json);
        let (outcome, bites) = set.frame(&mut crate::FrameView { call: &view, index: 0, last: false, encoded });
        assert_eq!((outcome, bites.len()), (Send, 0));
    }

    #[test]
    fn after_is_a_count() {
        assert_eq!(refusal("[end-stream: { after: -1 }]"), "t.yaml:1:23: -1 is not from 0 to 4294967295");
        assert_eq!(refusal("[end-stream]"), "t.yaml:1:2: `end-stream` needs the key `after`");
    }
}
