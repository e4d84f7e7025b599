//! Drives the client of a2a-client-lf as its own example does, for gauntlet. Nothing is added.

use std::collections::HashMap;
use std::future::Future;
use std::rc::Rc;
use std::sync::Arc;

use a2a::{
    A2AError, Message, Part, Role, SendMessageConfiguration, SendMessageRequest, SendMessageResponse, StreamResponse,
    TaskState,
};
use a2a_client::agent_card::AgentCardResolver;
use a2a_client::auth::AuthInterceptor;
use a2a_client::jsonrpc::JsonRpcTransportFactory;
use a2a_client::rest::RestTransportFactory;
use a2a_client::{A2AClient, A2AClientFactory, Transport};
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use gauntlet_driver_protocol::{
    Binding, Continue, Delegation, Driver, Hello, Need, Outcome, PartKind, Speaks, Status, Support,
};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

type Client = A2AClient<Box<dyn Transport>>;

const BINDINGS: [Binding; 2] = [Binding::JsonRpc, Binding::HttpJson];

/// The SDK, called by one delegation after the other.
struct Lf {
    runtime: Runtime,
    sdk: Sdk,
}

impl Driver for Lf {
    fn hello(&self) -> Hello {
        let supports = [
            Support::Streaming,
            Support::Needs,
            Support::MultiTurn,
            Support::Reset,
            Support::CrossOrigin,
            Support::Bearer,
        ];
        Hello {
            name: "a2a-client-lf (Rust)".to_owned(),
            version: "0.2.9".to_owned(),
            speaks: Speaks { bindings: BINDINGS.to_vec(), versions: vec!["1.0".to_owned()] },
            part_kinds: [PartKind::Text, PartKind::Data, PartKind::File].into(),
            supports: supports.map(|support| support.word().to_owned()).into(),
            ..Hello::default()
        }
    }

    fn delegate(&mut self, work: Delegation) -> Outcome {
        let Self { runtime, sdk } = self;
        runtime.block_on(in_time(work.id.clone(), work.deadline(), sdk.delegate(work)))
    }

    fn proceed(&mut self, Continue { id, parts }: Continue) -> Outcome {
        let Self { runtime, sdk } = self;
        let Some(deadline) = sdk.calls.get(&id).map(|call| call.work.deadline()) else {
            return Outcome::raised(id, "Unknown", "nothing was delegated under this id");
        };
        runtime.block_on(in_time(id.clone(), deadline, sdk.send(&id, parts)))
    }

    fn reset(&mut self, _session: &str) {
        self.sdk = Sdk::default();
    }
}

/// The SDK has no deadlines: a call that takes too long is dropped, as an application would drop it.
async fn in_time(
    id: String,
    deadline: std::time::Duration,
    call: impl Future<Output = Result<Outcome, A2AError>>,
) -> Outcome {
    match tokio::time::timeout(deadline, call).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(error)) => Outcome::raised(id, format!("A2AError {}", error.code), error.message),
        Err(_) => Outcome::new(id, Status::TimedOut),
    }
}

#[derive(Default)]
struct Sdk {
    /// By session and by what a client is made for: a client keeps the interface it chose.
    clients: HashMap<String, Rc<Client>>,
    calls: HashMap<String, Call>,
}

struct Call {
    client: Rc<Client>,
    work: Delegation,
    task_id: Option<String>,
    context_id: Option<String>,
}

impl Sdk {
    async fn delegate(&mut self, work: Delegation) -> Result<Outcome, A2AError> {
        let (id, parts) = (work.id.clone(), work.message.parts.clone());
        let client = self.client(&work).await?;
        self.calls.insert(id.clone(), Call { client, work, task_id: None, context_id: None });
        self.send(&id, parts).await
    }

    async fn client(&mut self, work: &Delegation) -> Result<Rc<Client>, A2AError> {
        let peer = &work.peers[0];
        let given = work.credentials.get(&peer.name);
        let bearer = given.and_then(|them| them.iter().find(|it| it["scheme"] == "bearer" || it["scheme"] == "oauth2"));
        let bindings = work.allowed_bindings.as_deref().unwrap_or(&BINDINGS);
        let key = json!([work.session, peer, bearer, bindings]).to_string();
        if let Some(client) = self.clients.get(&key) {
            return Ok(Rc::clone(client));
        }
        let card = AgentCardResolver::new(None).resolve(&peer.base_url).await?;
        let mut factory = A2AClientFactory::builder().no_defaults();
        for binding in bindings {
            factory = match binding {
                Binding::JsonRpc => factory.register(Arc::new(JsonRpcTransportFactory::new(None))),
                Binding::HttpJson => factory.register(Arc::new(RestTransportFactory::new(None))),
                Binding::Grpc => factory,
            };
        }
        // What the card demands is not looked at: the interceptor sends the token with every call.
        if let Some(token) = bearer.and_then(|bearer| bearer["token"].as_str()) {
            factory = factory.with_interceptor(Arc::new(AuthInterceptor::bearer(token)));
        }
        let client = Rc::new(factory.build().create_from_card(&card).await?);
        self.clients.insert(key, Rc::clone(&client));
        Ok(client)
    }

    async fn send(&mut self, id: &str, parts: Vec<Value>) -> Result<Outcome, A2AError> {
        let call = self.calls.get_mut(id).ok_or_else(|| A2AError::internal("nothing was delegated under this id"))?;
        let parts = parts.into_iter().map(serde_json::from_value).collect::<Result<Vec<Part>, _>>();
        let mut message = Message::new(Role::User, parts.map_err(|error| A2AError::invalid_params(error.to_string()))?);
        (message.task_id, message.context_id) = (call.task_id.clone(), call.context_id.clone());
        let modes = Some(call.work.accepted_output_modes.clone()).filter(|modes| !modes.is_empty());
        let configuration = modes.map(|modes| SendMessageConfiguration {
            accepted_output_modes: Some(modes),
            task_push_notification_config: None,
            history_length: None,
            return_immediately: None,
        });
        let request = SendMessageRequest { message, configuration, metadata: None, tenant: None };

        let (mut state, mut answer, mut remark) = (TaskState::Unspecified, String::new(), String::new());
        let mut events = events(&call.client, &request, call.work.needs.streaming).await?;
        while let Some(event) = events.next().await {
            let (task_id, context_id, status) = match event? {
                StreamResponse::Message(message) => {
                    return Ok(Outcome { text: Some(text(&message.parts)), ..Outcome::new(id, Status::Completed) });
                }
                StreamResponse::ArtifactUpdate(update) => {
                    answer += &text(&update.artifact.parts);
                    continue;
                }
                StreamResponse::Task(task) => {
                    answer.extend(task.artifacts.iter().flatten().map(|artifact| text(&artifact.parts)));
                    (task.id, task.context_id, task.status)
                }
                StreamResponse::StatusUpdate(update) => (update.task_id, update.context_id, update.status),
            };
            (call.task_id, call.context_id) = (Some(task_id), Some(context_id));
            state = status.state;
            remark = status.message.map(|message| text(&message.parts)).unwrap_or_default();
        }
        let text = if answer.is_empty() { remark } else { answer };
        Ok(Outcome { text: Some(text), task_id: call.task_id.clone(), ..Outcome::new(id, told(&state)) })
    }
}

/// The client leaves it to its caller whether to stream, and does not look at the card.
async fn events(
    client: &Client,
    request: &SendMessageRequest,
    streaming: Need,
) -> Result<BoxStream<'static, Result<StreamResponse, A2AError>>, A2AError> {
    if streaming != Need::Unused {
        return client.send_streaming_message(request).await;
    }
    let event = match client.send_message(request).await? {
        SendMessageResponse::Task(task) => StreamResponse::Task(task),
        SendMessageResponse::Message(message) => StreamResponse::Message(message),
    };
    Ok(stream::iter([Ok(event)]).boxed())
}

/// The SDK's stream ends in the same way whatever the last state is: `returned` says that, and no more.
fn told(state: &TaskState) -> Status {
    match state {
        TaskState::Completed => Status::Completed,
        TaskState::Failed => Status::Failed,
        TaskState::Rejected => Status::Rejected,
        TaskState::Canceled => Status::Canceled,
        TaskState::InputRequired => Status::InputRequired,
        TaskState::AuthRequired => Status::AuthRequired,
        TaskState::Unspecified | TaskState::Submitted | TaskState::Working => Status::Returned,
    }
}

fn text(parts: &[Part]) -> String {
    parts.iter().filter_map(Part::as_text).collect()
}

fn main() -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    gauntlet_driver_protocol::serve(&mut Lf { runtime, sdk: Sdk::default() })
}
