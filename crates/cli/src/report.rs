//! `gauntlet report`, and the reports that `gauntlet run` writes.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use gauntlet_evidence::RunEvent;
use gauntlet_report::Format;

use crate::args::ReportArgs;
use crate::diagnostics::Failure;
use crate::exit::Exit;
use crate::output;

/// Makes a report from events that were kept.
pub(crate) fn report(args: &ReportArgs) -> Result<Exit, Failure> {
    let (format, path) = &args.report;
    if args.events.len() > 1 && format.is_of_one_run() {
        let several = Format::Comparison;
        return Err(Failure::Usage(format!("{format} is made of one run; {several} is made of several")));
    }
    if args.events.len() < 2 && !format.is_of_one_run() {
        return Err(Failure::Usage(format!("{format} is made of several runs; name the events of at least two")));
    }
    let mut events = Vec::new();
    for file in &args.events {
        events.extend(read(file)?);
    }
    let text = format.render(&events);
    match path {
        None => output::out(&text),
        Some(path) => create(path)?.write_all(text.as_bytes()).map_err(|error| unwritable(path, &error))?,
    }
    Ok(Exit::Fine)
}

/// Reads lines of events; `-` is standard input.
pub(crate) fn read(path: &Path) -> Result<Vec<RunEvent>, Failure> {
    let mut text = String::new();
    let name = path.display();
    let read = match path == Path::new("-") {
        true => std::io::stdin().lock().read_to_string(&mut text),
        false => File::open(path).and_then(|mut file| file.read_to_string(&mut text)),
    };
    read.map_err(|error| Failure::Usage(format!("{name} cannot be read: {error}")))?;
    let mut events = Vec::new();
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()).peekable();
    while let Some((number, line)) = lines.next() {
        match serde_json::from_str(line) {
            Ok(event) => events.push(event),
            // A run that was killed leaves half a line behind.
            Err(error) if error.is_eof() && !events.is_empty() && lines.peek().is_none() => {
                output::err(&format!("{name}:{number}: the last event is cut off and left out\n"));
            }
            Err(error) => {
                return Err(Failure::Usage(format!("{name}:{number}: this is not an event of a run: {error}")));
            }
        }
    }
    match events.first() {
        Some(RunEvent::Started { .. } | RunEvent::CouldNotRun { .. }) => Ok(events),
        Some(_) => Err(Failure::Usage(format!("{name}: the begin of the run is missing"))),
        None => Err(Failure::Usage(format!("{name} holds no events"))),
    }
}

/// The reports that a run writes. The files are made at once, so that a path that cannot be written to is told before
/// anything runs.
pub(crate) struct Reports {
    files: Vec<(Format, PathBuf, File)>,
}

impl Reports {
    pub(crate) fn new(wanted: &[(Format, PathBuf)]) -> Result<Self, Failure> {
        let file = |(format, path): &(Format, PathBuf)| Ok((*format, path.clone(), create(path)?));
        Ok(Self { files: wanted.iter().map(file).collect::<Result<_, Failure>>()? })
    }

    /// Writes them all: what there is, also when the run did not reach its end.
    pub(crate) fn write(&mut self, events: &[RunEvent]) -> Result<(), Failure> {
        for (format, path, file) in &mut self.files {
            let text = format.render(events);
            file.write_all(text.as_bytes()).map_err(|error| unwritable(path, &error))?;
        }
        Ok(())
    }
}

fn create(path: &Path) -> Result<File, Failure> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let made = folder.map_or(Ok(()), std::fs::create_dir_all).and_then(|()| File::create(path));
    made.map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Usage(format!("{} cannot be written: {error}", path.display()))
}
