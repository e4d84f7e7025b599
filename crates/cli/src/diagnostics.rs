//! Errors as people read them: what was wrong, the line it is about where there is one, and what to do.

use std::fmt;

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
        SuiteError::Driver(_) => Exit::CouldNotRun,
        _ => Exit::Usage,
    }
}

/// The text for standard error, with its line break.
pub(crate) fn render(failure: &Failure, style: Style) -> String {
    match failure {
        Failure::Suite(SuiteError::Several(errors)) => errors.iter().map(|error| show(&suite(error), style)).collect(),
        Failure::Suite(error) => show(&suite(error), style),
        Failure::File(error) => show(&Shown::file(error), style),
        Failure::Usage(message) | Failure::System(message) => show(&Shown::plain(message), style),
    }
}

fn suite(error: &SuiteError) -> Shown {
    match error {
        SuiteError::File(error) => Shown::file(error),
        other => Shown::plain(other),
    }
}

fn show(shown: &Shown, style: Style) -> String {
    let theme = if style.color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = GraphicalReportHandler::new_themed(theme).with_width(style.width).with_links(false);
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

    fn file(error: &FileError) -> Self {
        let place = &error.place;
        // An empty span would be invisible; the character it stands at is underlined instead.
        let end = place.span.end.max(place.span.start + 1).min(place.text.len());
        let span = LabeledSpan::new_primary_with_span(Some("here".to_owned()), place.span.start..end);
        let source = NamedSource::new(place.file.as_ref(), place.text.to_string());
        Self { message: format!("{place}: {}", error.message), help: error.help.clone(), source: Some((source, span)) }
    }
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
