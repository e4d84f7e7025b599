//! The script that every peer is put through, and what its journal holds of each step.

use std::time::Duration;

use gauntlet_evidence::{JournalEntry, JournalEvent};
use gauntlet_fleet::{Clock, Fleet, FleetOptions, PeerPlan};
use gauntlet_scenario::{Behaviour, DefectUse, Library, PeerSpec, Place, TokenServerSpec};
use gauntlet_wire::{Binding, Operation};
use serde_json::{Value, json};

use super::client::{Answer, Client};
use crate::webhook::Webhook;

/// An agent that does all that a defect may ask of a behaviour: it says that it works, returns an artifact in three
/// chunks and completes; asked a question, it waits for an answer and for credentials first.
const BEHAVIOUR: &str = "
- when: { text: question }
  do: [working, ask: which order?, auth: sign in first, artifact: { text: damaged, chunks: 3 }, complete]
- do: [working, artifact: { text: damaged, chunks: 3 }, complete]
";
/// Decides the ids.
const SEED: u64 = 7;
/// Longer than the script takes on any machine.
const PATIENCE: Duration = Duration::from_secs(60);
pub(super) const PEER: &str = "vendor-a";
/// Defects after which the task that asked waits for ever, so that nobody can wait for the end of its events.
const LEAVE_WAITING: [&str; 3] = ["input-required-drops-task", "input-required-forever", "input-required-new-task"];

/// Whether the script of a defect does not follow the task that asks; its twin is [`unfollowed`].
pub(super) fn leaves_waiting(defect: &str) -> bool {
    LEAVE_WAITING.contains(&defect)
}

/// A peer that was put through the script.
#[derive(Clone)]
pub(super) struct Play {
    /// Host and port of the peer's card.
    pub(super) authority: String,
    pub(super) steps: Vec<Step>,
}

/// One step of the script.
#[derive(Clone)]
pub(super) struct Step {
    pub(super) name: &'static str,
    pub(super) came: Came,
}

/// What came of a step.
#[derive(Clone)]
pub(super) enum Came {
    /// The journal of its exchange, request first.
    Exchange(Vec<JournalEntry>),
    /// Nobody listened.
    Refused,
    /// There was nothing to ask for: the step before told of no task.
    LeftOut { after: &'static str },
    /// What webhooks were told of their own accord, and were not.
    Notified(Vec<JournalEntry>),
}

/// Puts a peer through the script; with a defect as it is by default, or healthy; with a token server, or open to all.
pub(super) async fn play(binding: Binding, defect: Option<&str>, tokens: bool) -> Play {
    put_through(binding, defect, tokens, !defect.is_some_and(leaves_waiting)).await
}

/// Puts a healthy peer through the script without following the task that asks.
pub(super) async fn unfollowed(binding: Binding) -> Play {
    put_through(binding, None, false, false).await
}

async fn put_through(binding: Binding, defect: Option<&str>, tokens: bool, follow: bool) -> Play {
    let behaviour = Behaviour::parse(BEHAVIOUR, "the golden behaviour").expect("the behaviour is valid");
    let card = json!({ "capabilities": { "pushNotifications": true } });
    let token_server = tokens.then(|| TokenServerSpec { refresh: true, ..TokenServerSpec::of(PEER) });
    let spec = PeerSpec { behaviour, card, token_server, ..PeerSpec::healthy(PEER, [binding]) };
    let library = Library::embedded().expect("the library is valid");
    let defects = defect.map(|id| {
        let wanted = DefectUse::parse(id, None, None, Place::whole("golden", id)).expect("the name of a defect");
        library.apply(&wanted, &spec).unwrap_or_else(|error| {
            panic!("{error}\n`{id}` cannot show in the golden script: extend BEHAVIOUR or the script in {}", file!())
        })
    });
    let plan = PeerPlan { defects: defects.into_iter().collect(), spec };
    let options = FleetOptions { seed: SEED, clock: Clock::stepping(), ..FleetOptions::default() };
    let fleet = Fleet::start(vec![plan], options).await.expect("the fleet starts");
    let base_url = fleet.addresses().remove(0).base_url;
    let token_url = fleet.token_url(PEER).map(str::to_owned);
    let reached = tokio::time::timeout(PATIENCE, run(&fleet, &base_url, (binding, follow), token_url.as_deref()))
        .await
        .expect("every answer ends");
    let remains = fleet.stop().await.expect("the mock keeps its own contract");
    assert_eq!(remains.left_out, 0);
    let authority = base_url.strip_prefix("http://").expect("an origin").to_owned();
    Play { authority, steps: with_exchanges(reached, &remains.journal) }
}

/// What a step of the script did on the client's side.
enum Did {
    Reached,
    Refused,
    LeftOut { after: &'static str },
    Listened,
}

struct Player {
    client: Client,
    did: Vec<(&'static str, Did)>,
}

/// The task that a step told of, if it did.
struct Told {
    by: &'static str,
    task: Option<String>,
}

async fn run(
    fleet: &Fleet,
    base_url: &str,
    (binding, follow): (Binding, bool),
    token_url: Option<&str>,
) -> Vec<(&'static str, Did)> {
    use Operation::{CancelTask, GetTask, SendMessage, SendStreamingMessage, SubscribeToTask};
    use Operation::{
        CreateTaskPushNotificationConfig, DeleteTaskPushNotificationConfig, GetTaskPushNotificationConfig,
        ListTaskPushNotificationConfigs,
    };
    let client = Client::of_peer(base_url, binding).await;
    let mut player = Player { client, did: vec![("card", Did::Reached)] };
    let mut refresh = None;
    if let Some(url) = token_url {
        refresh = player.obtain("obtain a token", url, "grant_type=client_credentials").await;
    }

    let sent = player.send("send", SendMessage, "classify 4411", None).await;
    player.ask("get what was sent", GetTask, &sent).await;
    let streamed = player.send("stream", SendStreamingMessage, "classify 4412", None).await;
    player.ask("get what was streamed", GetTask, &streamed).await;
    if let Some((url, token)) = token_url.zip(refresh) {
        let form = format!("grant_type=refresh_token&refresh_token={token}");
        player.obtain("refresh the token", url, &form).await;
    }

    let asked = player.send("send a question", SendMessage, "a question", None).await;
    // Stays open while the answers below let the task go on.
    let subscribed =
        if follow { player.open("subscribe to the question", SubscribeToTask, &asked).await } else { None };
    player.send("answer the question", SendMessage, "4413", Some(&asked)).await;
    player.send("answer with credentials", SendMessage, "signed in", Some(&asked)).await;
    if let Some(subscribed) = subscribed {
        subscribed.task_id().await;
    }
    player.ask("get the question", GetTask, &asked).await;

    player.ask("cancel what has ended", CancelTask, &sent).await;
    player.ask("subscribe to what has ended", SubscribeToTask, &sent).await;
    player.send_at_once("send without waiting", "classify 4414").await;

    let webhook = Webhook::start().await.expect("a port of loopback");
    let hook = |id: &str| json!({ "id": id, "url": webhook.url, "token": "agreed" });
    player.send_with_webhook("send with a webhook", "classify 4415", &hook("named")).await;
    fleet.settle(PATIENCE).await;
    player.did.push(("notifications", Did::Listened));
    player.on_webhook("register a webhook", CreateTaskPushNotificationConfig, &sent, hook("hook")).await;
    player.on_webhook("get the webhook", GetTaskPushNotificationConfig, &sent, json!({ "id": "hook" })).await;
    player.on_webhook("list webhooks", ListTaskPushNotificationConfigs, &sent, json!({})).await;
    player.on_webhook("delete the webhook", DeleteTaskPushNotificationConfig, &sent, json!({ "id": "hook" })).await;
    player.did
}

impl Player {
    /// Obtains a token that is shown from now on; gives what it can be refreshed with.
    async fn obtain(&mut self, step: &'static str, url: &str, form: &str) -> Option<String> {
        let client = format!("client_id=gauntlet&client_secret=client-secret-of-{PEER}");
        let answer = self.client.obtain(url, &format!("{form}&{client}")).await;
        self.did.push((step, Did::Reached));
        answer["refresh_token"].as_str().map(str::to_owned)
    }

    async fn call(&mut self, step: &'static str, operation: Operation, message: &Value) -> Option<Answer> {
        let opened = self.client.open(operation, message).await;
        self.did.push((step, if opened.is_ok() { Did::Reached } else { Did::Refused }));
        opened.unwrap_or_default()
    }

    /// Sends a message, as an answer to a task where one is given.
    async fn send(&mut self, step: &'static str, operation: Operation, text: &str, to: Option<&Told>) -> Told {
        let message_id = format!("m-{}", self.did.len());
        let mut message = json!({ "messageId": message_id, "role": "ROLE_USER", "parts": [{ "text": text }] });
        if let Some(told) = to {
            let Some(task) = &told.task else {
                self.did.push((step, Did::LeftOut { after: told.by }));
                return Told { by: step, task: None };
            };
            message["taskId"] = json!(task);
        }
        let task = match self.call(step, operation, &json!({ "message": message })).await {
            Some(answer) => answer.task_id().await,
            None => None,
        };
        Told { by: step, task }
    }

    /// Sends a message and asks for an answer at once.
    async fn send_at_once(&mut self, step: &'static str, text: &str) {
        let message_id = format!("m-{}", self.did.len());
        let message = json!({ "messageId": message_id, "role": "ROLE_USER", "parts": [{ "text": text }] });
        let request = json!({ "message": message, "configuration": { "returnImmediately": true } });
        if let Some(answer) = self.call(step, Operation::SendMessage, &request).await {
            answer.task_id().await;
        }
    }

    /// Sends a message and names a webhook for what comes of it.
    async fn send_with_webhook(&mut self, step: &'static str, text: &str, webhook: &Value) {
        let message_id = format!("m-{}", self.did.len());
        let message = json!({ "messageId": message_id, "role": "ROLE_USER", "parts": [{ "text": text }] });
        let request = json!({ "message": message, "configuration": { "taskPushNotificationConfig": webhook } });
        if let Some(answer) = self.call(step, Operation::SendMessage, &request).await {
            answer.task_id().await;
        }
    }

    /// Calls an operation on the webhooks of a task.
    async fn on_webhook(&mut self, step: &'static str, operation: Operation, of: &Told, mut request: Value) {
        let Some(task) = &of.task else {
            self.did.push((step, Did::LeftOut { after: of.by }));
            return;
        };
        request["taskId"] = json!(task);
        if let Some(answer) = self.call(step, operation, &request).await {
            answer.task_id().await;
        }
    }

    /// Calls an operation on a task and leaves the answer open.
    async fn open(&mut self, step: &'static str, operation: Operation, of: &Told) -> Option<Answer> {
        let Some(task) = &of.task else {
            self.did.push((step, Did::LeftOut { after: of.by }));
            return None;
        };
        self.call(step, operation, &json!({ "id": task })).await
    }

    /// Calls an operation on a task and reads the answer.
    async fn ask(&mut self, step: &'static str, operation: Operation, of: &Told) {
        if let Some(answer) = self.open(step, operation, of).await {
            answer.task_id().await;
        }
    }
}

/// Gives each step that reached the peer its exchange: the client waits for the head of an answer before it goes on, so
/// exchanges are numbered in the order of the steps. Their entries may interleave; which connections there are is the
/// client's affair.
fn with_exchanges(did: Vec<(&'static str, Did)>, journal: &[JournalEntry]) -> Vec<Step> {
    let is_request = |entry: &&JournalEntry| matches!(entry.event, JournalEvent::Request(_));
    let is_notification = |entry: &&JournalEntry| {
        use JournalEvent::{WebhookAnswered, WebhookSent, WebhookWithheld};
        matches!(entry.event, WebhookSent(_) | WebhookAnswered { .. } | WebhookWithheld { .. })
    };
    let mut numbers = journal.iter().filter(is_request).map(|entry| entry.exchange);
    let steps = did.into_iter().map(|(name, did)| {
        let came = match did {
            Did::Reached => {
                let number = numbers.next().expect("the journal has every exchange");
                Came::Exchange(journal.iter().filter(|entry| entry.exchange == number).cloned().collect())
            }
            Did::Refused => Came::Refused,
            Did::LeftOut { after } => Came::LeftOut { after },
            Did::Listened => Came::Notified(journal.iter().filter(is_notification).cloned().collect()),
        };
        Step { name, came }
    });
    let steps: Vec<_> = steps.collect();
    assert_eq!(numbers.next(), None, "the journal has an exchange that the script did not make");
    steps
}
