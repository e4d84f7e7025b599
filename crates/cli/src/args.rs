//! The command line.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use gauntlet_evidence::Level;
use gauntlet_report::Format;
use gauntlet_wire::Binding;

use crate::card::args::CardCommand;
use crate::live::ProbeArgs;
use crate::{init, schema};

/// Puts A2A orchestrators through peers that misbehave as real vendors do, and says which rules they broke.
#[derive(Debug, Parser)]
#[command(name = "gauntlet", bin_name = "gauntlet", version, max_term_width = 100)]
pub(crate) struct Gauntlet {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run scenarios against an orchestrator and report findings.
    Run(Box<RunArgs>),
    /// Start peers at your desk and watch what a client does to them.
    Serve(ServeArgs),
    /// Show what an agent really serves: each operation on each interface that its card lists.
    Probe(ProbeArgs),
    /// Validate, audit and generate agent cards, and put other validators to the test.
    #[command(subcommand)]
    Card(CardCommand),
    /// List what gauntlet knows.
    List(ListArgs),
    /// Make a report from the events of a run.
    Report(ReportArgs),
    /// Write a driver to begin with, that works as it is.
    #[command(group(ArgGroup::new("driver").required(true).args(["lang", "framework"])))]
    Init {
        /// The language of a driver that needs nothing else.
        #[arg(long)]
        lang: Option<init::Lang>,
        /// The framework that the driver calls.
        #[arg(long, value_name = "FRAMEWORK")]
        framework: Option<init::Framework>,
        /// The folder to write it to.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// List what can be said in a scenario, with its meaning.
    Steps {
        /// As JSON, for programs.
        #[arg(long)]
        json: bool,
    },
    /// Tell what rules, defects, flaws and rules of cards are, where they come from, and which scenarios show them; or all
    /// there is to know of a finding.
    #[command(after_help = EXPLAIN_HELP)]
    Explain {
        /// The id of a rule, a defect, a flaw or a rule of cards; or a finding as reports name it: `rule/3f9a2c`,
        /// `peer/rule`, or the `file:line` of its scenario.
        #[arg(value_name = "RULE|DEFECT|FLAW|FINDING", required = true)]
        names: Vec<String>,
        /// The run that found it: `events.ndjson` of `--out`, or what `--report ndjson=FILE` wrote [default: the last run in
        /// this folder].
        #[arg(long, value_name = "EVENTS.NDJSON")]
        events: Option<PathBuf>,
    },
    /// Print a JSON Schema, for editors.
    Schema {
        /// What for.
        format: schema::Format,
    },
    /// Print completions for a shell.
    Completions {
        /// Which.
        shell: Shell,
    },
    /// Print the manual page.
    Man,
}

const EXPLAIN_HELP: &str = "\
Examples:
  gauntlet explain task-no-orphans task-deadline-cancels
  gauntlet explain task-no-orphans/3f9a2c
  gauntlet explain vendor-b/task-no-orphans --events gauntlet-out/events.ndjson";

#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct RunArgs {
    /// Feature files (`file.feature:12` picks a line), and folders of them; fleet and defect files are picked up too.
    /// Without any: the scenarios that come with gauntlet.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The program that drives the orchestrator under test, with its arguments, over driver protocol 1. It is started
    /// without a shell. Without it, gauntlet's own reference orchestrator is put to the test.
    #[arg(long, value_name = "CMD")]
    pub(crate) command: Option<String>,
    /// The same, word by word, after everything else: `gauntlet run -- python driver.py`.
    #[arg(last = true, value_name = "CMD", conflicts_with = "command")]
    pub(crate) driver: Vec<String>,
    /// Set a variable for the driver. May be given more than once.
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    /// The folder that the driver runs in.
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Only scenarios whose tags fit, such as `@GRPC and not @control`.
    #[arg(long, value_name = "EXPR")]
    pub(crate) tags: Option<String>,
    /// Only scenarios with this in their name; with `*` or `?`, a pattern for all of it. May be given more than once:
    /// one has to fit.
    #[arg(long, value_name = "NAME")]
    pub(crate) filter: Vec<String>,
    /// Only scenarios that were not fine when they last ran in this folder.
    #[arg(long)]
    pub(crate) last_failed: bool,
    /// The least strict level whose findings fail the run: must, should or hardened. Others are warnings [default:
    /// hardened].
    #[arg(long)]
    pub(crate) level: Option<Level>,
    /// Score the rules and scenarios of this rule set and of older ones; those that came in later run and are shown, and fail
    /// nothing [default: 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) ruleset: Option<u32>,
    /// The profile of gauntlet.toml that says what is not said here [default: `default`, where there is one].
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Only scenarios about these bindings: JSONRPC, GRPC, HTTP+JSON.
    #[arg(long, value_name = "BINDING", value_delimiter = ',', value_parser = binding)]
    pub(crate) binding: Vec<Binding>,
    /// How many scenarios run at once [default: for each processor two, eight of the reference].
    #[arg(long, value_name = "N", value_parser = from_one)]
    pub(crate) jobs: Option<usize>,
    /// The seed of everything that is drawn: same seed, same run.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Stop at the first scenario that fails.
    #[arg(long)]
    pub(crate) fail_fast: bool,
    /// Stop at the first scenario that fails, show its journal and keep its peers alive until Ctrl-C. Deadlines are off, so
    /// that a client can be stepped through with a debugger.
    #[arg(long, conflicts_with_all = ["repeat", "retries", "write_baseline"])]
    pub(crate) debug: bool,
    /// Excuse the failures that this file lists. What it lists and passes is stale and fails the run.
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write a baseline that excuses what this run finds. Entries of one that is there keep their reasons; stale ones go.
    #[arg(long, value_name = "FILE")]
    pub(crate) write_baseline: Option<PathBuf>,
    /// Try a scenario that fails again, up to N times. One that then passes is flaky, not passed.
    #[arg(long, value_name = "N")]
    pub(crate) retries: Option<usize>,
    /// Run every scenario N times, to see whether it always ends alike. It fails if it fails once.
    #[arg(long, value_name = "N", value_parser = from_one, default_value_t = 1, conflicts_with = "retries")]
    pub(crate) repeat: usize,
    /// Write a report: junit, json, sarif, markdown, html, ndjson or text. May be given more than once.
    #[arg(long, value_name = "FORMAT=FILE", value_parser = report)]
    pub(crate) report: Vec<(Format, PathBuf)>,
    /// Plant a flaw in the reference orchestrator (`gauntlet list flaws`), to see what a finding looks like.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["command", "driver", "env", "cwd"])]
    pub(crate) flaw: Option<String>,
    /// Keep journal, delegations, outcomes and the driver's stderr of every scenario in this folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Show every scenario as it ends, and every occurrence of a finding.
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

#[derive(Debug, Args)]
#[command(after_help = REPORT_HELP)]
pub(crate) struct ReportArgs {
    /// What to make: text, junit, json, sarif, markdown, html, ndjson or comparison, and the file to write; without one it
    /// is printed.
    #[arg(value_name = "FORMAT[=FILE]", value_parser = report_or_print)]
    pub(crate) report: (Format, Option<PathBuf>),
    /// The events: `events.ndjson` of `--out`, or what `--report ndjson=FILE` wrote. A comparison takes those of several
    /// runs.
    #[arg(value_name = "EVENTS.NDJSON", required = true)]
    pub(crate) events: Vec<PathBuf>,
}

const REPORT_HELP: &str = "\
Examples:
  gauntlet report junit=report.xml gauntlet-out/events.ndjson
  gauntlet report markdown events.ndjson >> \"$GITHUB_STEP_SUMMARY\"
  gauntlet report comparison old.ndjson new.ndjson";

#[derive(Debug, Args)]
#[command(after_help = SERVE_HELP)]
pub(crate) struct ServeArgs {
    /// Fleets that come with gauntlet (`gauntlet list fleets`), and YAML files of your own, or folders of them; the peers
    /// of all are started together. Files with defects make these known to --defect.
    #[arg(value_name = "FLEET|FILE", required = true)]
    pub(crate) fleets: Vec<String>,
    /// Switch a defect on (`gauntlet list defects`) for every peer that can have it, with its arguments as YAML where it
    /// takes some. May be given more than once.
    #[arg(long, value_name = "ID[={…}]")]
    pub(crate) defect: Vec<String>,
    /// The port of the first peer; the others get those that follow [default: any that are free].
    #[arg(long, value_name = "N")]
    pub(crate) port: Option<u16>,
    /// Write the journal to this file, one JSON object a line, secrets in headers masked.
    #[arg(long, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,
    /// Print no line for what clients do, and count nothing of it: for peers under load.
    #[arg(long)]
    pub(crate) quiet: bool,
    /// The seed of ids and of everything that is drawn.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Serve an HTTP API for test code at this port, 0 for any: GET /peers, /journal, /tasks, POST /journal/clear.
    #[arg(long, value_name = "PORT")]
    pub(crate) control: Option<u16>,
}

const SERVE_HELP: &str = "\
Examples:
  gauntlet serve everything
  gauntlet serve vendor-a vendor-b --port 8080
  gauntlet serve healthy --defect 'method-unimplemented={operation: GetTask, when: {binding: GRPC}}'

Exit codes:
  0  ended by Ctrl-C or SIGTERM
  2  the command line or a file is wrong
  3  could not run: a port is taken, or gauntlet itself failed";

const EXIT_CODES: &str = "\
Exit codes:
  0    nothing found, or nothing that the baseline does not excuse
  1    findings at the chosen level, or stale entries in the baseline
  2    the command line or a file is wrong
  3    could not run: the driver or gauntlet itself failed (wins over 1)
  4    nothing selected, or everything skipped
  130  interrupted";

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// What to list.
    pub(crate) what: Listed,
    /// Your own feature files, fleet and defect files, and folders of them, listed as `run` takes them.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Only scenarios whose tags fit.
    #[arg(long, value_name = "EXPR")]
    pub(crate) tags: Option<String>,
    /// Only scenarios about these bindings.
    #[arg(long, value_name = "BINDING", value_delimiter = ',', value_parser = binding)]
    pub(crate) binding: Vec<Binding>,
    /// Only scenarios with this in their name, or of which it is a pattern.
    #[arg(long, value_name = "NAME")]
    pub(crate) filter: Vec<String>,
    /// As JSON, for programs.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Listed {
    /// What can be run.
    Scenarios,
    /// Named misbehaviours of peers.
    Defects,
    /// What orchestrators are held to.
    Rules,
    /// The primitives defects are made of.
    Faults,
    /// Peers that are started together.
    Fleets,
    /// What can be planted in the reference orchestrator.
    Flaws,
    /// What agent cards are held to.
    CardRules,
}

/// On the wire the spelling of a binding matters; on the command line upper and lower case are alike.
fn binding(text: &str) -> Result<Binding, String> {
    text.to_ascii_uppercase().parse().map_err(|_| format!("use {}", names().join(", ")))
}

fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write NAME=VALUE".to_owned()),
    }
}

pub(crate) fn report(text: &str) -> Result<(Format, PathBuf), String> {
    match report_or_print(text)? {
        (format, _) if !format.is_of_one_run() => {
            let help = format!("gauntlet report {format} OLD.ndjson NEW.ndjson");
            Err(format!("{format} is made of several runs: keep each with ndjson=FILE, then `{help}`"))
        }
        (format, Some(path)) => Ok((format, path)),
        (format, None) => Err(format!("a file is missing: write {format}=FILE")),
    }
}

fn report_or_print(text: &str) -> Result<(Format, Option<PathBuf>), String> {
    let (format, path) = text.split_once('=').map_or((text, None), |(format, path)| (format, Some(path)));
    if path == Some("") {
        return Err(format!("a file is missing: write {format}=FILE"));
    }
    Ok((format.parse()?, path.map(PathBuf::from)))
}

fn names() -> Vec<&'static str> {
    Binding::ALL.iter().map(|binding| binding.name()).collect()
}

pub(crate) fn from_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("use a number from 1".to_owned()),
        Ok(number) => Ok(number),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Gauntlet::command().debug_assert();
    }

    #[test]
    fn bindings_are_taken_in_any_case_and_several_at_once() {
        let parsed = Gauntlet::try_parse_from(["x", "run", "--binding", "grpc,HTTP+JSON"]).unwrap();
        let Command::Run(args) = parsed.command else { panic!("run was asked for") };
        assert_eq!(args.binding, [Binding::Grpc, Binding::HttpJson]);
    }

    #[test]
    fn a_report_is_a_format_and_a_file() {
        let parse = |text| Gauntlet::try_parse_from(["x", "run", "--report", text]).map_err(|error| error.to_string());
        assert!(parse("junit=a=b.xml").is_ok());
        assert!(parse("junit").unwrap_err().contains("junit=FILE"));
        assert!(parse("junit=").unwrap_err().contains("junit=FILE"));
        assert!(parse("comparison=a").unwrap_err().contains("made of several runs"));
        assert!(parse("xml=a").unwrap_err().contains("use text, junit, ndjson, json, markdown, sarif, html"));
    }

    #[test]
    fn the_driver_may_stand_word_by_word_at_the_end() {
        let parsed =
            Gauntlet::try_parse_from(["x", "run", "a.feature", "--", "python", "driver.py", "--tags"]).unwrap();
        let Command::Run(args) = parsed.command else { panic!("run was asked for") };
        assert_eq!(args.driver, ["python", "driver.py", "--tags"]);
        assert_eq!(args.paths.len(), 1);
    }

    #[test]
    fn the_word_of_the_program_does_not_depend_on_its_file() {
        let error = Gauntlet::try_parse_from(["other-name", "run", "--nonsense"]).unwrap_err();
        assert!(error.to_string().contains("gauntlet run"), "{error}");
    }
}
