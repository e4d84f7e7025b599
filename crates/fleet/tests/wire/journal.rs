//! What the journal says of it all.

use std::time::Duration;

use gauntlet_evidence::{JournalEntry, JournalEvent, RequestClass};
use gauntlet_fleet::{Clock, Fleet, FleetOptions, JournalLimits, PeerPlan};
use gauntlet_wire::{Binding, Operation};
use serde_json::json;

use crate::{client, delegation, fleet, fleet_with, healthy, says, says_with};

pub(crate) fn classes(journal: &[JournalEntry]) -> Vec<RequestClass> {
    let requests = journal.iter().filter_map(|entry| match &entry.event {
        JournalEvent::Request(request) => Some(request.class.clone()),
        _ => None,
    });
    requests.collect()
}

/// When the first connection closes moves the clock for what comes after.
fn without_times(text: &str) -> String {
    let mut pieces = text.split("2026-01-01T");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |text, piece| text + "TIME" + piece.split_once('Z').unwrap().1)
}

#[tokio::test]
async fn one_exchange_from_card_to_close() {
    let fleet = fleet_with(healthy(), &[]).await;
    let address = fleet.addresses().remove(0);
    fleet.expect(&delegation("d-1", "d-1:9f2c"), true);
    reqwest::get(&address.card_url).await.unwrap();
    let client = client(&fleet, Binding::JsonRpc);
    let stream = client.stream(Operation::SendStreamingMessage, says("go (d-1:9f2c)")).await.unwrap();
    assert!(stream.drain().await.1);
    drop(client);
    let closed = |entry: &JournalEntry| matches!(entry.event, JournalEvent::Closed { .. });
    while fleet.journal().into_iter().filter(closed).count() < 2 {
        fleet.settle(Duration::from_secs(5)).await;
    }
    let mut journal = fleet.stop().await.unwrap().journal;
    for entry in &mut journal {
        // Two connections close on their own time.
        entry.at_us = 0;
    }
    journal.sort_by_key(|entry| (entry.connection, entry.seq));
    for (index, entry) in journal.iter_mut().enumerate() {
        entry.seq = index as u64 + 1;
    }
    let port = address.base_url.rsplit(':').next().unwrap().to_owned();
    let text = serde_json::to_string_pretty(&journal).unwrap().replace(&port, "PORT");
    // The card's tag depends on its port.
    let text: Vec<_> =
        text.lines().map(|line| if line.trim_start().starts_with("\"\\\"") { "          TAG" } else { line }).collect();
    insta::assert_snapshot!(without_times(&text.join("\n")));
}

#[tokio::test]
async fn the_same_seed_and_script_give_the_same_journal() {
    let mut journals = Vec::new();
    for _ in 0..2 {
        let fleet = fleet("[working, artifact: { text: abc, chunks: 2 }, complete]").await;
        client(&fleet, Binding::Grpc).call(Operation::SendMessage, says("go")).await.unwrap();
        let frames = fleet.journal().into_iter().filter_map(|entry| match entry.event {
            JournalEvent::Frame(frame) => Some((entry.at_us, frame)),
            _ => None,
        });
        journals.push(frames.collect::<Vec<_>>());
        fleet.stop().await.unwrap();
    }
    assert_eq!(journals[0], journals[1]);
    assert_eq!(journals[0].len(), 1);
}

#[tokio::test]
async fn requests_are_classed_by_what_they_carry() {
    for binding in Binding::ALL {
        let fleet = fleet("[ask: which?, complete]").await;
        let client = client(&fleet, binding);
        fleet.expect(&delegation("d-1", "d-1:aaaa"), true);
        fleet.expect(&delegation("d-2", "d-2:bbbb"), true);
        let send = |request| client.call(Operation::SendMessage, request);
        let probed = send(says("are you there?")).await.unwrap()["task"]["id"].clone();
        client.call(Operation::CancelTask, json!({ "id": probed })).await.unwrap();
        // The earlier marker beside the current one is carried over.
        let task = send(says("d-1:aaaa said so; now d-2:bbbb")).await.unwrap()["task"].clone();
        client.call(Operation::GetTask, json!({ "id": task["id"] })).await.unwrap();
        send(says_with("4411", &json!({ "taskId": task["id"] }))).await.unwrap();
        send(says_with("in a file", &json!({ "parts": [{ "raw": "ZC0xOmFhYWE=", "filename": "a.txt" }] })))
            .await
            .unwrap();
        let _ = client.call(Operation::GetTask, json!({ "id": "nowhere" })).await;
        let follows = |id: &str| RequestClass::FollowUp(Some(id.to_owned()));
        assert_eq!(
            classes(&fleet.journal()),
            [
                RequestClass::Probe,
                RequestClass::FollowUp(None),
                RequestClass::Dispatch("d-2".to_owned()),
                follows("d-2"),
                follows("d-2"),
                RequestClass::Dispatch("d-1".to_owned()),
                RequestClass::FollowUp(None),
            ],
            "{binding}"
        );
        let held = fleet.stop().await.unwrap().states.remove(0).tasks;
        assert_eq!(held[0].delegation, None);
        assert_eq!(held[1].delegation.as_deref(), Some("d-2"));
        assert_eq!(held[1].begun_by, 3);
    }
}

#[tokio::test]
async fn without_probes_whatever_begins_a_task_is_a_dispatch_even_if_refused() {
    let fleet = fleet_with(healthy(), &[("method-unimplemented", Some("{ operation: SendMessage }"))]).await;
    fleet.expect(&delegation("d-1", "d-1:aaaa"), false);
    let client = client(&fleet, Binding::HttpJson);
    assert!(client.call(Operation::SendMessage, says("reworded")).await.is_err());
    assert_eq!(classes(&fleet.journal()), [RequestClass::Dispatch("d-1".to_owned())]);
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn a_journal_is_bounded_and_says_so() {
    let options = FleetOptions {
        clock: Clock::stepping(),
        journal: JournalLimits { entries: 4, bytes: 1 << 20, forgets: false },
        ..FleetOptions::default()
    };
    let fleet = Fleet::start(vec![PeerPlan::healthy(healthy())], options).await.unwrap();
    let client = client(&fleet, Binding::JsonRpc);
    client.call(Operation::SendMessage, says("one")).await.unwrap();
    client.call(Operation::SendMessage, says("two")).await.unwrap();
    let remains = fleet.stop().await.unwrap();
    assert_eq!(remains.journal.len(), 4);
    assert!(remains.left_out >= 5, "{}", remains.left_out);
}
