//! The layers, one after the other. A later one still runs where it can: only a document that cannot be read ends it.

use crate::edition::Edition;
use crate::json::{self, Broken, Data, Node, OddityKind, Why};
use crate::options::Options;
use crate::report::{Flags, Report};
use crate::rules::{self, Judge, Rule};
use crate::shape::Shapes;
use crate::sink::{Place, Sink, Teller};
use crate::structure::Walk;
use crate::subject::Subject;

/// Validates a card or a payload in all four layers.
///
/// Never panics and never blocks, whatever the bytes: size, depth and the number of findings are bounded by the options.
/// An [`Options::kind`] that A2A does not define is an error of the report; see [`kinds`](crate::kinds).
pub fn validate(bytes: &[u8], options: &Options) -> Report {
    let mut read = Read::new(bytes, options);
    read.judge(options);
    read.report(options)
}

/// Validates several cards, each for itself and then against each other: names that several use for different things.
/// What they are called comes first, what they say second. The reports stand in the same order.
pub fn validate_all(documents: &[(&str, &[u8])], options: &Options) -> Vec<Report> {
    let mut read: Vec<Read<'_>> = documents.iter().map(|(_, bytes)| Read::new(bytes, options)).collect();
    read.iter_mut().for_each(|read| read.judge(options));
    let cards = read.iter().enumerate().filter_map(|(index, read)| Some((index, read.root.as_ref()?, read.edition?)));
    let (indices, subjects): (Vec<usize>, Vec<Subject<'_>>) =
        cards.map(|(index, root, edition)| (index, Subject::new(root, edition, options))).unzip();
    let names: Vec<&str> = indices.iter().map(|index| documents[*index].0).collect();
    let mut sinks: Vec<Sink> = indices.iter().map(|_| Sink::new(options.consume(), options.max_findings)).collect();
    rules::judge_fleet(&subjects, &names, &mut sinks);
    drop(subjects);
    for (index, sink) in indices.into_iter().zip(sinks) {
        read[index].across = Some(sink);
    }
    read.into_iter().map(|read| read.report(options)).collect()
}

/// A document on its way through the layers.
struct Read<'a> {
    root: Option<Node<'a>>,
    edition: Option<Edition>,
    sink: Sink,
    across: Option<Sink>,
    judged: Vec<&'static Rule>,
}

impl<'a> Read<'a> {
    /// Layer parse.
    fn new(bytes: &'a [u8], options: &Options) -> Self {
        let mut sink = Sink::new(options.consume(), options.max_findings);
        let root = parse(bytes, options, &mut sink);
        Self { root, edition: None, sink, across: None, judged: Vec::new() }
    }

    /// The other layers.
    fn judge(&mut self, options: &Options) {
        let Some(root) = &mut self.root else { return };
        let is_card = options.kind == "AgentCard";
        self.edition = is_card.then(|| options.edition.unwrap_or_else(|| Edition::of(root)));
        if is_card && !looks_like_a_card(root, &mut self.sink) {
            self.edition = None;
            return;
        }
        let legacy = self.edition.is_some_and(|edition| !edition.is_current());
        let walk = Walk {
            shapes: if legacy { Shapes::legacy() } else { Shapes::current() },
            consume: options.consume(),
            legacy,
            version_optional: self.edition == Some(Edition::V0_2),
            names_only: another_schema(options),
        };
        let Some(shape) = walk.shapes.find(&options.kind) else {
            let message = format!("A2A has no type `{}` to hold this against", options.kind);
            return self.sink.add(rules::KIND, Place::Root, 0..0, message).done();
        };
        walk.object(root, shape, &mut self.sink);
        #[cfg(feature = "json-schema")]
        if let Some(schema) = &options.schema {
            schema.judge(root, &mut self.sink);
        }
        let holds = |rule: &&Rule| {
            let asked = rule.layer <= options.deepest && rule.weight(options.consume()).is_some();
            asked && rule.editions.contain(self.edition)
        };
        self.judged = Rule::all().filter(holds).collect();
        let Some(edition) = self.edition else { return };
        let subject = Subject::new(root, edition, options);
        for rule in &self.judged {
            if let Judge::Card(judge) = rule.judge {
                judge(&subject, &mut Teller { sink: &mut self.sink, rule });
            }
        }
    }

    fn report(self, options: &Options) -> Report {
        let root = self.root.as_ref();
        let flags = root.map(|root| flags(root, self.edition)).unwrap_or_default();
        let truncated = self.sink.truncated || self.across.as_ref().is_some_and(|sink| sink.truncated);
        let mut findings = self.sink.finish(root);
        findings.extend(self.across.into_iter().flat_map(|sink| sink.finish(root)));
        findings.retain(|finding| finding.layer <= options.deepest);
        Report {
            kind: options.kind.clone(),
            edition: self.edition,
            parsed: root.is_some(),
            purpose: options.purpose,
            findings,
            truncated,
            flags,
            needs: options.needs.clone(),
            judged: self.judged,
        }
    }
}

fn another_schema(options: &Options) -> bool {
    #[cfg(feature = "json-schema")]
    return options.schema.is_some();
    #[cfg(not(feature = "json-schema"))]
    {
        _ = options;
        false
    }
}

fn flags(root: &Node<'_>, edition: Option<Edition>) -> Flags {
    let capability = |name: &str| root.get("capabilities").and_then(|node| node.get(name)).and_then(Node::flag);
    let extended = match edition {
        Some(edition) if !edition.is_current() => root.get("supportsAuthenticatedExtendedCard").and_then(Node::flag),
        _ => capability("extendedAgentCard"),
    };
    Flags {
        streaming: capability("streaming"),
        push_notifications: capability("pushNotifications"),
        extended_agent_card: extended,
    }
}

fn parse<'a>(bytes: &'a [u8], options: &Options, sink: &mut Sink) -> Option<Node<'a>> {
    if bytes.len() > options.max_bytes {
        let message = format!("{} bytes; {} are read", bytes.len(), options.max_bytes);
        sink.add(rules::SIZE, Place::Root, 0..0, message).done();
        return None;
    }
    if let Some(encoding) = wide(bytes) {
        sink.add(rules::ENCODING, Place::Root, 0..0, format!("the document is {encoding}, not UTF-8")).done();
        return None;
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let at = error.valid_up_to();
            let span = at..at + error.error_len().unwrap_or(bytes.len() - at);
            let byte = bytes.get(at).copied().unwrap_or_default();
            sink.add(rules::ENCODING, Place::Root, span, format!("byte {byte:#04x} at {at} is no UTF-8")).done();
            return None;
        }
    };
    const BOM: &str = "\u{feff}";
    let skip = if text.starts_with(BOM) { BOM.len() } else { 0 };
    if skip > 0 {
        sink.add(rules::BOM, Place::Root, 0..skip, "the document begins with a byte order mark").done();
    }
    let (root, oddities) = match json::read(text, skip, options.max_depth.min(Options::DEEPEST)) {
        Ok(read) => read,
        Err(broken) => {
            unreadable(text, broken, options, sink);
            return None;
        }
    };
    for oddity in oddities {
        match oddity.kind {
            OddityKind::DuplicateKey { key, value } => {
                let message = format!("the key `{key}` stands here a second time");
                sink.add(rules::DUPLICATE, Place::At(value), oddity.span, message).done();
            }
            OddityKind::Number(number) => {
                let message = format!("{number} is larger than any double");
                sink.add(rules::NUMBER, Place::At(oddity.span.start), oddity.span, message).done();
            }
        }
    }
    if !matches!(root.data, Data::Object(_)) {
        let message = format!("expected an object, found {}", root.kind());
        sink.add(rules::OBJECT, Place::Root, root.span, message).done();
        return None;
    }
    Some(root)
}

fn unreadable(text: &str, broken: Broken, options: &Options, sink: &mut Sink) {
    let words = match broken.why {
        Why::Depth => {
            let message = format!("nested deeper than {} levels", options.max_depth.min(Options::DEEPEST));
            return sink.add(rules::DEPTH, Place::Root, broken.span, message).done();
        }
        Why::Syntax(words) => words,
    };
    let begin = text.trim_start_matches('\u{feff}').trim_start();
    let help = match begin {
        "" => Some("the document is empty: was it fetched at all?"),
        _ if begin.starts_with("---") || begin.starts_with('#') => {
            Some("this is Markdown or YAML, such as a SKILL.md for a coding agent; a card is JSON")
        }
        _ if begin.starts_with('<') => {
            Some("this is HTML or XML, probably an error page: look at the status and the url")
        }
        _ => match text.get(broken.span.start..).and_then(|rest| rest.chars().next()) {
            Some('/') => Some("JSON has no comments"),
            Some('\'') => Some("JSON puts strings in double quotes"),
            None => Some("the document ends too early: was it cut?"),
            _ => None,
        },
    };
    let added = sink.add(rules::SYNTAX, Place::Root, broken.span, format!("this is not JSON: {words}"));
    match help {
        Some(help) => added.help(help).done(),
        None => added.done(),
    }
}

/// Encodings with more than one byte for every character: JSON begins with two ASCII characters, or one.
fn wide(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] | [0, 0, 0, _, ..] | [_, 0, 0, 0, ..] => Some("UTF-32"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, _, ..] | [_, 0, ..] => Some("UTF-16"),
        _ => None,
    }
}

/// Whether this is meant to be a card. What is another document altogether is told as such, and nothing else of it.
fn looks_like_a_card(root: &Node<'_>, sink: &mut Sink) -> bool {
    const OF_CARDS: [&str; 6] = [
        "supportedInterfaces",
        "supported_interfaces",
        "skills",
        "capabilities",
        "defaultInputModes",
        "protocolVersion",
    ];
    let has = |key: &str| root.key(key).is_some();
    if OF_CARDS.into_iter().any(has) || (has("name") && (has("url") || has("version"))) {
        return true;
    }
    let what =
        if has("tools") || (has("result") && root.key("result").is_some_and(|result| result.key("tools").is_some())) {
            "a list of MCP tools"
        } else if has("status") && has("id") {
            "a Task: validate it with `--type Task`"
        } else if has("messageId") || (has("role") && has("parts")) {
            "a Message: validate it with `--type Message`"
        } else if has("jsonrpc") {
            "a JSON-RPC envelope: a card is served bare"
        } else if has("$defs") || has("$schema") || has("definitions") {
            "a JSON Schema, not an instance of one"
        } else if root.members().is_empty() {
            "an empty object"
        } else {
            "an object without any member that cards have"
        };
    sink.add(rules::KIND, Place::Root, root.span.start..root.span.start + 1, format!("this is no card but {what}"))
        .keyword("type")
        .done();
    false
}

/// The document and the edition it is written in, where it can be read.
pub(crate) fn edition_of(bytes: &[u8], options: &Options) -> Option<(serde_json::Value, Edition)> {
    let mut sink = Sink::new(false, options.max_findings);
    let root = parse(bytes, options, &mut sink)?;
    looks_like_a_card(&root, &mut sink).then(|| (root.to_json(), options.edition.unwrap_or_else(|| Edition::of(&root))))
}
