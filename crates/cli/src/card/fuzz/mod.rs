//! `gauntlet card fuzz`: another validator is asked about generated cards; where it and gauntlet's own one differ, the card
//! is made as small as it can be while they still do.
//!
//! - [`foreign`]: the validator under test.
//! - [`truth`]: what is right.
//! - [`hunt`]: asking, counting, shrinking.
//! - [`text`], [`reports`]: what came of it, for people and for programs.

mod foreign;
mod hunt;
mod reports;
mod text;
mod truth;

use std::num::NonZero;
use std::time::Duration;

use gauntlet_driver::{CommandSpec, ProgramLimits};

use self::foreign::Foreign;
use self::hunt::{Hunt, Outcome};
use self::truth::Truth;
use super::args::{FuzzArgs, FuzzFormat};
use crate::diagnostics::Failure;
use crate::exit::Exit;
use crate::output;
use crate::run::command_spec;

/// Puts the validator to the test and says what came of it.
pub(crate) fn fuzz(args: &FuzzArgs) -> Result<Exit, Failure> {
    let command = command_spec(args.command.as_deref(), &args.words)?;
    let command = command.ok_or_else(|| Failure::Usage("name a validator".to_owned()))?;
    let hunt = Hunt {
        generator: args.series.generator()?,
        count: args.count,
        truth: Truth::new(args.purpose.into(), args.layer.into()),
        shrink: args.shrink,
    };
    let limits = ProgramLimits { timeout: Duration::from_secs(args.timeout), ..ProgramLimits::default() };
    let at_once = if args.persistent { 1 } else { std::thread::available_parallelism().map_or(1, NonZero::get) };
    let jobs = args.jobs.unwrap_or(at_once);
    let validators = (0..jobs).map(|_| Foreign::new(&command, &limits, args.persistent)).collect::<Result<_, _>>()?;

    let outcome = crate::runtime()?.block_on(async {
        tokio::select! {
            // The validators end with the hunt that is dropped.
            _ = tokio::signal::ctrl_c() => Ok(None),
            outcome = hunt.run(validators) => outcome.map(Some),
        }
    })?;
    let Some(mut outcome) = outcome else { return Ok(Exit::Interrupted) };
    if let Some(why) = outcome.no_verdict() {
        return Err(Failure::System(format!("the validator gave no verdict on any card: {why}")));
    }
    if let Some(folder) = &args.out {
        reports::cards(&mut outcome, folder)
            .map_err(|error| Failure::Usage(format!("{} cannot be written: {error}", folder.display())))?;
    }
    let told = Told { args, command: shown(&command), outcome: &outcome };
    for (format, path) in &args.report {
        let report = match format {
            FuzzFormat::Json => format!("{:#}\n", reports::json(&told)),
            FuzzFormat::Junit => reports::junit(&told),
        };
        let written = std::fs::write(path, report);
        written.map_err(|error| Failure::Usage(format!("{} cannot be written: {error}", path.display())))?;
    }
    output::out(&text::render(&told, output::stdout_style()));
    Ok(if outcome.agrees() { Exit::Fine } else { Exit::Findings })
}

/// What reports tell of.
struct Told<'f> {
    args: &'f FuzzArgs,
    command: String,
    outcome: &'f Outcome,
}

/// The command as it could be typed.
fn shown(command: &CommandSpec) -> String {
    let quoted = |word: &String| match word.is_empty() || word.contains(char::is_whitespace) {
        true => format!("'{word}'"),
        false => word.clone(),
    };
    std::iter::once(&command.program).chain(&command.args).map(quoted).collect::<Vec<_>>().join(" ")
}
