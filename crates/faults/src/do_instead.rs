//! `do-instead`: the agent does something else with the work than it would.

use std::sync::Arc;

use gauntlet_scenario::{Behaviour, Fields, FileError, Node, Step};

use crate::{Call, Claim, Fault, FaultKind, Stage};

pub(crate) const KIND: FaultKind = FaultKind {
    id: "do-instead",
    summary: "The agent goes other steps than its own with a message; it holds what these make of the task.",
    stages: &[Stage::RequestDecoded],
    arguments: &[("do", "list of steps, as in the behaviour of a fleet file")],
    build,
};

#[derive(Debug)]
struct DoInstead {
    steps: Arc<[Step]>,
}

fn build(arguments: &Node) -> Result<Box<dyn Fault>, FileError> {
    let fields = Fields::of(arguments, "`do-instead`", &["do"])?;
    Ok(Box::new(DoInstead { steps: Behaviour::read_steps(fields.required("do")?)?.into() }))
}

impl Fault for DoInstead {
    fn on_work(&self, call: &Call) -> Option<Arc<[Step]>> {
        call.operation.sends_message().then(|| Arc::clone(&self.steps))
    }

    fn claims(&self) -> Vec<Claim> {
        vec![Claim::Work]
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{call, refusal, set};
    use gauntlet_scenario::Step;
    use gauntlet_wire::{Binding, Operation};

    #[test]
    fn other_steps_are_gone_with_messages_alone() {
        let set = set("[do-instead: { do: [{ fail: no }] }]");
        let done = |operation| set.work(&call(Binding::Grpc, operation)).map(|(steps, _)| steps);
        assert_eq!(done(Operation::SendMessage), Some([Step::Fail("no".to_owned())].into()));
        assert_eq!(done(Operation::GetTask), None);
    }

    #[test]
    fn steps_must_end_the_task() {
        let refusal = refusal("[do-instead: { do: [working] }]");
        assert!(refusal.contains("do not end the task"), "{refusal}");
    }
}
