//! `busy`: calls are turned away for a while, with the word when to come back.

use gauntlet_scenario::{Fields, FileError, Node};
use gauntlet_wire::{Binding, Operation};

use crate::{Call, Claim, Fault, FaultKind, Instead, Refusal, Stage};

pub(crate) const KIND: FaultKind = FaultKind {
    id: "busy",
    summary: "Messages are turned away a few times, and the answer says when to come back.",
    stages: &[Stage::OperationAdmitted],
    arguments: &[
        ("seconds", "integer: when to come back"),
        ("times", "integer: how often, on each interface and operation"),
        ("code", "429 or 503: the HTTP status; RESOURCE_EXHAUSTED or UNAVAILABLE over gRPC. 503 by default"),
    ],
    build,
};

const RESOURCE_EXHAUSTED: i64 = 8;
const UNAVAILABLE: i64 = 14;

#[derive(Debug)]
struct Busy {
    seconds: u32,
    times: u32,
    too_many: bool,
}

fn build(arguments: &Node) -> Result<Box<dyn Fault>, FileError> {
    let fields = Fields::of(arguments, "`busy`", &["seconds", "times", "code"])?;
    let code = fields.map("code", |node| match node.integer(400, 599)? {
        code @ (429 | 503) => Ok(code),
        code => Err(node.error(format!("a busy peer answers 429 or 503, not {code}"))),
    })?;
    Ok(Box::new(Busy {
        seconds: fields.required("seconds")?.count(0, 3600)?,
        times: fields.required("times")?.count(1, u32::MAX)?,
        too_many: code == Some(429),
    }))
}

impl Fault for Busy {
    fn on_operation(&self, call: &Call) -> Option<Instead> {
        if !call.operation.sends_message() || call.nth > self.times {
            return None;
        }
        Some(match call.binding {
            Binding::Grpc => Instead::Refusal(Refusal::Later {
                code: if self.too_many { RESOURCE_EXHAUSTED } else { UNAVAILABLE },
                message: "too busy; come back later".to_owned(),
                seconds: self.seconds,
            }),
            Binding::JsonRpc | Binding::HttpJson => Instead::Http {
                status: if self.too_many { 429 } else { 503 },
                headers: vec![("retry-after".to_owned(), self.seconds.to_string())],
            },
        })
    }

    fn claims(&self) -> Vec<Claim> {
        [Operation::SendMessage, Operation::SendStreamingMessage].map(Claim::Answer).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{call, refusal, set};

    #[test]
    fn messages_are_turned_away_a_few_times() {
        let set = set("[busy: { seconds: 2, times: 2, code: 429 }]");
        let answer = |binding, nth| set.refuse(&Call { nth, ..call(binding, Operation::SendMessage) });
        let headers = vec![("retry-after".to_owned(), "2".to_owned())];
        assert_eq!(answer(Binding::JsonRpc, 2).unwrap().0, Instead::Http { status: 429, headers });
        assert_eq!(answer(Binding::JsonRpc, 3), None);
        let Some((Instead::Refusal(Refusal::Later { code, seconds, .. }), _)) = answer(Binding::Grpc, 1) else {
            panic!()
        };
        assert_eq!((code, seconds), (RESOURCE_EXHAUSTED, 2));
        assert_eq!(set.refuse(&call(Binding::Grpc, Operation::GetTask)), None);
    }

    #[test]
    fn only_two_statuses_ask_to_come_back() {
        let refusal = refusal("[busy: { seconds: 1, times: 1, code: 500 }]");
        assert!(refusal.contains("a busy peer answers 429 or 503, not 500"), "{refusal}");
    }
}
