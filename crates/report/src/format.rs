//! The formats a finished run can be written in.

use std::fmt;
use std::str::FromStr;

use gauntlet_evidence::RunEvent;

use crate::digest::Digest;
use crate::terminal::{Terminal, TerminalOptions};
use crate::{comparison, html, json, junit, markdown, ndjson, sarif};

/// A format for files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// What people read in a log, 80 columns wide.
    Text,
    /// JUnit XML, as build servers read it.
    Junit,
    /// Every event, one JSON object a line: all other formats can be made from it.
    Ndjson,
    /// One JSON document with counts, findings and scenarios.
    Json,
    /// A page for a pull request or the summary of a job.
    Markdown,
    /// SARIF 2.1.0, as code scanning reads it.
    Sarif,
    /// One self-contained page for a browser.
    Html,
    /// A table of several runs, one after the other: which orchestrator breaks which rule, and why.
    Comparison,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 8] =
        [Self::Text, Self::Junit, Self::Ndjson, Self::Json, Self::Markdown, Self::Sarif, Self::Html, Self::Comparison];

    /// Whether it is made of the events of one run; the others are made of several.
    pub const fn is_of_one_run(self) -> bool {
        !matches!(self, Self::Comparison)
    }

    /// Its word on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Junit => "junit",
            Self::Ndjson => "ndjson",
            Self::Json => "json",
            Self::Markdown => "markdown",
            Self::Sarif => "sarif",
            Self::Html => "html",
            Self::Comparison => "comparison",
        }
    }

    /// The events of a run in this format.
    pub fn render(self, events: &[RunEvent]) -> String {
        let digest = || events.iter().collect::<Digest>();
        match self {
            Self::Text => {
                let mut terminal = Terminal::new(TerminalOptions::default());
                let text: String = events.iter().map(|event| terminal.event(event)).collect();
                // A run that was killed has no last event, and still its findings are worth reading.
                if events.iter().any(|event| matches!(event, RunEvent::Finished { .. })) {
                    text
                } else {
                    text + &terminal.event(&RunEvent::Finished {
                        duration_ms: 0,
                        cut_short: true,
                        baseline: Vec::new(),
                    })
                }
            }
            Self::Junit => junit::junit(&digest()),
            Self::Ndjson => events.iter().map(ndjson).collect(),
            Self::Json => json::json(&digest()),
            Self::Markdown => markdown::markdown(&digest()),
            Self::Sarif => sarif::sarif(&digest()),
            Self::Html => html::html(&digest()),
            Self::Comparison => comparison::comparison(events),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|format| format.word() == text).ok_or_else(|| {
            let words: Vec<&str> = Self::ALL.iter().map(|format| format.word()).collect();
            format!("`{text}` is not a format: use {}", words.join(", "))
        })
    }
}
