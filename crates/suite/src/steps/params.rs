//! Words with a meaning of their own inside steps.

use std::str::FromStr;

use cucumber::Parameter;
use gauntlet_evidence::Status;
use gauntlet_wire::{Binding, UnknownBinding};

/// One or more bindings: `GRPC`, `GRPC and JSONRPC`, `GRPC, JSONRPC and HTTP+JSON`.
#[derive(Debug, Clone, Parameter)]
#[param(
    name = "bindings",
    regex = r"(?:JSONRPC|GRPC|HTTP\+JSON)(?:, (?:JSONRPC|GRPC|HTTP\+JSON))*(?: and (?:JSONRPC|GRPC|HTTP\+JSON))?"
)]
pub(super) struct Bindings(pub(super) Vec<Binding>);

impl FromStr for Bindings {
    type Err = UnknownBinding;

    fn from_str(text: &str) -> Result<Self, UnknownBinding> {
        text.replace(" and ", ", ").split(", ").map(Binding::from_str).collect::<Result<_, _>>().map(Self)
    }
}

/// The end of a delegation: a status word of driver protocol 1.
#[derive(Debug, Clone, Copy, Parameter)]
#[param(name = "status", regex = "completed|refused|failed|rejected|canceled|input-required|auth-required|timed-out")]
pub(super) struct StatusWord(pub(super) Status);

impl FromStr for StatusWord {
    type Err = serde_json::Error;

    fn from_str(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_value(serde_json::Value::from(text)).map(Self)
    }
}
