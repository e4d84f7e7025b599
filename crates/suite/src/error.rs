//! Why a run could not be made.

use std::path::PathBuf;

use gauntlet_driver::DriverError;
use gauntlet_scenario::{FileError, LibraryError};

/// Why a run could not be made. Everything here is found before the first scenario runs.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// A YAML file, or YAML inside a feature, is wrong.
    #[error(transparent)]
    File(#[from] Box<FileError>),
    /// Fleet or defect files could not be taken in.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// A feature file is wrong.
    #[error("{file}:{line}:{column}: {message}{}", help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default())]
    Feature {
        /// The file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong.
        message: String,
        /// What to do.
        help: Option<String>,
    },
    /// The tag expression cannot be read.
    #[error("the tag expression `{expression}` cannot be read: {why}")]
    Tags {
        /// As given.
        expression: String,
        /// What is wrong with it.
        why: String,
    },
    /// No scenario is left to run.
    #[error("nothing to run: {0}")]
    NothingSelected(String),
    /// There is no such rule set.
    #[error("there is no rule set {wanted}; the newest is {newest}")]
    Ruleset {
        /// As asked for.
        wanted: u32,
        /// What there is.
        newest: u32,
    },
    /// A file or folder could not be read or written.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The orchestrator could not be started.
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// The suite's own code failed: a defect of gauntlet.
    #[error("a worker of the suite failed: {0}")]
    Worker(String),
    /// More than one thing is wrong.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Several(Vec<SuiteError>),
}

impl From<FileError> for SuiteError {
    fn from(error: FileError) -> Self {
        Self::File(Box::new(error))
    }
}

impl SuiteError {
    /// Nothing, the only error, or all of them.
    pub(crate) fn collect(mut errors: Vec<Self>) -> Result<(), Self> {
        match errors.len() {
            0 => Ok(()),
            1 => Err(errors.remove(0)),
            _ => Err(Self::Several(errors)),
        }
    }
}
