//! The validator that is put to the test: how it is asked, and what its answers mean.

use std::path::Path;

use gauntlet_driver::{CommandSpec, Program, ProgramError, ProgramLimits, run_once};
use serde_json::Value;
use tempfile::TempDir;

use super::super::document;
use crate::diagnostics::Failure;

/// Stands for the path of the card.
const PATH: &str = "{}";
/// The most that is shown of what it says, in characters.
const SHOWN: usize = 300;

/// What it said of a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Said {
    /// The card is valid.
    Valid,
    /// It is not, for this reason; empty where it gave none.
    NotValid(String),
    /// Nothing that is a verdict.
    Nothing(Silence, String),
}

/// In which way it gave no verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Silence {
    Hung,
    Flooded,
    Ended,
    Nonsense,
}

/// One validator at work.
pub(crate) struct Foreign {
    command: CommandSpec,
    limits: ProgramLimits,
    way: Way,
}

enum Way {
    /// A process that lives on, and the number of the last line.
    Lines(Box<Program>, u64),
    /// The path of the card among the arguments.
    File(TempDir),
    /// The card on standard input.
    Input,
}

impl Foreign {
    pub(crate) fn new(command: &CommandSpec, limits: &ProgramLimits, persistent: bool) -> Result<Self, Failure> {
        let way = if persistent {
            Way::Lines(Box::new(Program::new(command.clone(), limits.clone())), 0)
        } else if command.args.iter().any(|word| word.contains(PATH)) {
            let folder = tempfile::tempdir();
            Way::File(folder.map_err(|error| Failure::System(format!("no folder for the cards: {error}")))?)
        } else {
            Way::Input
        };
        Ok(Self { command: command.clone(), limits: limits.clone(), way })
    }

    /// Has it judge a document.
    ///
    /// # Errors
    /// When it cannot be asked at all.
    pub(crate) async fn judge(&mut self, document: &[u8]) -> Result<Said, Failure> {
        let finished = match &mut self.way {
            Way::Lines(program, last) => {
                *last += 1;
                let line = format!("{{\"id\":{last},{}}}", document::member(document));
                let said = match program.ask(line.into_bytes()).await {
                    Ok(answer) => read(&answer, *last),
                    Err(error) => silent(error)?,
                };
                if let Said::Nothing(Silence::Nonsense, _) = said {
                    // What it prints next would be taken for the answer to something else.
                    program.shutdown().await;
                }
                return Ok(said);
            }
            Way::File(folder) => {
                let path = folder.path().join("agent-card.json");
                let written = std::fs::write(&path, document);
                written.map_err(|error| Failure::System(format!("{}: {error}", path.display())))?;
                run_once(&with_path(&self.command, &path), &self.limits, Vec::new()).await
            }
            Way::Input => run_once(&self.command, &self.limits, document.to_vec()).await,
        };
        let finished = match finished {
            Ok(finished) => finished,
            Err(error) => return silent(error),
        };
        let output = format!("{}\n{}", finished.stdout, finished.stderr);
        let words = output.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        Ok(match finished.status.code() {
            Some(0) => Said::Valid,
            Some(1) => Said::NotValid(shortened(words)),
            _ => {
                let last = output.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
                let said = if last.is_empty() { String::new() } else { format!("; it said last: {}", shortened(last)) };
                Said::Nothing(Silence::Ended, format!("it ended with {}{said}", finished.status))
            }
        })
    }

    /// Ends what runs of it.
    pub(crate) async fn shutdown(&mut self) {
        if let Way::Lines(program, _) = &mut self.way {
            program.shutdown().await;
        }
    }
}

fn with_path(command: &CommandSpec, path: &Path) -> CommandSpec {
    let path = path.to_string_lossy();
    let args = command.args.iter().map(|word| word.replace(PATH, &path)).collect();
    CommandSpec { args, ..command.clone() }
}

fn silent(error: ProgramError) -> Result<Said, Failure> {
    let silence = match error {
        ProgramError::NotStarted(why) => return Err(Failure::System(why)),
        ProgramError::Late(..) => Silence::Hung,
        ProgramError::Flooded(_) => Silence::Flooded,
        ProgramError::Ended(..) => Silence::Ended,
    };
    Ok(Said::Nothing(silence, error.to_string()))
}

/// An answer on a line.
fn read(line: &[u8], id: u64) -> Said {
    let text = String::from_utf8_lossy(line);
    let nonsense = |why: &str| Said::Nothing(Silence::Nonsense, format!("{why}: {}", shortened(&text)));
    let Ok(answer) = serde_json::from_slice::<Value>(line) else { return nonsense("its answer is not JSON") };
    if answer["id"] != id {
        return nonsense(&format!("its answer to {id} has another id"));
    }
    match answer["valid"].as_bool() {
        Some(true) => Said::Valid,
        Some(false) => Said::NotValid(match &answer["errors"][0] {
            Value::Null => String::new(),
            Value::String(text) => shortened(text),
            other => shortened(&other.to_string()),
        }),
        None => nonsense("its answer has no `valid`, true or false"),
    }
}

/// The beginning, on one line.
fn shortened(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_strictly() {
        assert_eq!(read(br#"{"id":3,"valid":true}"#, 3), Said::Valid);
        let why = |line: &str| match read(line.as_bytes(), 3) {
            Said::NotValid(words) | Said::Nothing(_, words) => words,
            Said::Valid => panic!("{line}"),
        };
        assert_eq!(why(r#"{"id":3,"valid":false,"errors":["no  name","x"]}"#), "no name");
        assert_eq!(why(r#"{"id":3,"valid":false,"errors":[{"path":"/name"}]}"#), r#"{"path":"/name"}"#);
        assert_eq!(why(r#"{"id":3,"valid":false}"#), "");
        for (line, part) in
            [("ready", "not JSON"), (r#"{"id":2,"valid":true}"#, "another id"), (r#"{"id":3}"#, "no `valid`")]
        {
            assert!(matches!(read(line.as_bytes(), 3), Said::Nothing(Silence::Nonsense, _)), "{line}");
            assert!(why(line).contains(part), "{line}");
        }
    }

    #[test]
    fn the_path_takes_its_place_among_the_words() {
        let command = CommandSpec::parse("check --card={} {}").unwrap();
        assert_eq!(with_path(&command, Path::new("/tmp/a b")).args, ["--card=/tmp/a b", "/tmp/a b"]);
    }
}
