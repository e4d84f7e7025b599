//! The contract with the orchestrator under test, and what connects one: in-process, or a program over stdio.
//!
//! - [`Orchestrator`] is what the suite drives. An orchestrator written in Rust implements it and runs in-process.
//! - [`InProcess`] makes one of a function.
//! - [`StdioFactory`] makes one of any program that speaks driver protocol 1, one JSON object a line, on its standard
//!   streams. However the program misbehaves, the call ends in bounded time with an outcome or a [`DriverError`], what
//!   it started is ended with it, and the next call finds a fresh process.
//! - [`Program`] and [`run_once`]: any other program that is asked something and answers, held within the same bounds.
//!
//! Runs on Unix: process groups are how a driver's own children are ended with it. A child that leaves the group on
//! purpose (`setsid`) escapes.
//!
//! May depend on: `gauntlet-evidence`.

mod command;
mod in_process;
mod lines;
mod log;
mod message;
mod options;
mod orchestrator;
mod process;
mod program;
mod stdio;

pub use command::{CommandError, CommandSpec};
pub use in_process::InProcess;
pub use options::StdioOptions;
pub use orchestrator::{DriverError, Orchestrator, OrchestratorFactory};
pub use program::{Finished, Program, ProgramError, ProgramLimits, run_once};
pub use stdio::StdioFactory;
