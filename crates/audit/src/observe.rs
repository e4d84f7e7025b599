//! What is called, and in which order. Nothing here changes anything at the agent unless a message is asked for.

use futures::future::join_all;
use gauntlet_card::{Reach, reach};
use gauntlet_wire::{Binding, ErrorKind, Operation, ProtocolVersion};
use serde_json::{Value, json};

use crate::call::{Answer, Call, Reading, address, older};
use crate::dial::{DialError, Dialer, Http, NOT_TLS, Place, header};
use crate::fetch::{self, Fetched};
use crate::listed::{Declared, Listed};
use crate::{AuditError, Options};

/// What no agent speaks.
pub(crate) const ABSURD_VERSION: &str = "99.0";

/// What is called beside GetTask: all of it names a task that does not exist, or asks for what is there anyway.
const HARMLESS: [Operation; 8] = [
    Operation::ListTasks,
    Operation::CancelTask,
    Operation::SubscribeToTask,
    Operation::CreateTaskPushNotificationConfig,
    Operation::GetTaskPushNotificationConfig,
    Operation::ListTaskPushNotificationConfigs,
    Operation::DeleteTaskPushNotificationConfig,
    Operation::GetExtendedAgentCard,
];

/// An agent as it showed itself.
#[derive(Debug, Clone)]
pub struct Observed {
    /// The card.
    pub fetched: Fetched,
    /// Each interface that the card lists, in its order.
    pub interfaces: Vec<Seen>,
}

/// An interface as it showed itself.
#[derive(Debug, Clone)]
pub struct Seen {
    /// What the card says of it.
    pub listed: Listed,
    pub(crate) declared: Declared,
    /// Why it was left alone.
    pub(crate) left_alone: Option<String>,
    /// Whether TLS was spoken, and whether the connection leads into this machine; none without a connection.
    pub(crate) secure: Option<bool>,
    pub(crate) loopback: bool,
    /// GetTask by somebody without credentials.
    pub(crate) bare: Option<Answer>,
    /// Why credentials were not shown here, where there were some.
    pub(crate) withheld: Option<String>,
    pub(crate) has_credentials: bool,
    /// GetTask in a version that nobody speaks.
    pub(crate) absurd: Option<Answer>,
    /// GetTask without the tenant.
    pub(crate) homeless: Option<Answer>,
    /// What each operation was answered, GetTask first.
    pub calls: Vec<(Operation, Answer)>,
}

impl Seen {
    /// What an operation was answered.
    pub fn answer(&self, operation: Operation) -> Option<&Answer> {
        self.calls.iter().find(|(called, _)| *called == operation).map(|(_, answer)| answer)
    }

    /// Why nothing was called here: it was left alone, or could not be reached.
    pub fn not_dialled(&self) -> Option<String> {
        let lost = self.bare.as_ref().filter(|answer| matches!(answer.reading, Reading::Lost(_)));
        self.left_alone.clone().or_else(|| lost.filter(|_| self.calls.is_empty()).map(|answer| answer.words.clone()))
    }
}

/// Fetches a card and tries all that it lists.
///
/// # Errors
/// When there is nothing to try: no url of a card, or credentials that cannot be sent. What the agent gets wrong is no error.
pub async fn observe(url: &str, options: &Options) -> Result<Observed, AuditError> {
    for (name, value) in &options.credentials {
        header(name, value).map_err(|why| AuditError::Header(name.clone(), why))?;
    }
    let dialer = Dialer::new(options.local, options.patience)?;
    let fetched = fetch::card(&dialer, url).await?;
    let declared = fetched.bytes.as_deref().map(Declared::of).unwrap_or_default();
    let asked: Option<Place> = fetched.asked.parse().ok().and_then(|uri| fetch::place(&uri).ok());
    let visits = declared.interfaces.iter().map(|listed| {
        let visit = Visit { dialer: &dialer, options, declared: &declared, asked: asked.as_ref(), listed };
        async move { visit.make().await }
    });
    Ok(Observed { interfaces: join_all(visits).await, fetched })
}

struct Visit<'a> {
    dialer: &'a Dialer,
    options: &'a Options,
    declared: &'a Declared,
    /// Whom the user named, and so trusts with credentials.
    asked: Option<&'a Place>,
    listed: &'a Listed,
}

impl Visit<'_> {
    async fn make(&self) -> Seen {
        let mut seen = Seen {
            listed: self.listed.clone(),
            declared: self.declared.clone(),
            left_alone: None,
            secure: None,
            loopback: false,
            bare: None,
            withheld: None,
            has_credentials: false,
            absurd: None,
            homeless: None,
            calls: Vec::new(),
        };
        let (binding, version) = match self.spoken() {
            Ok(spoken) => spoken,
            Err(why) => {
                seen.left_alone = Some(why);
                return seen;
            }
        };
        let (place, http, bare) = match self.arrive(binding, &version).await {
            Ok(arrived) => arrived,
            Err(why) => {
                seen.left_alone = Some(why);
                return seen;
            }
        };
        if let Reading::Lost(DialError::Forbidden(why)) = &bare.reading {
            seen.left_alone = Some(why.clone());
            return seen;
        }
        seen.secure = Some(place.secure);
        seen.loopback = reach(&place.host) == Reach::Loopback;
        seen.bare = Some(bare.clone());
        seen.has_credentials = !self.options.credentials.is_empty();
        seen.withheld = self.withheld(&place);
        let to = Interface {
            visit: self,
            binding,
            version,
            place,
            http,
            shows: seen.has_credentials && seen.withheld.is_none(),
        };
        to.look_around(bare, &mut seen).await;
        seen
    }

    fn is_older(&self) -> bool {
        self.listed.version().is_some_and(|version| version < ProtocolVersion::V1_0)
    }

    /// How the interface is to be spoken to, or why it cannot be.
    fn spoken(&self) -> Result<(Binding, String), String> {
        let listed = self.listed;
        let binding = listed.binding.ok_or_else(|| format!("`{}` is no binding of A2A", listed.protocol_binding))?;
        let version = listed.version().ok_or_else(|| format!("`{}` is no version", listed.protocol_version))?;
        // 0.2 and 0.3 differ in nothing that is asked here.
        let version = if version < ProtocolVersion::V1_0 { ProtocolVersion::V0_3 } else { version };
        Ok((binding, version.to_string()))
    }

    /// Calls GetTask as somebody without credentials. The url of a gRPC interface does not say whether TLS is spoken: the
    /// likelier way is tried first.
    async fn arrive(&self, binding: Binding, version: &str) -> Result<(Place, Http, Answer), String> {
        let (place, http) = address(self.listed, binding, None)?;
        let (other, _) = address(self.listed, binding, Some(!place.secure))?;
        let get = (Operation::GetTask, self.message(Operation::GetTask, true));
        let answer = self.call(&place, http, binding, (get.0, &get.1), version, &[]).await;
        if other != place
            && matches!(answer.reading, Reading::Lost(DialError::Tls(_) | DialError::Silent(_) | DialError::Garbled(_)))
        {
            let second = self.call(&other, http, binding, (get.0, &get.1), version, &[]).await;
            // A certificate that does not hold shows that TLS is what is spoken there.
            let spoken = match &second.reading {
                Reading::Lost(DialError::Tls(why)) => why != NOT_TLS,
                Reading::Lost(_) => false,
                _ => true,
            };
            if spoken {
                return Ok((other, http, second));
            }
        }
        Ok((place, http, answer))
    }

    /// Why credentials are not shown at a place: a card could name any.
    fn withheld(&self, place: &Place) -> Option<String> {
        let trusted = |host: &String| host.eq_ignore_ascii_case(&place.host);
        let asked = self.asked.is_some_and(|asked| trusted(&asked.host));
        if !asked && !self.options.trusted.iter().any(trusted) {
            return Some(format!("credentials are not shown to {}, which is not the card's host", place.host));
        }
        let open = !place.secure && reach(&place.host) != Reach::Loopback;
        open.then(|| "credentials are not sent without TLS".to_owned())
    }

    /// A request that changes nothing.
    fn message(&self, operation: Operation, with_tenant: bool) -> Value {
        let task = &self.options.unknown_task;
        let mut message = match operation {
            Operation::ListTasks => json!({ "pageSize": 1 }),
            Operation::GetExtendedAgentCard => json!({}),
            Operation::CreateTaskPushNotificationConfig => {
                json!({ "taskId": task, "id": CONFIG, "url": "https://gauntlet.invalid/webhook" })
            }
            Operation::GetTaskPushNotificationConfig | Operation::DeleteTaskPushNotificationConfig => {
                json!({ "taskId": task, "id": CONFIG })
            }
            Operation::ListTaskPushNotificationConfigs => json!({ "taskId": task }),
            Operation::SendMessage | Operation::SendStreamingMessage => json!({ "message": {
                "messageId": format!("{task}-{operation}"), "role": "ROLE_USER",
                "parts": [{ "text": "This checks that the agent can be reached. Any answer will do.", "mediaType": "text/plain" }],
            } }),
            _ => json!({ "id": task }),
        };
        if let Some(tenant) = self.listed.tenant.as_ref().filter(|_| with_tenant) {
            message["tenant"] = json!(tenant);
        }
        message
    }

    async fn call(
        &self,
        place: &Place,
        http: Http,
        binding: Binding,
        (operation, message): (Operation, &Value),
        version: &str,
        credentials: &[(String, String)],
    ) -> Answer {
        let (older, extensions) = (self.is_older(), self.declared.extensions.as_str());
        let mut call = Call { binding, operation, message, version, older, by_get: false, credentials, extensions };
        let answer = self.exchange(place, http, &call).await;
        let other_way = binding == Binding::HttpJson && operation == Operation::SubscribeToTask;
        if !other_way || answer.reading != Reading::Unimplemented {
            return answer;
        }
        call.by_get = true;
        let second = self.exchange(place, http, &call).await;
        if second.reading == Reading::Unimplemented { answer } else { second }
    }

    async fn exchange(&self, place: &Place, http: Http, call: &Call<'_>) -> Answer {
        let request = match call.request(&self.listed.url) {
            Ok(request) => request,
            Err(why) => return Answer::lost(DialError::Unreachable(why)),
        };
        let got = self.dialer.exchange(place, http, request, |headers, body| call.is_enough(headers, body)).await;
        let mut answer = got.map_or_else(Answer::lost, |got| call.read(&got));
        // The same words each time: the id is drawn anew for each audit.
        answer.words = answer.words.replace(&self.options.unknown_task, "…");
        answer
    }
}

/// The id of the webhook that nobody registers.
const CONFIG: &str = "gauntlet-audit";

/// An interface that was reached.
struct Interface<'a> {
    visit: &'a Visit<'a>,
    binding: Binding,
    version: String,
    place: Place,
    http: Http,
    /// Whether credentials are shown.
    shows: bool,
}

impl Interface<'_> {
    async fn look_around(&self, bare: Answer, seen: &mut Seen) {
        let get = Operation::GetTask;
        // Who is not even answered, or not as the binding has it, would not be answered with credentials either.
        let arrived = bare.is_of_binding() || matches!(bare.reading, Reading::Denied { .. });
        let known = if self.shows && arrived { self.ask(get).await } else { bare };
        let goes_on = known.is_of_binding() && known.kind() != Some(ErrorKind::VersionNotSupported);
        let found = known.kind() == Some(ErrorKind::TaskNotFound);
        seen.calls.push((get, known));
        if !goes_on {
            return;
        }
        let message = self.visit.message(get, true);
        let older = self.visit.is_older();
        if !older {
            seen.absurd = Some(self.call(get, &message, ABSURD_VERSION).await);
        }
        if self.visit.listed.tenant.is_some() && !found {
            let message = self.visit.message(get, false);
            seen.homeless = Some(self.call(get, &message, &self.version).await);
        }
        let there = |operation: &Operation| !older || older::has(self.binding, *operation);
        for operation in HARMLESS.into_iter().filter(there) {
            let answer = self.ask(operation).await;
            seen.calls.push((operation, answer));
        }
        if self.visit.options.send {
            for operation in [Operation::SendMessage, Operation::SendStreamingMessage].into_iter().filter(there) {
                let answer = self.ask(operation).await;
                self.tidy(&answer).await;
                seen.calls.push((operation, answer));
            }
        }
    }

    async fn ask(&self, operation: Operation) -> Answer {
        let message = self.visit.message(operation, true);
        self.call(operation, &message, &self.version).await
    }

    async fn call(&self, operation: Operation, message: &Value, version: &str) -> Answer {
        let credentials = if self.shows { self.visit.options.credentials.as_slice() } else { &[] };
        self.visit.call(&self.place, self.http, self.binding, (operation, message), version, credentials).await
    }

    /// Cancels the task that a message began, unless it is over; once is enough.
    async fn tidy(&self, answer: &Answer) {
        let result = answer.result.as_ref();
        let Some(task) = result.and_then(|result| result.get("task")) else { return };
        let over = ["COMPLETED", "FAILED", "CANCELED", "REJECTED"];
        let state = task["status"]["state"].as_str().unwrap_or_default();
        if over.iter().any(|word| state.ends_with(word)) {
            return;
        }
        let mut message = self.visit.message(Operation::CancelTask, true);
        message["id"] = task["id"].clone();
        self.call(Operation::CancelTask, &message, &self.version).await;
    }
}
