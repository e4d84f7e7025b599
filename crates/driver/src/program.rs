//! Any program that is asked something and answers, held within the same bounds as a driver: [`run_once`] for a process
//! that is asked one thing, [`Program`] for one that lives on and answers line by line. However it misbehaves, the call ends in bounded time with an
//! answer or a [`ProgramError`], and what it started is ended with it.

use std::process::ExitStatus;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::DriverError;
use crate::command::CommandSpec;
use crate::lines::Line;
use crate::log::Log;
use crate::message::shortened;
use crate::options::StdioOptions;
use crate::process::Process;

/// How long a program is waited for, and how much is taken from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramLimits {
    /// How long an answer is waited for. Default 10 s.
    pub timeout: Duration,
    /// What the first answer of a process that lives on has on top of it: interpreters start slowly. Default 10 s.
    pub start_allowance: Duration,
    /// Most that is taken of its standard output for one answer, in bytes. Default 1 MiB.
    pub max_output: usize,
    /// Most that is kept of its standard error, in bytes. Default 16 KiB.
    pub max_log: usize,
}

impl Default for ProgramLimits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10),
            start_allowance: Duration::from_secs(10),
            max_output: 1 << 20,
            max_log: 16 << 10,
        }
    }
}

/// Why a program gave no answer. Its process was ended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// It could not be started.
    #[error("the program could not be started: {0}")]
    NotStarted(String),
    /// It took longer than it has.
    #[error("it gave no answer within {} s{}", .0.as_secs_f64(), said(.1))]
    Late(Duration, String),
    /// It printed more than is taken.
    #[error("it printed more than {0} bytes without an answer")]
    Flooded(usize),
    /// It ended without an answer.
    #[error("it ended ({}) without an answer{}", .0, said(.1))]
    Ended(String, String),
}

fn said(log: &str) -> String {
    if log.is_empty() { String::new() } else { format!("; it said last: {log}") }
}

/// How a process of its own ended that was asked one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// Its exit.
    pub status: ExitStatus,
    /// What it printed.
    pub stdout: String,
    /// What it wrote to standard error, the beginning and the end of it.
    pub stderr: String,
}

/// Runs a program that is asked one thing: gives it all of this on standard input, and waits for its end.
///
/// # Errors
/// When it cannot be started, does not end in time, prints too much, or is ended by a signal.
pub async fn run_once(command: &CommandSpec, limits: &ProgramLimits, input: Vec<u8>) -> Result<Finished, ProgramError> {
    let (options, log) = (limits.options(), Log::new(limits.max_log));
    let mut process = start(command, &options, &log)?;
    process.send(input);
    process.close_stdin();
    let until = Instant::now() + limits.timeout;
    let mut stdout = Vec::new();
    loop {
        match timeout_at(until, process.next()).await {
            Ok(Some(Line::Whole(line))) if stdout.len() + line.len() < limits.max_output => {
                stdout.extend_from_slice(&line);
                stdout.push(b'\n');
            }
            Ok(Some(_)) => {
                process.end(Duration::ZERO).await;
                return Err(ProgramError::Flooded(limits.max_output));
            }
            Ok(None) => break,
            Err(_) => {
                process.end(Duration::ZERO).await;
                return Err(ProgramError::Late(limits.timeout, last_words(&log)));
            }
        }
    }
    let ending = process.end(until.saturating_duration_since(Instant::now())).await;
    match ending.status {
        Some(status) if status.code().is_some() => {
            Ok(Finished { status, stdout: String::from_utf8_lossy(&stdout).into_owned(), stderr: log.take() })
        }
        Some(status) => Err(ProgramError::Ended(status.to_string(), last_words(&log))),
        None => Err(ProgramError::Late(limits.timeout, last_words(&log))),
    }
}

/// A program of which one process lives on and answers line by line. It ends when this is dropped.
pub struct Program {
    command: CommandSpec,
    limits: ProgramLimits,
    options: StdioOptions,
    log: Log,
    running: Option<Process>,
}

impl Program {
    /// Of a command. Nothing is started yet.
    pub fn new(command: CommandSpec, limits: ProgramLimits) -> Self {
        let (options, log) = (limits.options(), Log::new(limits.max_log));
        Self { command, limits, options, log, running: None }
    }

    /// Sends a line to the process that lives on, which is started if there is none, and waits for the line it answers
    /// with.
    ///
    /// # Errors
    /// When it cannot be started, answers too late or too long, or ends. The next call finds a fresh process.
    pub async fn ask(&mut self, mut line: Vec<u8>) -> Result<Vec<u8>, ProgramError> {
        let mut patience = self.limits.timeout;
        let mut process = match self.running.take() {
            Some(process) => process,
            None => {
                patience += self.limits.start_allowance;
                start(&self.command, &self.options, &self.log)?
            }
        };
        line.push(b'\n');
        process.send(line);
        match timeout_at(Instant::now() + patience, process.next()).await {
            Ok(Some(Line::Whole(answer))) => {
                self.running = Some(process);
                Ok(answer)
            }
            Ok(Some(Line::Cut(_))) => {
                process.end(Duration::ZERO).await;
                Err(ProgramError::Flooded(self.limits.max_output))
            }
            Ok(None) => {
                let ending = process.end(self.options.exit_wait).await;
                Err(ProgramError::Ended(ending.describe(), last_words(&self.log)))
            }
            Err(_) => {
                process.end(Duration::ZERO).await;
                Err(ProgramError::Late(patience, last_words(&self.log)))
            }
        }
    }

    /// Ends the process that lives on: after an answer that was none, or when there is no more to ask.
    pub async fn shutdown(&mut self) {
        if let Some(process) = self.running.take() {
            process.end(Duration::ZERO).await;
        }
    }
}

impl ProgramLimits {
    fn options(&self) -> StdioOptions {
        StdioOptions {
            max_line: self.max_output,
            max_log: self.max_log,
            exit_wait: Duration::from_millis(500),
            terminate_wait: Duration::from_millis(200),
            ..StdioOptions::default()
        }
    }
}

fn start(command: &CommandSpec, options: &StdioOptions, log: &Log) -> Result<Process, ProgramError> {
    Process::start(command, options, log).map_err(|error| match error {
        DriverError::NotStarted(why) => ProgramError::NotStarted(why),
        other => ProgramError::NotStarted(other.to_string()),
    })
}

/// The last line of standard error that says something. What was logged is gone then.
fn last_words(log: &Log) -> String {
    let log = log.take();
    let last = log.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    shortened(last.trim().as_bytes())
}
