//! The `gauntlet` command: reads the command line, wires the other crates together, and says how it ended.
//!
//! - [`args`]: the command line.
//! - [`run`]: `gauntlet run`.
//! - [`serve`]: `gauntlet serve`.
//! - [`profile`]: what `gauntlet.toml` says.
//! - [`init`]: `gauntlet init`.
//! - [`last_run`]: what is remembered from one run to the next.
//! - [`card`]: `gauntlet card`.
//! - [`live`]: what is observed of agents that run; [`probe`]: `gauntlet probe`.
//! - [`list`]: `gauntlet list`.
//! - [`report`]: `gauntlet report`, and the reports of a run.
//! - [`steps`], [`explain`], [`schema`], [`shell`]: what helps to write files and commands.
//! - [`diagnostics`]: errors as people read them, with the line they are about.
//! - [`exit`]: what the exit codes mean.
//!
//! The only crate that prints or exits. May depend on: every other one. Nothing depends on it.

mod args;
mod card;
mod diagnostics;
mod exit;
mod explain;
mod init;
mod last_run;
mod list;
mod live;
mod output;
mod probe;
mod profile;
mod report;
mod run;
mod schema;
mod serve;
mod shell;
mod steps;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Command, Gauntlet};
use crate::diagnostics::Failure;
use crate::exit::Exit;

/// Everything the binary does. Reads the arguments of this process.
pub fn main() -> ExitCode {
    let exit = match Gauntlet::try_parse() {
        Ok(gauntlet) => dispatch(gauntlet.command),
        Err(error) => usage(&error),
    };
    exit.into()
}

fn dispatch(command: Command) -> Exit {
    let result = match command {
        Command::Run(args) => run::run(*args),
        Command::Serve(args) => serve::serve(&args),
        Command::Card(command) => card::card(&command),
        Command::Probe(args) => probe::probe(&args),
        Command::List(args) => list::list(&args),
        Command::Report(args) => report::report(&args),
        Command::Init { lang, framework, folder } => init::init(lang, framework, &folder),
        Command::Steps { json } => Ok(steps::steps(json)),
        Command::Explain { names, events } => explain::explain(&names, events.as_deref()),
        Command::Schema { format } => schema::print(format),
        Command::Completions { shell } => Ok(shell::completions(shell)),
        Command::Man => shell::man(),
    };
    result.unwrap_or_else(|failure| {
        output::err(&diagnostics::render(&failure, output::stderr_style()));
        failure.exit()
    })
}

fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.enable_all().build().map_err(|error| Failure::System(format!("no threads to run on: {error}")))
}

/// Help and version are asked for and fine; anything else is a usage error.
fn usage(error: &clap::Error) -> Exit {
    let asked_for = !error.use_stderr();
    // Nobody is left to tell when the terminal is gone.
    _ = error.print();
    if asked_for { Exit::Fine } else { Exit::Usage }
}
