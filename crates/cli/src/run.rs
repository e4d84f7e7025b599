//! `gauntlet run`: an orchestrator, scenarios, a report, an exit code.

use std::fs::File;
use std::io::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gauntlet_driver::{CommandSpec, OrchestratorFactory, StdioFactory, StdioOptions};
use gauntlet_evidence::{Level, RunEvent, ScenarioReport};
use gauntlet_reference::{ReferenceFactory, flaws};
use gauntlet_report::{Terminal, TerminalOptions, ndjson};
use gauntlet_suite::{RunOptions, Selection, SuiteError, Summary, Written};
use tokio_util::sync::CancellationToken;

use crate::args::RunArgs;
use crate::diagnostics::Failure;
use crate::exit::Exit;
use crate::last_run::LastRun;
use crate::report::Reports;
use crate::{output, profile};

/// Where `--out` keeps the events of the run.
const EVENTS: &str = "events.ndjson";

/// Runs to the end, or until the user stops it: what is running then is ended and reported; stopping twice drops it.
pub(crate) fn run(mut args: RunArgs) -> Result<Exit, Failure> {
    profile::fill(&mut args)?;
    let factory = factory(&args)?;
    let mut watch = Watch::new(&args)?;
    let written = args.write_baseline.clone();
    let options = options(args)?;
    let hold = options.hold.clone();
    let paths = options.paths.clone();
    let result: Result<Exit, Failure> = crate::runtime()?.block_on(async {
        let stop = options.stop.clone();
        let holding = AtomicBool::new(false);
        let mut sink = |event: RunEvent| {
            holding.fetch_or(matches!(event, RunEvent::Held { .. }), Ordering::Relaxed);
            watch.event(event);
        };
        let mut run = pin!(gauntlet_suite::run_watched(factory, options, &mut sink));
        loop {
            tokio::select! {
                summary = &mut run => {
                    let summary = summary?;
                    tell(&summary, written.as_deref());
                    return Ok(if stop.is_cancelled() { Exit::Interrupted } else { Exit::of(&summary) });
                }
                // Leaving drops the run, and with it every peer and every driver it started.
                _ = tokio::signal::ctrl_c() => match &hold {
                    // Whoever has looked at the peers long enough wants the run to end as it would have.
                    Some(hold) if holding.swap(false, Ordering::Relaxed) => hold.cancel(),
                    _ if stop.is_cancelled() => return Ok(Exit::Interrupted),
                    _ => stop.cancel(),
                },
            }
        }
    });
    if let Err(failure) = &result {
        watch.event(RunEvent::CouldNotRun { message: failure.to_string() });
    }
    watch.end(&paths)?;
    result
}

/// The driver of the command line, or the reference orchestrator.
fn factory(args: &RunArgs) -> Result<Arc<dyn OrchestratorFactory>, Failure> {
    if let Some(mut spec) = command_spec(args.command.as_deref(), &args.driver)? {
        spec.cwd.clone_from(&args.cwd);
        spec.env.extend(args.env.iter().cloned());
        return Ok(Arc::new(StdioFactory::new(spec, StdioOptions { seed: args.seed, ..StdioOptions::default() })));
    }
    if !args.env.is_empty() || args.cwd.is_some() {
        return Err(Failure::Usage("--env and --cwd are for a driver; name it with --command or after --".to_owned()));
    }
    let flaw = args.flaw.as_deref().map(flaws::find).transpose();
    let flaw = flaw.map_err(|error| Failure::Usage(format!("--flaw: {error} (`gauntlet list flaws` shows all)")))?;
    Ok(Arc::new(ReferenceFactory::new(flaw)))
}

/// What `--command`, or the words behind `--`, have started; `None` where there is neither.
pub(crate) fn command_spec(command: Option<&str>, words: &[String]) -> Result<Option<CommandSpec>, Failure> {
    if let Some(command) = command {
        return CommandSpec::parse(command).map(Some).map_err(|error| Failure::Usage(format!("--command: {error}")));
    }
    Ok(words.split_first().map(|(program, rest)| CommandSpec {
        program: program.clone(),
        args: rest.to_vec(),
        ..CommandSpec::default()
    }))
}

fn options(args: RunArgs) -> Result<RunOptions, Failure> {
    // Scenarios mostly wait: for deadlines, for peers that are busy, for silence. A driver is a process each, though.
    let is_reference = args.command.is_none() && args.driver.is_empty();
    let per_processor = if is_reference { 8 } else { 2 };
    let mut options = RunOptions {
        command: command(&args),
        paths: args.paths,
        selection: Selection { tags: args.tags, bindings: args.binding, names: args.filter, only: None },
        level: args.level.unwrap_or(Level::Hardened),
        ruleset: args.ruleset.unwrap_or(1),
        hold: args.debug.then(CancellationToken::new),
        seed: args.seed,
        fail_fast: args.fail_fast,
        out: args.out,
        // A baseline that is written anew keeps what is known already.
        baseline: args.baseline.or_else(|| args.write_baseline.clone().filter(|path| path.exists())),
        write_baseline: args.write_baseline,
        retries: args.retries.unwrap_or_default(),
        repeat: args.repeat,
        ..RunOptions::default()
    };
    let of_the_machine = || per_processor * std::thread::available_parallelism().map_or(1, NonZero::get);
    options.jobs = args.jobs.unwrap_or_else(of_the_machine);
    if args.last_failed {
        let last = LastRun::load()?;
        if last.failed.is_empty() {
            return Err(SuiteError::NothingSelected("every scenario was fine when it last ran".to_owned()).into());
        }
        if options.paths.is_empty() {
            options.paths = last.paths;
        }
        options.selection.only = Some(last.failed);
    }
    Ok(options)
}

/// Says what became of the baseline.
fn tell(summary: &Summary, path: Option<&Path>) {
    let path = path.map(|path| path.display().to_string()).unwrap_or_default();
    match summary.written {
        Written::NotAsked => {}
        Written::Entries(number) => {
            let entries = if number == 1 { "1 entry".to_owned() } else { format!("{number} entries") };
            output::out(&format!("{path}: {entries}; give each a true reason, then run with --baseline {path}\n"));
        }
        Written::Withheld => {
            output::err(&format!("{path} is not written: the run was cut short, or the orchestrator is unproven\n"));
        }
    }
}

/// What becomes of the events: text for people, lines of JSON beside the evidence, reports, and what is remembered.
struct Watch {
    terminal: Terminal,
    file: Option<File>,
    reports: Reports,
    events: Vec<RunEvent>,
    last: LastRun,
}

impl Watch {
    fn new(args: &RunArgs) -> Result<Self, Failure> {
        let style = output::stdout_style();
        let options = TerminalOptions { color: style.color, width: style.width, verbose: args.verbose };
        let file = args.out.as_deref().map(events_file).transpose()?;
        let reports = Reports::new(&args.report)?;
        // A file that is damaged is as good as none: it is written anew.
        let last = LastRun::load().unwrap_or_default();
        Ok(Self { terminal: Terminal::new(options), file, reports, events: Vec::new(), last })
    }

    fn event(&mut self, event: RunEvent) {
        if let RunEvent::Finished { .. } = event {
            let (orchestrator, reports) = self.so_far();
            let compared = self.last.compare(&orchestrator, &reports);
            compared.into_iter().for_each(|comparison| self.event(RunEvent::Compared(comparison)));
        }
        output::out(&self.terminal.event(&event));
        // A full disk must not cost the verdicts; it is said once.
        if let Some(Err(error)) = self.file.as_mut().map(|file| file.write_all(ndjson(&event).as_bytes())) {
            output::err(&format!("{EVENTS} is incomplete: {error}\n"));
            self.file = None;
        }
        self.events.push(event);
    }

    /// Who is under test, and what was judged.
    fn so_far(&self) -> (String, Vec<ScenarioReport>) {
        let mut orchestrator = String::new();
        let mut reports = Vec::new();
        for event in &self.events {
            match event {
                RunEvent::Started { orchestrator: hello, .. } => orchestrator.clone_from(&hello.name),
                RunEvent::ScenarioFinished(report) => reports.push(report.as_ref().clone()),
                _ => {}
            }
        }
        (orchestrator, reports)
    }

    fn end(&mut self, paths: &[PathBuf]) -> Result<(), Failure> {
        let (orchestrator, reports) = self.so_far();
        if !reports.is_empty() {
            self.last.update(paths, &orchestrator, &reports);
            self.last.save(&self.events);
        }
        self.reports.write(&self.events)
    }
}

fn events_file(folder: &Path) -> Result<File, Failure> {
    let path = folder.join(EVENTS);
    std::fs::create_dir_all(folder)
        .and_then(|()| File::create(&path))
        .map_err(|error| Failure::Usage(format!("--out: {} cannot be written: {error}", path.display())))
}

/// The command that replays parts of this run: what was asked for, without what only selects or shows. Values of variables
/// may be secrets and are left out.
fn command(args: &RunArgs) -> String {
    let mut words = vec!["gauntlet run".to_owned()];
    words.extend(args.env.iter().map(|(name, _)| format!("--env {name}=\"${name}\"")));
    words.extend(args.cwd.iter().map(|folder| format!("--cwd {}", quoted(&folder.display().to_string()))));
    if let Some(command) = &args.command {
        words.push(format!("--command {}", quoted(command)));
    }
    if !args.driver.is_empty() {
        // What follows `--` would swallow the rest of the replay.
        let driver: Vec<String> = args.driver.iter().map(|word| quoted(word)).collect();
        words.push(format!("--command {}", quoted(&driver.join(" "))));
    }
    words.extend(args.ruleset.map(|set| format!("--ruleset {set}")));
    if let Some(flaw) = &args.flaw {
        words.push(format!("--flaw {flaw}"));
    }
    words.join(" ")
}

/// A word for a POSIX shell, in quotes where it needs them.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Command, Gauntlet};

    #[test]
    fn words_survive_the_shell() {
        assert_eq!(quoted("python driver.py"), "'python driver.py'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("driver.py"), "driver.py");
    }

    #[test]
    fn a_replay_names_the_driver_and_no_secret() {
        let words =
            ["x", "run", "--env", "KEY=secret", "--cwd", "a b", "--tags", "@GRPC", "--", "python", "my driver.py"];
        let Command::Run(args) = Gauntlet::try_parse_from(words).unwrap().command else { panic!("run was asked for") };
        let replay = r#"gauntlet run --env KEY="$KEY" --cwd 'a b' --command 'python '\''my driver.py'\'''"#;
        assert_eq!(command(&args), replay);
    }
}
