//! Mock A2A peers: listeners, bindings, a task engine, and a journal of all they saw and said.
//!
//! - [`Fleet`] starts peers from their specs and defects, watches them, and ends them without a trace. For tests,
//!   [`Fleet::builder`] describes peers in a line each, and [`Fleet::peer`] asks what one saw.
//! - `engine` is a correct agent, independent of any binding; `binding` turns requests into its calls and its events
//!   into bytes; `connection` and `listener` hold the sockets; `webhook` sends what a peer says of its own accord.
//! - [`unmatched`]: requests that fit nothing, and what they probably meant.
//! - `double` holds servers that stand beside a peer: its token server.
//! - `control` tells test code in other languages what the peers are, saw and hold.
//! - Faults hook in between; what one changes is stamped on its journal entry. What carries no stamp is held against
//!   the proto while it is sent, and a breach makes [`Fleet::stop`] fail: a mock must not lie about who is at fault.
//!
//! A peer without defects obeys the specification in full. Loopback only, unless a webhook's host is allowed; every task and socket has an owner and ends
//! with it; nothing is random without a seed.
//!
//! # In a test
//!
//! A client that streams meets a peer whose stream ends before the task does. The peer goes on, completes, and tells so when it
//! is asked:
//!
//! ```
//! use gauntlet_fleet::{Binding, Fleet, Mock, Operation};
//! use serde_json::{Value, json};
//!
//! /// A client of one's own.
//! async fn ask(url: &str, method: &str, params: Value) -> reqwest::Result<String> {
//!     let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
//!     let client = reqwest::Client::new();
//!     let request = client.post(url).header("Content-Type", "application/json").header("A2A-Version", "1.0");
//!     request.body(body).send().await?.text().await
//! }
//!
//! # async fn test() -> Result<(), Box<dyn std::error::Error>> {
//! let mock = Mock::named("vendor-b").serves([Binding::JsonRpc]).answers("label: damaged", 3).defect("stream-closes-early");
//! let fleet = Fleet::builder().peer(mock).start().await?;
//! let peer = fleet.peer("vendor-b");
//! let url = peer.url(Binding::JsonRpc);
//!
//! let message = json!({"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": "Classify return 4411"}]});
//! let stream = ask(&url, "SendStreamingMessage", json!({"message": message})).await?;
//! assert!(!stream.contains("TASK_STATE_COMPLETED"), "the stream ended early");
//! let task = peer.tasks().remove(0);
//! assert!(ask(&url, "GetTask", json!({"id": task.id()})).await?.contains("TASK_STATE_COMPLETED"));
//!
//! let sent = peer.received(Operation::SendStreamingMessage).saying("return 4411").once();
//! assert_eq!(sent.version.as_deref(), Some("1.0"));
//! peer.received(Operation::GetTask).about(task.id()).with_header("A2A-Version", "1.0").once();
//! peer.received(Operation::CancelTask).never();
//! assert!(peer.unmatched().is_empty());
//! # Ok(())
//! # }
//! # tokio::runtime::Runtime::new().unwrap().block_on(test()).unwrap();
//! ```
//!
//! May depend on: `gauntlet-faults`, `gauntlet-scenario`, `gauntlet-evidence`, `gauntlet-wire`.

mod binding;
mod builder;
mod card;
mod check;
mod classify;
mod clock;
mod connection;
mod control;
mod double;
mod engine;
mod error;
mod extensions;
mod fleet;
mod ids;
mod journal;
mod limits;
mod listener;
mod lock;
mod peer;
mod security;
mod sockets;
mod stamps;
pub mod unmatched;
mod watched;
mod webhook;

pub use builder::{FleetBuilder, Mock};
pub use clock::Clock;
pub use error::FleetError;
pub use fleet::{Fleet, FleetOptions, PeerPlan, Remains};
pub use journal::{Follower, JournalLimits};
pub use watched::{Received, Watched};
pub use webhook::WebhookOptions;

pub use gauntlet_wire::{Binding, Operation};
