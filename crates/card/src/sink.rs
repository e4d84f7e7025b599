//! Where findings are gathered while a document is walked. Places are kept as bytes of the source; the pointers are worked
//! out at the end, for what was found only.

use crate::json::{Member, Node, Span, escape};
use crate::report::{Finding, Severity};
use crate::rules::Rule;

/// Findings in the making.
#[derive(Debug)]
pub(crate) struct Sink {
    found: Vec<Found>,
    consume: bool,
    limit: usize,
    pub(crate) truncated: bool,
}

#[derive(Debug)]
struct Found {
    rule: &'static Rule,
    severity: Severity,
    keyword: Option<&'static str>,
    place: Place,
    span: Span,
    message: String,
    help: Option<String>,
}

/// What a finding points at.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    /// The whole document.
    Root,
    /// The value that begins at this byte.
    At(usize),
    /// A member that the object which begins at this byte lacks.
    Below(usize, String),
    /// A pointer that is known already.
    Known(String),
}

impl Sink {
    pub(crate) const fn new(consume: bool, limit: usize) -> Self {
        Self { found: Vec::new(), consume, limit, truncated: false }
    }

    /// Whether there is room for another finding: what is dear to find out need not be, otherwise.
    pub(crate) const fn has_room(&mut self) -> bool {
        let room = self.found.len() < self.limit;
        self.truncated |= !room;
        room
    }

    /// Tells of a value.
    pub(crate) fn at(&mut self, rule: &'static Rule, node: &Node<'_>, message: impl Into<String>) -> Added<'_> {
        self.add(rule, Place::At(node.span.start), node.span.clone(), message)
    }

    /// Tells of a key: what stands under it does not matter.
    pub(crate) fn key(&mut self, rule: &'static Rule, member: &Member<'_>, message: impl Into<String>) -> Added<'_> {
        self.add(rule, Place::At(member.value.span.start), member.key_span.clone(), message)
    }

    /// Tells of a member that is missing.
    pub(crate) fn missing(
        &mut self,
        rule: &'static Rule,
        object: &Node<'_>,
        name: &str,
        message: impl Into<String>,
    ) -> Added<'_> {
        // The brace is enough: underlining a whole object says less.
        let span = object.span.start..object.span.start + 1;
        self.add(rule, Place::Below(object.span.start, name.to_owned()), span, message)
    }

    /// Tells of anything.
    pub(crate) fn add(
        &mut self,
        rule: &'static Rule,
        place: Place,
        span: Span,
        message: impl Into<String>,
    ) -> Added<'_> {
        let Some(severity) = rule.weight(self.consume) else { return Added(None) };
        if !self.has_room() {
            return Added(None);
        }
        let message = message.into();
        self.found.push(Found { rule, severity, keyword: None, place, span, message, help: None });
        Added(self.found.last_mut())
    }

    /// The findings, by layer and place. `root` is none where there is no document.
    pub(crate) fn finish(self, root: Option<&Node<'_>>) -> Vec<Finding> {
        let mut findings: Vec<Finding> = self.found.into_iter().map(|found| found.finish(root)).collect();
        findings.sort_by_key(|finding| (finding.layer, finding.span.start));
        findings
    }
}

/// Tells what one rule finds.
#[derive(Debug)]
pub(crate) struct Teller<'s> {
    pub(crate) sink: &'s mut Sink,
    pub(crate) rule: &'static Rule,
}

impl Teller<'_> {
    /// Tells of a value.
    pub(crate) fn at(&mut self, node: &Node<'_>, message: impl Into<String>) -> Added<'_> {
        self.sink.at(self.rule, node, message)
    }

    /// Tells of a key: what stands under it does not matter.
    pub(crate) fn key(&mut self, member: &Member<'_>, message: impl Into<String>) -> Added<'_> {
        self.sink.key(self.rule, member, message)
    }

    /// Tells of a member that is missing.
    pub(crate) fn missing(&mut self, object: &Node<'_>, name: &str, message: impl Into<String>) -> Added<'_> {
        self.sink.missing(self.rule, object, name, message)
    }
}

impl Found {
    fn finish(self, root: Option<&Node<'_>>) -> Finding {
        let pointer_to = |begin| root.map_or_else(String::new, |root| root.pointer_to(begin));
        Finding {
            layer: self.rule.layer,
            rule: self.rule.id,
            severity: self.severity,
            keyword: self.keyword,
            pointer: match self.place {
                Place::Root => String::new(),
                Place::At(begin) => pointer_to(begin),
                Place::Below(begin, name) => format!("{}/{}", pointer_to(begin), escape(&name)),
                Place::Known(pointer) => pointer,
            },
            span: self.span,
            message: self.message,
            help: self.help.unwrap_or_else(|| self.rule.fix.to_owned()),
        }
    }
}

/// A finding that was added, to say more of it; nothing where the rule is not judged.
#[must_use = "say `.done()` where there is no more to say"]
pub(crate) struct Added<'a>(Option<&'a mut Found>);

impl Added<'_> {
    /// What to do, where that is more than the rule's own advice.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        if let Some(found) = &mut self.0 {
            found.help = Some(help.into());
        }
        self
    }

    pub(crate) fn keyword(mut self, keyword: &'static str) -> Self {
        if let Some(found) = &mut self.0 {
            found.keyword = Some(keyword);
        }
        self
    }

    /// Weighs less than the rule usually does.
    pub(crate) fn at_most(mut self, severity: Severity) -> Self {
        if let Some(found) = &mut self.0 {
            found.severity = found.severity.max(severity);
        }
        self
    }

    pub(crate) fn done(self) {}
}
