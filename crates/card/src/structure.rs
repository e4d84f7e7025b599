//! Walks a document along its shape, once: names its members, finds what the schema forbids and what the specification
//! requires and is not there.

use crate::json::{Data, Member, Node};
use crate::report::Severity;
use crate::rules::{self, BYTES, CASE, ENUM, ONEOF, TIME, TYPE};
use crate::shape::{Field, Kind, Shape, ShapeId, Shapes};
use crate::sink::Sink;

/// How a document is walked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Walk {
    pub(crate) shapes: &'static Shapes,
    /// As callers take it: null is absent, extra keys are skipped.
    pub(crate) consume: bool,
    /// Cards before 1.0: the schema lets extra keys be, and empty is not absent.
    pub(crate) legacy: bool,
    /// 0.2 does not ask for a version of the protocol.
    pub(crate) version_optional: bool,
    /// Types are judged by another schema.
    pub(crate) names_only: bool,
}

impl Walk {
    /// Walks an object of a shape.
    pub(crate) fn object(&self, node: &mut Node<'_>, shape: ShapeId, sink: &mut Sink) {
        let shape = self.shapes.get(shape);
        if !matches!(node.data, Data::Object(_)) {
            return self.wrong(node, "an object", sink);
        }
        self.required(node, shape, sink);
        self.one_of_each(node, shape, sink);
        let Data::Object(members) = &mut node.data else { return };
        for member in members {
            match shape.field(&member.key) {
                Some(field) => {
                    member.name = Some(field.name.as_str());
                    if member.key != field.name {
                        let message = format!("`{}` is spelt as in the proto", member.key);
                        sink.key(CASE, member, message).help(format!("write `{}`", field.name)).done();
                    }
                    if !(self.consume && member.value.is_null()) {
                        self.value(&mut member.value, &field.kind, sink);
                    }
                }
                None => self.extra(member, shape, sink),
            }
        }
    }

    fn value(&self, node: &mut Node<'_>, kind: &Kind, sink: &mut Sink) {
        match kind {
            Kind::Object(id) => self.object(node, *id, sink),
            Kind::List(item) => match &mut node.data {
                Data::List(items) => items.iter_mut().for_each(|node| self.value(node, item, sink)),
                _ => self.wrong(node, "a list", sink),
            },
            Kind::Map(value) => match &mut node.data {
                Data::Object(members) => {
                    members.iter_mut().for_each(|member| self.value(&mut member.value, value, sink));
                }
                _ => self.wrong(node, "an object", sink),
            },
            Kind::Any => {}
            _ if self.names_only => {}
            single => self.single(node, single, sink),
        }
    }

    fn single(&self, node: &Node<'_>, kind: &Kind, sink: &mut Sink) {
        match (kind, &node.data) {
            (Kind::Text, Data::Text(_)) | (Kind::Flag, Data::Bool(_)) | (Kind::Struct, Data::Object(_)) => {}
            (Kind::Text, _) => self.wrong(node, "a string", sink),
            (Kind::Flag, _) => self.wrong(node, "a boolean", sink),
            (Kind::Struct, _) => self.wrong(node, "an object", sink),
            (Kind::Whole, Data::Number(number)) if is_whole(number) => {}
            (Kind::Whole, Data::Text(text)) if is_whole_text(text) => {}
            (Kind::Whole, _) => self.wrong(node, "a 32-bit integer", sink),
            (Kind::Enum(names) | Kind::Words(names), Data::Text(word)) => {
                if !names.iter().any(|name| name == word) {
                    word_unknown(node, word, names, sink);
                }
            }
            (Kind::Enum(_), Data::Number(number)) if is_whole(number) => {}
            (Kind::Enum(_) | Kind::Words(_), _) => self.wrong(node, "the name of a value", sink),
            (Kind::Bytes, Data::Text(text)) => {
                if !is_base64(text) {
                    sink.at(BYTES, node, "expected base64").keyword("pattern").done();
                }
            }
            (Kind::Bytes, _) => self.wrong(node, "base64 in a string", sink),
            (Kind::Time, Data::Text(text)) => {
                if text.parse::<jiff::Timestamp>().is_err() {
                    sink.at(TIME, node, "expected a point in time such as 2026-01-31T12:00:00Z")
                        .keyword("format")
                        .done();
                }
            }
            (Kind::Time, _) => self.wrong(node, "a point in time in a string", sink),
            (Kind::Object(_) | Kind::List(_) | Kind::Map(_) | Kind::Any, _) => {}
        }
    }

    fn wrong(&self, node: &Node<'_>, expected: &str, sink: &mut Sink) {
        if self.names_only {
            return;
        }
        let added = sink.at(TYPE, node, format!("expected {expected}, found {}", node.kind())).keyword("type");
        match node.data {
            Data::Null => added.help("leave the member out: in JSON Schema null is a value of its own").done(),
            _ => added.done(),
        }
    }

    fn extra(&self, member: &Member<'_>, shape: &Shape, sink: &mut Sink) {
        if self.names_only {
            return;
        }
        let rule = rules::extra_rule(&shape.name, &member.key, self.legacy);
        if rule.weight(self.consume).is_none() || !sink.has_room() {
            return;
        }
        let added = sink.key(rule, member, format!("{} has no member `{}`", shape.name, member.key));
        let added = added.keyword("additionalProperties");
        let known = shape.fields.iter().map(|field| field.name.as_str());
        let added = match closest(&member.key, known).filter(|_| rule == rules::EXTRA) {
            Some(near) => added.help(format!("did you mean `{near}`?")),
            None => added,
        };
        // The schema of 0.3 closes no object.
        if self.legacy { added.at_most(Severity::Warning).done() } else { added.done() }
    }

    fn required(&self, node: &Node<'_>, shape: &'static Shape, sink: &mut Sink) {
        for field in shape.fields.iter().filter(|field| field.required) {
            let Some(rule) = field.rule else { continue };
            let found = node.members().iter().rev().find(|member| field.answers_to(&member.key));
            let message = || format!("{} requires `{}`", shape.name, field.name);
            match found.map(|member| &member.value) {
                None => self.absent(node, field, rule, message(), sink),
                Some(value) if self.consume && value.is_null() => self.absent(node, field, rule, message(), sink),
                Some(value) => {
                    if let Some((at, what)) = self.empty(field, value) {
                        let added = sink.at(rule, at, format!("{}, and this is {what}", message()));
                        let added = if self.legacy { added.at_most(Severity::Warning) } else { added };
                        added.done();
                    }
                }
            }
        }
    }

    /// Of a oneof, only one member may be there. The second is told of.
    fn one_of_each(&self, node: &Node<'_>, shape: &Shape, sink: &mut Sink) {
        for oneof in 0..shape.oneofs {
            let belongs = |member: &&Member<'_>| {
                // In ProtoJSON a null is absent, except where null is the value.
                let field = shape.field(&member.key).filter(|field| field.oneof == Some(oneof));
                field.is_some_and(|field| !member.value.is_null() || field.kind == Kind::Any)
            };
            let mut there = node.members().iter().filter(belongs);
            if let (Some(first), Some(second)) = (there.next(), there.next()) {
                let message = format!("`{}` is there already, and excludes `{}`", first.key, second.key);
                sink.key(ONEOF, second, message).done();
            }
        }
    }

    fn absent(&self, node: &Node<'_>, field: &Field, rule: &'static rules::Rule, message: String, sink: &mut Sink) {
        // Protobuf cannot tell an absent map from an empty one: callers that read it so must not mind.
        let unseen = self.consume && matches!(field.kind, Kind::Map(_) | Kind::Whole | Kind::Flag);
        let unasked = self.version_optional && field.name == "protocolVersion";
        if !unseen && !unasked {
            sink.missing(rule, node, &field.name, message).done();
        }
    }

    /// What is there and says nothing.
    fn empty<'n>(&self, field: &Field, value: &'n Node<'n>) -> Option<(&'n Node<'n>, &'static str)> {
        match (&field.kind, &value.data) {
            (Kind::Text, Data::Text(text)) if text.is_empty() => Some((value, "empty")),
            (Kind::Text, Data::Text(text)) if !self.consume && text.trim().is_empty() => Some((value, "blank")),
            (Kind::Enum(names), Data::Text(word)) if names.first() == Some(&word.to_string()) => {
                Some((value, "unspecified"))
            }
            (Kind::List(_), Data::List(items)) if items.is_empty() => Some((value, "an empty list")),
            _ => None,
        }
    }
}

fn word_unknown(node: &Node<'_>, word: &str, names: &[String], sink: &mut Sink) {
    if !sink.has_room() {
        return;
    }
    let added = sink.at(ENUM, node, format!("`{word}` is not a value that A2A defines here")).keyword("enum");
    let upper = word.to_uppercase().replace('-', "_");
    let near = names.iter().find(|name| name.ends_with(&upper)).map(String::as_str);
    match near.or_else(|| closest(word, names.iter().map(String::as_str))) {
        Some(near) => added.help(format!("did you mean `{near}`?")).done(),
        None => added.help(format!("use one of {}", names.join(", "))).done(),
    }
}

/// Integers of 32 bits. JSON Schema calls 1.0 one, too.
fn is_whole(number: &str) -> bool {
    let bounds = f64::from(i32::MIN)..=f64::from(i32::MAX);
    number.parse::<f64>().is_ok_and(|value| value.fract() == 0.0 && bounds.contains(&value))
}

/// ProtoJSON takes integers in quotes; the bundle asks for digits and no more.
fn is_whole_text(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_base64(text: &str) -> bool {
    let letters = text.trim_end_matches('=');
    text.len() - letters.len() <= 2
        && letters.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/')
}

/// The known name that this is most likely a misspelling of.
fn closest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    // Nothing that long is a slip of the fingers; distances of long words are dear.
    if name.len() > 64 {
        return None;
    }
    let lower = name.to_lowercase();
    known
        .map(|candidate| (strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.len().div_ceil(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}
