//! `gauntlet serve`: peers at one's desk, and a line for all that a client does to them.
//!
//! - [`plan`]: from names, files and `--defect` to peers.
//! - [`view`]: what is printed.
//! - [`printer`]: how it is printed.

mod plan;
mod printer;
mod view;

use std::fs::File;
use std::io::Write;
use std::path::Path;

use gauntlet_evidence::JournalEntry;
use gauntlet_fleet::{Fleet, FleetOptions, JournalLimits};

use crate::args::ServeArgs;
use crate::diagnostics::Failure;
use crate::exit::Exit;
use crate::output;
use printer::Printer;
use view::View;

/// Serves until the user ends it.
pub(crate) fn serve(args: &ServeArgs) -> Result<Exit, Failure> {
    let planned = plan::plans(args)?;
    let first_port = args.port.filter(|port| *port != 0);
    if let Some(port) = first_port
        && usize::from(u16::MAX - port) + 1 < planned.len()
    {
        let peers = planned.len();
        return Err(Failure::Usage(format!("--port: there are no {peers} ports from {port} on; the last is 65535")));
    }
    let mut journal = args.journal.as_deref().map(Spill::new).transpose()?;
    raise_descriptor_limit();
    let options = FleetOptions {
        seed: args.seed,
        first_port,
        // Nobody knows for how long: what a client does now matters more than what it did this morning.
        journal: JournalLimits { forgets: true, ..JournalLimits::default() },
        ..FleetOptions::default()
    };
    crate::runtime()?.block_on(async {
        // Before anything is printed: who reads that all is ready may send a signal at once.
        let mut stop = Stop::new()?;
        let (plans, defects) = planned.into_iter().map(|planned| (planned.plan, planned.told)).unzip();
        let mut fleet = Fleet::start(plans, options).await?;
        let control = args.control.map(|port| fleet.control(port)).transpose()?;
        let mut follower = fleet.follow();
        let mut view = View::new(&fleet.addresses(), fleet.states(), defects, output::stdout_style());
        let mut printer = Printer::new();
        printer.print(view.start(control));
        let mut show = |entries: Vec<JournalEntry>| {
            for entry in entries.into_iter().map(JournalEntry::masked) {
                if !args.quiet {
                    printer.print(view.entry(&entry));
                }
                if let Some(spill) = &mut journal {
                    spill.write(&entry);
                }
            }
        };
        // Making entries readable costs as much as all else.
        let follows = !args.quiet || args.journal.is_some();
        loop {
            tokio::select! {
                biased;
                () = stop.asked() => break,
                entries = follower.next(), if follows => show(entries),
            }
        }
        let stopped = fleet.stop().await;
        if follows {
            show(follower.unread());
        }
        if !args.quiet {
            printer.print(view.summary());
        }
        printer.finish().await;
        stopped?;
        Ok(Exit::Fine)
    })
}

/// A client may hold thousands of streams open, each with a connection of its own, and the usual soft limit is 1,024.
/// Where it cannot be raised, connections beyond it wait until others close.
fn raise_descriptor_limit() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let limit = getrlimit(Resource::Nofile);
        let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    }
}

/// The journal as a file.
struct Spill {
    /// None once it could not be written to.
    file: Option<File>,
    name: String,
}

impl Spill {
    fn new(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        match File::create(path) {
            Ok(file) => Ok(Self { file: Some(file), name }),
            Err(error) => Err(Failure::Usage(format!("--journal: {name} cannot be written: {error}"))),
        }
    }

    /// A full disk must not end the peers; it is said once.
    fn write(&mut self, entry: &JournalEntry) {
        let Some(file) = &mut self.file else { return };
        let line = serde_json::to_string(entry).unwrap_or_default() + "\n";
        if let Err(error) = file.write_all(line.as_bytes()) {
            output::err(&format!("{} is incomplete: {error}\n", self.name));
            self.file = None;
        }
    }
}

/// The ways in which a user ends a process that runs without end.
#[cfg(unix)]
struct Stop {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Stop {
    fn new() -> Result<Self, Failure> {
        use tokio::signal::unix::{SignalKind, signal};
        let listen = |kind| signal(kind).map_err(|error| Failure::System(format!("signals cannot be read: {error}")));
        Ok(Self { interrupt: listen(SignalKind::interrupt())?, terminate: listen(SignalKind::terminate())? })
    }

    async fn asked(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Stop;

#[cfg(not(unix))]
impl Stop {
    fn new() -> Result<Self, Failure> {
        Ok(Self)
    }

    async fn asked(&mut self) {
        _ = tokio::signal::ctrl_c().await;
    }
}
