//! Running the binary and reading what it says.

use std::path::{Path, PathBuf};
use std::process::Command as Process;
use std::time::Duration;

use assert_cmd::Command;
use gauntlet_evidence::run::ScenarioResult;
use gauntlet_evidence::{RunEvent, ScenarioReport};
use tempfile::TempDir;

/// Longer than any single run takes, on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// One scenario with a healthy peer.
pub(crate) const HEALTHY: &str = "\
Feature: A peer
  @JSONRPC
  Scenario: Work is done
    Given a peer \"peer\" serving JSONRPC
    When work is delegated to \"peer\"
    Then the outcome is one that the facts permit
";

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
    gauntlet_with(folder, arguments, &[])
}

/// The same with these variables.
#[track_caller]
pub(crate) fn gauntlet_with(folder: &Path, arguments: &[&str], variables: &[(&str, &Path)]) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_gauntlet-under-test"))
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .envs(variables.iter().copied())
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
        ScenarioResult::ExpectedFailure => "expected-failure",
        ScenarioResult::StaleExpectation => "stale-expectation",
        ScenarioResult::Flaky { .. } => "flaky",
        ScenarioResult::Unscored { .. } => "unscored",
        ScenarioResult::Skipped { .. } => "skipped",
        ScenarioResult::DriverError { .. } => "driver-error",
        ScenarioResult::SetupError { .. } => "setup-error",
        ScenarioResult::HarnessError { .. } => "harness-error",
    }
}

/// What a test with a real SDK needs, or why it is not there.
pub(crate) struct Found<T>(Result<T, String>);

impl<T> Found<T> {
    /// What there is. Without it the caller has nothing to do, which is said aloud.
    ///
    /// # Panics
    /// When `REQUIRE_INTEROP` is set and it is not there.
    #[expect(clippy::print_stderr, reason = "a skipped test is told to who runs it")]
    pub(crate) fn or_skip(self) -> Option<T> {
        let why = match self.0 {
            Ok(found) => return Some(found),
            Err(why) => why,
        };
        assert!(std::env::var_os("REQUIRE_INTEROP").is_none(), "{why}");
        eprintln!("SKIPPED: {why}");
        None
    }
}

/// A Python with the requirements of `drivers/python-a2a-sdk`: `GAUNTLET_PYTHON`, or `python3`.
pub(crate) fn python() -> Found<String> {
    let candidate = std::env::var("GAUNTLET_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let imports = Process::new(&candidate).args(["-c", "import a2a, grpc, httpx"]).output();
    Found(match imports {
        Ok(output) if output.status.success() => Ok(candidate),
        _ => Err(format!("`{candidate}` cannot import the SDK; set GAUNTLET_PYTHON to one that can")),
    })
}

/// A Node with the packages of `drivers/js-a2a-sdk`.
pub(crate) struct Node {
    modules: PathBuf,
}

/// A script among the packages that it imports.
pub(crate) struct Script {
    pub(crate) path: PathBuf,
    _folder: TempDir,
}

/// `node`, and the packages in `GAUNTLET_NODE_MODULES` or beside the driver.
pub(crate) fn node() -> Found<Node> {
    let beside = || root().join("drivers/js-a2a-sdk/node_modules");
    let modules = std::env::var_os("GAUNTLET_NODE_MODULES").map_or_else(beside, PathBuf::from);
    let runs = Process::new("node").arg("--version").output().is_ok_and(|output| output.status.success());
    Found(if !runs {
        Err("there is no `node`".to_owned())
    } else if !modules.join("@a2a-js/sdk").is_dir() {
        Err(format!("the SDK is not in {}; set GAUNTLET_NODE_MODULES to a folder that has it", modules.display()))
    } else {
        Ok(Node { modules })
    })
}

impl Node {
    /// Node looks for packages beside a script, so the script is copied to where they are.
    pub(crate) fn script(&self, path: &Path) -> Script {
        let folder = folder(&[]);
        let copy = folder.path().join(path.file_name().expect("a script"));
        std::fs::copy(path, &copy).expect("the script can be copied");
        #[cfg(unix)]
        std::os::unix::fs::symlink(&self.modules, folder.path().join("node_modules")).expect("a link to the packages");
        #[cfg(windows)]
        std::os::windows::fs::symlink_dir(&self.modules, folder.path().join("node_modules")).expect("a link");
        Script { path: copy, _folder: folder }
    }
}
