//! The faults of one peer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use gauntlet_scenario::{AppliedDefect, FileError, Step};
use gauntlet_wire::Binding;
use gauntlet_wire::v1::{self, stream_response::Payload};
use serde_json::Value;

use crate::clash::{Side, reason};
use crate::gate::{Gate, mix};
use crate::{
    BreakOff, BytesAction, BytesView, Call, EventAction, EventView, Fault, FaultKind, FrameAction, FrameView, Instead,
    Listen, Stage, WebhookAction, WebhookView, catalogue,
};

/// The faults of one peer, each with the defect it belongs to and the conditions under which it bites. The default has
/// none.
#[derive(Debug, Default)]
pub struct FaultSet {
    faults: Vec<Active>,
    cards: AtomicU32,
}

#[derive(Debug)]
struct Active {
    kind: &'static FaultKind,
    fault: Box<dyn Fault>,
    gate: Gate,
    defect: String,
}

/// A fault that bit, for the stamp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bite {
    /// The fault primitive.
    pub fault: &'static str,
    /// The defect it belongs to.
    pub defect: String,
    /// JSON pointers to what it changed; empty where the whole was replaced.
    pub pointers: Vec<String>,
}

/// What becomes of an engine event after all faults had their say.
#[derive(Debug, Default, PartialEq)]
pub struct EventOutcome {
    /// What was changed in the event itself.
    pub changed: Vec<Bite>,
    /// What is told after it although it never happened.
    pub also: Vec<(v1::StreamResponse, Bite)>,
    /// Set where it is told after the next event of the task instead of before it.
    pub later: Option<Bite>,
}

/// What becomes of a frame after all faults had their say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameOutcome {
    /// It is sent.
    Send,
    /// It is not sent; later ones are.
    Drop,
    /// It is not sent and the answer ends cleanly here, while the task goes on.
    EndBefore,
    /// It is sent and the answer ends cleanly after it, while the task goes on.
    EndAfter,
}

/// What becomes of bytes after all faults had their say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BytesOutcome {
    /// They go out.
    Send,
    /// They do not go out; later ones do.
    Drop,
    /// They go out, and then the answer is broken off.
    BreakOff(BreakOff),
}

/// What becomes of a notification after all faults had their say; the default is to send it once and at once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WebhookOutcome {
    /// It is not sent.
    pub dropped: bool,
    /// How many times it is sent beyond the first.
    pub repeats: u32,
    /// How many milliseconds it and all that follow wait.
    pub wait_ms: u64,
    /// How many later ones have their turn first.
    pub behind: u32,
}

impl Active {
    fn bite(&self, pointers: Vec<String>) -> Bite {
        Bite { fault: self.kind.id, defect: self.defect.clone(), pointers }
    }
}

impl FaultSet {
    /// Builds the faults of all defects of a peer. `seed` decides every draw of a probability.
    ///
    /// # Errors
    /// When a fault or an argument is unknown, a condition cannot be honoured, or two faults cannot be composed.
    pub fn build(defects: &[AppliedDefect], seed: u64) -> Result<Self, FileError> {
        let mut faults: Vec<Active> = Vec::new();
        for (defect, call) in defects.iter().flat_map(|defect| defect.faults.iter().map(move |call| (defect, call))) {
            let kind = catalogue::find(call)?;
            let fault = (kind.build)(&call.arguments)?;
            let salt = mix(seed ^ mix(faults.len() as u64));
            let gate = Gate::new(kind, &call.when, &defect.place, salt)?;
            let active = Active { kind, fault, gate, defect: defect.id.clone() };
            for earlier in &faults {
                if let Some(reason) = clash(earlier, &active) {
                    return Err(defect.place.error(format!(
                        "`{}` of `{}` and `{}` of `{}` cannot be combined on one peer: {reason}",
                        earlier.kind.id, earlier.defect, active.kind.id, active.defect
                    )));
                }
            }
            faults.push(active);
        }
        Ok(Self { faults, cards: AtomicU32::new(0) })
    }

    /// Whether the peer is a correct one.
    pub fn is_empty(&self) -> bool {
        self.faults.is_empty()
    }

    /// Whether some fault hooks a stage: what nobody looks at needs no preparing.
    pub fn hooks(&self, stage: Stage) -> bool {
        self.faults.iter().any(|active| active.kind.stages.contains(&stage))
    }

    /// Whether some condition asks what the messages of calls say ([`Call::message`]).
    pub fn reads_messages(&self) -> bool {
        self.faults.iter().any(|active| active.gate.when.reads_messages())
    }

    /// Whether some condition asks how the tasks stand that calls are about ([`Call::task`]).
    pub fn reads_tasks(&self) -> bool {
        self.faults.iter().any(|active| active.gate.when.reads_tasks())
    }

    /// A card is about to be served: changes it. Each call counts as one serving.
    pub fn card(&self, card: &mut Value) -> Vec<Bite> {
        let nth = self.cards.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        let biting = self.faults.iter().filter(|active| active.gate.card(nth));
        biting.filter_map(|active| active.fault.on_card(card).map(|pointers| active.bite(pointers))).collect()
    }

    /// An interface of that binding, at that index in the list of the peer, is about to listen: whether it does so
    /// otherwise.
    pub fn listen(&self, binding: Binding, interface: usize) -> Option<(Listen, Bite)> {
        let mut biting = self.faults.iter().filter(|active| active.gate.listen(binding, interface));
        biting.find_map(|active| active.fault.on_listen(binding).map(|listen| (listen, active.bite(Vec::new()))))
    }

    /// The message of a call was read: changes what the peer takes it to say.
    pub fn request(&self, call: &Call, message: &mut Value) -> Vec<Bite> {
        let biting = self.faults.iter().filter(|active| active.gate.call(call, 0));
        biting
            .filter_map(|active| active.fault.on_request(call, message).map(|pointers| active.bite(pointers)))
            .collect()
    }

    /// The message of a call is about to reach the agent: what the agent does instead of what it would.
    pub fn work(&self, call: &Call) -> Option<(Arc<[Step]>, Bite)> {
        let mut biting = self.faults.iter().filter(|active| active.gate.call(call, 0));
        biting.find_map(|active| active.fault.on_work(call).map(|steps| (steps, active.bite(Vec::new()))))
    }

    /// A call is about to be carried out: what is answered instead, where something is.
    pub fn refuse(&self, call: &Call) -> Option<(Instead, Bite)> {
        let mut biting = self.faults.iter().filter(|active| active.gate.call(call, 0));
        biting.find_map(|active| active.fault.on_operation(call).map(|instead| (instead, active.bite(Vec::new()))))
    }

    /// The engine is about to tell its subscribers something: changes it, and how the peer itself takes it.
    pub fn event(&self, event: &mut EventView<'_>) -> EventOutcome {
        let task = task_id(event);
        let mut outcome = EventOutcome::default();
        for active in &self.faults {
            if !active.gate.event(&task, event.index) {
                continue;
            }
            match active.fault.on_event(event) {
                None => {}
                Some(EventAction::Changed(pointers)) => outcome.changed.push(active.bite(pointers)),
                Some(EventAction::Also(events)) => {
                    outcome.also.extend(events.into_iter().map(|event| (event, active.bite(Vec::new()))));
                }
                Some(EventAction::Later) => outcome.later = Some(active.bite(Vec::new())),
            }
        }
        outcome
    }

    /// A frame is about to be written: changes it and decides what becomes of it.
    pub fn frame(&self, frame: &mut FrameView<'_>) -> (FrameOutcome, Vec<Bite>) {
        let mut outcome = FrameOutcome::Send;
        let mut bites = Vec::new();
        for active in &self.faults {
            if !active.gate.call(frame.call, frame.index) {
                continue;
            }
            match active.fault.on_frame(frame) {
                None => {}
                Some(FrameAction::Changed(pointers)) => bites.push(active.bite(pointers)),
                Some(FrameAction::EndAfter) => {
                    outcome = FrameOutcome::EndAfter;
                    bites.push(active.bite(Vec::new()));
                }
                // Nothing is sent, so what others changed in it is no matter.
                Some(FrameAction::Drop) => return (FrameOutcome::Drop, vec![active.bite(Vec::new())]),
                Some(FrameAction::EndBefore) => return (FrameOutcome::EndBefore, vec![active.bite(Vec::new())]),
            }
        }
        (outcome, bites)
    }

    /// Bytes are about to go out: changes them, and decides whether the connection outlives them.
    pub fn bytes(&self, bytes: &mut BytesView<'_>) -> (BytesOutcome, Vec<Bite>) {
        let mut bites = Vec::new();
        for active in &self.faults {
            if !active.gate.call(bytes.call, bytes.index) {
                continue;
            }
            match active.fault.on_bytes(bytes) {
                None => {}
                Some(BytesAction::Changed) => bites.push(active.bite(Vec::new())),
                Some(BytesAction::Drop) => return (BytesOutcome::Drop, vec![active.bite(Vec::new())]),
                Some(BytesAction::BreakOff(how)) => {
                    bites.push(active.bite(Vec::new()));
                    return (BytesOutcome::BreakOff(how), bites);
                }
            }
        }
        (BytesOutcome::Send, bites)
    }

    /// A webhook is about to be sent something: changes it, and decides whether, how often and when it is sent.
    pub fn webhook(&self, webhook: &mut WebhookView<'_>) -> (WebhookOutcome, Vec<Bite>) {
        let mut outcome = WebhookOutcome::default();
        let mut bites = Vec::new();
        for active in &self.faults {
            if !active.gate.webhook(&webhook.task.id, webhook.index) {
                continue;
            }
            let Some(action) = active.fault.on_webhook(webhook) else { continue };
            let mut pointers = Vec::new();
            match action {
                WebhookAction::Changed(changed) => pointers = changed,
                WebhookAction::Repeat(times) => outcome.repeats += times,
                WebhookAction::Wait(milliseconds) => outcome.wait_ms += milliseconds,
                WebhookAction::Behind(others) => outcome.behind += others,
                // Nothing is sent, so what others changed in it is no matter.
                WebhookAction::Drop => {
                    return (WebhookOutcome { dropped: true, ..outcome }, vec![active.bite(pointers)]);
                }
            }
            bites.push(active.bite(pointers));
        }
        (outcome, bites)
    }
}

fn clash(one: &Active, other: &Active) -> Option<String> {
    let (left, right) = (one.fault.claims(), other.fault.claims());
    reason(
        &Side { stages: one.kind.stages, claims: &left, gate: &one.gate },
        &Side { stages: other.kind.stages, claims: &right, gate: &other.gate },
    )
}

fn task_id(event: &EventView<'_>) -> String {
    match &event.said.payload {
        Some(Payload::Task(task)) => task.id.clone(),
        Some(Payload::Message(message)) => message.task_id.clone(),
        Some(Payload::StatusUpdate(update)) => update.task_id.clone(),
        Some(Payload::ArtifactUpdate(update)) => update.task_id.clone(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FaultSet;
    use crate::testing::{artifact_update, call, defects, outcomes, set};
    use gauntlet_wire::Operation;

    fn refused(text: &str) -> String {
        FaultSet::build(&defects(text), 1).expect_err("a pair or condition that is refused").to_string()
    }

    #[test]
    fn what_cannot_be_built_says_why() {
        let shown = [
            "[refuse-operaton: { operation: GetTask }]",
            "[artifact-append: { said: omit, held: append, when: { binding: GRPC } }]",
            "[artifact-append: { said: omit, held: append, when: { first: 1 } }]",
            "[refuse-operation: { operation: GetTask, when: { afterEvents: 2 } }]",
            "[refuse-operation: { operation: \"*\" }, refuse-operation: { operation: GetTask }]",
            "[end-stream: { after: 1 }, end-stream: { after: 2 }]",
            "[artifact-append: { said: omit, held: append }, artifact-append: { said: omit, held: replace }]",
            "[patch-card: { at: /capabilities, to: {} }, patch-card: { at: /capabilities/streaming, to: false }]",
            "[end-stream: { after: 1, when: { binding: GRPC } }, refuse-connection: { when: { binding: GRPC } }]",
            "[refuse-connection, refuse-connection]",
            "[refuse-connection: { when: { messageIdPrefix: x } }]",
            "[patch-card: { at: /name, to: a, when: { text: x } }]",
            "[cut-connection: { after: 1 }, end-stream: { after: 1 }]",
            "[rewrite-sse: { newline: cr }, rewrite-sse: { bom: true }]",
            "[patch-request: { at: /configuration, remove: true }, patch-request: { at: /configuration/historyLength, to: 1 }]",
            "[http-status: { code: 503, operation: GetTask }, refuse-operation: { operation: \"*\" }]",
        ]
        .map(refused)
        .join("\n");
        insta::assert_snapshot!(shown);
    }

    #[test]
    fn a_stage_that_nobody_hooks_is_known() {
        let set = set("[end-stream: { after: 1 }]");
        assert!(set.hooks(Stage::FrameEncoded) && !set.hooks(Stage::BytesWritten) && !set.reads_messages());
        assert!(crate::testing::set("[end-stream: { after: 1, when: { text: x } }]").reads_messages());
    }

    #[test]
    fn pairs_that_do_not_meet_are_composed() {
        for text in [
            "[refuse-operation: { operation: GetTask }, refuse-operation: { operation: ListTasks }]",
            "[refuse-operation: { operation: GetTask, when: { binding: GRPC } }, refuse-operation: { operation: GetTask, when: { binding: JSONRPC } }]",
            "[refuse-operation: { operation: GetTask, when: { first: 1 } }, refuse-operation: { operation: GetTask }]",
            "[refuse-operation: { operation: \"*\", when: { operation: GetTask } }, refuse-operation: { operation: SendMessage }]",
            "[end-stream: { after: 1 }, refuse-connection: { when: { binding: GRPC } }]",
            "[end-stream: { after: 1, when: { interface: 2 } }, refuse-connection: { when: { interface: 1 } }]",
            "[end-stream: { after: 1, when: { interface: 1 } }, end-stream: { after: 2, when: { interface: 2 } }]",
            "[add-unknown-fields, refuse-connection]",
            "[patch-card: { at: /name, to: a }, patch-card: { at: /nam, to: b }]",
            "[patch-card: { at: /skills, entry: { id: a }, to: {} }, patch-card: { at: /skills, entry: { id: b }, to: {} }]",
            "[patch-card: { at: /skills/-, to: {} }, patch-card: { at: /skills/-, to: {} }]",
            "[refuse-operation: { operation: GetTask }, refuse-operation: { operation: \"*\", when: { text: x } }]",
            "[rewrite-sse: { newline: cr, when: { binding: JSONRPC } }, rewrite-sse: { bom: true, when: { binding: HTTP+JSON } }]",
            "[patch-request: { at: /id, to: a, when: { operation: GetTask } }, patch-request: { at: /id, to: b, when: { operation: CancelTask } }]",
        ] {
            assert!(FaultSet::build(&defects(text), 1).is_ok(), "{text}");
        }
    }

    #[test]
    fn a_healthy_peer_is_changed_nowhere() {
        let set = FaultSet::default();
        let stream = call(Binding::Grpc, Operation::SendStreamingMessage);
        assert!(set.is_empty());
        assert_eq!(set.listen(Binding::Grpc, 0), None);
        assert_eq!(set.refuse(&stream), None);
        assert_eq!(outcomes(&set, &stream, 2), [FrameOutcome::Send; 2]);
        let (said, held, pointers) = artifact_update(&set, true, true);
        assert_eq!((said.append, said.last_chunk, held, pointers.len()), (true, true, None, 0));
    }

    #[test]
    fn cards_are_counted() {
        let set = set("[patch-card: { at: /name, to: odd, when: { nth: 2 } }]");
        let names = [1, 2, 3].map(|_| {
            let mut card = serde_json::json!({ "name": "plain" });
            let bites = set.card(&mut card);
            (card["name"] == "odd", bites.len())
        });
        assert_eq!(names, [(false, 0), (true, 1), (false, 0)]);
    }

    #[test]
    fn a_frame_is_changed_and_then_the_last() {
        let set = set("[end-stream: { after: 1 }, add-unknown-fields: {}]");
        let stream = call(Binding::JsonRpc, Operation::SendStreamingMessage);
        let mut json = serde_json::json!({});
        let encoded = crate::Encoded::Json(&mut json);
        let (outcome, bites) = set.frame(&mut FrameView { call: &stream, index: 0, last: false, encoded });
        assert_eq!(outcome, FrameOutcome::EndAfter);
        assert_eq!(bites.iter().map(|bite| bite.defect.as_str()).collect::<Vec<_>>(), ["d0", "d1"]);
    }

    #[test]
    fn after_events_lets_a_stream_begin() {
        let set = set("[end-stream: { after: 0, when: { afterEvents: 2 } }]");
        let stream = call(Binding::JsonRpc, Operation::SubscribeToTask);
        use FrameOutcome::{EndBefore, Send};
        assert_eq!(outcomes(&set, &stream, 4), [Send, Send, EndBefore, Send]);
    }
}
