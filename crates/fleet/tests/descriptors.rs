//! A process that runs out of file descriptors. Alone in its binary: the limit is the whole process's.

#![cfg(target_os = "linux")]

use std::time::Duration;

use gauntlet_fleet::{Fleet, FleetOptions, PeerPlan};
use gauntlet_scenario::PeerSpec;
use gauntlet_wire::Binding;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[tokio::test]
async fn a_peer_without_descriptors_accepts_again_when_there_are_some() {
    let plan = PeerPlan::healthy(PeerSpec::healthy("vendor-a", Binding::ALL));
    let fleet = Fleet::start(vec![plan], FleetOptions::default()).await.unwrap();
    let authority = fleet.addresses()[0].base_url.replace("http://", "");
    setrlimit(Resource::Nofile, Rlimit { current: Some(64), ..getrlimit(Resource::Nofile) }).unwrap();
    let mut open = Vec::new();
    // Both ends are of this process; in the end nothing is left for either.
    let why = loop {
        match TcpStream::connect(&authority).await {
            Ok(stream) => open.push(stream),
            Err(why) => break why,
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(why.raw_os_error(), Some(rustix::io::Errno::MFILE.raw_os_error()));
    // The last ones stand in the backlog. They are served once the others have gone.
    let mut last = open.pop().unwrap();
    last.write_all(b"GET /.well-known/agent-card.json HTTP/1.1\r\nhost: peer\r\nconnection: close\r\n\r\n")
        .await
        .unwrap();
    let mut answer = [0; 15];
    let served = async {
        drop(open);
        last.read_exact(&mut answer).await.unwrap();
    };
    tokio::time::timeout(Duration::from_secs(10), served).await.expect("it is served");
    assert_eq!(&answer, b"HTTP/1.1 200 OK");
    fleet.stop().await.unwrap();
}
