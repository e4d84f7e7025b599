//! A journal entry as one line for people.

use std::fmt;

use gauntlet_wire::error::GRPC_CODES;
use serde_json::Value;

use crate::journal::{Ending, Frame, JournalEntry, JournalEvent, Party, Request, RequestClass, WebhookRequest};

/// How much of a text is shown.
const SHOWN: usize = 60;

impl fmt::Display for JournalEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>3} {:>8.1} ms  {}  ", self.seq, self.at_us as f64 / 1000.0, self.peer)?;
        match &self.event {
            JournalEvent::Opened { listener } => write!(f, "connection {} opened at {listener}", self.connection)?,
            JournalEvent::Request(request) => write!(f, "→ {request}")?,
            JournalEvent::Answered { status, headers } => {
                write!(f, "← {status}")?;
                // gRPC tells how a call ended in a header or trailer of its own.
                if let Some((_, code)) = headers.iter().find(|(name, _)| name == "grpc-status") {
                    let name = code.parse().ok().and_then(|index: usize| GRPC_CODES.get(index)).copied();
                    write!(f, " {}", name.unwrap_or(code))?;
                }
            }
            JournalEvent::Frame(frame) => write!(f, "← {frame}")?,
            JournalEvent::Ended { how } => f.write_str(match how {
                Ending::Complete => "answer complete",
                Ending::Early => "answer ended early, cleanly",
                Ending::Cut => "answer cut off",
                Ending::Abandoned => "orchestrator went away",
            })?,
            JournalEvent::Closed { by } => {
                let by = match by {
                    Party::Peer => "peer",
                    Party::Orchestrator => "orchestrator",
                };
                write!(f, "connection {} closed by {by}", self.connection)?;
            }
            JournalEvent::WebhookSent(request) => write!(f, "⇒ {request}")?,
            JournalEvent::WebhookAnswered { status: Some(status), .. } => write!(f, "⇐ {status}")?,
            JournalEvent::WebhookAnswered { failure, .. } => {
                write!(f, "⇐ no answer: {}", failure.as_deref().unwrap_or("unknown why"))?;
            }
            JournalEvent::WebhookWithheld { index: Some(index), url, why, .. } => {
                write!(f, "notification {index} is kept back from webhook {url}: {why}")?;
            }
            JournalEvent::WebhookWithheld { task_id, url, why, .. } => {
                write!(f, "webhook {url} of task {task_id} is told nothing: {why}")?;
            }
        }
        for stamp in &self.stamps {
            write!(f, "  [{}: {}]", stamp.defect, stamp.fault)?;
        }
        Ok(())
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.operation, &self.binding) {
            (Some(operation), Some(binding)) => write!(f, "{operation} over {binding}")?,
            _ => write!(f, "{} {}", self.method, self.path)?,
        }
        match &self.class {
            RequestClass::Discovery => f.write_str(" (discovery)")?,
            RequestClass::Probe => f.write_str(" (probe)")?,
            RequestClass::Dispatch(delegation) => write!(f, " (dispatch of {delegation})")?,
            RequestClass::FollowUp(_) => f.write_str(" (follow-up)")?,
            RequestClass::Other => {}
        }
        if let Some(task) = self.task_id() {
            write!(f, " task {task}")?;
        }
        Ok(())
    }
}

impl fmt::Display for WebhookRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to webhook {}", Said(&self.object), self.url)?;
        if self.attempt > 1 {
            write!(f, " (attempt {})", self.attempt)?;
        }
        Ok(())
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.error, &self.object) {
            (Some(error), _) => write!(f, "error {}: {}", error.code, shortened(&error.message)),
            (None, Some(object)) => Said(object).fmt(f),
            (None, None) => f.write_str("bytes"),
        }
    }
}

/// An A2A object in a few words.
struct Said<'a>(&'a Value);

impl fmt::Display for Said<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let object = self.0;
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str);
        let state = |pointer: &str| text(pointer).map(|state| state.trim_start_matches("TASK_STATE_"));
        if let Some(state) = state("/statusUpdate/status/state") {
            write!(f, "status {state}")
        } else if let Some(artifact) = object.get("artifactUpdate") {
            let flag = |name: &str| artifact.get(name).and_then(Value::as_bool).unwrap_or(false);
            let append = if flag("append") { " append" } else { "" };
            let last = if flag("lastChunk") { " last" } else { "" };
            let content = artifact.pointer("/artifact/parts").map(Value::to_string).unwrap_or_default();
            write!(f, "artifact{append}{last} {}", shortened(&content))
        } else if let Some(state) = state("/task/status/state").or_else(|| state("/status/state")) {
            write!(f, "task {} {state}", text("/task/id").or_else(|| text("/id")).unwrap_or("without id"))
        } else if object.get("message").is_some() {
            write!(f, "message {}", shortened(&object["message"]["parts"].to_string()))
        } else if object.get("supportedInterfaces").is_some() {
            write!(f, "card of {}", text("/name").unwrap_or("nobody"))
        } else {
            f.write_str(&shortened(&object.to_string()))
        }
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
