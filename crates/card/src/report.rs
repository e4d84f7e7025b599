//! What a validation found.

use std::fmt;
use std::ops::Range;

use serde_json::{Value, json};

use crate::edition::Edition;
use crate::options::{Need, Purpose};
use crate::rules;

/// The layers of validity, each with one class of error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// The bytes are JSON that every reader takes alike.
    Parse,
    /// Members have the names and types of the schema.
    Schema,
    /// What the specification demands beyond the schema: required, non-empty, urls, versions, unique ids.
    Spec,
    /// Flags, modes, security, signatures: whether the claims hold together.
    Capability,
}

impl Layer {
    /// All layers, in the order they are judged.
    pub const ALL: [Self; 4] = [Self::Parse, Self::Schema, Self::Spec, Self::Capability];

    /// The word in reports and reasons.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Parse => "parse",
            Self::Schema => "schema",
            Self::Spec => "spec",
            Self::Capability => "capability",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The document is not valid.
    Error,
    /// Valid, and it will hurt somebody.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// The word in reports; SARIF's levels have the same ones.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// One thing found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The layer it belongs to.
    pub layer: Layer,
    /// The id of the rule that is broken.
    pub rule: &'static str,
    /// How much it weighs.
    pub severity: Severity,
    /// The JSON Schema keyword, in layer schema.
    pub keyword: Option<&'static str>,
    /// JSON pointer to the place; empty for the whole document. What is missing is pointed at where it should stand.
    pub pointer: String,
    /// Bytes of the source to underline. For what is missing: the object that lacks it.
    pub span: Range<usize>,
    /// What was found and what was expected.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

/// What the card says of the optional parts of the protocol, for the report. `None`: it does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flags {
    /// SendStreamingMessage and SubscribeToTask.
    pub streaming: Option<bool>,
    /// Push notification configurations.
    pub push_notifications: Option<bool>,
    /// GetExtendedAgentCard.
    pub extended_agent_card: Option<bool>,
}

/// The outcome of a validation.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// What the document was held against: `AgentCard`, `Task`, …
    pub kind: String,
    /// The edition of A2A that a card was judged by; none for payloads and for what could not be read.
    pub edition: Option<Edition>,
    /// Whether the document could be read at all.
    pub parsed: bool,
    /// For publishers or for callers.
    pub purpose: Purpose,
    /// All that was found, by layer and then by place.
    pub findings: Vec<Finding>,
    /// There were more findings than the limit; the rest is not told.
    pub truncated: bool,
    /// What the card says it can do.
    pub flags: Flags,
    /// What the caller said it would do.
    pub needs: Vec<Need>,
    /// The rules that were put to the document.
    pub(crate) judged: Vec<&'static rules::Rule>,
}

impl Report {
    /// No errors; warnings and notes there may be.
    pub fn is_valid(&self) -> bool {
        self.first_error().is_none()
    }

    /// The first error of the first layer that has one.
    pub fn first_error(&self) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.severity == Severity::Error)
    }

    /// Whether a layer is free of errors.
    pub fn passes(&self, layer: Layer) -> bool {
        let failed = |finding: &Finding| finding.layer == layer && finding.severity == Severity::Error;
        (self.parsed || layer == Layer::Parse) && !self.findings.iter().any(failed)
    }

    /// How many findings weigh that much.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }

    /// The report as the `card-validation-report` of reviews and pipelines. `target` names the document.
    pub fn to_json(&self, target: &str) -> Value {
        let of = |layer| self.findings.iter().filter(move |finding| finding.layer == layer);
        let schema_errors: Vec<Value> = of(Layer::Schema)
            .filter(|finding| finding.severity == Severity::Error)
            .map(|finding| json!({ "path": finding.pointer, "keyword": finding.keyword }))
            .collect();
        let checks = self.judged.iter().filter(|rule| rule.is_check());
        let spec_checks: Vec<Value> = checks
            .map(|rule| {
                let broken = |finding: &Finding| finding.rule == rule.id && finding.severity == Severity::Error;
                json!({ "id": rule.id, "pass": !self.findings.iter().any(broken) })
            })
            .collect();
        let mut report = json!({
            "kind": "card-validation-report",
            "target": target,
            "edition": self.edition.map(Edition::word),
            "purpose": self.purpose.word(),
            "schema": {
                "bundle": "gauntlet schema a2a",
                "pointer": format!("#/$defs/{}", self.kind),
                "normative": false,
            },
            "parse": self.passes(Layer::Parse),
            "schemaPass": self.passes(Layer::Schema),
            "schemaErrors": schema_errors,
            "specChecks": spec_checks,
            "capability": self.capability(),
            "findings": self.findings.iter().map(finding_json).collect::<Vec<_>>(),
            "valid": self.is_valid(),
            "next": self.next(),
        });
        if self.truncated {
            report["truncated"] = true.into();
        }
        report
    }

    fn capability(&self) -> Value {
        let mut capability = json!({
            "streaming": self.flags.streaming,
            "pushNotifications": self.flags.push_notifications,
            "extendedAgentCard": self.flags.extended_agent_card,
        });
        for need in &self.needs {
            capability[need.client_word()] = true.into();
        }
        capability["ok"] = self.passes(Layer::Capability).into();
        capability
    }

    /// What to do now.
    fn next(&self) -> &'static str {
        match self.first_error() {
            None if self.kind != "AgentCard" => "send",
            None if self.purpose == Purpose::Publish => "publish",
            None => "delegate",
            Some(error) if error.rule == rules::NEED_RULE => "choose-another-operation",
            Some(_) if self.kind == "AgentCard" => "fix-card",
            Some(_) => "fix-payload",
        }
    }
}

fn finding_json(finding: &Finding) -> Value {
    let mut json = json!({
        "layer": finding.layer.word(),
        "rule": finding.rule,
        "severity": finding.severity.word(),
        "path": finding.pointer,
        "span": [finding.span.start, finding.span.end],
        "message": finding.message,
        "help": finding.help,
    });
    if let Some(keyword) = finding.keyword {
        json["keyword"] = keyword.into();
    }
    json
}
