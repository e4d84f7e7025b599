//! Which sockets a peer needs, and which of its interfaces is served at which.

use std::collections::BTreeMap;
use std::io;

use gauntlet_faults::{FaultSet, Listen};
use gauntlet_scenario::{InterfaceSpec, PeerSpec};

use crate::error::FleetError;
use crate::listener::{Bound, Purpose};

/// The sockets of one peer.
pub(crate) struct Sockets {
    /// The first serves the card.
    pub(crate) listening: Vec<Bound>,
    pub(crate) refusing: Vec<Bound>,
    pub(crate) of_interface: Vec<Socket>,
    /// Of the token server.
    pub(crate) tokens: Option<Bound>,
}

/// A socket by its index.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Socket {
    Listening(usize),
    Refusing(usize),
}

impl Sockets {
    /// Interfaces share the peer's own socket unless they ask for another. Its port is `own_port`, or else the first
    /// that is given.
    pub(crate) fn bind(spec: &PeerSpec, faults: &FaultSet, own_port: Option<u16>) -> Result<Self, FleetError> {
        let bind = |port, purpose| Bound::bind(port, purpose).map_err(|source| socket_error(&spec.name, port, source));
        let refuses = |(index, interface): &(usize, &InterfaceSpec)| {
            matches!(faults.listen(interface.binding, *index), Some((Listen::Refuse, _)))
        };
        let interfaces = || spec.interfaces.iter().enumerate();
        let mut shares = interfaces().filter(|here| !here.1.own_listener && !refuses(here));
        let own_port = own_port.or_else(|| shares.find_map(|(_, interface)| interface.port));
        let mut sockets = Self {
            listening: vec![bind(own_port, Purpose::Listen)?],
            refusing: Vec::new(),
            of_interface: Vec::new(),
            tokens: spec.token_server.as_ref().map(|_| bind(None, Purpose::Listen)).transpose()?,
        };
        // Interfaces with the same fixed port share its listener.
        let mut by_port = BTreeMap::from_iter(own_port.map(|port| (port, 0)));
        for (index, interface) in interfaces() {
            let socket = if refuses(&(index, interface)) {
                sockets.refusing.push(bind(interface.port, Purpose::Refuse)?);
                Socket::Refusing(sockets.refusing.len() - 1)
            } else if let Some(&index) = interface.port.and_then(|port| by_port.get(&port)) {
                Socket::Listening(index)
            } else if interface.own_listener || interface.port.is_some() {
                sockets.listening.push(bind(interface.port, Purpose::Listen)?);
                let index = sockets.listening.len() - 1;
                by_port.extend(interface.port.map(|port| (port, index)));
                Socket::Listening(index)
            } else {
                Socket::Listening(0)
            };
            sockets.of_interface.push(socket);
        }
        Ok(sockets)
    }

    pub(crate) fn authority(&self, socket: Socket) -> String {
        match socket {
            Socket::Listening(index) => self.listening[index].authority(),
            Socket::Refusing(index) => self.refusing[index].authority(),
        }
    }
}

pub(crate) fn socket_error(peer: &str, port: Option<u16>, source: io::Error) -> FleetError {
    match port {
        Some(port) if source.kind() == io::ErrorKind::AddrInUse => {
            FleetError::PortInUse { peer: peer.to_owned(), port }
        }
        _ => FleetError::Socket { peer: peer.to_owned(), source },
    }
}
