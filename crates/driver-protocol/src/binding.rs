//! The three bindings of A2A.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A protocol binding, spelt on the wire exactly as [`Binding::name`] spells it (specification §5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Binding {
    /// JSON-RPC 2.0 over HTTP.
    #[serde(rename = "JSONRPC")]
    JsonRpc,
    /// gRPC.
    #[serde(rename = "GRPC")]
    Grpc,
    /// REST-like HTTP with JSON bodies.
    #[serde(rename = "HTTP+JSON")]
    HttpJson,
}

impl Binding {
    /// All bindings, in the order reports list them.
    pub const ALL: [Self; 3] = [Self::JsonRpc, Self::Grpc, Self::HttpJson];

    /// The name cards use in `protocolBinding`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::JsonRpc => "JSONRPC",
            Self::Grpc => "GRPC",
            Self::HttpJson => "HTTP+JSON",
        }
    }
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Binding {
    type Err = UnknownBinding;

    fn from_str(text: &str) -> Result<Self, UnknownBinding> {
        Self::ALL.into_iter().find(|binding| binding.name() == text).ok_or_else(|| UnknownBinding(text.to_owned()))
    }
}

/// A binding name that A2A does not define. Spelling matters: `jsonrpc` is not `JSONRPC`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownBinding(pub String);

impl fmt::Display for UnknownBinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a binding: use JSONRPC, GRPC or HTTP+JSON", self.0)
    }
}

impl Error for UnknownBinding {}
