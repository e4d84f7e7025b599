//! Everything that a2a-client-lf offers, done with one peer of `tests/interop/fleet.yaml`; what comes back is checked.

use std::error::Error;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use a2a::{
    A2AError, AgentCard, Artifact, AuthenticationInfo, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTasksRequest, ListTasksResponse, Message, Part, PartContent, Role,
    SendMessageConfiguration, SendMessageRequest, SendMessageResponse, StreamResponse, SubscribeToTaskRequest, Task,
    TaskPushNotificationConfig, TaskState, error_code,
};
use a2a_client::agent_card::AgentCardResolver;
use a2a_client::auth::AuthInterceptor;
use a2a_client::middleware::CallInterceptor;
use a2a_client::{A2AClient, A2AClientFactory, ServiceParams, Transport};
use async_trait::async_trait;
use futures::StreamExt;
use gauntlet_wire::Binding;
use serde_json::json;

use super::{Check, Target};
use crate::webhook::Webhook;

/// For one check.
const PATIENCE: Duration = Duration::from_secs(20);

type Client = A2AClient<Box<dyn Transport>>;
type Checked<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// Does each of these operations.
pub(super) async fn run(target: &Target, operations: &[&str]) -> Vec<Check> {
    let foreign = Foreign::connect(target).await.expect("a client for the peer");
    let mut checks = Vec::new();
    for &operation in operations {
        let result = match tokio::time::timeout(PATIENCE, foreign.check(operation)).await {
            Ok(result) => result,
            Err(late) => Err(late.into()),
        };
        checks.push(Check {
            operation: operation.to_owned(),
            ok: result.is_ok(),
            detail: result.err().map(|error| error.to_string()).unwrap_or_default(),
        });
    }
    checks
}

struct Foreign {
    binding: Binding,
    card: AgentCard,
    streams: bool,
    url: String,
    client: Client,
}

/// Asks for a version that no peer speaks, whatever the client says.
struct WrongVersion;

#[async_trait]
impl CallInterceptor for WrongVersion {
    async fn before(&self, _method: &str, parameters: &mut ServiceParams) -> Result<(), A2AError> {
        parameters.insert("A2A-Version".to_owned(), vec!["9.1".to_owned()]);
        Ok(())
    }
}

impl Foreign {
    async fn connect(target: &Target) -> Checked<Self> {
        let card = AgentCardResolver::new(None).resolve(&target.url).await?;
        let client = client(&card, target.binding, &[login()]).await?;
        Ok(Self { binding: target.binding, card, streams: target.streams, url: target.url.clone(), client })
    }

    async fn check(&self, operation: &str) -> Checked {
        match operation {
            "card" => self.fetch_card().await,
            "send" => self.send().await,
            "send: the other way" => self.other_way().await,
            "send: message reply" => self.reply().await,
            "send: data and files" => self.files().await,
            "send: states" => self.states().await,
            "send: two turns" => self.turns().await,
            "send: return immediately" => {
                let state = self.begin("wait", immediately()).await?.status.state;
                same("still open", matches!(state, TaskState::Submitted | TaskState::Working), true)
            }
            "send: history length" => {
                let none = SendMessageConfiguration { history_length: Some(0), ..immediately() };
                same("history", told(&self.begin("wait", none).await?), vec![])
            }
            "send: terminal task" => {
                let ended = self.work("classify 4411", None).await?;
                refused(error_code::UNSUPPORTED_OPERATION, self.events(order("and now?", Some(&ended))).await)
            }
            "send: unknown task" => {
                let mut request = order("go on", None);
                request.message.task_id = Some("nobody".to_owned());
                refused(error_code::TASK_NOT_FOUND, self.events(request).await)
            }
            "get" => self.get_with_history().await,
            "get: unknown task" => refused(error_code::TASK_NOT_FOUND, self.get("nobody", None).await),
            "get: wrong version" => {
                let stranger = client(&self.card, self.binding, &[login(), Arc::new(WrongVersion)]).await?;
                let id = self.begin_waiting().await?.id;
                let request = GetTaskRequest { id, history_length: None, tenant: None };
                refused(error_code::VERSION_NOT_SUPPORTED, stranger.get_task(&request).await)
            }
            "list" => self.list().await,
            "cancel" => {
                let id = self.begin_waiting().await?.id;
                let canceled = self.cancel(&id).await?;
                same("task", (&canceled.id, &canceled.status.state), (&id, &TaskState::Canceled))?;
                refused(error_code::TASK_NOT_CANCELABLE, self.cancel(&id).await)
            }
            "cancel: unknown task" => refused(error_code::TASK_NOT_FOUND, self.cancel("nobody").await),
            "subscribe" => self.subscribe().await,
            "subscribe: terminal task" => {
                let id = self.work("classify 4411", None).await?.id;
                refused(error_code::UNSUPPORTED_OPERATION, self.subscription(&id).await)
            }
            "subscribe: unknown task" => {
                let code = if self.streams { error_code::TASK_NOT_FOUND } else { error_code::UNSUPPORTED_OPERATION };
                refused(code, self.subscription("nobody").await)
            }
            "push: create, get, list, delete" => self.configurations().await,
            "push: unknown task" => {
                let config = push("nobody", "http://127.0.0.1:9/hook", None);
                refused(error_code::TASK_NOT_FOUND, self.client.create_push_config(&config).await)
            }
            "push: webhook of a created configuration" => self.created_webhook().await,
            "push: webhook given with a message" => self.sent_webhook().await,
            "extended card" => {
                let request = GetExtendedAgentCardRequest { tenant: None };
                let card = self.client.get_extended_agent_card(&request).await?;
                let skills: Vec<_> = card.skills.iter().map(|skill| skill.id.as_str()).collect();
                same("card", (card.name.as_str(), skills), ("Foreign, extended", vec!["audit"]))
            }
            "no credentials" => {
                let stranger = client(&self.card, self.binding, &[]).await?;
                let found = stranger.send_message(&order("classify 4411", None)).await;
                let error = found.err().ok_or("work was taken from somebody without credentials")?;
                same(&error.message, error.message.contains("credential is required"), true)
            }
            unknown => Err(format!("there is no check `{unknown}`").into()),
        }
    }

    async fn fetch_card(&self) -> Checked {
        let card = AgentCardResolver::new(None).resolve(&self.url).await?;
        same("name", card.name.as_str(), "Foreign")?;
        let bindings: Vec<_> = card.supported_interfaces.iter().map(|entry| entry.protocol_binding.as_str()).collect();
        same("bindings", bindings, vec!["JSONRPC", "HTTP+JSON", "GRPC"])?;
        let skill = &card.skills[0];
        let tags: Vec<_> = skill.tags.iter().map(String::as_str).collect();
        same("skill", (skill.id.as_str(), tags), ("returns", vec!["returns", "goods"]))?;
        same("streaming", card.capabilities.streaming, Some(self.streams))?;
        same("push", card.capabilities.push_notifications, Some(true))
    }

    async fn send(&self) -> Checked {
        let said = self.events(order("classify 4411", None)).await?;
        let task = if self.streams {
            let [
                StreamResponse::Task(task),
                StreamResponse::StatusUpdate(working),
                chunks @ ..,
                StreamResponse::StatusUpdate(end),
            ] = said.as_slice()
            else {
                return Err(format!("unexpected events: {said:?}").into());
            };
            same("working", words(working.status.message.as_ref()), "looking".to_owned())?;
            let chunks: Vec<_> = chunks
                .iter()
                .map(|event| match event {
                    StreamResponse::ArtifactUpdate(update) => Ok(update),
                    other => Err(format!("{other:?} among the chunks")),
                })
                .collect::<Result<_, _>>()?;
            let flags = chunks.iter().map(|chunk| (chunk.append.unwrap_or(false), chunk.last_chunk.unwrap_or(false)));
            same("append, last chunk", flags.collect(), vec![(false, false), (true, false), (true, true)])?;
            let text: String = chunks.iter().map(|chunk| texts(&chunk.artifact.parts)).collect();
            same("chunks", text.as_str(), "damaged on arrival")?;
            same(
                "one artifact",
                chunks.iter().all(|c| c.artifact.artifact_id == chunks[0].artifact.artifact_id),
                true,
            )?;
            same("one task", [&working.task_id, &end.task_id], [&task.id, &task.id])?;
            self.get(&task.id, None).await?
        } else {
            let [StreamResponse::Task(task)] = said.as_slice() else {
                return Err(format!("unexpected answer: {said:?}").into());
            };
            task.clone()
        };
        same("state", ends(&task), (TaskState::Completed, "classified".to_owned()))?;
        same("artifacts", artifacts(&task), vec![("label".to_owned(), "damaged on arrival".to_owned())])?;
        same("history", told(&task), vec!["classify 4411", "looking"])?;
        let roles: Vec<_> = task.history.iter().flatten().map(|message| message.role.clone()).collect();
        same("roles", roles, vec![Role::User, Role::Agent])
    }

    async fn other_way(&self) -> Checked {
        if self.streams {
            let SendMessageResponse::Task(task) = self.client.send_message(&order("classify 4411", None)).await? else {
                return Err("a message instead of a task".into());
            };
            same("state", ends(&task), (TaskState::Completed, "classified".to_owned()))?;
            same("task", &task, &self.get(&task.id, None).await?)
        } else {
            let called = self.client.send_streaming_message(&order("classify 4411", None)).await;
            refused(error_code::UNSUPPORTED_OPERATION, drain(called).await)
        }
    }

    async fn reply(&self) -> Checked {
        match self.events(order("hello", None)).await?.as_slice() {
            [StreamResponse::Message(message)] => {
                same("reply", (&message.role, message.text()), (&Role::Agent, Some("hello yourself")))
            }
            other => Err(format!("{other:?} instead of one message").into()),
        }
    }

    async fn files(&self) -> Checked {
        let task = self.work("measure it", None).await?;
        let parts: Vec<Part> = task.artifacts.into_iter().flatten().flat_map(|artifact| artifact.parts).collect();
        let part = |content, name: &str, media: &str| Part {
            content,
            filename: Some(name.to_owned()),
            media_type: Some(media.to_owned()),
            metadata: None,
        };
        let scores = parts.first().map(|part| part.content.clone());
        let data = json!({ "damaged": 0.75, "tags": ["dented", "wet"], "unknown": null });
        same("data", scores, Some(PartContent::Data(data)))?;
        let photo = part(PartContent::Raw(b"not a photo".to_vec()), "photo.txt", "text/plain");
        let manual = PartContent::Url("http://127.0.0.1/manual.pdf".to_owned());
        same("files", &parts[1..], &[photo, part(manual, "manual.pdf", "application/pdf")])
    }

    async fn states(&self) -> Checked {
        for (text, state, words) in [
            ("break it", TaskState::Failed, "it broke"),
            ("refuse it", TaskState::Rejected, "not my work"),
            ("sign in", TaskState::AuthRequired, "sign in first"),
        ] {
            same(text, ends(&self.work(text, None).await?), (state, words.to_owned()))?;
        }
        Ok(())
    }

    async fn turns(&self) -> Checked {
        let task = self.work("ask me", None).await?;
        same("question", ends(&task), (TaskState::InputRequired, "which order?".to_owned()))?;
        let again = self.work("order 4411", Some(&task)).await?;
        same("ids", (&again.id, &again.context_id), (&task.id, &task.context_id))?;
        same("state", &again.status.state, &TaskState::Completed)?;
        same("artifacts", artifacts(&again), vec![("order".to_owned(), "order found".to_owned())])?;
        same("history", told(&again), vec!["ask me", "which order?", "order 4411"])
    }

    async fn get_with_history(&self) -> Checked {
        let task = self.work("classify 4411", None).await?;
        for (length, expected) in [(0, vec![]), (1, vec!["looking"]), (9, vec!["classify 4411", "looking"])] {
            let found = self.get(&task.id, Some(length)).await?;
            same(&format!("history of {length}"), told(&found), expected)?;
            same("task", &Task { history: task.history.clone(), ..found }, &task)?;
        }
        Ok(())
    }

    async fn list(&self) -> Checked {
        let first = self.work("classify 1", None).await?;
        let mut newest_first = vec![first.id.clone()];
        for text in ["classify 2", "classify 3"] {
            let mut request = order(text, None);
            request.message.context_id = Some(first.context_id.clone());
            newest_first.insert(0, self.end_of(request).await?.id);
        }
        let (mut found, mut token) = (Vec::new(), String::new());
        loop {
            let page = self.page(&first, |r| (r.page_size, r.page_token) = (Some(2), Some(token.clone()))).await?;
            same("sizes", (page.page_size, page.total_size), (2, 3))?;
            same("no artifacts unless asked for", page.tasks.iter().all(|task| artifacts(task).is_empty()), true)?;
            found.extend(page.tasks.into_iter().map(|task| task.id));
            if page.next_page_token.is_empty() || found.len() > 3 {
                break;
            }
            token = page.next_page_token;
        }
        same("tasks", &found, &newest_first)?;
        let whole = self.page(&first, |r| (r.include_artifacts, r.history_length) = (Some(true), Some(0))).await?;
        same("artifacts", artifacts(&whole.tasks[0])[0].1.as_str(), "damaged on arrival")?;
        same("history", told(&whole.tasks[0]), vec![])?;
        let none = self.page(&first, |r| r.status = Some(TaskState::Working)).await?;
        same("working", (none.tasks.len(), none.total_size, none.next_page_token.as_str()), (0, 0, ""))?;
        let error = self.page(&first, |r| r.page_size = Some(101)).await;
        same("the error says", error.as_ref().is_err_and(|error| error.message.contains("pageSize")), true)?;
        refused(error_code::INVALID_PARAMS, error)
    }

    async fn page(
        &self,
        task: &Task,
        change: impl FnOnce(&mut ListTasksRequest) + Send,
    ) -> Result<ListTasksResponse, A2AError> {
        let mut request = ListTasksRequest {
            context_id: Some(task.context_id.clone()),
            status: None,
            page_size: None,
            page_token: None,
            history_length: None,
            status_timestamp_after: None,
            include_artifacts: None,
            tenant: None,
        };
        change(&mut request);
        self.client.list_tasks(&request).await
    }

    async fn subscribe(&self) -> Checked {
        let id = self.begin_waiting().await?.id;
        if !self.streams {
            return refused(error_code::UNSUPPORTED_OPERATION, self.subscription(&id).await);
        }
        let mut events =
            self.client.subscribe_to_task(&SubscribeToTaskRequest { id: id.clone(), tenant: None }).await?;
        match events.next().await {
            Some(Ok(StreamResponse::Task(task))) => same("first event", &task.id, &id)?,
            other => return Err(format!("{other:?} instead of the task").into()),
        }
        self.cancel(&id).await?;
        match drain(Ok(events)).await?.last() {
            Some(StreamResponse::StatusUpdate(end)) => same("the last event", &end.status.state, &TaskState::Canceled),
            other => Err(format!("{other:?} instead of the last status").into()),
        }
    }

    async fn configurations(&self) -> Checked {
        let task_id = self.begin_waiting().await?.id;
        let hook = "http://127.0.0.1:9/hook";
        let made = self.client.create_push_config(&push(&task_id, hook, Some("mine"))).await?;
        same("created", (&*made.task_id, made.id.as_deref(), &*made.url), (&*task_id, Some("mine"), hook))?;
        let key =
            GetTaskPushNotificationConfigRequest { task_id: task_id.clone(), id: "mine".to_owned(), tenant: None };
        same("got", &self.client.get_push_config(&key).await?, &made)?;
        let named = self.client.create_push_config(&push(&task_id, hook, None)).await?.id;
        same("an id of its own", named.as_deref().is_some_and(|id| !id.is_empty() && id != "mine"), true)?;
        same("listed", self.configured(&task_id).await?, vec![Some("mine".to_owned()), named.clone()])?;
        let key =
            DeleteTaskPushNotificationConfigRequest { task_id: task_id.clone(), id: "mine".to_owned(), tenant: None };
        self.client.delete_push_config(&key).await?;
        same("left", self.configured(&task_id).await?, vec![named])?;
        self.cancel(&task_id).await?;
        Ok(())
    }

    async fn configured(&self, task_id: &str) -> Checked<Vec<Option<String>>> {
        let every = ListTaskPushNotificationConfigsRequest {
            task_id: task_id.to_owned(),
            page_size: None,
            page_token: None,
            tenant: None,
        };
        Ok(self.client.list_push_configs(&every).await?.configs.into_iter().map(|config| config.id).collect())
    }

    async fn created_webhook(&self) -> Checked {
        let mut webhook = Webhook::start().await?;
        let task = self.work("ask me", None).await?;
        self.client.create_push_config(&push(&task.id, &webhook.url, None)).await?;
        self.work("order 4411", Some(&task)).await?;
        hear(&mut webhook, &task.id, &["Working", "artifact", "Completed"]).await
    }

    async fn sent_webhook(&self) -> Checked {
        let mut webhook = Webhook::start().await?;
        let configuration = SendMessageConfiguration {
            task_push_notification_config: Some(push("", &webhook.url, None)),
            ..immediately()
        };
        let task = self.begin("ask me", configuration).await?;
        hear(&mut webhook, &task.id, &["Working", "InputRequired"]).await
    }

    /// Sends in the way of the peer: this client leaves it to the caller to look at the card.
    async fn events(&self, request: SendMessageRequest) -> Result<Vec<StreamResponse>, A2AError> {
        if self.streams {
            return drain(self.client.send_streaming_message(&request).await).await;
        }
        Ok(vec![match self.client.send_message(&request).await? {
            SendMessageResponse::Task(task) => StreamResponse::Task(task),
            SendMessageResponse::Message(message) => StreamResponse::Message(message),
        }])
    }

    /// Sends, then fetches the task: what was said must agree with it.
    async fn work(&self, text: &str, task: Option<&Task>) -> Checked<Task> {
        self.end_of(order(text, task)).await
    }

    async fn end_of(&self, request: SendMessageRequest) -> Checked<Task> {
        let (id, state) = match self.events(request).await?.pop() {
            Some(StreamResponse::Task(task)) => (task.id, task.status.state),
            Some(StreamResponse::StatusUpdate(update)) => (update.task_id, update.status.state),
            other => return Err(format!("{other:?} instead of the end of a task").into()),
        };
        let task = self.get(&id, None).await?;
        same("the state told and the state held", &state, &task.status.state)?;
        Ok(task)
    }

    async fn begin_waiting(&self) -> Checked<Task> {
        self.begin("wait", immediately()).await
    }

    /// Begins a task without waiting for it.
    async fn begin(&self, text: &str, configuration: SendMessageConfiguration) -> Checked<Task> {
        let request = SendMessageRequest { configuration: Some(configuration), ..order(text, None) };
        match self.client.send_message(&request).await? {
            SendMessageResponse::Task(task) => Ok(task),
            SendMessageResponse::Message(message) => Err(format!("{message:?} instead of a task").into()),
        }
    }

    async fn get(&self, id: &str, history_length: Option<i32>) -> Result<Task, A2AError> {
        self.client.get_task(&GetTaskRequest { id: id.to_owned(), history_length, tenant: None }).await
    }

    async fn cancel(&self, id: &str) -> Result<Task, A2AError> {
        self.client.cancel_task(&CancelTaskRequest { id: id.to_owned(), metadata: None, tenant: None }).await
    }

    async fn subscription(&self, id: &str) -> Result<Vec<StreamResponse>, A2AError> {
        drain(self.client.subscribe_to_task(&SubscribeToTaskRequest { id: id.to_owned(), tenant: None }).await).await
    }
}

fn login() -> Arc<dyn CallInterceptor> {
    Arc::new(AuthInterceptor::bearer("let-me-in"))
}

/// A client that knows no other binding than this one.
async fn client(
    card: &AgentCard,
    binding: Binding,
    interceptors: &[Arc<dyn CallInterceptor>],
) -> Result<Client, A2AError> {
    let factory = A2AClientFactory::builder().preferred_bindings(vec![binding.name().to_owned()]);
    interceptors
        .iter()
        .fold(factory, |factory, it| factory.with_interceptor(Arc::clone(it)))
        .build()
        .create_from_card(card)
        .await
}

/// Answers as soon as there is a task.
fn immediately() -> SendMessageConfiguration {
    SendMessageConfiguration {
        accepted_output_modes: None,
        task_push_notification_config: None,
        history_length: None,
        return_immediately: Some(true),
    }
}

/// A message, to a task that there is or to a new one.
fn order(text: &str, task: Option<&Task>) -> SendMessageRequest {
    let mut message = Message::new(Role::User, vec![Part::text(text)]);
    message.task_id = task.map(|task| task.id.clone());
    message.context_id = task.map(|task| task.context_id.clone());
    SendMessageRequest { message, configuration: None, metadata: None, tenant: None }
}

fn push(task_id: &str, url: &str, id: Option<&str>) -> TaskPushNotificationConfig {
    TaskPushNotificationConfig {
        url: url.to_owned(),
        id: id.map(str::to_owned),
        task_id: task_id.to_owned(),
        token: Some("t-1".to_owned()),
        authentication: Some(AuthenticationInfo {
            scheme: "Bearer".to_owned(),
            credentials: Some("open-sesame".to_owned()),
        }),
        tenant: None,
    }
}

async fn hear(webhook: &mut Webhook, task_id: &str, expected: &[&str]) -> Checked {
    for &wanted in expected {
        let heard = webhook.next().await?;
        same("authorization", heard.header("authorization"), Some("Bearer open-sesame"))?;
        same("media type", heard.header("content-type"), Some("application/a2a+json"))?;
        let (task, what) = match serde_json::from_slice(&heard.body)? {
            StreamResponse::StatusUpdate(update) => (update.task_id, format!("{:?}", update.status.state)),
            StreamResponse::ArtifactUpdate(update) => (update.task_id, "artifact".to_owned()),
            other => return Err(format!("{other:?} instead of {wanted}").into()),
        };
        same("notification", (task.as_str(), what.as_str()), (task_id, wanted))?;
    }
    Ok(())
}

type Events = futures::stream::BoxStream<'static, Result<StreamResponse, A2AError>>;

async fn drain(events: Result<Events, A2AError>) -> Result<Vec<StreamResponse>, A2AError> {
    events?.collect::<Vec<_>>().await.into_iter().collect()
}

#[expect(clippy::needless_pass_by_value, reason = "most of what is compared is made for it")]
fn same<T: PartialEq + Debug>(what: &str, found: T, expected: T) -> Checked {
    if found == expected { Ok(()) } else { Err(format!("{what}: {found:?} instead of {expected:?}").into()) }
}

/// That a call failed with this code.
fn refused<T: Debug>(code: i32, result: Result<T, A2AError>) -> Checked {
    match result {
        Err(error) => same(&error.message, error.code, code),
        Ok(found) => Err(format!("{found:?} instead of the error {code}").into()),
    }
}

fn texts(parts: &[Part]) -> String {
    parts.iter().filter_map(Part::as_text).collect()
}

fn words(message: Option<&Message>) -> String {
    message.map(|message| texts(&message.parts)).unwrap_or_default()
}

fn ends(task: &Task) -> (TaskState, String) {
    (task.status.state.clone(), words(task.status.message.as_ref()))
}

/// Each with its name and its text.
fn artifacts(task: &Task) -> Vec<(String, String)> {
    let told = |artifact: &Artifact| (artifact.name.clone().unwrap_or_default(), texts(&artifact.parts));
    task.artifacts.iter().flatten().map(told).collect()
}

fn told(task: &Task) -> Vec<&str> {
    task.history.iter().flatten().map(|message| message.text().unwrap_or_default()).collect()
}
