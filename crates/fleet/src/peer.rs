//! One peer: its agent, its card, its interfaces, and what misbehaves about it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use gauntlet_evidence::PeerState;
use gauntlet_faults::{Call, FaultSet, SentMessage, ShownToken};
use gauntlet_scenario::{ErrorTable, InterfaceSpec};
use gauntlet_wire::v1::TaskState;
use gauntlet_wire::{Binding, Operation, ProtocolVersion};

use crate::card::{self, Card};
use crate::check::Troubles;
use crate::classify::Expectations;
use crate::double::token::TokenServer;
use crate::engine::Engine;
use crate::extensions::Extensions;
use crate::journal::Journal;
use crate::lock::lock;
use crate::security::Guard;

/// What all peers of a fleet share.
pub(crate) struct Shared {
    pub(crate) journal: Arc<Journal>,
    pub(crate) expectations: Expectations,
    pub(crate) troubles: Troubles,
}

pub(crate) struct Peer {
    pub(crate) name: Arc<str>,
    pub(crate) version: ProtocolVersion,
    pub(crate) errors: ErrorTable,
    pub(crate) interfaces: Vec<Interface>,
    pub(crate) card: Card,
    pub(crate) guard: Guard,
    /// Names of headers and query parameters that hold credentials.
    pub(crate) secrets: Arc<[String]>,
    pub(crate) tokens: Option<Arc<TokenServer>>,
    pub(crate) extensions: Extensions,
    pub(crate) engine: Arc<Engine>,
    pub(crate) faults: Arc<FaultSet>,
    pub(crate) shared: Arc<Shared>,
}

impl Peer {
    pub(crate) fn state(&self) -> PeerState {
        let card = self.card.current();
        PeerState { name: self.name.to_string(), interfaces: card::interfaces(&card), card, tasks: self.engine.held() }
    }
}

/// One interface as it is served.
#[derive(Debug)]
pub(crate) struct Interface {
    pub(crate) binding: Binding,
    /// Path of its base without a trailing slash; empty at the root and for gRPC.
    pub(crate) path: String,
    pub(crate) tenant: Option<String>,
    /// As the card says it.
    pub(crate) url: String,
    calls: Mutex<HashMap<Operation, u32>>,
}

impl Interface {
    /// `authority` is host and port.
    pub(crate) fn new(spec: &InterfaceSpec, authority: String) -> Self {
        let path = match spec.path.trim_matches('/') {
            "" => String::new(),
            path => format!("/{path}"),
        };
        let (path, url) = match spec.binding {
            // gRPC has no paths of its own, and its clients take a bare authority: SDKs refuse `http://`.
            Binding::Grpc => (String::new(), authority),
            Binding::JsonRpc | Binding::HttpJson => (path.clone(), format!("http://{authority}{path}")),
        };
        Self { binding: spec.binding, path, tenant: spec.tenant.clone(), url, calls: Mutex::default() }
    }

    /// Counts a call. `index` is its own in the list of the peer.
    pub(crate) fn call(&self, index: usize, operation: Operation, caller: Caller) -> Call {
        let mut calls = lock(&self.calls);
        let nth = calls.entry(operation).or_default();
        *nth += 1;
        let Caller { message, on_task, token, task } = caller;
        Call { binding: self.binding, interface: index, operation, nth: *nth, message, on_task, token, task }
    }
}

/// What a request says of itself, for the conditions of faults.
pub(crate) struct Caller {
    pub(crate) message: Option<SentMessage>,
    pub(crate) on_task: bool,
    pub(crate) token: Option<ShownToken>,
    pub(crate) task: Option<TaskState>,
}
