//! Running the binary and reading what it says.

use std::path::{Path, PathBuf};
use std::time::Duration;

use assert_cmd::Command;
use gauntlet_evidence::run::ScenarioResult;
use gauntlet_evidence::{RunEvent, ScenarioReport};
use tempfile::TempDir;

/// Longer than any single run takes, on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// What a run of the binary amounts to.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// Whatever happens, people are spared the internals.
    fn check(self, arguments: &[&str]) -> Self {
        let all = format!("{}{}", self.stdout, self.stderr);
        assert!(!all.contains("panicked at"), "{arguments:?} panicked:\n{all}");
        assert!(self.code.is_some(), "{arguments:?} was killed:\n{all}");
        self
    }

    /// The exit code, with everything that was said where it is another one.
    #[track_caller]
    pub(crate) fn ends_with(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// That the error names all of these.
    #[track_caller]
    pub(crate) fn names(&self, words: &[&str]) -> &Self {
        // Long messages are wrapped; words may stand in two lines.
        let said: String = self.stderr.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
        for word in words {
            assert!(said.contains(word), "`{word}` is missing in:\n{}", self.stderr);
        }
        self
    }

    /// The last line that is not empty.
    pub(crate) fn last_line(&self) -> &str {
        self.stdout.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default()
    }
}

/// Runs `gauntlet` with these arguments in a folder.
#[track_caller]
pub(crate) fn gauntlet_in(folder: &Path, arguments: &[&str]) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_gauntlet-under-test"))
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .timeout(PATIENCE)
        .output()
        .expect("the binary starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("the output is UTF-8");
    Ran { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }.check(arguments)
}

/// Runs `gauntlet` where no file of the project can be found: only what is built in counts.
#[track_caller]
pub(crate) fn gauntlet(arguments: &[&str]) -> Ran {
    gauntlet_in(folder(&[]).path(), arguments)
}

/// A folder with these files.
pub(crate) fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("the folder can be made");
        std::fs::write(path, text).expect("the file can be written");
    }
    folder
}

/// The root of the project.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_owned()
}

/// The reports of a run that was made with `--out`, in the order of the features.
pub(crate) fn reports(out: &Path) -> Vec<ScenarioReport> {
    let events = std::fs::read_to_string(out.join("events.ndjson")).expect("events are kept");
    let mut reports: Vec<ScenarioReport> = events
        .lines()
        .map(|line| serde_json::from_str::<RunEvent>(line).expect("a line is an event"))
        .filter_map(|event| match event {
            RunEvent::ScenarioFinished(report) => Some(*report),
            _ => None,
        })
        .collect();
    reports.sort_by(|a, b| a.scenario.cmp(&b.scenario));
    reports
}

/// How a scenario ended, in a word.
pub(crate) fn word(result: &ScenarioResult) -> &'static str {
    match result {
        ScenarioResult::Passed => "passed",
        ScenarioResult::Failed => "failed",
        ScenarioResult::Skipped { .. } => "skipped",
        ScenarioResult::DriverError { .. } => "driver-error",
        ScenarioResult::SetupError { .. } => "setup-error",
        ScenarioResult::HarnessError { .. } => "harness-error",
    }
}
