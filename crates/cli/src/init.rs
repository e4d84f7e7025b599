//! `gauntlet init`: a driver to begin with, that works as it is. For a language it is a template of its own; for a
//! framework it is the driver of the project's `drivers/` folder, the very files.

use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use include_dir::{Dir, include_dir};

use crate::diagnostics::Failure;
use crate::exit::Exit;
use crate::output;

/// A language that there is a driver in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Lang {
    /// Python 3.9 or later, nothing else.
    Python,
    /// Node.js 20 or later, nothing else.
    Js,
    /// A small cargo project.
    Rust,
}

/// A framework that there is a driver for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Framework {
    /// The official SDK for Python.
    PythonA2aSdk,
    /// RemoteA2aAgent of Google's Agent Development Kit, for Python.
    GoogleAdk,
    /// A2AAgent of the Microsoft Agent Framework, for Python.
    #[value(name = "agent-framework")]
    Microsoft,
    /// The official SDK for JavaScript.
    JsA2aSdk,
    /// The official client for Rust, a2a-client-lf.
    #[value(alias = "rust-a2a-client")]
    Rust,
}

/// What is written, and what comes next.
struct Template {
    /// Below the folder. The first holds the work.
    files: Vec<(String, String)>,
    /// What installs or builds the driver, where it needs that.
    prepare: Option<&'static str>,
    /// What starts it.
    command: &'static str,
}

/// A file of the driver of a framework.
macro_rules! driver {
    ($driver:literal, $name:literal) => {
        ($name.to_owned(), include_str!(concat!("../../../drivers/", $driver, "/", $name)).to_owned())
    };
}

/// A driver in Python, and what it requires.
macro_rules! python {
    ($driver:literal) => {
        Template {
            files: vec![
                driver!($driver, "driver.py"),
                driver!($driver, "requirements.in"),
                driver!($driver, "requirements.txt"),
                driver!($driver, "baseline.yaml"),
            ],
            prepare: Some(
                "python3 -m venv .venv && .venv/bin/pip install --quiet --require-hashes -r requirements.txt",
            ),
            command: ".venv/bin/python driver.py",
        }
    };
}

impl Lang {
    fn template(self) -> Template {
        let (files, command) = match self {
            Self::Python => (vec![("driver.py", include_str!("../templates/python/driver.py"))], "python3 driver.py"),
            Self::Js => (vec![("driver.mjs", include_str!("../templates/js/driver.mjs"))], "node driver.mjs"),
            Self::Rust => (
                vec![
                    ("src/main.rs", include_str!("../templates/rust/main.rs")),
                    ("Cargo.toml", include_str!("../templates/rust/Cargo.toml.in")),
                ],
                "cargo run --quiet --release",
            ),
        };
        let files = files.into_iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
        // Built beforehand, the first start is no slower than the others.
        let prepare = (self == Self::Rust).then_some("cargo build --quiet --release");
        Template { files, prepare, command }
    }
}

impl Framework {
    fn template(self) -> Template {
        match self {
            Self::PythonA2aSdk => python!("python-a2a-sdk"),
            Self::GoogleAdk => python!("google-adk"),
            Self::Microsoft => python!("agent-framework"),
            Self::JsA2aSdk => Template {
                files: vec![
                    driver!("js-a2a-sdk", "driver.mjs"),
                    driver!("js-a2a-sdk", "package.json"),
                    driver!("js-a2a-sdk", "package-lock.json"),
                    driver!("js-a2a-sdk", "baseline.yaml"),
                ],
                prepare: Some("npm ci --no-progress"),
                command: "node driver.mjs",
            },
            Self::Rust => rust(),
        }
    }
}

/// The driver in Rust, with the protocol's crate in a folder of its own: it is on no registry.
fn rust() -> Template {
    static PROTOCOL: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../driver-protocol/src");
    let mut files = vec![
        driver!("rust-a2a-client", "src/main.rs"),
        driver!("rust-a2a-client", "Cargo.toml"),
        driver!("rust-a2a-client", "Cargo.lock"),
        driver!("rust-a2a-client", "baseline.yaml"),
        (
            "driver-protocol/Cargo.toml".to_owned(),
            include_str!("../templates/driver-protocol/Cargo.toml.in").to_owned(),
        ),
    ];
    for (_, text) in files.iter_mut().filter(|(name, _)| name == "Cargo.toml") {
        *text = text.replace("../../crates/driver-protocol", "driver-protocol");
    }
    let sources = PROTOCOL.files().filter_map(|file| Some((file.path().to_str()?, file.contents_utf8()?)));
    files.extend(sources.map(|(name, text)| (format!("driver-protocol/src/{name}"), text.to_owned())));
    Template { files, prepare: Some("cargo build --locked"), command: "target/debug/gauntlet-driver-rust-a2a-client" }
}

/// Writes the files. Nothing that is there is touched.
pub(crate) fn init(lang: Option<Lang>, framework: Option<Framework>, folder: &Path) -> Result<Exit, Failure> {
    let template = match (lang, framework) {
        (Some(lang), _) => lang.template(),
        (None, Some(framework)) => framework.template(),
        (None, None) => return Err(Failure::Usage("name a language or a framework".to_owned())),
    };
    let baseline = template.files.iter().any(|(name, _)| name == "baseline.yaml");
    let profile = format!(
        "# What `gauntlet run` does in this folder; flags win. `gauntlet run --profile NAME` takes another one.\n\
         [profile.default]\ncommand = \"{}\"\n{}",
        template.command,
        if baseline { "baseline = \"baseline.yaml\"\n" } else { "" },
    );
    let files: Vec<(PathBuf, &str)> = template
        .files
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .chain([("gauntlet.toml", profile.as_str())])
        .map(|(name, text)| (folder.join(name), text))
        .collect();
    if let Some((taken, _)) = files.iter().find(|(path, _)| path.exists()) {
        return Err(Failure::Usage(format!("{} is there already; name another folder", taken.display())));
    }
    for (path, text) in &files {
        let made = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, text));
        made.map_err(|error| Failure::Usage(format!("{} cannot be written: {error}", path.display())))?;
    }
    output::out(&told(&template, &files, folder, baseline));
    Ok(Exit::Fine)
}

/// What was written, and the commands to go on with.
fn told(template: &Template, files: &[(PathBuf, &str)], folder: &Path, baseline: bool) -> String {
    let mut told: String = files.iter().map(|(path, _)| format!("{}\n", path.display())).collect();
    let here = folder == Path::new(".") || folder == Path::new("");
    let go = if here { String::new() } else { format!("cd {} && ", crate::run::quoted(&folder.display().to_string())) };
    told.push_str(if baseline {
        "\nIt calls the framework as its samples do: put your own agent in its place. What the framework\n\
         itself gets wrong is listed in baseline.yaml, with the reasons, and excused. Next:\n"
    } else {
        "\nIt works as it is. Replace `delegate` by a call of your client. Next:\n"
    });
    if let Some(prepare) = template.prepare {
        told.push_str(&format!("  {go}{prepare}\n"));
    }
    told.push_str(&format!("  {go}gauntlet run --filter healthy\n  {go}gauntlet run\n"));
    told
}
