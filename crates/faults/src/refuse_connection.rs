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
