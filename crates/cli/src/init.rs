//! `gauntlet init`: a driver to begin with, that works as it is.

use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

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

impl Lang {
    /// The files, and the one in which the work is done first.
    const fn files(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Python => &[("driver.py", include_str!("../templates/python/driver.py"))],
            Self::Js => &[("driver.mjs", include_str!("../templates/js/driver.mjs"))],
            Self::Rust => &[
                ("src/main.rs", include_str!("../templates/rust/main.rs")),
                ("Cargo.toml", include_str!("../templates/rust/Cargo.toml.in")),
            ],
        }
    }

    const fn command(self) -> &'static str {
        match self {
            Self::Python => "python3 driver.py",
            Self::Js => "node driver.mjs",
            Self::Rust => "cargo run --quiet --release",
        }
    }
}

/// Writes the files. Nothing that is there is touched.
pub(crate) fn init(lang: Lang, folder: &Path) -> Result<Exit, Failure> {
    let profile = format!(
        "# What `gauntlet run` does in this folder; flags win. `gauntlet run --profile NAME` takes another one.\n\
         [profile.default]\ncommand = \"{}\"\n",
        lang.command()
    );
    let files: Vec<(PathBuf, &str)> = lang
        .files()
        .iter()
        .copied()
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
    let mut told = String::new();
    for (path, _) in &files {
        told.push_str(&format!("{}\n", path.display()));
    }
    let here = folder == Path::new(".") || folder == Path::new("");
    let go = if here { String::new() } else { format!("cd {} && ", crate::run::quoted(&folder.display().to_string())) };
    output::out(&format!(
        "{told}\nIt works as it is. Replace `delegate` by a call of your client. Next:\n  {go}gauntlet run --filter healthy\n  {go}gauntlet run\n"
    ));
    Ok(Exit::Fine)
}
