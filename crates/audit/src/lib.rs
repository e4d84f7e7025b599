//! Agent cards held against what is really served: the publish-time check that a document alone cannot give.
//!
//! [`observe`] fetches a card, dials every interface that it lists, and calls operations there that change nothing: they
//! name a task that does not exist, so that an operation which is served answers TaskNotFound, and one which is not answers
//! UNIMPLEMENTED, -32601 or 404. What came back is an [`Observed`]; [`judge`] holds it against the [`CHECKS`], which are pure.
//!
//! - `dial` holds sockets, TLS and HTTP. It sees what libraries for clients hide: trailers, media types, certificates.
//! - `fetch` gets the card as a careful caller does.
//! - `call` turns an operation into a request of a binding, and what comes back into a [`Reading`].
//! - `observe` decides what is called and in which order.
//! - `checks` is the table: one entry for each thing that is demanded.
//!
//! May depend on: `gauntlet-card`, `gauntlet-wire`. Prints nothing.

mod call;
mod checks;
mod dial;
mod fetch;
mod listed;
mod observe;

pub use call::{Answer, Reading};
pub use checks::{CHECKS, Check, Outcome, Scope, Verdict, judge};
pub use dial::DialError;
pub use fetch::{Fetched, card_url, redirected};
pub use listed::Listed;
pub use observe::{Observed, Seen, observe};

use std::time::Duration;

/// How an agent is looked at.
#[derive(Debug, Clone)]
pub struct Options {
    /// Contact nothing but loopback, wherever a card or a redirect points.
    pub local: bool,
    /// How long each exchange may take, from the look-up of the host to the last byte.
    pub patience: Duration,
    /// Headers that show who calls. Operations are called with them, the card is not.
    pub credentials: Vec<(String, String)>,
    /// Hosts that may be shown the credentials, beside the one that the card was asked of.
    pub trusted: Vec<String>,
    /// Also send a message, and one whose answer is a stream.
    pub send: bool,
    /// The id of a task that does not exist: drawn anew for each audit.
    pub unknown_task: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            local: false,
            patience: Duration::from_secs(10),
            credentials: Vec::new(),
            trusted: Vec::new(),
            send: false,
            unknown_task: "00000000-0000-4000-8000-000000000000".to_owned(),
        }
    }
}

/// Why nothing could be looked at.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AuditError {
    /// What was given is no address of a card.
    #[error("`{0}` is no url of a card: {1}")]
    Url(String, String),
    /// The card is elsewhere, and only this machine may be contacted.
    #[error("{0}")]
    Outside(String),
    /// A credential that no request can carry.
    #[error("the header `{0}` cannot be sent: {1}")]
    Header(String, String),
    /// There is no TLS on this machine.
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
}
