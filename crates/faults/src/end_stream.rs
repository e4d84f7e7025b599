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
