//! The contract with the orchestrator under test, and what connects one: in-process, or a program over stdio.
//!
//! - [`Orchestrator`] is what the suite drives. An orchestrator written in Rust implements it and runs in-process.
//! - [`InProcess`] makes one of a function.
//! - [`StdioFactory`] makes one of any program that speaks driver protocol 1, one JSON object a line, on its standard
//!   streams. However the program misbehaves, the call ends in bounded time with an outcome or a [`DriverError`], what
//!   it started is ended with it, and the next call finds a fresh process.
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
mod stdio;

pub use command::{CommandError, CommandSpec};
pub use in_process::InProcess;
pub use options::StdioOptions;
pub use orchestrator::{DriverError, Orchestrator, OrchestratorFactory};
pub use stdio::StdioFactory;
