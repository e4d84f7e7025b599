//! What is printed: the peers, a line for each request and answer, and a summary.

use std::collections::HashMap;
use std::fmt::Write;
use std::net::SocketAddr;

use gauntlet_evidence::contract::PeerAddress;
use gauntlet_evidence::journal::Ending;
use gauntlet_evidence::{InterfaceState, JournalEntry, JournalEvent, PeerState, Request, RequestClass};
use gauntlet_fleet::unmatched;
use gauntlet_report::{Paint, count, wrap_hanging};

use crate::output::Style;

/// Where the text of a line goes on when it is wrapped.
const INDENT: usize = 10;
/// Where what is said of a peer begins.
const COLUMN: usize = 13;

/// The peers and what is known of their traffic.
pub(super) struct View {
    peers: Vec<Peer>,
    /// By exchange.
    open: HashMap<u64, Open>,
    paint: Paint,
    width: usize,
}

struct Peer {
    name: String,
    card_url: String,
    interfaces: Vec<InterfaceState>,
    defects: Vec<String>,
    requests: usize,
    unmatched: usize,
}

/// A request that is being answered.
struct Open {
    request: Request,
    /// The head of the answer, until a frame says more.
    head: Option<JournalEntry>,
}

impl View {
    /// Addresses, states and defects in the same order.
    pub(super) fn new(
        addresses: &[PeerAddress],
        states: Vec<PeerState>,
        defects: Vec<Vec<String>>,
        style: Style,
    ) -> Self {
        let peers = addresses.iter().zip(states).zip(defects).map(|((address, state), defects)| Peer {
            name: address.name.clone(),
            card_url: address.card_url.clone(),
            interfaces: state.interfaces,
            defects,
            requests: 0,
            unmatched: 0,
        });
        Self { peers: peers.collect(), open: HashMap::new(), paint: Paint::new(style.color), width: style.width }
    }

    /// Who is there, and where.
    pub(super) fn start(&self, control: Option<SocketAddr>) -> String {
        let mut text = String::new();
        for peer in &self.peers {
            _ = writeln!(text, "{}", self.paint.strong(&peer.name));
            self.row(&mut text, "card", &peer.card_url);
            for interface in &peer.interfaces {
                let tenant = interface.tenant.as_ref().map(|tenant| format!(", tenant {tenant}")).unwrap_or_default();
                let words = format!("{} (A2A {}{tenant})", interface.url, interface.version);
                self.row(&mut text, interface.binding.name(), &words);
            }
            for defect in &peer.defects {
                self.row(&mut text, "defect", defect);
            }
            text.push('\n');
        }
        if let Some(address) = control {
            _ = writeln!(text, "{}", self.paint.strong("control API"));
            self.row(&mut text, "address", &format!("http://{address}"));
            text.push('\n');
        }
        let ready = format!("{} ready; Ctrl-C ends.", count(self.peers.len(), "peer"));
        _ = writeln!(text, "{}", self.paint.dim(&ready));
        text
    }

    fn row(&self, text: &mut String, name: &str, words: &str) {
        let line = format!("  {:width$}{words}", name, width = COLUMN - 2);
        for line in wrap_hanging(&line, self.width, COLUMN) {
            _ = writeln!(text, "{line}");
        }
    }

    /// The lines for an entry of the journal; none where it says nothing new.
    pub(super) fn entry(&mut self, entry: &JournalEntry) -> String {
        match &entry.event {
            JournalEvent::Opened { .. } | JournalEvent::Closed { .. } => String::new(),
            JournalEvent::Request(request) => self.request(entry, request),
            JournalEvent::Answered { status, .. } => self.head(entry, *status),
            JournalEvent::Frame(frame) => {
                if let Some(open) = entry.exchange.and_then(|exchange| self.open.get_mut(&exchange)) {
                    open.head = None;
                }
                self.line(entry, frame.error.is_some())
            }
            JournalEvent::Ended { how } => {
                let open = entry.exchange.and_then(|exchange| self.open.remove(&exchange));
                let head = open.and_then(|open| open.head).map(|head| self.line(&head, false)).unwrap_or_default();
                match how {
                    Ending::Complete => head,
                    _ => head + &self.line(entry, true),
                }
            }
            JournalEvent::WebhookSent(_) | JournalEvent::WebhookAnswered { status: Some(_), .. } => {
                self.line(entry, false)
            }
            JournalEvent::WebhookAnswered { .. } | JournalEvent::WebhookWithheld { .. } => self.line(entry, true),
        }
    }

    fn request(&mut self, entry: &JournalEntry, request: &Request) -> String {
        if let Some(peer) = self.peers.iter_mut().find(|peer| peer.name == entry.peer) {
            peer.requests += 1;
        }
        if let Some(exchange) = entry.exchange {
            self.open.insert(exchange, Open { request: request.clone(), head: None });
        }
        // Nothing is delegated here, so the words that tell probes from dispatches would mislead.
        let mut shown = entry.clone();
        if let JournalEvent::Request(request) = &mut shown.event
            && request.class != RequestClass::Discovery
        {
            request.class = RequestClass::Other;
        }
        self.line(&shown, false)
    }

    /// Whether anything matched shows in the head of the answer.
    fn head(&mut self, entry: &JournalEntry, status: u16) -> String {
        let Some(open) = entry.exchange.and_then(|exchange| self.open.get_mut(&exchange)) else {
            return String::new();
        };
        open.head = Some(entry.clone());
        let Some(peer) = self.peers.iter_mut().find(|peer| peer.name == entry.peer) else { return String::new() };
        let Some(hint) = unmatched::hint(&open.request, status, &peer.interfaces) else { return String::new() };
        peer.unmatched += 1;
        let line = format!("{:INDENT$}✗ nothing matched; {hint}", "");
        self.lines(&line, |paint, line| paint.bad(line))
    }

    fn line(&self, entry: &JournalEntry, wrong: bool) -> String {
        let paint: fn(Paint, &str) -> String =
            if wrong || !entry.stamps.is_empty() { |paint, line| paint.odd(line) } else { |_, line| line.to_owned() };
        self.lines(&entry.to_string(), paint)
    }

    fn lines(&self, line: &str, paint: fn(Paint, &str) -> String) -> String {
        let lines = wrap_hanging(line, self.width, INDENT + 2);
        lines.iter().map(|line| paint(self.paint, line) + "\n").collect()
    }

    /// What there was.
    pub(super) fn summary(&self) -> String {
        let width = self.peers.iter().map(|peer| peer.name.chars().count()).max().unwrap_or_default();
        let mut text = String::from("\n");
        for peer in &self.peers {
            let unmatched = match peer.unmatched {
                0 => String::new(),
                number => format!(", {}", self.paint.bad(&format!("{number} unmatched"))),
            };
            let requests = count(peer.requests, "request");
            _ = writeln!(text, "{:width$}  {requests}{unmatched}", peer.name);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn view(color: bool) -> View {
        let address = PeerAddress {
            name: "vendor-b".to_owned(),
            base_url: "http://127.0.0.1:4000".to_owned(),
            card_url: "http://127.0.0.1:4000/.well-known/agent-card.json".to_owned(),
        };
        let state = json!({
            "name": "vendor-b", "card": {}, "tasks": [],
            "interfaces": [
                { "url": "127.0.0.1:4000", "binding": "GRPC", "version": "1.0" },
                { "url": "http://127.0.0.1:4000/rpc", "binding": "JSONRPC", "version": "1.0", "tenant": "acme" },
            ],
        });
        let title = "method-unimplemented (operation GetTask, on GRPC): The binding does not implement an operation";
        let state = serde_json::from_value(state).unwrap();
        View::new(&[address], vec![state], vec![vec![title.to_owned()]], Style { color, width: 80 })
    }

    fn entries() -> Vec<JournalEntry> {
        let entry = |seq: u64, exchange: Option<u64>, event: Value| {
            let mut entry = json!({ "seq": seq, "atUs": seq * 1500, "peer": "vendor-b", "connection": 1 });
            let members = entry.as_object_mut().unwrap();
            members.extend(exchange.map(|exchange| ("exchange".to_owned(), json!(exchange))));
            members.extend(event.as_object().unwrap().clone());
            serde_json::from_value(entry).unwrap()
        };
        let request = |class: Value, method: &str, path: &str| json!({ "event": "request", "class": class, "method": method, "path": path, "headers": [] });
        let mut send = request(json!("probe"), "POST", "/rpc");
        send["binding"] = json!("JSONRPC");
        send["operation"] = json!("SendMessage");
        let mut stamped = json!({ "event": "frame", "index": 0, "error": { "code": "-32601", "message": "not here" } });
        stamped["stamps"] = json!([{ "fault": "refuse-operation", "defect": "method-unimplemented" }]);
        let told = |status: u16| json!({ "event": "answered", "status": status, "headers": [] });
        let ended = |how: &str| json!({ "event": "ended", "how": how });
        vec![
            entry(1, None, json!({ "event": "opened", "listener": "127.0.0.1:4000" })),
            entry(2, Some(1), send),
            entry(3, Some(1), told(200)),
            entry(4, Some(1), stamped),
            entry(5, Some(1), ended("complete")),
            entry(6, Some(2), request(json!("other"), "GET", "/rpc")),
            entry(7, Some(2), told(405)),
            entry(8, Some(2), ended("complete")),
            entry(9, Some(3), request(json!("discovery"), "GET", "/.well-known/agent-card.json")),
            entry(10, Some(3), told(304)),
            entry(11, Some(3), ended("complete")),
            entry(12, Some(4), request(json!("discovery"), "GET", "/.well-known/agent-card.json")),
            entry(13, Some(4), ended("abandoned")),
        ]
    }

    #[test]
    fn a_session_reads_well() {
        let mut view = view(false);
        let mut text = view.start(Some(([127, 0, 0, 1], 5000).into()));
        for entry in entries() {
            text += &view.entry(&entry);
        }
        text += &view.summary();
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
        insta::assert_snapshot!(text);
    }

    #[test]
    fn colour_changes_nothing_else() {
        let colours = |text: &str| text.contains('\u{1b}');
        let (mut plain, mut coloured) = (view(false), view(true));
        let shown: Vec<String> = entries().iter().map(|entry| coloured.entry(entry)).collect();
        assert!(
            colours(&shown[3]) && colours(&shown[6]),
            "what deviates and what nothing matched stands out: {shown:?}"
        );
        for (entry, shown) in entries().iter().zip(shown) {
            let mut bare = String::new();
            let mut rest = shown.as_str();
            while let Some((before, after)) = rest.split_once('\u{1b}') {
                bare += before;
                rest = after.split_once('m').unwrap().1;
            }
            assert_eq!(bare + rest, plain.entry(entry));
        }
    }
}
