//! Which program is the driver.

use std::collections::BTreeMap;
use std::env;
use std::io;
use std::path::{Path, PathBuf};

use tokio::process::Command;

/// A program with its arguments, run without a shell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandSpec {
    /// A name to be found on `PATH`, or a path.
    pub program: String,
    /// Its arguments, as they are.
    pub args: Vec<String>,
    /// The folder it runs in; unset means the current one.
    pub cwd: Option<PathBuf>,
    /// Variables set on top of the inherited environment.
    pub env: BTreeMap<String, String>,
}

/// Why a command line cannot be taken apart.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// There is no word in it.
    #[error("the command is empty; give the program that runs the driver, such as \"python driver.py\"")]
    Empty,
    /// A quote is opened and never closed.
    #[error("the command has an unclosed {quote} at column {column}")]
    Unclosed {
        /// The quote.
        quote: char,
        /// Where it is opened, in characters from 1.
        column: usize,
    },
    /// It ends in a backslash that escapes nothing.
    #[error("the command ends in a backslash; write \\\\ for a backslash itself")]
    TrailingBackslash,
}

impl CommandSpec {
    /// Takes a command line apart as a POSIX shell does with words and quotes, and does nothing else that a shell
    /// does: no variables, patterns, pipes or lists.
    ///
    /// # Errors
    /// When there is no word, or a quote or backslash is left open.
    pub fn parse(line: &str) -> Result<Self, CommandError> {
        let mut words = split(line)?.into_iter();
        let program = words.next().filter(|program| !program.is_empty()).ok_or(CommandError::Empty)?;
        Ok(Self { program, args: words.collect(), ..Self::default() })
    }

    pub(crate) fn to_command(&self) -> Command {
        let mut command = Command::new(&self.program);
        // Python buffers whole blocks when its output is no terminal: an outcome printed without a flush would only
        // arrive when the driver ends, and look like a hang.
        command.env("PYTHONUNBUFFERED", "1");
        command.args(&self.args).envs(&self.env);
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        command
    }

    /// Says for people why the program did not start: which one, and where it was looked for.
    pub(crate) fn explain(&self, error: &io::Error) -> String {
        let program = &self.program;
        if let Some(cwd) = self.cwd.as_ref().filter(|cwd| !cwd.is_dir()) {
            return format!("`{program}` cannot run in {}: there is no such folder", cwd.display());
        }
        match error.kind() {
            io::ErrorKind::NotFound if !program.contains('/') => {
                let path = env::var("PATH").unwrap_or_default();
                format!("there is no program `{program}`; looked for it in PATH ({path})")
            }
            io::ErrorKind::NotFound => {
                let folder = self.cwd.clone().or_else(|| env::current_dir().ok()).unwrap_or_default();
                let path = folder.join(Path::new(program));
                if path.exists() {
                    format!("{} is there, but the interpreter its first line names is not", path.display())
                } else {
                    format!("there is no program {}", path.display())
                }
            }
            io::ErrorKind::PermissionDenied => format!("`{program}` may not be executed; is it a program (chmod +x)?"),
            _ => format!("`{program}`: {error}"),
        }
    }
}

fn split(line: &str) -> Result<Vec<String>, CommandError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = (1..).zip(line.chars());
    while let Some((column, c)) = chars.next() {
        match c {
            c if c.is_whitespace() => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some((_, '\'')) => break,
                        Some((_, c)) => word.push(c),
                        None => return Err(CommandError::Unclosed { quote: '\'', column }),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some((_, '"')) => break,
                        Some((_, '\\')) => match chars.next() {
                            Some((_, c @ ('"' | '\\' | '$' | '`'))) => word.push(c),
                            Some((_, c)) => word.extend(['\\', c]),
                            None => return Err(CommandError::Unclosed { quote: '"', column }),
                        },
                        Some((_, c)) => word.push(c),
                        None => return Err(CommandError::Unclosed { quote: '"', column }),
                    }
                }
            }
            '\\' => {
                let (_, c) = chars.next().ok_or(CommandError::TrailingBackslash)?;
                word.get_or_insert_default().push(c);
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(line: &str) -> Vec<String> {
        split(line).unwrap()
    }

    #[test]
    fn words_and_quotes() {
        let spec = CommandSpec::parse(r#"  python driver.py --x 'a b'  --y "c \"d\" \n" e\ f'g'"h" '' "#).unwrap();
        assert_eq!(spec.program, "python");
        assert_eq!(spec.args, ["driver.py", "--x", "a b", "--y", r#"c "d" \n"#, "e fgh", ""]);
    }

    #[test]
    fn nothing_is_expanded() {
        assert_eq!(words("echo $HOME * a|b ~"), ["echo", "$HOME", "*", "a|b", "~"]);
    }

    #[test]
    fn open_ends_are_named() {
        assert_eq!(CommandSpec::parse(" \t"), Err(CommandError::Empty));
        assert_eq!(CommandSpec::parse("'' x"), Err(CommandError::Empty));
        assert_eq!(CommandSpec::parse("a 'b"), Err(CommandError::Unclosed { quote: '\'', column: 3 }));
        assert_eq!(CommandSpec::parse("a \"b\\"), Err(CommandError::Unclosed { quote: '"', column: 3 }));
        assert_eq!(CommandSpec::parse("a \\"), Err(CommandError::TrailingBackslash));
    }

    proptest! {
        #[test]
        fn any_line_is_taken_or_refused(line in ".*") {
            let _ = CommandSpec::parse(&line);
        }

        #[test]
        fn single_quotes_keep_everything(list in prop::collection::vec("[^']*", 1..5)) {
            let line = list.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
            prop_assert_eq!(words(&line), list);
        }
    }
}
