//! Evidence built by hand, for tests: a fleet without sockets.

use std::collections::{BTreeMap, BTreeSet};

use gauntlet_evidence::contract::{Content, Delegation, Hello, Need, Outcome, PeerAddress, Reason, Speaks, Status};
use gauntlet_evidence::journal::{Ending, Frame, Raw, WireError};
use gauntlet_evidence::{
    Evidence, HeldTask, InterfaceState, JournalEntry, JournalEvent, Judgement, PeerState, Request, RequestClass,
    Support, WebhookRequest,
};
use gauntlet_scenario::{Fact, ScopedFact};
use gauntlet_wire::{Binding, CARD_PATH, Operation, VERSION_HEADER, rest};
use serde_json::{Value, json};

use crate::{Case, judge_by, rules};

pub(crate) const B: &str = "vendor-b";

/// A scene in the making. Peers listen on one port each; requests are what a correct client sends.
#[derive(Debug, Clone)]
pub(crate) struct Scene {
    pub(crate) case: Case,
    exchanges: u64,
}

impl Scene {
    /// vendor-b with these bindings, one delegation `d-1`, a driver that speaks and supports everything, and a card
    /// that was fetched.
    pub(crate) fn new(bindings: &[Binding]) -> Self {
        let mut scene = Self::empty();
        scene.peer(B, bindings).delegate("d-1");
        scene.fetch(B, CARD_PATH, 200);
        scene
    }

    /// Nothing but the driver.
    pub(crate) fn empty() -> Self {
        let hello = Hello {
            speaks: Speaks { bindings: Binding::ALL.to_vec(), versions: vec!["1.0".to_owned()] },
            supports: Support::ALL.iter().map(|support| support.word().to_owned()).collect(),
            ..Hello::default()
        };
        let evidence = Evidence {
            hello,
            delegations: Vec::new(),
            delegated_after: Vec::new(),
            outcomes: Vec::new(),
            journal: Vec::new(),
            peers: Vec::new(),
        };
        Self { case: Case { evidence, facts: BTreeMap::new() }, exchanges: 0 }
    }

    pub(crate) fn peer(&mut self, name: &str, bindings: &[Binding]) -> &mut Self {
        let origin = format!("127.0.0.1:{}", 41_001 + self.case.evidence.peers.len());
        let interfaces: Vec<InterfaceState> = bindings
            .iter()
            .map(|binding| InterfaceState {
                url: match binding {
                    Binding::JsonRpc => format!("http://{origin}/rpc"),
                    Binding::HttpJson => format!("http://{origin}/rest"),
                    Binding::Grpc => origin.clone(),
                },
                binding: *binding,
                version: "1.0".to_owned(),
                tenant: None,
            })
            .collect();
        let card = json!({
            "name": name, "description": "a peer", "version": "1",
            "supportedInterfaces": interfaces.iter().map(|interface| json!({
                "url": interface.url, "protocolBinding": interface.binding.name(), "protocolVersion": "1.0",
            })).collect::<Vec<_>>(),
            "capabilities": { "streaming": true, "pushNotifications": true },
            "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
            "skills": [
                { "id": "classify", "name": "Classify", "description": "classifies", "tags": ["returns"] },
                { "id": "table", "name": "Table", "description": "reads tables", "tags": ["csv"],
                  "inputModes": ["text/csv"] },
            ],
        });
        self.case.evidence.peers.push(PeerState { name: name.to_owned(), card, interfaces, tasks: Vec::new() });
        self
    }

    pub(crate) fn state(&mut self, peer: &str) -> &mut PeerState {
        self.case.evidence.peers.iter_mut().find(|known| known.name == peer).unwrap()
    }

    pub(crate) fn capability(&mut self, name: &str, declared: bool) -> &mut Self {
        self.state(B).card["capabilities"][name] = json!(declared);
        self
    }

    pub(crate) fn fact(&mut self, on: &[Binding], fact: Fact) -> &mut Self {
        let facts = self.case.facts.entry(B.to_owned()).or_default();
        facts.0.push(ScopedFact { bindings: on.iter().copied().collect(), interfaces: BTreeSet::new(), fact });
        self
    }

    pub(crate) fn unusable(&mut self, on: Binding) -> &mut Self {
        self.fact(&[on], Fact::InterfaceUnusable { cause: "service-unregistered".to_owned() })
    }

    pub(crate) fn without(&mut self, support: Support) -> &mut Self {
        self.case.evidence.hello.supports.remove(support.word());
        self
    }

    /// A delegation of the session `s-1` to every peer there is so far.
    pub(crate) fn delegate(&mut self, id: &str) -> &mut Delegation {
        let peers = self.case.evidence.peers.iter().map(|peer| PeerAddress {
            name: peer.name.clone(),
            base_url: "http://127.0.0.1".to_owned(),
            card_url: format!("http://127.0.0.1{CARD_PATH}"),
        });
        let delegation = Delegation {
            id: id.to_owned(),
            session: "s-1".to_owned(),
            principal: None,
            marker: format!("{id}:9f2c"),
            peers: peers.collect(),
            select: Default::default(),
            message: Content {
                parts: vec![json!({ "text": format!("Classify return 4411 ({id}:9f2c)"), "mediaType": "text/plain" })],
            },
            skill: None,
            accepted_output_modes: Vec::new(),
            needs: Default::default(),
            allowed_bindings: None,
            credentials: BTreeMap::new(),
            policy: Default::default(),
            deadline_ms: 1000,
        };
        self.case.evidence.delegations.push(delegation);
        self.case.evidence.delegated_after.push(self.case.evidence.journal.len() as u64);
        self.case.evidence.delegations.last_mut().unwrap()
    }

    pub(crate) fn delegation(&mut self, id: &str) -> &mut Delegation {
        self.case.evidence.delegations.iter_mut().find(|known| known.id == id).unwrap()
    }

    fn append(&mut self, peer: &str, exchange: Option<u64>, event: JournalEvent) -> u64 {
        let seq = self.case.evidence.journal.len() as u64 + 1;
        let connection = 1 + self.case.evidence.peers.iter().position(|known| known.name == peer).unwrap() as u64;
        self.case.evidence.journal.push(JournalEntry {
            seq,
            at_us: seq * 1000,
            peer: peer.to_owned(),
            connection,
            exchange,
            event,
            stamps: Vec::new(),
        });
        seq
    }

    pub(crate) fn request(&mut self, peer: &str, request: Request) -> u64 {
        let opened = |entry: &JournalEntry| entry.peer == peer && matches!(entry.event, JournalEvent::Opened { .. });
        if !self.case.evidence.journal.iter().any(opened) {
            let nth = self.case.evidence.peers.iter().position(|known| known.name == peer).unwrap();
            self.append(peer, None, JournalEvent::Opened { listener: format!("127.0.0.1:{}", 41_001 + nth) });
        }
        self.exchanges += 1;
        self.append(peer, Some(self.exchanges), JournalEvent::Request(Box::new(request)));
        self.exchanges
    }

    /// Fetches a card document; gives the exchange.
    pub(crate) fn fetch(&mut self, peer: &str, path: &str, status: u16) -> u64 {
        let request = Request {
            class: RequestClass::Discovery,
            binding: None,
            operation: None,
            version: None,
            tenant: None,
            method: "GET".to_owned(),
            path: path.to_owned(),
            headers: Vec::new(),
            message: None,
            body: Raw::Empty,
            secrets: Vec::new(),
        };
        let x = self.request(peer, request);
        self.append(peer, Some(x), JournalEvent::Answered { status, headers: Vec::new() });
        if status == 200 {
            let card = self.state(peer).card.clone();
            self.answer(x, card);
        }
        x
    }

    /// Asks a peer's token server, which gives this answer.
    pub(crate) fn ask_for_token(&mut self, peer: &str, form: &str, answer: Value) {
        let request = Request {
            class: RequestClass::Discovery,
            binding: None,
            operation: None,
            version: None,
            tenant: None,
            method: "POST".to_owned(),
            path: "/token".to_owned(),
            headers: Vec::new(),
            message: None,
            body: Raw::Text(form.to_owned()),
            secrets: Vec::new(),
        };
        let x = self.request(peer, request);
        self.answer(x, answer);
    }

    /// Calls an operation as a correct client does; gives the exchange.
    pub(crate) fn call(
        &mut self,
        peer: &str,
        on: Binding,
        class: RequestClass,
        operation: Operation,
        message: Value,
    ) -> u64 {
        let tenant =
            self.state(peer).interfaces.iter().find(|known| known.binding == on).and_then(|known| known.tenant.clone());
        let mut message = message;
        if let Some(tenant) = &tenant {
            message["tenant"] = json!(tenant);
        }
        let (method, path, media, body) = match on {
            Binding::JsonRpc => {
                let body = json!({ "jsonrpc": "2.0", "id": 1, "method": operation.name(), "params": message });
                ("POST", "/rpc".to_owned(), "application/json", Raw::Text(body.to_string()))
            }
            Binding::HttpJson => {
                let call = rest::call(operation, &message);
                let body = call.body.map_or(Raw::Empty, |body| Raw::Text(body.to_string()));
                (call.method, format!("/rest{}", call.path_and_query), "application/json", body)
            }
            Binding::Grpc => {
                ("POST", operation.grpc_path(), "application/grpc", Raw::Binary { base64: "AA==".to_owned() })
            }
        };
        let headers = [("content-type", media), (&VERSION_HEADER.to_lowercase(), "1.0")];
        let request = Request {
            class,
            binding: Some(on),
            operation: Some(operation),
            version: Some("1.0".to_owned()),
            tenant,
            method: method.to_owned(),
            path,
            headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            message: Some(message),
            body,
            secrets: Vec::new(),
        };
        self.request(peer, request)
    }

    fn send(&mut self, peer: &str, on: Binding, class: RequestClass, operation: Operation, text: &str) -> u64 {
        let id = format!("m-{}", self.exchanges + 1);
        let parts = json!([{ "text": text }]);
        let message = json!({ "message": { "messageId": id, "role": "ROLE_USER", "parts": parts } });
        self.call(peer, on, class, operation, message)
    }

    /// Hands a delegation over by SendMessage.
    pub(crate) fn dispatch(&mut self, peer: &str, on: Binding, id: &str) -> u64 {
        let text = format!("Classify return 4411 ({id}:9f2c)");
        self.send(peer, on, RequestClass::Dispatch(id.to_owned()), Operation::SendMessage, &text)
    }

    /// Hands a delegation over by SendMessage and names a webhook.
    pub(crate) fn dispatch_with_webhook(&mut self, peer: &str, on: Binding, id: &str, token: &str) -> u64 {
        let x = self.dispatch(peer, on, id);
        let config = json!({ "url": "http://127.0.0.1:9/hook", "token": token });
        if let Some(message) = &mut self.sent(x).message {
            message["configuration"] = json!({ "taskPushNotificationConfig": config });
        }
        x
    }

    /// Tells the webhook of a task of vendor-b that it is in that state.
    pub(crate) fn notice(&mut self, task: &str, token: &str, state: &str, answered: Option<u16>) -> &mut Self {
        self.exchanges += 1;
        let x = self.exchanges;
        let sent = WebhookRequest {
            task_id: task.to_owned(),
            config_id: "hook".to_owned(),
            url: "http://127.0.0.1:9/hook".to_owned(),
            index: 0,
            attempt: 1,
            headers: vec![("x-a2a-notification-token".to_owned(), token.to_owned())],
            object: json!({ "statusUpdate": { "taskId": task, "status": { "state": state } } }),
            body: Raw::Empty,
        };
        self.append(B, Some(x), JournalEvent::WebhookSent(Box::new(sent)));
        self.append(B, Some(x), JournalEvent::WebhookAnswered { status: answered, failure: None });
        self
    }

    /// Asks vendor-b for a task, which is completed.
    pub(crate) fn asked(&mut self, task: &str) -> &mut Self {
        let x = self.on_task(B, Binding::JsonRpc, Operation::GetTask, task);
        self.answer(x, json!({ "id": task, "status": { "state": "TASK_STATE_COMPLETED" } }));
        self
    }

    /// Hands a delegation over by SendStreamingMessage.
    pub(crate) fn stream(&mut self, peer: &str, on: Binding, id: &str) -> u64 {
        let text = format!("Classify return 4411 ({id}:9f2c)");
        self.send(peer, on, RequestClass::Dispatch(id.to_owned()), Operation::SendStreamingMessage, &text)
    }

    /// Tries a peer out.
    pub(crate) fn probe(&mut self, peer: &str, on: Binding, operation: Operation) -> u64 {
        self.send(peer, on, RequestClass::Probe, operation, "ping")
    }

    /// Calls an operation on a task.
    pub(crate) fn on_task(&mut self, peer: &str, on: Binding, operation: Operation, task: &str) -> u64 {
        let held = self.state(peer).tasks.iter().find(|held| held.id() == task);
        let class = RequestClass::FollowUp(held.and_then(|held| held.delegation.clone()));
        self.call(peer, on, class, operation, json!({ "id": task }))
    }

    fn peer_of(&self, x: u64) -> String {
        self.case.evidence.journal.iter().find(|entry| entry.exchange == Some(x)).unwrap().peer.clone()
    }

    /// The journal entry of an exchange's request.
    pub(crate) fn entry(&self, x: u64) -> u64 {
        self.case.evidence.journal.iter().find(|entry| entry.exchange == Some(x)).unwrap().seq
    }

    pub(crate) fn sent(&mut self, x: u64) -> &mut Request {
        let entries = self.case.evidence.journal.iter_mut().filter(|entry| entry.exchange == Some(x));
        let mut requests = entries.filter_map(|entry| match &mut entry.event {
            JournalEvent::Request(request) => Some(request),
            _ => None,
        });
        requests.next().unwrap()
    }

    fn frame(&mut self, x: u64, object: Option<Value>, error: Option<WireError>) -> u64 {
        let peer = self.peer_of(x);
        let earlier =
            |entry: &&JournalEntry| entry.exchange == Some(x) && matches!(entry.event, JournalEvent::Frame(_));
        let index = self.case.evidence.journal.iter().filter(earlier).count() as u32;
        self.append(&peer, Some(x), JournalEvent::Frame(Box::new(Frame { index, object, error, raw: Raw::Empty })))
    }

    /// Sends the head of an answer.
    pub(crate) fn answered(&mut self, x: u64, status: u16, headers: &[(&str, &str)]) -> &mut Self {
        let peer = self.peer_of(x);
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        self.append(&peer, Some(x), JournalEvent::Answered { status, headers });
        self
    }

    /// Answers, or adds to a stream; gives the entry.
    pub(crate) fn answer(&mut self, x: u64, object: Value) -> u64 {
        self.frame(x, Some(object), None)
    }

    /// Answers with a bare error.
    pub(crate) fn refuse(&mut self, x: u64, code: &str) -> u64 {
        self.refuse_as(x, code, None)
    }

    /// Answers with an error and its ErrorInfo reason.
    pub(crate) fn refuse_as(&mut self, x: u64, code: &str, reason: Option<&str>) -> u64 {
        let error = WireError { code: code.to_owned(), message: "no".to_owned(), reason: reason.map(str::to_owned) };
        self.frame(x, None, Some(error))
    }

    pub(crate) fn end(&mut self, x: u64, how: Ending) -> &mut Self {
        let peer = self.peer_of(x);
        self.append(&peer, Some(x), JournalEvent::Ended { how });
        self
    }

    /// Lets the peer hold a task that `x` began, in that state, with the artifact "label: damaged" if it is completed.
    pub(crate) fn hold(&mut self, x: u64, task: &str, state: &str) -> &mut Value {
        let delegation = self.sent(x).class.delegation().map(str::to_owned);
        let peer = self.peer_of(x);
        let mut held = json!({ "id": task, "contextId": format!("c-{task}"), "status": { "state": state } });
        if state == "TASK_STATE_COMPLETED" {
            held["artifacts"] = json!([{ "artifactId": "a", "parts": [{ "text": "label: " }, { "text": "damaged" }] }]);
        }
        let tasks = &mut self.state(&peer).tasks;
        tasks.push(HeldTask { task: held, begun_by: x, delegation });
        &mut tasks.last_mut().unwrap().task
    }

    /// Holds a task and tells of it in full.
    pub(crate) fn task(&mut self, x: u64, task: &str, state: &str) -> &mut Self {
        let held = self.hold(x, task, state).clone();
        self.answer(x, json!({ "task": held }));
        self.end(x, Ending::Complete)
    }

    pub(crate) fn completed(&mut self, x: u64, task: &str) -> &mut Self {
        self.task(x, task, "TASK_STATE_COMPLETED")
    }

    /// A stream that tells of a task in WORKING and then ends.
    pub(crate) fn early(&mut self, x: u64, task: &str, truth: &str) -> &mut Self {
        self.hold(x, task, truth);
        self.answer(x, json!({ "task": { "id": task, "contextId": format!("c-{task}"), "status": { "state": "TASK_STATE_WORKING" } } }));
        self.end(x, Ending::Early)
    }

    pub(crate) fn outcome(&mut self, id: &str, status: Status) -> &mut Outcome {
        self.case.evidence.outcomes.push(Outcome::new(id, status));
        self.case.evidence.outcomes.last_mut().unwrap()
    }

    /// An outcome with a reason.
    pub(crate) fn because(&mut self, id: &str, status: Status, code: &str) -> &mut Reason {
        self.outcome(id, status).reason.insert(Reason { code: code.to_owned(), ..Reason::default() })
    }

    pub(crate) fn judge(&self, rule: &str) -> Judgement {
        let rule = rules().iter().find(|known| known.id() == rule).unwrap();
        judge_by(*rule, &self.case)
    }

    #[track_caller]
    pub(crate) fn upheld(&self, rule: &str) {
        assert_eq!(self.judge(rule), Judgement::Upheld, "{rule}");
    }

    #[track_caller]
    pub(crate) fn open(&self, rule: &str) {
        assert_eq!(self.judge(rule), Judgement::NotExercised, "{rule}");
    }

    /// Gives the reason.
    #[track_caller]
    pub(crate) fn broken(&self, rule: &str) -> String {
        match self.judge(rule) {
            Judgement::Broken { why, .. } => why,
            other => panic!("{rule} is {other:?}"),
        }
    }
}

/// vendor-b over JSON-RPC, whose card describes these schemes and demands this.
pub(crate) fn demanding(schemes: Value, requirements: Value) -> Scene {
    let mut scene = Scene::new(&[Binding::JsonRpc]);
    let card = &mut scene.state(B).card;
    card["securitySchemes"] = schemes;
    card["securityRequirements"] = requirements;
    scene
}

/// Work handed to the only peer became a task in that state, and was reported so.
pub(crate) fn reported(state: &str, status: Status) -> Scene {
    let mut scene = Scene::new(&[Binding::JsonRpc]);
    let x = scene.dispatch(B, Binding::JsonRpc, "d-1");
    scene.task(x, "t-1", state).outcome("d-1", status);
    scene
}

/// Work that requires streaming, and a gRPC interface that lacks it.
pub(crate) fn streaming_lie() -> Scene {
    let mut scene = Scene::new(&[Binding::Grpc]);
    scene.delegation("d-1").needs.streaming = Need::Required;
    scene.fact(&[Binding::Grpc], Fact::LacksOperation(Operation::SendStreamingMessage));
    scene
}

/// Work handed over with a webhook whose token is `agreed`. The answer tells that the task works; it is completed.
pub(crate) fn notified() -> Scene {
    let mut scene = Scene::new(&[Binding::JsonRpc]);
    let x = scene.dispatch_with_webhook(B, Binding::JsonRpc, "d-1", "agreed");
    scene.early(x, "t-1", "TASK_STATE_COMPLETED");
    scene
}
