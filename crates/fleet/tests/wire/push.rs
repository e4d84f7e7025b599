//! Push notifications: configurations on every binding, and what webhooks are told.

use std::time::Duration;

use gauntlet_evidence::JournalEvent;
use gauntlet_fleet::{Clock, Fleet, FleetOptions, PeerPlan, WebhookOptions};
use gauntlet_scenario::{Behaviour, PeerSpec};
use gauntlet_wire::{Binding, ErrorKind, Operation};
use serde_json::{Value, json};

use crate::client::Client;
use crate::receiver::{Does, Posted, Receiver};
use crate::{client, healthy, says, says_with};

const CREATE: Operation = Operation::CreateTaskPushNotificationConfig;
const GET: Operation = Operation::GetTaskPushNotificationConfig;
const LIST: Operation = Operation::ListTaskPushNotificationConfigs;
const DELETE: Operation = Operation::DeleteTaskPushNotificationConfig;

async fn pushing(behaviour: &str) -> Fleet {
    pushing_with(behaviour, Clock::stepping(), WebhookOptions::default()).await
}

async fn pushing_with(behaviour: &str, clock: Clock, webhooks: WebhookOptions) -> Fleet {
    let mut spec = PeerSpec { behaviour: Behaviour::parse(behaviour, "test.yaml").unwrap(), ..healthy() };
    spec.card = json!({ "capabilities": { "pushNotifications": true } });
    let options = FleetOptions { seed: 7, clock, webhooks, ..FleetOptions::default() };
    Fleet::start(vec![PeerPlan::healthy(spec)], options).await.unwrap()
}

async fn begin(client: &Client) -> Value {
    client.call(Operation::SendMessage, says("go")).await.unwrap()["task"].clone()
}

fn with_push(mut request: Value, config: &Value) -> Value {
    request["configuration"] = json!({ "taskPushNotificationConfig": config });
    request
}

fn states(posted: &[Posted]) -> Vec<&str> {
    posted.iter().filter_map(Posted::state).collect()
}

/// What the journal says of webhooks, as lines for people, with what varies left out.
fn webhook_lines(fleet: &Fleet) -> Vec<String> {
    let of_webhooks = |event: &JournalEvent| {
        matches!(
            event,
            JournalEvent::WebhookSent(_) | JournalEvent::WebhookAnswered { .. } | JournalEvent::WebhookWithheld { .. }
        )
    };
    let entries = fleet.journal().into_iter().filter(|entry| of_webhooks(&entry.event));
    entries.map(|entry| entry.to_string().split_once("vendor-a  ").unwrap().1.to_owned()).collect()
}

#[tokio::test]
async fn configurations_are_made_got_listed_and_deleted_even_on_tasks_that_have_ended() {
    for binding in Binding::ALL {
        let fleet = pushing("[complete]").await;
        let client = client(&fleet, binding);
        let (first, second) = (begin(&client).await, begin(&client).await);
        let config = |task: &Value| {
            json!({
                "taskId": task["id"], "id": "chosen", "url": "https://example.com/hook", "token": "t-1",
                "authentication": { "scheme": "Bearer", "credentials": "secret" },
            })
        };
        for task in [&first, &second] {
            assert_eq!(client.call(CREATE, config(task)).await.unwrap(), config(task), "{binding}");
        }
        let chosen = json!({ "taskId": first["id"], "id": "chosen" });
        assert_eq!(client.call(GET, chosen.clone()).await.unwrap(), config(&first));

        let unnamed = json!({ "taskId": first["id"], "url": "http://127.0.0.1:9/" });
        let made = client.call(CREATE, unnamed.clone()).await.unwrap();
        assert!(made["id"].as_str().is_some_and(|id| !id.is_empty() && id != "chosen"));
        let page =
            |token: &Value| client.call(LIST, json!({ "taskId": first["id"], "pageSize": 1, "pageToken": token }));
        let one = page(&json!("")).await.unwrap();
        assert_eq!(one["configs"], json!([config(&first)]));
        let two = page(&one["nextPageToken"]).await.unwrap();
        assert_eq!((&two["configs"], two.get("nextPageToken")), (&json!([made]), None));

        for _ in 0..2 {
            assert_eq!(client.call(DELETE, chosen.clone()).await.unwrap(), json!({}), "{binding}");
        }
        assert_eq!(client.call(GET, chosen).await.unwrap_err().kind, Some(ErrorKind::TaskNotFound));
        let other = json!({ "taskId": second["id"], "id": "chosen" });
        assert_eq!(client.call(GET, other).await.unwrap(), config(&second), "the same id on another task stays");
        fleet.stop().await.unwrap();
    }
}

#[tokio::test]
async fn what_is_no_configuration_is_refused() {
    for binding in Binding::ALL {
        let fleet = pushing("[complete]").await;
        let client = client(&fleet, binding);
        let task = begin(&client).await["id"].clone();
        let kind = async |operation, message| client.call(operation, message).await.unwrap_err().kind;
        let hook = "http://127.0.0.1:9/";
        let unknown = ErrorKind::TaskNotFound;
        assert_eq!(kind(CREATE, json!({ "taskId": "nowhere", "url": hook })).await, Some(unknown));
        assert_eq!(kind(GET, json!({ "taskId": "nowhere", "id": "a" })).await, Some(unknown));
        assert_eq!(kind(LIST, json!({ "taskId": "nowhere" })).await, Some(unknown));
        assert_eq!(kind(DELETE, json!({ "taskId": "nowhere", "id": "a" })).await, Some(unknown));
        let wrong = async |operation, message| {
            let code = client.call(operation, message).await.unwrap_err().code;
            assert!(["-32602", "400", "INVALID_ARGUMENT"].contains(&code.as_str()), "{binding}: {code}");
        };
        wrong(CREATE, json!({ "taskId": task, "url": "/relative" })).await;
        wrong(CREATE, json!({ "taskId": task })).await;
        wrong(CREATE, json!({ "taskId": task, "url": hook, "token": "two\nlines" })).await;
        wrong(CREATE, json!({ "taskId": task, "url": hook, "authentication": { "credentials": "c" } })).await;
        wrong(LIST, json!({ "taskId": task, "pageSize": -1 })).await;
        wrong(LIST, json!({ "taskId": task, "pageToken": "made-up" })).await;
        wrong(Operation::SendMessage, with_push(says("go"), &json!({ "url": "nonsense" }))).await;
        fleet.stop().await.unwrap();
    }
}

#[tokio::test]
async fn without_the_capability_nothing_of_push_is_supported() {
    let fleet = crate::fleet_with(healthy(), &[]).await;
    for binding in Binding::ALL {
        let client = client(&fleet, binding);
        let config = json!({ "taskId": "any", "url": "http://127.0.0.1:9/", "id": "any" });
        let id = json!({ "taskId": "any", "id": "any" });
        let calls = [
            (CREATE, config.clone()),
            (GET, id.clone()),
            (LIST, json!({ "taskId": "any" })),
            (DELETE, id),
            (Operation::SendMessage, with_push(says("go"), &config)),
        ];
        for (operation, message) in calls {
            let refused = client.call(operation, message).await.unwrap_err();
            assert_eq!(refused.kind, Some(ErrorKind::PushNotificationNotSupported), "{operation} over {binding}");
        }
        let stream = client.stream(Operation::SendStreamingMessage, with_push(says("go"), &config)).await;
        assert_eq!(stream.err().unwrap().kind, Some(ErrorKind::PushNotificationNotSupported));
    }
    assert!(crate::state(&fleet).tasks.is_empty());
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn what_faults_change_on_the_way_to_a_webhook_is_stamped() {
    let mut receiver = Receiver::start([]).await;
    let spec = PeerSpec { card: json!({ "capabilities": { "pushNotifications": true } }), ..healthy() };
    let fleet = crate::fleet_with(spec, &[("unknown-fields", None)]).await;
    let request = with_push(says("go"), &json!({ "url": receiver.url() }));
    client(&fleet, Binding::Grpc).call(Operation::SendMessage, request).await.unwrap();
    let posted = receiver.until("TASK_STATE_COMPLETED").await;
    assert!(posted.iter().all(|posted| posted.body.get("futureMember1").is_some()), "{posted:?}");
    fleet.settle(Duration::from_secs(5)).await;
    let journal = fleet.stop().await.unwrap().journal;
    let sent = journal.iter().filter(|entry| matches!(entry.event, JournalEvent::WebhookSent(_)));
    for entry in sent {
        assert_eq!(entry.stamps[0].fault, "add-unknown-fields");
        assert!(entry.stamps[0].pointers.contains(&"/futureMember1".to_owned()));
    }
}

#[tokio::test]
async fn a_webhook_named_in_a_send_hears_everything_in_order() {
    for binding in Binding::ALL {
        let fleet = pushing("[working, artifact: { text: abcdef, chunks: 3 }, ask: which?, complete: bye]").await;
        let client = client(&fleet, binding);
        let mut receiver = Receiver::start([]).await;
        let config = json!({
            "id": "chosen", "url": receiver.url(), "token": "t-1",
            "authentication": { "scheme": "Bearer", "credentials": "secret" },
        });
        let answer = client.call(Operation::SendMessage, with_push(says("go"), &config)).await.unwrap();
        let task = &answer["task"];
        let stored = client.call(GET, json!({ "taskId": task["id"], "id": "chosen" })).await.unwrap();
        assert_eq!((&stored["taskId"], &stored["url"]), (&task["id"], &json!(receiver.url())));
        let mut posted = receiver.until("TASK_STATE_INPUT_REQUIRED").await;
        client.call(Operation::SendMessage, says_with("4411", &json!({ "taskId": task["id"] }))).await.unwrap();
        posted.extend(receiver.until("TASK_STATE_COMPLETED").await);
        assert_eq!(
            states(&posted),
            ["TASK_STATE_WORKING", "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_WORKING", "TASK_STATE_COMPLETED"],
            "{binding}"
        );
        let chunks = posted.iter().filter_map(|posted| posted.body.pointer("/artifactUpdate/artifact/parts/0/text"));
        assert_eq!(chunks.collect::<Vec<_>>(), ["ab", "cd", "ef"]);
        for posted in &posted {
            assert_eq!(posted.request_line(), "POST /hook?for=a HTTP/1.1");
            assert_eq!(posted.header("content-type"), Some("application/a2a+json"));
            assert_eq!(posted.header("authorization"), Some("Bearer secret"));
            assert_eq!(posted.header("x-a2a-notification-token"), Some("t-1"));
            assert!(posted.header("host").is_some_and(|host| receiver.url().contains(host)));
        }
        fleet.settle(Duration::from_secs(5)).await;
        assert!(receiver.rest().is_empty());
        fleet.stop().await.unwrap();
    }
}

#[tokio::test]
async fn a_webhook_hears_only_what_happens_while_it_is_registered() {
    let fleet = pushing("[working, ask: one, ask: two, complete]").await;
    let client = client(&fleet, Binding::JsonRpc);
    let mut receiver = Receiver::start([]).await;
    let task = begin(&client).await["id"].clone();
    let config = json!({ "taskId": task, "id": "a", "url": receiver.url() });
    client.call(CREATE, config).await.unwrap();
    let answer = || client.call(Operation::SendMessage, says_with("4411", &json!({ "taskId": task })));
    answer().await.unwrap();
    let posted = receiver.until("TASK_STATE_INPUT_REQUIRED").await;
    assert_eq!(states(&posted), ["TASK_STATE_WORKING", "TASK_STATE_INPUT_REQUIRED"]);
    assert_eq!((posted[0].header("authorization"), posted[0].header("x-a2a-notification-token")), (None, None));
    fleet.settle(Duration::from_secs(5)).await;
    client.call(DELETE, json!({ "taskId": task, "id": "a" })).await.unwrap();
    assert_eq!(answer().await.unwrap()["task"]["status"]["state"], "TASK_STATE_COMPLETED");
    fleet.settle(Duration::from_secs(5)).await;
    assert!(receiver.rest().is_empty());
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn what_is_not_taken_is_tried_again_before_the_next_has_its_turn() {
    let fleet = pushing("[working, complete]").await;
    let mut receiver = Receiver::start([Does::Answer(503), Does::HangUp, Does::Answer(429)]).await;
    let request = with_push(says("go"), &json!({ "id": "a", "url": receiver.url() }));
    client(&fleet, Binding::JsonRpc).call(Operation::SendMessage, request).await.unwrap();
    let posted = receiver.until("TASK_STATE_COMPLETED").await;
    let working = "TASK_STATE_WORKING";
    assert_eq!(states(&posted), [working, working, working, "TASK_STATE_COMPLETED"]);
    fleet.settle(Duration::from_secs(5)).await;
    let url = receiver.url();
    let lines: Vec<_> = webhook_lines(&fleet).into_iter().map(|line| line.replace(&url, "HOOK")).collect();
    assert_eq!(lines[..2], ["⇒ status WORKING to webhook HOOK", "⇐ 503"]);
    assert_eq!(lines[2], "⇒ status WORKING to webhook HOOK (attempt 2)");
    assert!(lines[3].starts_with("⇐ no answer: the request failed"), "{}", lines[3]);
    assert_eq!(lines[4..6], ["⇒ status WORKING to webhook HOOK (attempt 3)", "⇐ 429"]);
    assert_eq!(lines[6..8], ["⇒ status WORKING to webhook HOOK (attempt 4)", "⇐ 200"]);
    assert_eq!(lines[8..], ["⇒ status COMPLETED to webhook HOOK", "⇐ 200"]);
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn trying_ends_and_a_refusal_is_final() {
    let options = WebhookOptions { attempts: 2, ..WebhookOptions::default() };
    let fleet = pushing_with("[working, artifact: { text: a }, complete]", Clock::stepping(), options).await;
    let mut receiver = Receiver::start([Does::Answer(500), Does::Answer(500), Does::Answer(410)]).await;
    let request = with_push(says("go"), &json!({ "id": "a", "url": receiver.url() }));
    client(&fleet, Binding::JsonRpc).call(Operation::SendMessage, request).await.unwrap();
    let posted = receiver.until("TASK_STATE_COMPLETED").await;
    let kinds: Vec<_> = posted.iter().map(|posted| posted.state().unwrap_or("artifact")).collect();
    assert_eq!(kinds, ["TASK_STATE_WORKING", "TASK_STATE_WORKING", "artifact", "TASK_STATE_COMPLETED"]);
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn a_webhook_that_says_nothing_is_given_up_in_time_and_backoff_doubles() {
    let options = WebhookOptions {
        timeout: Duration::from_millis(30),
        attempts: 3,
        backoff: Duration::from_millis(20),
        ..WebhookOptions::default()
    };
    let fleet = pushing_with("[complete]", Clock::real(), options).await;
    let mut receiver = Receiver::start([Does::Hang, Does::Answer(500)]).await;
    let request = with_push(says("go"), &json!({ "id": "a", "url": receiver.url() }));
    client(&fleet, Binding::JsonRpc).call(Operation::SendMessage, request).await.unwrap();
    for _ in 0..3 {
        assert_eq!(receiver.next().await.state(), Some("TASK_STATE_COMPLETED"));
    }
    fleet.settle(Duration::from_secs(5)).await;
    let journal = fleet.stop().await.unwrap().journal;
    let times = |wanted: fn(&JournalEvent) -> bool| -> Vec<u64> {
        journal.iter().filter(|entry| wanted(&entry.event)).map(|entry| entry.at_us).collect()
    };
    let sent = times(|event| matches!(event, JournalEvent::WebhookSent(_)));
    let answered = times(|event| matches!(event, JournalEvent::WebhookAnswered { .. }));
    assert!(answered[0] - sent[0] >= 30_000, "an attempt has its time");
    assert!(sent[1] - answered[0] >= 20_000 && sent[2] - answered[1] >= 40_000, "{sent:?} {answered:?}");
    let failure = journal.iter().find_map(|entry| match &entry.event {
        JournalEvent::WebhookAnswered { failure, .. } => failure.clone(),
        _ => None,
    });
    assert_eq!(failure.as_deref(), Some("nothing within 30 ms"));
}

#[tokio::test]
async fn nothing_leaves_the_machine_unless_its_host_is_allowed() {
    let fleet = pushing("[working, complete]").await;
    let request = with_push(says("go"), &json!({ "id": "a", "url": "http://hooks.example.com/a" }));
    client(&fleet, Binding::JsonRpc).call(Operation::SendMessage, request).await.unwrap();
    fleet.settle(Duration::from_secs(5)).await;
    let lines = webhook_lines(&fleet);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("webhook http://hooks.example.com/a of task task-"), "{}", lines[0]);
    assert!(lines[0].ends_with("is told nothing: hooks.example.com is neither loopback nor allowed by name"));
    fleet.stop().await.unwrap();
}

#[tokio::test]
async fn stopping_and_dropping_end_what_is_under_way() {
    let mut receiver = Receiver::start([Does::Hang, Does::Hang]).await;
    let request = with_push(says("go"), &json!({ "id": "a", "url": receiver.url() }));
    let patient = || WebhookOptions { timeout: Duration::from_secs(60), ..WebhookOptions::default() };
    let fleet = pushing_with("[complete]", Clock::stepping(), patient()).await;
    client(&fleet, Binding::JsonRpc).call(Operation::SendMessage, request.clone()).await.unwrap();
    receiver.next().await;
    // The attempt ends with the fleet, not with its own timeout.
    let journal = fleet.stop().await.unwrap().journal;
    let given_up = |event: &JournalEvent| matches!(event, JournalEvent::WebhookAnswered { failure: Some(why), .. } if why.starts_with("given up"));
    assert!(journal.iter().any(|entry| given_up(&entry.event)));
    receiver.gone().await;

    let fleet = pushing_with("[complete]", Clock::stepping(), patient()).await;
    client(&fleet, Binding::JsonRpc).call(Operation::SendMessage, request).await.unwrap();
    receiver.next().await;
    drop(fleet);
    receiver.gone().await;
}
