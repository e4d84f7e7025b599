//! All scenario files in reach: those that ship with gauntlet and those of the user.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};

use crate::model::{AppliedDefect, Defect, DefectUse, FleetFile, PeerSpec, RuleEntry};
use crate::node::{FileError, Node, Place};
use crate::suggest::{UnknownName, help_for};
use crate::{apply, rules_file, yaml};

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/scenarios");
/// Deeper folders than this are taken for a loop of links.
const MAX_FOLDERS: usize = 16;

/// Defects, fleets and rules by name.
#[derive(Debug, Clone, Default)]
pub struct Library {
    defects: BTreeMap<String, Defect>,
    fleets: BTreeMap<String, (Place, FleetFile)>,
    rules: BTreeMap<String, RuleEntry>,
    /// Files of the user that were taken in already: naming one twice does no harm.
    taken_in: BTreeSet<PathBuf>,
}

/// A user's file or folder that could not be taken in.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// Something is wrong in a file.
    #[error(transparent)]
    File(#[from] FileError),
    /// It cannot be read.
    #[error("{} cannot be read: {error}", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        error: std::io::Error,
    },
    /// It is no scenario file.
    #[error("{} is neither a folder nor a file that ends in .yaml or .yml", path.display())]
    NotYaml {
        /// Which.
        path: PathBuf,
    },
    /// Folders within folders without end.
    #[error("{} lies more than {MAX_FOLDERS} folders deep; do its links form a loop?", path.display())]
    TooDeep {
        /// Which.
        path: PathBuf,
    },
}

impl Library {
    /// The files that ship with gauntlet.
    ///
    /// # Errors
    /// When one of them is wrong: a defect of gauntlet.
    pub fn embedded() -> Result<Self, FileError> {
        let mut library = Self::default();
        library.add_embedded(&EMBEDDED)?;
        Ok(library)
    }

    fn add_embedded(&mut self, folder: &Dir<'_>) -> Result<(), FileError> {
        for file in folder.files() {
            let name = format!("scenarios/{}", file.path().display());
            match file.path().extension().and_then(|extension| extension.to_str()) {
                Some("yaml") => self.add_text(&name, file.contents_utf8().unwrap_or_default(), true)?,
                _ => continue,
            }
        }
        folder.dirs().filter(|dir| dir.path() != Path::new("cards")).try_for_each(|dir| self.add_embedded(dir))
    }

    /// Takes in a user's YAML file, or every one in a folder and the folders below it. A file with `peers:` is a fleet,
    /// one with `faults:` a defect. Feature files and, within folders, everything that is not YAML are passed over.
    ///
    /// # Errors
    /// When a file cannot be read, is wrong, or bears a name that is taken.
    pub fn add_path(&mut self, path: &Path) -> Result<(), LibraryError> {
        let unreadable = |error| LibraryError::Unreadable { path: path.to_owned(), error };
        if std::fs::metadata(path).map_err(unreadable)?.is_dir() {
            return self.add_folder(path, 0);
        }
        match extension(path) {
            "yaml" | "yml" => self.add_file(path),
            "feature" => Ok(()),
            _ => Err(LibraryError::NotYaml { path: path.to_owned() }),
        }
    }

    /// Takes in the fleet and defect files that stand beside a feature file. Other YAML there is none of our business.
    ///
    /// # Errors
    /// As [`Library::add_path`].
    pub fn add_neighbours(&mut self, feature: &Path) -> Result<(), LibraryError> {
        let folder = feature.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let unreadable = |error| LibraryError::Unreadable { path: folder.to_owned(), error };
        let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
            .map_err(unreadable)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()
            .map_err(unreadable)?;
        paths.sort();
        let ours = |path: &PathBuf| {
            matches!(extension(path), "yaml" | "yml")
                && std::fs::read_to_string(path).is_ok_and(|text| {
                    text.lines().any(|line| line.starts_with("peers:") || line.starts_with("faults:"))
                })
        };
        paths.iter().filter(|path| ours(path)).try_for_each(|path| self.add_file(path))
    }

    fn add_folder(&mut self, folder: &Path, depth: usize) -> Result<(), LibraryError> {
        if depth > MAX_FOLDERS {
            return Err(LibraryError::TooDeep { path: folder.to_owned() });
        }
        let unreadable = |error| LibraryError::Unreadable { path: folder.to_owned(), error };
        let entries = std::fs::read_dir(folder).map_err(unreadable)?;
        let mut paths: Vec<PathBuf> =
            entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>().map_err(unreadable)?;
        paths.sort();
        let hidden = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        for path in paths.iter().filter(|path| !hidden(path)) {
            if path.is_dir() {
                self.add_folder(path, depth + 1)?;
            } else if matches!(extension(path), "yaml" | "yml") {
                self.add_file(path)?;
            }
        }
        Ok(())
    }

    fn add_file(&mut self, path: &Path) -> Result<(), LibraryError> {
        let unreadable = |error| LibraryError::Unreadable { path: path.to_owned(), error };
        if !self.taken_in.insert(path.canonicalize().map_err(unreadable)?) {
            return Ok(());
        }
        let mut bytes = Vec::new();
        // One byte past the limit is enough to be told that the file is too long.
        let limit = u64::try_from(yaml::MAX_BYTES).unwrap_or(u64::MAX).saturating_add(1);
        let file = std::fs::File::open(path).map_err(unreadable)?;
        file.take(limit).read_to_end(&mut bytes).map_err(unreadable)?;
        let text = String::from_utf8(bytes).map_err(|_| unreadable(std::io::Error::other("it is not UTF-8 text")))?;
        Ok(self.add_text(&path.display().to_string(), &text, false)?)
    }

    fn add_text(&mut self, file: &str, text: &str, ours: bool) -> Result<(), FileError> {
        let node = yaml::parse(file, text)?;
        let path = Path::new(file);
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        if node.get("peers").is_some() {
            return self.add_fleet(&stem, &node);
        }
        if node.get("faults").is_some() {
            let folder = path.parent().and_then(Path::file_name);
            let area = folder.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            return self.add_defect(&stem, &area, &node, ours);
        }
        if ours && node.get("rules").is_some() {
            self.rules = rules_file::read(&node)?.into_iter().map(|rule| (rule.id.clone(), rule)).collect();
            return Ok(());
        }
        Err(neither(&node))
    }

    fn add_fleet(&mut self, id: &str, node: &Node) -> Result<(), FileError> {
        let fleet = FleetFile::read(id, node)?;
        match self.fleets.get(id) {
            Some((first, _)) => Err(taken("fleet", id, &node.place, first)),
            None => {
                self.fleets.insert(id.to_owned(), (node.place.clone(), fleet));
                Ok(())
            }
        }
    }

    fn add_defect(&mut self, id: &str, area: &str, node: &Node, ours: bool) -> Result<(), FileError> {
        let defect = Defect::read(id, area, node)?;
        if let Some(first) = self.defects.get(id) {
            return Err(taken("defect", id, &node.place, &first.place));
        }
        // Of our own files the list of rules may come last; a test compares them.
        let unknown = |rule: &&Node| rule.text().is_ok_and(|rule| !self.rules.contains_key(rule));
        let listed = node.get("exercises").map_or(&[][..], Node::one_or_more);
        if let Some(rule) = listed.iter().find(unknown).filter(|_| !ours) {
            let id = rule.text()?;
            let help = match crate::suggest::closest(id, self.rules.keys().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`gauntlet list rules` shows them".to_owned(),
            };
            return Err(rule.error(format!("there is no rule `{id}`")).help(help));
        }
        self.defects.insert(id.to_owned(), defect);
        Ok(())
    }

    /// A defect by its id.
    ///
    /// # Errors
    /// When there is none, with the nearest one.
    pub fn defect(&self, id: &str) -> Result<&Defect, UnknownName> {
        self.defects.get(id).ok_or_else(|| UnknownName::new("defect", id, self.defects.keys().map(String::as_str)))
    }

    /// A fleet by its id.
    ///
    /// # Errors
    /// When there is none, with the nearest one.
    pub fn fleet(&self, id: &str) -> Result<&FleetFile, UnknownName> {
        let known = || self.fleets.keys().map(String::as_str);
        self.fleets.get(id).map(|(_, fleet)| fleet).ok_or_else(|| UnknownName::new("fleet", id, known()))
    }

    /// A rule by its id.
    pub fn rule(&self, id: &str) -> Option<&RuleEntry> {
        self.rules.get(id)
    }

    /// The newest rule set that a rule came in with.
    pub fn newest_ruleset(&self) -> u32 {
        self.rules.values().map(|rule| rule.since).max().unwrap_or(1)
    }

    /// All defects, by id.
    pub fn defects(&self) -> impl Iterator<Item = &Defect> {
        self.defects.values()
    }

    /// All fleets, by id.
    pub fn fleets(&self) -> impl Iterator<Item = &FleetFile> {
        self.fleets.values().map(|(_, fleet)| fleet)
    }

    /// All rules, by id.
    pub fn rules(&self) -> impl Iterator<Item = &RuleEntry> {
        self.rules.values()
    }

    /// Switches a defect on for a peer: arguments are put in, `when` is merged into every fault, facts are made and
    /// scoped to the bindings on which the defect bites.
    ///
    /// # Errors
    /// When the defect is unknown, its arguments are unknown, missing or of another type, or when it cannot show on
    /// this peer.
    pub fn apply(&self, wanted: &DefectUse, peer: &PeerSpec) -> Result<AppliedDefect, FileError> {
        let Some(defect) = self.defects.get(&wanted.id) else {
            let help = help_for(&wanted.id, self.defects.keys().map(String::as_str));
            return Err(wanted.place.error(format!("there is no defect `{}`", wanted.id)).help(help));
        };
        apply::apply(defect, wanted, peer)
    }
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

fn taken(kind: &str, id: &str, second: &Place, first: &Place) -> FileError {
    second.error(format!("the {kind} `{id}` exists already")).help(format!("{} has it; rename this file", first.file))
}

fn neither(node: &Node) -> FileError {
    let kinds = ["peers", "faults"];
    let entries = node.entries().unwrap_or_default();
    let near = entries.iter().find_map(|(key, place, _)| {
        crate::suggest::closest(key, kinds)
            .map(|kind| place.error(format!("`{key}` is not known here")).help(format!("did you mean `{kind}`?")))
    });
    near.unwrap_or_else(|| {
        node.error("this is neither a fleet nor a defect")
            .help("a fleet has the key `peers`, a defect the key `faults`")
    })
}
