//! Tasks that take their time: following, waiting, answering, cancelling, stopping.

use std::time::Duration;

use gauntlet_evidence::JournalEvent;
use gauntlet_evidence::journal::{Ending, Party};
use gauntlet_fleet::{Fleet, FleetError, FleetOptions, PeerPlan};
use gauntlet_scenario::{InterfaceSpec, PeerSpec};
use gauntlet_wire::{Binding, Operation};
use serde_json::json;

use crate::{client, fleet, says, says_with};

#[tokio::test]
async fn two_subscribers_see_the_same_until_a_cancel_ends_it() {
    for binding in Binding::ALL {
        let fleet = fleet("[working, hang]").await;
        let client = client(&fleet, binding);
        let mut first = client.stream(Operation::SendStreamingMessage, says("go")).await.unwrap();
        let id = json!({ "id": first.next().await.unwrap()["task"]["id"] });
        let working = first.next().await.unwrap();
        assert_eq!(working["statusUpdate"]["status"]["state"], "TASK_STATE_WORKING");
        let mut second = client.stream(Operation::SubscribeToTask, id.clone()).await.unwrap();
        assert_eq!(second.next().await.unwrap()["task"]["status"], working["statusUpdate"]["status"]);
        let cancelled = client.call(Operation::CancelTask, id).await.unwrap();
        assert_eq!(cancelled["status"]["state"], "TASK_STATE_CANCELED");
        let (first, second) = (first.drain().await, second.drain().await);
        assert_eq!(first, second);
        assert_eq!(first.0.len(), 1);
        assert!(first.1, "{binding}");
        fleet.stop().await.unwrap();
    }
}

#[tokio::test]
async fn a_send_waits_unless_told_to_return() {
    for binding in Binding::ALL {
        let fleet = fleet("[ask: which?, complete]").await;
        let client = client(&fleet, binding);
        let asked = client.call(Operation::SendMessage, says("go")).await.unwrap()["task"].clone();
        assert_eq!(asked["status"]["state"], "TASK_STATE_INPUT_REQUIRED");
        assert_eq!(asked["status"]["message"]["parts"], json!([{ "text": "which?" }]));
        let elsewhere = says_with("4411", &json!({ "taskId": asked["id"], "contextId": "elsewhere" }));
        assert!(client.call(Operation::SendMessage, elsewhere).await.is_err());
        let answer = says_with("4411", &json!({ "taskId": asked["id"], "contextId": asked["contextId"] }));
        let done = client.call(Operation::SendMessage, answer).await.unwrap()["task"].clone();
        assert_eq!(done["status"]["state"], "TASK_STATE_COMPLETED");
        assert_eq!(done["id"], asked["id"]);

        let mut hurried = says("go");
        hurried["configuration"] = json!({ "returnImmediately": true });
        let begun = client.call(Operation::SendMessage, hurried).await.unwrap();
        assert_eq!(begun["task"]["status"]["state"], "TASK_STATE_SUBMITTED");
        fleet.stop().await.unwrap();
    }
}

#[tokio::test]
async fn a_client_that_goes_away_abandons_its_exchange_and_the_fleet_settles() {
    for binding in Binding::ALL {
        let fleet = fleet("[working, hang]").await;
        let client = client(&fleet, binding);
        let mut stream = client.stream(Operation::SendStreamingMessage, says("go")).await.unwrap();
        stream.next().await.unwrap();
        drop((stream, client));
        fleet.settle(Duration::from_secs(5)).await;
        let remains = fleet.stop().await.unwrap();
        let endings = remains.journal.iter().filter_map(|entry| match &entry.event {
            JournalEvent::Ended { how } => Some(how.clone()),
            _ => None,
        });
        assert_eq!(endings.collect::<Vec<_>>(), [Ending::Abandoned], "{binding}");
    }
}

#[tokio::test]
async fn stopping_breaks_streams_off_and_leaves_no_socket() {
    for binding in Binding::ALL {
        let fleet = fleet("[working, hang]").await;
        let client = client(&fleet, binding);
        let mut stream = client.stream(Operation::SendStreamingMessage, says("go")).await.unwrap();
        stream.next().await.unwrap();
        let authority = fleet.addresses()[0].base_url.replace("http://", "");
        let (remains, (_, clean)) = tokio::join!(fleet.stop(), stream.drain());
        assert!(!clean, "{binding}: a stream that is broken off must not look finished");
        let journal = remains.unwrap().journal;
        let ended = journal.iter().find(|entry| matches!(entry.event, JournalEvent::Ended { .. })).unwrap();
        assert_eq!(ended.event, JournalEvent::Ended { how: Ending::Cut });
        let last = &journal.last().unwrap().event;
        assert_eq!(last, &JournalEvent::Closed { by: Party::Peer }, "{binding}");
        assert!(tokio::net::TcpStream::connect(authority).await.is_err());
    }
}

#[tokio::test]
async fn a_port_in_use_names_peer_and_port() {
    let first = Fleet::start(
        vec![PeerPlan::healthy(PeerSpec::healthy("vendor-a", [Binding::JsonRpc]))],
        FleetOptions::default(),
    )
    .await
    .unwrap();
    let taken: u16 = first.addresses()[0].base_url.rsplit(':').next().unwrap().parse().unwrap();
    let mut spec = PeerSpec::healthy("vendor-b", []);
    spec.interfaces = vec![InterfaceSpec { port: Some(taken), ..InterfaceSpec::new(Binding::Grpc) }];
    let error = Fleet::start(vec![PeerPlan::healthy(spec.clone())], FleetOptions::default()).await.err().unwrap();
    assert!(matches!(&error, FleetError::PortInUse { peer, port } if peer == "vendor-b" && *port == taken), "{error}");
    first.stop().await.unwrap();
    let twins = ["one", "two"].map(|name| PeerPlan::healthy(PeerSpec { name: name.to_owned(), ..spec.clone() }));
    let error = Fleet::start(twins.to_vec(), FleetOptions::default()).await.err().unwrap();
    assert!(matches!(&error, FleetError::PortInUse { peer, .. } if peer == "two"), "{error}");
    let now_free = Fleet::start(vec![PeerPlan::healthy(spec)], FleetOptions::default()).await.unwrap();
    assert_eq!(now_free.addresses()[0].base_url, format!("http://127.0.0.1:{taken}"));
    now_free.stop().await.unwrap();
}
