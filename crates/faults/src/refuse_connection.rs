//! `refuse-connection`: the port of an interface is taken but nobody listens, so that connecting is refused.

use gauntlet_scenario::{Fields, FileError, Node};
use gauntlet_wire::Binding;

use crate::{Claim, Fault, FaultKind, Listen, Stage};

pub(crate) const KIND: FaultKind = FaultKind {
    id: "refuse-connection",
    summary: "Connections to the interface are refused.",
    stages: &[Stage::ConnectionAccepted],
    arguments: &[],
    build,
};

#[derive(Debug)]
struct RefuseConnection;

fn build(arguments: &Node) -> Result<Box<dyn Fault>, FileError> {
    Fields::of(arguments, "`refuse-connection`", &[])?;
    Ok(Box::new(RefuseConnection))
}

impl Fault for RefuseConnection {
    fn on_listen(&self, _binding: Binding) -> Option<Listen> {
        Some(Listen::Refuse)
    }

    fn claims(&self) -> Vec<Claim> {
        vec![Claim::Listening]
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{refusal, set};
    use crate::{Bite, Listen};
    use gauntlet_wire::Binding;

    #[test]
    fn the_chosen_binding_does_not_listen_and_the_others_do() {
        let set = set("[refuse-connection: { when: { binding: GRPC } }]");
        let bite = Bite { fault: "refuse-connection", defect: "d0".to_owned(), pointers: Vec::new() };
        assert_eq!(set.listen(Binding::Grpc, 0), Some((Listen::Refuse, bite)));
        assert_eq!(set.listen(Binding::JsonRpc, 1), None);
    }

    #[test]
    fn it_takes_no_arguments() {
        assert_eq!(
            refusal("[refuse-connection: { port: 1 }]"),
            "t.yaml:1:23: `refuse-connection` takes nothing, so `port` cannot stand here"
        );
    }
}
