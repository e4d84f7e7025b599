//! `gauntlet card`: what authors of cards and of validators need.
//!
//! - [`args`]: the command line below `card`.
//! - [`validate`]: `card validate`, with [`text`] for people and [`sarif`] for code hosts.
//! - [`source`]: documents from files, standard input and the network.
//! - [`explain`]: what a rule is.
//! - [`migrate`]: `card validate --migrate`.
//! - [`audit`]: `card audit`.
//! - [`generate`]: `card generate`.
//! - [`document`]: documents as members of a JSON object.
//! - [`fuzz`]: `card fuzz`.

pub(crate) mod args;
mod audit;
mod document;
pub(crate) mod explain;
mod fuzz;
mod generate;
mod migrate;
mod sarif;
mod source;
pub(crate) mod text;
mod validate;

use self::args::CardCommand;
use crate::diagnostics::Failure;
use crate::exit::Exit;

/// Runs one of the commands.
pub(crate) fn card(command: &CardCommand) -> Result<Exit, Failure> {
    match command {
        CardCommand::Validate(args) => validate::validate(args),
        CardCommand::Audit(args) => audit::audit(args),
        CardCommand::Generate(args) => generate::generate(args),
        CardCommand::Fuzz(args) => fuzz::fuzz(args),
    }
}
