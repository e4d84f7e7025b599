//! The three bindings behind one face: an operation and its request as ProtoJSON in, answers as ProtoJSON out.
//!
//! Connections are shared: one HTTP client, one gRPC channel for each authority.

mod error;
mod grpc;
mod http_json;
mod jsonrpc;
mod web;

use std::collections::HashMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};

use futures::stream::BoxStream;
use gauntlet_card::Interface;
use gauntlet_wire::{Binding, Operation, ProtocolVersion};
use serde_json::{Value, json};
use tonic::transport::Channel;

pub(crate) use error::CallError;

use crate::access::{Access, Place};
use crate::flaws::{Flaws, Planted};

/// The most bytes taken as one answer, or as one item of a stream.
const LIMIT: usize = 8 * 1024 * 1024;

/// Items of a stream, up to its end or the first error. Dropping it closes the stream.
pub(crate) type Events = BoxStream<'static, Result<Value, CallError>>;

/// An interface that was chosen, and what goes with every request to it.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    pub(crate) interface: Interface,
    pub(crate) binding: Binding,
    pub(crate) version: ProtocolVersion,
    /// What shows who calls, with every operation.
    pub(crate) access: Option<Arc<Access>>,
}

/// Speaks to peers.
#[derive(Debug)]
pub(crate) struct Transport {
    http: reqwest::Client,
    channels: Mutex<HashMap<String, Channel>>,
    calls: AtomicU64,
    flaws: Flaws,
}

impl Transport {
    /// # Errors
    /// When the HTTP client cannot be set up.
    pub(crate) fn new(flaws: Flaws) -> Result<Self, reqwest::Error> {
        // Redirects are not followed: they could carry credentials to another origin.
        let http = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build()?;
        Ok(Self { http, channels: Mutex::default(), calls: AtomicU64::default(), flaws })
    }

    pub(crate) const fn flaws(&self) -> Flaws {
        self.flaws
    }

    /// Lets go of the connections.
    pub(crate) fn close(&mut self) {
        self.channels.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Calls an operation with one answer.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) async fn call(&self, to: &Endpoint, operation: Operation, message: Value) -> Result<Value, CallError> {
        let message = self.addressed(to, message);
        match self.call_once(to, operation, message.clone()).await {
            // Nothing of a denied call was carried out, so it may be made again; once is enough.
            Err(denied) if self.renewed(to, &denied).await => self.call_once(to, operation, message).await,
            answer => answer,
        }
    }

    /// Calls an operation whose answer is a stream. Errors may also come as the first item.
    ///
    /// # Errors
    /// Why the stream did not begin.
    pub(crate) async fn open(&self, to: &Endpoint, operation: Operation, message: Value) -> Result<Events, CallError> {
        let message = self.addressed(to, message);
        match self.open_once(to, operation, message.clone()).await {
            Err(denied) if self.renewed(to, &denied).await => self.open_once(to, operation, message).await,
            answer => answer,
        }
    }

    async fn call_once(&self, to: &Endpoint, operation: Operation, message: Value) -> Result<Value, CallError> {
        match to.binding {
            Binding::JsonRpc => self.jsonrpc_call(to, operation, message).await,
            Binding::HttpJson => self.http_json_call(to, operation, &message).await,
            Binding::Grpc => self.grpc_call(to, operation, &message).await,
        }
    }

    async fn open_once(&self, to: &Endpoint, operation: Operation, message: Value) -> Result<Events, CallError> {
        match to.binding {
            Binding::JsonRpc => self.jsonrpc_open(to, operation, message).await,
            Binding::HttpJson => self.http_json_open(to, operation, &message).await,
            Binding::Grpc => self.grpc_open(to, operation, &message).await,
        }
    }

    async fn renewed(&self, to: &Endpoint, denied: &CallError) -> bool {
        match &to.access {
            Some(access) => access.renew(self, denied).await,
            None => false,
        }
    }

    /// What shows who calls.
    async fn credentials<'t>(
        &self,
        to: &'t Endpoint,
        operation: Operation,
    ) -> Result<Vec<(&'t Place, String)>, CallError> {
        match &to.access {
            Some(access) => access.bring(self, operation).await,
            None => Ok(Vec::new()),
        }
    }

    /// Adds the tenant, which every request message has a place for.
    fn addressed(&self, to: &Endpoint, mut message: Value) -> Value {
        if let Some(tenant) = to.interface.tenant.as_ref().filter(|_| !self.flaws.has(Planted::TenantForgotten)) {
            message["tenant"] = json!(tenant);
        }
        message
    }

    /// What A2A-Version says; only a flaw leaves it out.
    fn version(&self, to: &Endpoint, operation: Operation) -> Option<String> {
        let forgotten = operation == Operation::CancelTask && self.flaws.has(Planted::NoVersionHeader);
        (!forgotten).then(|| to.version.to_string())
    }
}
