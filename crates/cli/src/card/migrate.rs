//! `gauntlet card validate --migrate`: the 1.0 form of a card on standard output, and what is left to do on standard error.

use gauntlet_card::Options;

use super::source;
use crate::diagnostics::Failure;
use crate::exit::Exit;
use crate::output;

/// Prints the 1.0 form of one document.
pub(crate) fn migrate(documents: &[String], options: &Options) -> Result<Exit, Failure> {
    let [name] = documents else {
        return Err(Failure::Usage("--migrate takes one card at a time".to_owned()));
    };
    let document = source::read(name, options.max_bytes)?;
    let migrated = gauntlet_card::migrate(&document.bytes, options);
    let migrated = migrated.map_err(|error| Failure::Usage(format!("{}: {error}", document.name)))?;
    output::out(&format!("{:#}\n", migrated.card));
    let notes: String = migrated.notes.iter().map(|note| format!("note: {note}\n")).collect();
    output::err(&notes);
    Ok(Exit::Fine)
}
