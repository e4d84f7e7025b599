//! What is observed of agents that run, for `gauntlet card audit` and `gauntlet probe`.

mod json;

use std::time::Duration;

use clap::Args;
use gauntlet_audit::{Answer, AuditError, Observed, Options, Outcome, Reading, Verdict};
use gauntlet_card::Severity;
use gauntlet_wire::ErrorKind;
use ring::rand::{SecureRandom, SystemRandom};

use crate::diagnostics::Failure;
pub(crate) use json::json;

#[derive(Debug, Args)]
pub(crate) struct LookArgs {
    /// The url of the card. One without a path means the card of that agent.
    #[arg(value_name = "URL")]
    pub(crate) url: String,
    /// Contact nothing but this machine, wherever the card or a redirect points.
    #[arg(long)]
    pub(crate) local: bool,
    /// How long each exchange may take.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// Show this header with every operation. May be given more than once. Only the host that the card was asked of sees it.
    #[arg(long, value_name = "NAME=VALUE", value_parser = header)]
    pub(crate) header: Vec<(String, String)>,
    /// Show this token as a bearer.
    #[arg(long, value_name = "TOKEN")]
    pub(crate) bearer: Option<String>,
    /// Show credentials to this host as well. May be given more than once.
    #[arg(long, value_name = "HOST")]
    pub(crate) trust: Vec<String>,
    /// Also send a message, and one whose answer is a stream: the agent will do work, harmless as the words are.
    #[arg(long)]
    pub(crate) send: bool,
}

#[derive(Debug, Args)]
#[command(after_help = PROBE_HELP)]
pub(crate) struct ProbeArgs {
    #[command(flatten)]
    pub(crate) look: LookArgs,
    /// As JSON, for programs.
    #[arg(long)]
    pub(crate) json: bool,
}

const PROBE_HELP: &str = "\
Nothing is changed at the agent: what is called names a task that does not exist. An operation is

  served         carried out, or refused for what was asked, such as a task that is not there
  unimplemented  UNIMPLEMENTED, -32601, or an address that is not there
  refused        an error that says that it is not supported
  denied         credentials are missing, or not accepted
  failed         no answer, or a failure of the server
  foreign        an answer that is none of the binding
  not tried      after an answer that makes others pointless, or without --send

Examples:
  gauntlet probe http://127.0.0.1:8080
  gauntlet probe --send --bearer \"$TOKEN\" https://agents.example.com

Exit codes:
  0  what is served is what the card declares; warnings there may be
  1  it is not
  2  the command line is wrong";

/// An agent, and how it came out.
pub(crate) struct Look {
    pub(crate) observed: Observed,
    pub(crate) outcomes: Vec<Outcome>,
}

impl Look {
    /// What is broken, with what was seen.
    pub(crate) fn broken(&self) -> impl Iterator<Item = (&Outcome, &str)> {
        self.outcomes.iter().filter_map(|outcome| match &outcome.verdict {
            Verdict::Broken(why) => Some((outcome, why.as_str())),
            _ => None,
        })
    }

    /// What could not be put to the test, with the reason.
    pub(crate) fn not_checked(&self) -> impl Iterator<Item = (&Outcome, &str)> {
        self.outcomes.iter().filter_map(|outcome| match &outcome.verdict {
            Verdict::NotChecked(why) => Some((outcome, why.as_str())),
            _ => None,
        })
    }

    /// How many hold.
    pub(crate) fn upheld(&self) -> usize {
        self.outcomes.iter().filter(|outcome| outcome.verdict == Verdict::Upheld).count()
    }

    /// How many are broken that weigh that much.
    pub(crate) fn count(&self, severity: Severity) -> usize {
        self.broken().filter(|(outcome, _)| outcome.check.severity == severity).count()
    }

    /// No errors.
    pub(crate) fn passes(&self) -> bool {
        self.count(Severity::Error) == 0
    }

    /// Where a check was made, in a few characters: `[0]`, or `card`.
    pub(crate) fn place(outcome: &Outcome) -> String {
        outcome.interface.map_or_else(|| "card".to_owned(), |index| format!("[{index}]"))
    }
}

/// Looks at an agent.
pub(crate) fn look(args: &LookArgs) -> Result<Look, Failure> {
    let bearer = args.bearer.iter().map(|token| ("Authorization".to_owned(), format!("Bearer {token}")));
    let options = Options {
        local: args.local,
        patience: args.timeout,
        credentials: args.header.iter().cloned().chain(bearer).collect(),
        trusted: args.trust.clone(),
        send: args.send,
        unknown_task: random_id()?,
    };
    let observed = crate::runtime()?.block_on(gauntlet_audit::observe(&args.url, &options));
    let observed = observed.map_err(|error| match error {
        AuditError::Tls(_) => Failure::System(error.to_string()),
        AuditError::Outside(why) => Failure::Usage(format!("--local: {why}")),
        AuditError::Url(..) | AuditError::Header(..) => Failure::Usage(error.to_string()),
    })?;
    let outcomes = gauntlet_audit::judge(&observed);
    Ok(Look { observed, outcomes })
}

/// A UUID of version 4: some agents take nothing else for the id of a task.
fn random_id() -> Result<String, Failure> {
    let mut bytes = [0_u8; 16];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| Failure::System("this machine gives no random numbers".to_owned()))?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let mut id = String::new();
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            id.push('-');
        }
        id.push_str(&format!("{byte:02x}"));
    }
    Ok(id)
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
    let seconds = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| "use a number of seconds, such as 10 or 0.5".to_owned())
}

fn header(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write NAME=VALUE".to_owned()),
    }
}

/// What an answer amounts to, in a word.
pub(crate) fn word(answer: &Answer) -> &'static str {
    match answer.reading {
        Reading::Result => "served",
        Reading::Refused { kind, .. } => match kind {
            ErrorKind::Internal => "failed",
            ErrorKind::UnsupportedOperation
            | ErrorKind::PushNotificationNotSupported
            | ErrorKind::ExtendedAgentCardNotConfigured
            | ErrorKind::VersionNotSupported => "refused",
            _ => "served",
        },
        Reading::Unimplemented => "unimplemented",
        Reading::Denied { .. } => "denied",
        Reading::Failed | Reading::Lost(_) => "failed",
        Reading::Foreign => "foreign",
    }
}
