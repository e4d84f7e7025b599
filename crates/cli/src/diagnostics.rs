//! Errors as people read them: what was wrong, the line it is about where there is one, and what to do.

use std::fmt;
use std::ops::Range;

use gauntlet_fleet::FleetError;
use gauntlet_scenario::{FileError, LibraryError};
use gauntlet_suite::SuiteError;
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode};

use crate::exit::Exit;
use crate::output::Style;

/// Why a command ended without doing what it was asked for.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The suite could not run.
    #[error(transparent)]
    Suite(#[from] SuiteError),
    /// A file of the user is wrong.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// The command line asks for something that does not exist.
    #[error("{0}")]
    Usage(String),
    /// Nothing could be started.
    #[error("{0}")]
    System(String),
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Self::Library(error.into())
    }
}

impl From<FleetError> for Failure {
    fn from(error: FleetError) -> Self {
        match error {
            FleetError::Defect(error) => error.into(),
            FleetError::Protocol { .. } | FleetError::DuplicatePeer(_) | FleetError::File(_) => {
                Self::Usage(error.to_string())
            }
            FleetError::PortInUse { .. }
            | FleetError::Socket { .. }
            | FleetError::Panicked(_)
            | FleetError::ContractBroken(_) => Self::System(error.to_string()),
        }
    }
}

impl Failure {
    /// How the process ends.
    pub(crate) const fn exit(&self) -> Exit {
        match self {
            Self::Library(_) | Self::Usage(_) => Exit::Usage,
            Self::System(_) => Exit::CouldNotRun,
            Self::Suite(error) => exit_of(error),
        }
    }
}

const fn exit_of(error: &SuiteError) -> Exit {
    match error {
        SuiteError::NothingSelected(_) => Exit::Nothing,
        SuiteError::Driver(_) | SuiteError::Worker(_) => Exit::CouldNotRun,
        _ => Exit::Usage,
    }
}

/// The text for standard error, with its line break.
pub(crate) fn render(failure: &Failure, style: Style) -> String {
    match failure {
        Failure::Suite(SuiteError::Several(errors)) => {
            errors.iter().map(|error| show(&Shown::suite(error), style)).collect()
        }
        Failure::Suite(error) => show(&Shown::suite(error), style),
        Failure::Library(error) => show(&Shown::library(error), style),
        Failure::Usage(message) | Failure::System(message) => show(&Shown::plain(message), style),
    }
}

fn show(shown: &Shown, style: Style) -> String {
    let theme = if style.color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    // Names and commands must survive copying: lines are left to the terminal to wrap.
    let handler =
        GraphicalReportHandler::new_themed(theme).with_width(style.width).with_wrap_lines(false).with_links(false);
    let mut text = String::new();
    match handler.render_report(&mut text, shown) {
        Ok(()) => text,
        Err(_) => format!("{}\n", shown.message),
    }
}

/// What is shown of an error.
#[derive(Debug)]
struct Shown {
    message: String,
    help: Option<String>,
    source: Option<(NamedSource<String>, LabeledSpan)>,
}

impl Shown {
    fn plain(message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), help: None, source: None }
    }

    fn suite(error: &SuiteError) -> Self {
        match error {
            SuiteError::File(error) => Self::file(error),
            SuiteError::Library(error) => Self::library(error),
            SuiteError::Feature { file, line, column, message, help } => {
                Self::read(file, (*line, *column), message, help.clone())
            }
            other => Self::plain(other),
        }
    }

    fn library(error: &LibraryError) -> Self {
        match error {
            LibraryError::File(error) => Self::file(error),
            other => Self::plain(other),
        }
    }

    fn file(error: &FileError) -> Self {
        let place = &error.place;
        if place.text.lines().count() < place.line {
            // What stands in a doc string or a step knows its place, not the text around it.
            return Self::read(&place.file, (place.line, place.column), &error.message, error.help.clone());
        }
        // An empty span would be invisible; the character it stands at is underlined instead.
        let end = place.span.end.max(place.span.start + 1).min(place.text.len());
        let span = LabeledSpan::new_primary_with_span(None, place.span.start..end);
        let source = NamedSource::new(place.file.as_ref(), place.text.to_string());
        Self { message: error.message.clone(), help: error.help.clone(), source: Some((source, span)) }
    }

    /// For a place in a file whose text is not at hand. What ships with gauntlet is on no disk: then the place is told.
    fn read(file: &str, (line, column): (usize, usize), message: &str, help: Option<String>) -> Self {
        let source = std::fs::read_to_string(file).ok().and_then(|text| {
            let span = LabeledSpan::new_primary_with_span(None, line_span(&text, line, column)?);
            Some((NamedSource::new(file, text), span))
        });
        let message = match &source {
            Some(_) => message.to_owned(),
            None => format!("{file}:{line}:{column}: {message}"),
        };
        Self { message, help, source }
    }
}

/// From a column of a line to the end of what is written there; none where the text has no such line.
fn line_span(text: &str, line: usize, column: usize) -> Option<Range<usize>> {
    let mut begin = 0;
    for (index, content) in text.split_inclusive('\n').enumerate() {
        if index + 1 == line {
            let written = content.trim_end();
            let indent = written.len() - written.trim_start().len();
            let column = written.char_indices().nth(column.saturating_sub(1)).map_or(0, |(at, _)| at);
            return Some(begin + column.max(indent)..begin + written.len());
        }
        begin += content.len();
    }
    None
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Shown {}

impl Diagnostic for Shown {
    fn help(&self) -> Option<Box<dyn fmt::Display + '_>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|(source, _)| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let (_, span) = self.source.as_ref()?;
        Some(Box::new(std::iter::once(span.clone())))
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_scenario::Place;

    use super::*;

    #[test]
    fn a_line_is_underlined_from_its_first_word() {
        assert_eq!(line_span("a\n  bc d \n", 2, 1), Some(4..8));
        assert_eq!(line_span("a\n  bc d \n", 2, 6), Some(7..8));
        assert_eq!(line_span("a\n", 3, 1), None);
    }

    #[test]
    fn an_error_in_a_file_shows_the_line() {
        let text = "peers:\n  - name: x\n    interfaecs: []\n";
        let place = Place { file: "f.yaml".into(), text: text.into(), span: 23..33, line: 3, column: 5 };
        let help = Some("did you mean `interfaces`?".to_owned());
        let error = FileError { message: "unknown key `interfaecs`".to_owned(), place, help };
        let shown = render(&Failure::Suite(error.into()), Style { color: false, width: 80 });
        insta::assert_snapshot!(shown);
    }
}
