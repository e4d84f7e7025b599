//! `gauntlet run`: an orchestrator, scenarios, a report, an exit code.

use std::fs::File;
use std::io::Write;
use std::num::NonZero;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;

use gauntlet_driver::{CommandSpec, OrchestratorFactory, StdioFactory, StdioOptions};
use gauntlet_evidence::RunEvent;
use gauntlet_reference::{ReferenceFactory, flaws};
use gauntlet_report::{Terminal, TerminalOptions, ndjson};
use gauntlet_suite::RunOptions;

use crate::args::RunArgs;
use crate::diagnostics::Failure;
use crate::exit::Exit;
use crate::output;

/// Where `--out` keeps the events of the run.
const EVENTS: &str = "events.ndjson";

/// Runs to the end, or until the user stops it: what is running then is ended and reported; stopping twice drops it.
pub(crate) fn run(args: RunArgs) -> Result<Exit, Failure> {
    let factory = factory(&args)?;
    let mut report = Report::new(&args)?;
    let options = options(args);
    crate::runtime()?.block_on(async {
        let stop = options.stop.clone();
        let mut sink = |event: RunEvent| report.event(&event);
        let mut run = pin!(gauntlet_suite::run(factory, options, &mut sink));
        loop {
            tokio::select! {
                summary = &mut run => {
                    let exit = Exit::of(&summary?);
                    return Ok(if stop.is_cancelled() { Exit::Interrupted } else { exit });
                }
                // Leaving drops the run, and with it every peer and every driver it started.
                _ = tokio::signal::ctrl_c() => if stop.is_cancelled() { return Ok(Exit::Interrupted) } else { stop.cancel() },
            }
        }
    })
}

/// The driver of the command line, or the reference orchestrator.
fn factory(args: &RunArgs) -> Result<Arc<dyn OrchestratorFactory>, Failure> {
    if let Some(command) = &args.command {
        let spec = CommandSpec::parse(command).map_err(|error| Failure::Usage(format!("--command: {error}")))?;
        return Ok(Arc::new(StdioFactory::new(spec, StdioOptions { seed: args.seed, ..StdioOptions::default() })));
    }
    let flaw = args.flaw.as_deref().map(flaws::find).transpose();
    let flaw = flaw.map_err(|error| Failure::Usage(format!("--flaw: {error} (`gauntlet list flaws` shows all)")))?;
    Ok(Arc::new(ReferenceFactory::new(flaw)))
}

fn options(args: RunArgs) -> RunOptions {
    let mut options = RunOptions {
        paths: args.paths,
        tags: args.tags,
        level: args.level,
        bindings: args.binding,
        seed: args.seed,
        fail_fast: args.fail_fast,
        out: args.out,
        ..RunOptions::default()
    };
    options.jobs = args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, NonZero::get));
    options
}

/// What becomes of the events: text for people, and lines of JSON beside the evidence.
struct Report {
    terminal: Terminal,
    events: Option<File>,
}

impl Report {
    fn new(args: &RunArgs) -> Result<Self, Failure> {
        let style = output::stdout_style();
        let options =
            TerminalOptions { color: style.color, width: style.width, verbose: args.verbose, command: command(args) };
        let events = args.out.as_deref().map(events_file).transpose()?;
        Ok(Self { terminal: Terminal::new(options), events })
    }

    fn event(&mut self, event: &RunEvent) {
        output::out(&self.terminal.event(event));
        // A full disk must not cost the verdicts; it is said once.
        if let Some(Err(error)) = self.events.as_mut().map(|file| file.write_all(ndjson(event).as_bytes())) {
            output::err(&format!("{EVENTS} is incomplete: {error}\n"));
            self.events = None;
        }
    }
}

fn events_file(folder: &Path) -> Result<File, Failure> {
    let path = folder.join(EVENTS);
    std::fs::create_dir_all(folder)
        .and_then(|()| File::create(&path))
        .map_err(|error| Failure::Usage(format!("--out: {} cannot be written: {error}", path.display())))
}

/// The command that replays parts of this run: what was asked for, without what only selects or shows.
fn command(args: &RunArgs) -> String {
    let mut words = vec!["gauntlet run".to_owned()];
    if let Some(command) = &args.command {
        words.push(format!("--command {}", quoted(command)));
    }
    if let Some(flaw) = &args.flaw {
        words.push(format!("--flaw {flaw}"));
    }
    words.join(" ")
}

/// A word for a POSIX shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_the_shell() {
        assert_eq!(quoted("python driver.py"), "'python driver.py'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
