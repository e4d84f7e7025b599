//! Driver protocol 1: what `gauntlet` and an orchestrator under test say to each other, one JSON object a line; and the
//! loop of a driver written in Rust.
//!
//! `gauntlet` starts a driver and writes [`ToDriver`] messages to its stdin; the driver calls the client it connects and
//! writes [`FromDriver`] messages to its stdout. Both sides ignore members and messages they do not know. The protocol is
//! frozen once published: fields are added, never renamed.
//!
//! A driver implements [`Driver`] and hands itself to [`serve`]:
//!
//! ```
//! use gauntlet_driver_protocol::{Delegation, Driver, Hello, Outcome, Status, serve_lines};
//!
//! /// Stands for the client that a real driver calls.
//! struct Client;
//!
//! impl Driver for Client {
//!     fn hello(&self) -> Hello {
//!         Hello { name: "my-client".to_owned(), ..Hello::default() }
//!     }
//!
//!     fn delegate(&mut self, work: Delegation) -> Outcome {
//!         let answer = format!("{} was asked", work.peers[0].name);
//!         Outcome { text: Some(answer), ..Outcome::new(work.id, Status::Completed) }
//!     }
//! }
//!
//! // `serve(&mut Client)` does the same with stdin and stdout.
//! let asked = concat!(
//!     r#"{"type":"start","protocol":1,"seed":7}"#, "\n",
//!     r#"{"type":"delegate","id":"d-1","session":"s-1","marker":"d-1:9f2c","message":{"parts":[{"text":"work"}]},"#,
//!     r#""peers":[{"name":"vendor-a","baseUrl":"http://127.0.0.1:9","cardUrl":"http://127.0.0.1:9/card"}],"#,
//!     r#""deadlineMs":800}"#, "\n",
//! );
//! let mut told = Vec::new();
//! serve_lines(&mut Client, asked.as_bytes(), &mut told)?;
//!
//! let told = String::from_utf8_lossy(&told);
//! let lines: Vec<&str> = told.lines().collect();
//! assert!(lines[0].starts_with(r#"{"type":"hello","protocol":1,"name":"my-client""#));
//! assert_eq!(lines[1], r#"{"type":"outcome","id":"d-1","status":"completed","text":"vendor-a was asked"}"#);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! A driver that does more at once, or follows `cancel`, reads and writes the messages itself: they are plain serde types.
//!
//! May depend on: nothing of ours, so that a driver builds in seconds.

mod binding;
mod delegation;
mod hello;
mod outcome;
mod serve;

pub use binding::{Binding, UnknownBinding};
pub use delegation::{Content, Delegation, Need, Needs, PeerAddress, Policy, Select};
pub use hello::{Hello, PartKind, Speaks, Support, Webhook};
pub use outcome::{Outcome, Raised, Reason, Status, Warning};
pub use serve::{Driver, serve, serve_lines};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The number of this protocol.
pub const PROTOCOL: u32 = 1;

/// What goes to the driver.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum ToDriver {
    /// Opens the conversation; the driver may answer with a hello.
    Start(Start),
    /// Hands over work.
    Delegate(Box<Delegation>),
    /// Answers a task that waits for input or credentials.
    Continue(Continue),
    /// Asks that a delegation be given up.
    Cancel(Cancel),
    /// Asks that everything remembered be forgotten.
    Reset(Reset),
}

/// What comes from the driver.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum FromDriver {
    /// Who the orchestrator is and what it can do.
    Hello(Hello),
    /// How a delegation ended, or that it waits.
    Outcome(Box<Outcome>),
    /// A reset is through.
    ResetDone(Reset),
}

/// Opens the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Start {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// Seed of the run, for drivers that draw lots.
    pub seed: u64,
}

/// Answers a task that waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Continue {
    /// The delegation.
    pub id: String,
    /// Parts as ProtoJSON.
    pub parts: Vec<Value>,
}

/// Gives a delegation up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cancel {
    /// The delegation.
    pub id: String,
}

/// Forgets a session; the answer repeats it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reset {
    /// The session.
    pub session: String,
}
