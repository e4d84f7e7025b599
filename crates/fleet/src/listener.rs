//! Sockets: ports that are never used twice, ports that refuse, and the loop that accepts.

use std::collections::VecDeque;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use socket2::{Domain, Socket, Type};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::connection;
use crate::double::token::TokenServer;
use crate::limits;
use crate::peer::Peer;

/// How long connections get to end by themselves when a fleet stops.
const FAREWELL: Duration = Duration::from_millis(250);

/// Ports this process has handed out, the latest last: clients that cache by address must not meet another peer there.
static USED: Mutex<VecDeque<u16>> = Mutex::new(VecDeque::new());

/// How many of them are remembered: more than a run over everything uses, and a small part of those that the system
/// has to give, or a process that lives long would search among ever fewer.
const REMEMBERED: usize = 4096;

/// A bound socket that does not listen yet.
#[derive(Debug)]
pub(crate) struct Bound {
    socket: Socket,
    port: u16,
}

/// What a socket is bound for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To take connections.
    Listen,
    /// To refuse them.
    Refuse,
}

impl Bound {
    /// Binds to that port on loopback, or to one that this process has not used lately.
    pub(crate) fn bind(port: Option<u16>, purpose: Purpose) -> io::Result<Self> {
        let mut passed_over = Vec::new();
        loop {
            let bound = Self::bind_once(port.unwrap_or(0), purpose)?;
            if remember(bound.port) || port.is_some() {
                return Ok(bound);
            }
            // Kept until the end of the search, or the system would offer it again.
            passed_over.push(bound);
        }
    }

    fn bind_once(port: u16, purpose: Purpose) -> io::Result<Self> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        // Connections of an earlier run may linger on a port that was asked for by number. A port that refuses must
        // not be shared: until somebody listens, the system would let a second socket have it.
        socket.set_reuse_address(port != 0 && purpose == Purpose::Listen)?;
        socket.bind(&SocketAddrV4::new(Ipv4Addr::LOCALHOST, port).into())?;
        let port = socket.local_addr()?.as_socket().map_or(port, |address| address.port());
        Ok(Self { socket, port })
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn authority(&self) -> String {
        SocketAddr::from((Ipv4Addr::LOCALHOST, self.port)).to_string()
    }

    /// Begins to take connections. A bound socket that is kept without this refuses them and holds its port.
    pub(crate) fn listen(self) -> io::Result<TcpListener> {
        self.socket.listen(limits::BACKLOG)?;
        self.socket.set_nonblocking(true)?;
        TcpListener::from_std(self.socket.into())
    }
}

/// Whether the port was not handed out lately; from now on it was.
fn remember(port: u16) -> bool {
    let mut used = USED.lock().unwrap_or_else(PoisonError::into_inner);
    let is_new = !used.contains(&port);
    if is_new {
        if used.len() == REMEMBERED {
            used.pop_front();
        }
        used.push_back(port);
    }
    is_new
}

/// What is served at one address.
pub(crate) struct Endpoint {
    pub(crate) peer: Arc<Peer>,
    /// Indices into the peer's interfaces.
    pub(crate) interfaces: Vec<usize>,
    pub(crate) serves_card: bool,
    /// A token server has its address for itself.
    pub(crate) issues_tokens: Option<Arc<TokenServer>>,
    pub(crate) authority: String,
}

/// Accepts until told to stop; then no connection is left when it returns. Dropped, it takes them with it.
pub(crate) async fn accept(listener: TcpListener, endpoint: Arc<Endpoint>, stopping: CancellationToken) {
    let troubles = &endpoint.peer.shared.troubles;
    let mut connections = JoinSet::new();
    let mut rests = false;
    loop {
        tokio::select! {
            biased;
            () = stopping.cancelled() => break,
            Some(ended) = connections.join_next() => {
                troubles.joined(ended);
                rests = false;
            }
            () = tokio::time::sleep(limits::ACCEPT_REST), if rests => rests = false,
            accepted = listener.accept(), if !rests && connections.len() < limits::CONNECTIONS => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(connection::serve(stream, Arc::clone(&endpoint), stopping.clone()));
                }
                Err(error) => rests = !is_of_one_connection(&error),
            },
        }
    }
    drop(listener);
    let farewell = async {
        while let Some(ended) = connections.join_next().await {
            troubles.joined(ended);
        }
    };
    if tokio::time::timeout(FAREWELL, farewell).await.is_err() {
        connections.shutdown().await;
    }
}

/// Whether accepting failed only for the connection that was next, because its client has gone again. Anything else,
/// above all that descriptors ran out, fails in the same way when tried again at once.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionReset | Interrupted)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[tokio::test]
    async fn a_port_that_is_bound_but_does_not_listen_refuses() {
        let bound = Bound::bind(None, Purpose::Refuse).unwrap();
        let refused = tokio::net::TcpStream::connect(bound.authority()).await.unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);
        let authority = bound.authority();
        let _listener = bound.listen().unwrap();
        tokio::net::TcpStream::connect(authority).await.unwrap();
    }

    #[test]
    fn free_ports_are_handed_out_once() {
        let ports: Vec<u16> = (0..50).map(|_| Bound::bind(None, Purpose::Refuse).unwrap().port).collect();
        assert_eq!(ports.iter().collect::<HashSet<_>>().len(), ports.len());
    }

    #[test]
    fn a_process_never_runs_out_of_ports() {
        for _ in 0..usize::from(u16::MAX) {
            Bound::bind(None, Purpose::Refuse).unwrap();
        }
    }
}
