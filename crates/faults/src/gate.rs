//! When a fault bites.

use gauntlet_scenario::{FileError, Place, When};
use gauntlet_wire::Binding;

use crate::{Call, FaultKind, Stage};

/// The stages of a call, where the message that it sends is known.
pub(crate) const MESSAGES: [Stage; 4] =
    [Stage::RequestDecoded, Stage::OperationAdmitted, Stage::FrameEncoded, Stage::BytesWritten];

/// The conditions of one fault, and the seed its probability is drawn from.
#[derive(Debug, Clone)]
pub(crate) struct Gate {
    pub(crate) when: When,
    seed: u64,
}

impl Gate {
    /// # Errors
    /// When a condition cannot be honoured at the stages of the fault.
    pub(crate) fn new(kind: &FaultKind, when: &When, place: &Place, seed: u64) -> Result<Self, FileError> {
        let refuse =
            |key: &str, why: &str| Err(place.error(format!("`{}` cannot honour `{key}` in `when`: {why}", kind.id)));
        if kind.stages.contains(&Stage::EngineEvent) {
            let why = "it changes what the agent tells all bindings at once, whatever call asked for it";
            let given = [
                ("binding", !when.bindings.is_empty()),
                ("interface", !when.interfaces.is_empty()),
                ("operation", !when.operations.is_empty()),
                ("nth", when.nth.is_some()),
                ("first", when.first.is_some()),
            ];
            if let Some((key, _)) = given.iter().find(|(_, given)| *given) {
                return refuse(key, why);
            }
        }
        if kind.stages == [Stage::WebhookEncoded] {
            let why = "notifications are sent over none of the bindings and belong to no call";
            let given = [
                ("binding", !when.bindings.is_empty()),
                ("interface", !when.interfaces.is_empty()),
                ("operation", !when.operations.is_empty()),
            ];
            if let Some((key, _)) = given.iter().find(|(_, given)| *given) {
                return refuse(key, why);
            }
        }
        let has = |wanted: &[Stage]| kind.stages.iter().any(|stage| wanted.contains(stage));
        if when.reads_messages() && !has(&MESSAGES) {
            let key = match when {
                When { text: Some(_), .. } => "text",
                When { message_id_prefix: Some(_), .. } => "messageIdPrefix",
                _ => "namesWebhook",
            };
            return refuse(key, "it bites where no message is at hand");
        }
        if when.reads_tasks() && !has(&MESSAGES) {
            return refuse("taskState", "it bites where no call is about a task");
        }
        let counts = has(&[Stage::EngineEvent, Stage::FrameEncoded, Stage::BytesWritten, Stage::WebhookEncoded]);
        if when.after_events.is_some() && !counts {
            return refuse("afterEvents", "it bites before there are any events");
        }
        Ok(Self { when: when.clone(), seed })
    }

    /// On a card about to be served for the `nth` time. Cards belong to no binding and no operation.
    pub(crate) fn card(&self, nth: u32) -> bool {
        self.counted(nth) && self.chance(&[1, u64::from(nth)])
    }

    /// On the interface of that index.
    pub(crate) fn listen(&self, binding: Binding, interface: usize) -> bool {
        self.interface(binding, interface) && self.chance(&[2, binding as u64, interface as u64])
    }

    /// On a call of which `events` frames were handled before.
    pub(crate) fn call(&self, call: &Call, events: u32) -> bool {
        let operations = &self.when.operations;
        self.interface(call.binding, call.interface)
            && (operations.is_empty() || operations.contains(&call.operation))
            && self.counted(call.nth)
            && self.after(events)
            && self.message(call)
            && self.task(call)
            && self.chance(&[3, call.binding as u64, call.operation as u64, u64::from(call.nth)])
    }

    /// On an event of a task. The draw is one for the whole task: half an odd artifact would be a third behaviour.
    pub(crate) fn event(&self, task: &str, index: u32) -> bool {
        let task = task.bytes().fold(0, |hash, byte| mix(hash ^ u64::from(byte)));
        self.after(index) && self.chance(&[4, task])
    }

    /// On a notification about a task. It belongs to no binding, no operation and no message, so that conditions on
    /// these leave it alone.
    pub(crate) fn webhook(&self, task: &str, index: u32) -> bool {
        let when = &self.when;
        when.bindings.is_empty()
            && when.interfaces.is_empty()
            && when.operations.is_empty()
            && !when.reads_messages()
            && !when.reads_tasks()
            && self.counted(index.saturating_add(1))
            && self.event(task, index)
    }

    fn task(&self, call: &Call) -> bool {
        let states = &self.when.task_states;
        states.is_empty() || call.task.is_some_and(|state| states.contains(&state))
    }

    fn message(&self, call: &Call) -> bool {
        let When { message_id_prefix, text, names_webhook, .. } = &self.when;
        if !self.when.reads_messages() {
            return true;
        }
        call.message.as_ref().is_some_and(|message| {
            message_id_prefix.as_ref().is_none_or(|prefix| message.id.starts_with(prefix))
                && text.as_ref().is_none_or(|text| message.texts.iter().any(|part| part.contains(text)))
                && names_webhook.is_none_or(|wanted| message.names_webhook == wanted)
        })
    }

    fn interface(&self, binding: Binding, index: usize) -> bool {
        let When { bindings, interfaces, .. } = &self.when;
        let place = u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1);
        (bindings.is_empty() || bindings.contains(&binding)) && (interfaces.is_empty() || interfaces.contains(&place))
    }

    fn counted(&self, nth: u32) -> bool {
        self.when.nth.is_none_or(|wanted| nth == wanted) && self.when.first.is_none_or(|first| nth <= first)
    }

    fn after(&self, events: u32) -> bool {
        self.when.after_events.is_none_or(|after| events >= after)
    }

    /// Draws from the seed and what identifies the occasion, so that the order in which threads get here is no matter.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are kept, which is what an f64 holds")]
    fn chance(&self, occasion: &[u64]) -> bool {
        let Some(probability) = self.when.probability else { return true };
        let draw = occasion.iter().fold(self.seed, |hash, part| mix(hash ^ part));
        ((mix(draw) >> 11) as f64) < probability * (1_u64 << 53) as f64
    }
}

/// The finaliser of SplitMix64.
pub(crate) const fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Operation;

    use super::*;

    fn gate(when: When, seed: u64) -> Gate {
        Gate { when, seed }
    }

    fn call(nth: u32) -> Call {
        Call {
            binding: Binding::Grpc,
            interface: 1,
            operation: Operation::GetTask,
            nth,
            message: None,
            on_task: false,
            token: None,
            task: None,
        }
    }

    #[test]
    fn every_condition_must_hold() {
        let when = When {
            bindings: [Binding::Grpc].into(),
            operations: [Operation::GetTask].into(),
            first: Some(2),
            after_events: Some(1),
            ..When::default()
        };
        let gate = gate(when, 0);
        assert!(gate.call(&call(2), 1));
        assert!(!gate.call(&call(3), 1));
        assert!(!gate.call(&call(2), 0));
        assert!(!gate.call(&Call { binding: Binding::JsonRpc, ..call(1) }, 1));
        assert!(!gate.call(&Call { operation: Operation::ListTasks, ..call(1) }, 1));
    }

    #[test]
    fn of_two_interfaces_of_one_binding_the_chosen_one_is_meant() {
        let gate = gate(When { interfaces: [2].into(), ..When::default() }, 0);
        assert!(gate.call(&call(1), 0) && !gate.call(&Call { interface: 0, ..call(1) }, 0));
        assert!(gate.listen(Binding::Grpc, 1) && !gate.listen(Binding::Grpc, 0));
        assert!(!gate.webhook("task-1", 0));
    }

    #[test]
    fn nth_means_that_call_alone() {
        let gate = gate(When { nth: Some(2), ..When::default() }, 0);
        assert_eq!((1..5).filter(|nth| gate.call(&call(*nth), 0)).collect::<Vec<_>>(), [2]);
        assert_eq!((1..5).filter(|nth| gate.card(*nth)).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn a_message_is_chosen_by_its_id_and_its_words() {
        let when = |id: &str, text: Option<&str>| {
            gate(When { message_id_prefix: Some(id.to_owned()), text: text.map(str::to_owned), ..When::default() }, 0)
        };
        let request =
            serde_json::json!({ "message": { "messageId": "m-7", "parts": [{ "data": 1 }, { "text": "a b" }] } });
        let sent = Call { message: crate::SentMessage::of(&request), ..call(1) };
        assert!(when("m-", None).call(&sent, 0) && when("m-", Some("b")).call(&sent, 0));
        assert!(!when("n", None).call(&sent, 0) && !when("m-", Some("c")).call(&sent, 0));
        assert!(!when("m-", None).call(&call(1), 0), "what sends no message has no id");
        let mut with_webhook = request;
        with_webhook["configuration"] = serde_json::json!({ "taskPushNotificationConfig": { "url": "http://x/" } });
        let webhook = |wanted| gate(When { names_webhook: Some(wanted), ..When::default() }, 0);
        let naming = Call { message: crate::SentMessage::of(&with_webhook), ..call(1) };
        assert!(webhook(true).call(&naming, 0) && !webhook(true).call(&sent, 0) && webhook(false).call(&sent, 0));
        assert!(!when("m-", None).webhook("task-1", 0));
    }

    #[test]
    fn a_call_is_chosen_by_the_task_it_is_about() {
        use gauntlet_wire::v1::TaskState::{InputRequired, Working};
        let gate = gate(When { task_states: [InputRequired].into(), ..When::default() }, 0);
        let about = |task| gate.call(&Call { task, ..call(1) }, 0);
        assert!(about(Some(InputRequired)));
        assert!(!about(Some(Working)) && !about(None));
        assert!(!gate.webhook("task-1", 0));
    }

    #[test]
    fn probability_is_a_share_of_calls_and_repeats_under_its_seed() {
        let drawn = |probability, seed| {
            let gate = gate(When { probability: Some(probability), ..When::default() }, seed);
            (0..10_000).filter(|nth| gate.call(&call(*nth), 0)).collect::<Vec<_>>()
        };
        assert_eq!(drawn(0.3, 7), drawn(0.3, 7));
        assert_ne!(drawn(0.3, 7), drawn(0.3, 8));
        assert!((2_700..3_300).contains(&drawn(0.3, 7).len()), "{}", drawn(0.3, 7).len());
        assert!(drawn(0.0, 7).is_empty());
        assert_eq!(drawn(1.0, 7).len(), 10_000);
    }

    #[test]
    fn a_task_is_drawn_as_a_whole() {
        let gate = gate(When { probability: Some(0.5), ..When::default() }, 3);
        for task in (0..50).map(|number| format!("task-{number}")) {
            assert_eq!(gate.event(&task, 0), gate.event(&task, 9));
        }
        assert_ne!(gate.event("task-1", 0), (0..50).all(|number| gate.event(&format!("task-{number}"), 0)));
    }
}
