//! What a driver is asked to do.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Binding;

/// Work handed to the orchestrator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Delegation {
    /// Names the delegation in every later line.
    pub id: String,
    /// Delegations of one session share the orchestrator's memory.
    pub session: String,
    /// On whose behalf.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// A word found in the content and nowhere else: requests that carry it hand over this work.
    pub marker: String,
    /// Whom it may be delegated to, in order of preference.
    pub peers: Vec<PeerAddress>,
    /// How to choose among them.
    #[serde(default)]
    pub select: Select,
    /// The content.
    pub message: Content,
    /// The skill of the peer to be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// Media types the caller can take.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted_output_modes: Vec<String>,
    /// Capabilities the work depends on.
    #[serde(default)]
    pub needs: Needs,
    /// The only bindings that may be used; unset means any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_bindings: Option<Vec<Binding>>,
    /// Credentials by peer name, as objects: `scheme` is `bearer` (with `token`), `apiKey` (`key`), `basic` (`username`,
    /// `password`) or `oauth2` (`flow`, `scopes`, `audience`; with `tokenUrl`, `clientId` and `clientSecret` for drivers
    /// that list `oauth2`, with a `token` for all others). `origins` says where they may be shown.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub credentials: BTreeMap<String, Vec<Value>>,
    /// What the caller demands or waives.
    #[serde(default)]
    pub policy: Policy,
    /// Milliseconds after which the caller gives up.
    pub deadline_ms: u64,
}

impl Delegation {
    /// How long the caller waits before it gives up.
    pub const fn deadline(&self) -> Duration {
        Duration::from_millis(self.deadline_ms)
    }
}

/// A peer as the orchestrator is told of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PeerAddress {
    /// Its name in this run.
    pub name: String,
    /// Its origin.
    pub base_url: String,
    /// Its card.
    pub card_url: String,
}

/// How to choose among several peers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Select {
    /// The first that can do the work.
    #[default]
    OneInOrder,
}

/// Message content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Content {
    /// Parts as ProtoJSON.
    pub parts: Vec<Value>,
}

/// Capabilities the work depends on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Needs {
    /// Following the task by stream.
    pub streaming: Need,
    /// Push notifications.
    pub push: Need,
}

/// How much the work depends on a capability.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Need {
    /// Without it the work must not be handed over.
    Required,
    /// Used where it is there.
    Preferred,
    /// Not used.
    #[default]
    Unused,
}

/// What the caller demands or waives.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Policy {
    /// Cards must carry a signature that verifies.
    pub require_signatures: bool,
    /// Keys to verify with.
    pub jwks: Option<Value>,
    /// The caller accepts that capabilities are found out by handing over the work.
    pub send_and_see: bool,
}
