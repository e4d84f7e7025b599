//! Writing to the terminal. A reader that went away (`gauntlet list rules | head`) is no error.

use std::io::{IsTerminal, Write};

/// How text for one of the two outputs may look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Style {
    /// Whether ANSI colours are understood and wanted.
    pub(crate) color: bool,
    /// Columns.
    pub(crate) width: usize,
}

/// Standard output.
pub(crate) fn stdout_style() -> Style {
    style(std::io::stdout().is_terminal())
}

/// Standard error.
pub(crate) fn stderr_style() -> Style {
    style(std::io::stderr().is_terminal())
}

fn style(terminal: bool) -> Style {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    Style { color: terminal && !set("NO_COLOR") && !dumb, width: 80 }
}

/// Prints what was asked for.
pub(crate) fn out(text: &str) {
    let mut stdout = std::io::stdout().lock();
    // Whoever read it has gone; the exit code still tells how it ended.
    _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

/// Prints as it comes: what is long is not gathered first. A reader that went away ends it, and is no error.
///
/// # Errors
/// When standard output cannot be written for another reason.
pub(crate) fn stream(write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> std::io::Result<()> {
    let mut stdout = std::io::BufWriter::new(std::io::stdout().lock());
    match write(&mut stdout).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Prints what went wrong.
pub(crate) fn err(text: &str) {
    _ = std::io::stderr().lock().write_all(text.as_bytes());
}
