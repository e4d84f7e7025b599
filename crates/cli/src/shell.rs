//! `gauntlet completions` and `gauntlet man`.

use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::args::Gauntlet;
use crate::diagnostics::Failure;
use crate::exit::Exit;
use crate::output;

/// Prints completions; a shell reads them at its start.
pub(crate) fn completions(shell: Shell) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Gauntlet::command(), "gauntlet", &mut script);
    output::out(&String::from_utf8_lossy(&script));
    Exit::Fine
}

/// Prints the manual page: the command and below it every subcommand, in roff.
pub(crate) fn man() -> Result<Exit, Failure> {
    let mut page = Vec::new();
    let mut render = |command: clap::Command| Man::new(command).render(&mut page);
    let mut command = Gauntlet::command();
    command.build();
    let subcommands: Vec<clap::Command> =
        command.get_subcommands().filter(|one| one.get_name() != "help").cloned().collect();
    render(command)
        .and_then(|()| subcommands.into_iter().try_for_each(render))
        .map_err(|error| Failure::System(error.to_string()))?;
    output::out(&String::from_utf8_lossy(&page));
    Ok(Exit::Fine)
}
