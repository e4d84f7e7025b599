//! The command line below `gauntlet card`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use gauntlet_card::{Generator, Layer, Need, Purpose, Versions};

use crate::args::from_one;
use crate::diagnostics::Failure;
use crate::live::LookArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum CardCommand {
    /// Judge cards, or payloads, in four layers: parse, schema, spec, capability.
    Validate(Box<ValidateArgs>),
    /// Hold a published card against what is really served: validate it, and dial every interface that it lists.
    Audit(AuditArgs),
    /// Print cards with known verdicts, to test validators with.
    Generate(GenerateArgs),
    /// Put another validator to the test: what does it accept that is broken, and reject that is valid?
    Fuzz(FuzzArgs),
}

#[derive(Debug, Args)]
#[command(after_help = VALIDATE_HELP)]
pub(crate) struct ValidateArgs {
    /// Files, http(s) urls, or - for standard input. A url without a path means the card of that agent. Several cards are
    /// also held against each other.
    #[arg(value_name = "FILE|URL|-", required_unless_present = "explain")]
    pub(crate) documents: Vec<String>,
    /// Whom to judge for: publishers, or callers, who skip extra keys and only mind what makes a card unusable.
    #[arg(long = "for", value_name = "WHOM", default_value = "publish")]
    pub(crate) purpose: Whom,
    /// A JSON Schema in place of the built-in one for layer schema, such as the published a2a.json.
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,
    /// What the documents are: AgentCard, Task, Message, or any other message of A2A.
    #[arg(long = "type", value_name = "TYPE", default_value = "AgentCard")]
    pub(crate) kind: String,
    /// What the caller is going to use: streaming, push, extended-card. That the card allows it is checked.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub(crate) needs: Vec<Need>,
    /// Verify signatures with the keys of this JSON Web Key Set.
    #[arg(long, value_name = "FILE")]
    pub(crate) jwks: Option<PathBuf>,
    /// How to print.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,
    /// Print the 1.0 form of a card of 0.3 or 0.2 instead of judging it.
    #[arg(long, conflicts_with_all = ["schema", "kind", "needs", "jwks", "format"])]
    pub(crate) migrate: bool,
    /// Tell what a rule demands, why, and how to mend what breaks it; `all` lists them.
    #[arg(long, value_name = "RULE", conflicts_with = "migrate")]
    pub(crate) explain: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = AUDIT_HELP)]
pub(crate) struct AuditArgs {
    #[command(flatten)]
    pub(crate) look: LookArgs,
    /// Whom to judge the document for: publishers, or callers.
    #[arg(long = "for", value_name = "WHOM", default_value = "publish")]
    pub(crate) purpose: Whom,
    /// How to print.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,
}

/// Which cards are generated.
#[derive(Debug, Args)]
pub(crate) struct SeriesArgs {
    /// Same seed, same bytes, on every machine.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Which editions of A2A.
    #[arg(long, value_name = "VERSION", default_value = "1.0")]
    pub(crate) version: Edition,
    /// How many of all are broken, from 0 to 1 [default: 0.5, with --only 1].
    #[arg(long, value_name = "RATIO", value_parser = ratio)]
    pub(crate) invalid: Option<u32>,
    /// Break these rules only (`gauntlet list card-rules` lists them).
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
}

impl SeriesArgs {
    /// What generates them.
    ///
    /// # Errors
    /// Rules that there are not, or that no card of the edition can break.
    pub(crate) fn generator(&self) -> Result<Generator, Failure> {
        let invalid = self.invalid.unwrap_or(if self.only.is_empty() { 50 } else { 100 });
        Generator::new(self.seed, self.version.into(), invalid, &self.only).map_err(Failure::Usage)
    }
}

#[derive(Debug, Args)]
#[command(after_help = GENERATE_HELP)]
pub(crate) struct GenerateArgs {
    /// How many.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) count: u64,
    #[command(flatten)]
    pub(crate) series: SeriesArgs,
    /// One JSON object a line, or a folder of files.
    #[arg(long, value_name = "FORMAT", default_value = "ndjson")]
    pub(crate) format: SeriesFormat,
    /// The folder to write to, with `--format dir`.
    #[arg(long, value_name = "DIR", required_if_eq("format", "dir"))]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = FUZZ_HELP, group(ArgGroup::new("validator").required(true).args(["command", "words"])))]
pub(crate) struct FuzzArgs {
    /// The validator, started without a shell for each card: exit code 0 accepts, 1 rejects. `{}` stands for the path of
    /// the card; without it the card comes on standard input.
    #[arg(long, value_name = "CMD")]
    pub(crate) command: Option<String>,
    /// The same, word by word, after everything else: `gauntlet card fuzz -- python validate.py {}`.
    #[arg(last = true, value_name = "CMD")]
    pub(crate) words: Vec<String>,
    /// Start it once: it reads a JSON object a line, {"id", "card"}, and answers {"id", "valid", "errors"}.
    #[arg(long)]
    pub(crate) persistent: bool,
    /// How many cards.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) count: u64,
    #[command(flatten)]
    pub(crate) series: SeriesArgs,
    /// The deepest layer that it judges: what breaks a deeper one only is valid for it.
    #[arg(long, value_name = "LAYER", default_value = "capability")]
    pub(crate) layer: Depth,
    /// Whom it judges for.
    #[arg(long = "for", value_name = "WHOM", default_value = "publish")]
    pub(crate) purpose: Whom,
    /// How long it may take for a card, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) timeout: u64,
    /// How many of it run at once [default: one for each processor, with --persistent one].
    #[arg(long, value_name = "N", value_parser = from_one)]
    pub(crate) jobs: Option<usize>,
    /// How often it is asked, at the most, to make one card smaller.
    #[arg(long, value_name = "N", default_value_t = 300)]
    pub(crate) shrink: u32,
    /// Write a report: junit or json. May be given more than once.
    #[arg(long, value_name = "FORMAT=FILE", value_parser = fuzz_report)]
    pub(crate) report: Vec<(FuzzFormat, PathBuf)>,
    /// Write the smallest cards that show what was found to this folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FuzzFormat {
    /// As build servers read it.
    Junit,
    /// For programs.
    Json,
}

/// How deep a validator looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Depth {
    /// Whether it is JSON.
    Parse,
    /// Names and types.
    Schema,
    /// What the specification demands.
    Spec,
    /// Whether the claims hold together.
    Capability,
}

impl From<Depth> for Layer {
    fn from(depth: Depth) -> Self {
        match depth {
            Depth::Parse => Self::Parse,
            Depth::Schema => Self::Schema,
            Depth::Spec => Self::Spec,
            Depth::Capability => Self::Capability,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Whom {
    /// Before a card is published.
    Publish,
    /// When it is used.
    Consume,
}

impl From<Whom> for Purpose {
    fn from(whom: Whom) -> Self {
        match whom {
            Whom::Publish => Self::Publish,
            Whom::Consume => Self::Consume,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people: the place underlined, and how to mend it.
    Text,
    /// A card-validation-report for each document.
    Json,
    /// For code hosts.
    Sarif,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SeriesFormat {
    /// A card and its verdict a line.
    Ndjson,
    /// A file a card, and verdicts.ndjson.
    Dir,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Edition {
    /// A2A 1.0.
    #[value(name = "1.0")]
    Current,
    /// A2A 0.3.
    #[value(name = "0.3")]
    Legacy,
    /// Both.
    Mixed,
}

impl Edition {
    /// The word on the command line and in reports.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Current => "1.0",
            Self::Legacy => "0.3",
            Self::Mixed => "mixed",
        }
    }
}

impl From<Edition> for Versions {
    fn from(edition: Edition) -> Self {
        match edition {
            Edition::Current => Self::Current,
            Edition::Legacy => Self::Legacy,
            Edition::Mixed => Self::Mixed,
        }
    }
}

fn fuzz_report(text: &str) -> Result<(FuzzFormat, PathBuf), String> {
    let (format, path) = text.split_once('=').filter(|(_, path)| !path.is_empty()).ok_or("write FORMAT=FILE")?;
    let format =
        FuzzFormat::from_str(format, false).map_err(|_| format!("`{format}` is not a format: use junit, json"))?;
    Ok((format, path.into()))
}

/// A share as a percentage.
fn ratio(text: &str) -> Result<u32, String> {
    let share: f64 = text.parse().map_err(|_| "use a number from 0 to 1".to_owned())?;
    if !(0.0..=1.0).contains(&share) {
        return Err("use a number from 0 to 1".to_owned());
    }
    let percent = (share * 100.0).round() as u32;
    Ok(percent)
}

const VALIDATE_HELP: &str = "\
Examples:
  gauntlet card validate agent-card.json
  gauntlet card validate --for consume https://agents.example.com
  gauntlet card validate --type Task task.json
  gauntlet card validate --schema a2a.json --format sarif cards/*.json
  gauntlet card validate --migrate old-card.json > agent-card.json

Exit codes:
  0  no errors; warnings and notes there may be
  1  errors
  2  the command line or a file is wrong
  3  a document could not be fetched (wins over 1)";

const AUDIT_HELP: &str = "\
Nothing is changed at the agent: what is called names a task that does not exist. `gauntlet explain live-tls` tells what a
check demands; `gauntlet probe` shows the same as a table.

Examples:
  gauntlet card audit https://agents.example.com
  gauntlet card audit --local http://127.0.0.1:8080
  gauntlet card audit --bearer \"$TOKEN\" --format sarif https://agents.example.com

Exit codes:
  0  no errors; warnings and notes there may be
  1  errors, in the card or in what is served
  2  the command line is wrong";

const GENERATE_HELP: &str = "\
Each line: index, seed, edition, card (or text, or base64, where it is no JSON object), valid, and for broken ones layer,
rule, severity, path and mutation. A validator that judges for publication should agree with every line.

Examples:
  gauntlet card generate --count 1000 --seed 7
  gauntlet card generate --only skill-id-unique,interface-url-https
  gauntlet card generate --version mixed --invalid 0.2 --format dir --out cards";

const FUZZ_HELP: &str = "\
A validator that answers with another exit code, is ended by a signal, takes too long or prints without end gives no verdict:
that is told apart. (An exception that nobody catches ends Python and Node.js with 1, which rejects; --persistent has no such
trap.) Where a broken card is rejected, the valid one that it was made of is asked about too, so that only what is
rejected for what is wrong with it counts for a rule. With --persistent what is no JSON comes as `text`, what is no text as `base64`, in place of `card`.

Examples:
  gauntlet card fuzz --command 'python validate.py {}'
  gauntlet card fuzz --persistent --layer schema --count 5000 -- node validator.mjs a2a.json
  gauntlet card fuzz --only skill-id-unique --report junit=fuzz.xml --out found -- ./validate

Exit codes:
  0  it agrees on every card
  1  it does not
  2  the command line or a file is wrong
  3  it gave no verdict at all";
