//! What can go wrong with a fleet.

use std::io;

use gauntlet_scenario::FileError;

/// Why a fleet did not start, or did not keep to its own contract.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// A fixed port is taken.
    #[error(
        "{peer}: port {port} on 127.0.0.1 is in use; end what listens there, choose another `port`, or leave it out \
         to get a free one"
    )]
    PortInUse {
        /// The peer.
        peer: String,
        /// The port.
        port: u16,
    },
    /// A socket could not be opened for another reason.
    #[error("{peer}: no socket on 127.0.0.1: {source}")]
    Socket {
        /// The peer.
        peer: String,
        /// What the system says.
        source: io::Error,
    },
    /// A defect's faults cannot be built.
    #[error(transparent)]
    Defect(#[from] FileError),
    /// A file cannot be taken in, or there is no such fleet.
    #[error("{0}")]
    File(String),
    /// A protocol version that peers do not speak.
    #[error("{peer}: peers speak protocol 1.0, not `{protocol}`; change `protocol`")]
    Protocol {
        /// The peer.
        peer: String,
        /// What was asked for.
        protocol: String,
    },
    /// Two peers have one name.
    #[error("two peers are called `{0}`; give each its own name")]
    DuplicatePeer(String),
    /// A task of the fleet panicked: a bug of the mock.
    #[error("the mock failed (our bug): {}", .0.join("; "))]
    Panicked(Vec<String>),
    /// A peer said something invalid that no fault accounts for: a bug of the mock, or of a defect that does not stamp.
    #[error("the mock broke its own contract (our bug): {}", .0.join("; "))]
    ContractBroken(Vec<String>),
}
