//! Reading features and the files beside them, from the binary or from the user's folders.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cucumber::feature::Ext as _;
use gauntlet_evidence::run::ScenarioId;
use gauntlet_scenario::Library;
use gherkin::{Feature, GherkinEnv};
use include_dir::{Dir, include_dir};

use super::{Scenario, generate, lint};
use crate::{SuiteError, scene};

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/features");

/// A feature file in memory.
struct Source {
    area: String,
    file: String,
    text: String,
    /// Only the scenario at this line.
    line: Option<usize>,
}

/// Loads, lints and rehearses everything the paths name; none means what ships with gauntlet. Fleet and defect files of
/// the user join those that ship. Where the paths hold defects but no features, each defect gets a scenario per binding
/// that holds the outcome against what its facts permit.
///
/// # Errors
/// Everything that is wrong in any of the files, together.
pub fn load(paths: &[PathBuf]) -> Result<(Arc<Library>, Vec<Scenario>), SuiteError> {
    let mut library = Library::embedded()?;
    let mut sources = Vec::new();
    if paths.is_empty() {
        embedded(&EMBEDDED, &mut sources);
    } else {
        let shipped: Vec<String> = library.defects().map(|defect| defect.id.clone()).collect();
        let mut lines = BTreeMap::new();
        for path in paths {
            let (path, line) = split_line(path);
            lines.extend(line.map(|line| (path.display().to_string(), line)));
            from_path(&path, line, &mut library, &mut sources)?;
        }
        if sources.is_empty() {
            let added = library.defects().filter(|defect| !shipped.contains(&defect.id));
            sources.extend(added.map(|defect| Source {
                area: "generated".to_owned(),
                file: defect.place.file.to_string(),
                text: generate::feature(defect),
                line: lines.get(&*defect.place.file).copied(),
            }));
        }
        if sources.is_empty() {
            let named: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
            return Err(SuiteError::NothingSelected(format!(
                "{} holds no .feature file and no new defect file",
                named.join(", ")
            )));
        }
    }

    let mut scenarios = Vec::new();
    let mut errors = Vec::new();
    for source in &sources {
        match read(source) {
            Ok(read) => scenarios.extend(read),
            Err(error) => errors.push(error),
        }
    }
    SuiteError::collect(std::mem::take(&mut errors))?;
    // Rehearsing runs the Given steps: a misspelt defect shows before anything is started.
    let library = Arc::new(library);
    for scenario in &mut scenarios {
        match scene::rehearse(&library, scenario) {
            Ok(scene::Rehearsed { bindings, defects }) => {
                scenario.id.binding = bindings.first().copied().filter(|_| bindings.len() == 1);
                (scenario.bindings, scenario.defects) = (bindings, defects);
            }
            Err(error) => errors.push(error),
        }
    }
    SuiteError::collect(errors)?;
    Ok((library, scenarios))
}

fn embedded(dir: &Dir<'_>, sources: &mut Vec<Source>) {
    let mut files: Vec<_> = dir.files().collect();
    files.sort_by_key(|file| file.path());
    for file in files.into_iter().filter(|file| file.path().extension().is_some_and(|extension| extension == "feature"))
    {
        sources.push(Source {
            area: area(file.path()),
            file: format!("features/{}", file.path().display()),
            text: file.contents_utf8().unwrap_or_default().to_owned(),
            line: None,
        });
    }
    let mut dirs: Vec<_> = dir.dirs().collect();
    dirs.sort_by_key(|dir| dir.path());
    for dir in dirs {
        embedded(dir, sources);
    }
}

/// `acme.feature:12` as the file and the line; generated scenarios stand at lines of their defect file.
fn split_line(path: &Path) -> (PathBuf, Option<usize>) {
    let shown = path.display().to_string();
    let split = shown.rsplit_once(':').and_then(|(file, line)| Some((PathBuf::from(file), line.parse().ok()?)));
    match split {
        Some((file, line)) if !path.exists() => (file, Some(line)),
        _ => (path.to_owned(), None),
    }
}

fn from_path(
    path: &Path,
    line: Option<usize>,
    library: &mut Library,
    sources: &mut Vec<Source>,
) -> Result<(), SuiteError> {
    if !path.exists() {
        // The features that ship can be named as the reports name them.
        let below = path.strip_prefix("features").ok().and_then(|rest| EMBEDDED.get_file(rest));
        if let Some(file) = below {
            let text = file.contents_utf8().unwrap_or_default().to_owned();
            sources.push(Source { area: area(file.path()), file: path.display().to_string(), text, line });
            return Ok(());
        }
    }
    let read = |source| SuiteError::Io { path: path.to_owned(), source };
    if std::fs::metadata(path).map_err(read)?.is_dir() {
        library.add_path(path)?;
        let mut files = Vec::new();
        walk(path, &mut files)?;
        files.sort();
        for file in files {
            sources.push(source(&file, None)?);
        }
    } else if path.extension().is_some_and(|extension| extension == "feature") {
        library.add_neighbours(path)?;
        sources.push(source(path, line)?);
    } else {
        library.add_path(path)?;
    }
    Ok(())
}

fn source(path: &Path, line: Option<usize>) -> Result<Source, SuiteError> {
    let text = std::fs::read_to_string(path).map_err(|source| SuiteError::Io { path: path.to_owned(), source })?;
    Ok(Source { area: area(path), file: path.display().to_string(), text, line })
}

fn walk(dir: &Path, files: &mut Vec<PathBuf>) -> Result<(), SuiteError> {
    let failed = |source| SuiteError::Io { path: dir.to_owned(), source };
    for entry in std::fs::read_dir(dir).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            walk(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "feature") {
            files.push(path);
        }
    }
    Ok(())
}

/// The folder a feature stands in.
fn area(path: &Path) -> String {
    let parent = path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    parent.filter(|name| !name.is_empty()).unwrap_or_else(|| "features".to_owned())
}

fn read(source: &Source) -> Result<Vec<Scenario>, SuiteError> {
    let feature = Feature::parse(&source.text, GherkinEnv::default())
        .map_err(|error| lint::unparsed(&source.file, &source.text, &error))?;
    lint::feature(&source.file, &source.text, &feature)?;
    let feature = feature.expand_examples().map_err(|error| SuiteError::Feature {
        file: source.file.clone(),
        line: error.pos.line,
        column: error.pos.col,
        message: format!("the examples have no column `{}`", error.name),
        help: None,
    })?;

    let background = feature.background.iter().flat_map(|background| background.steps.clone());
    let background: Vec<_> = background.collect();
    let in_rules = feature.rules.iter().flat_map(|rule| {
        let more: Vec<_> = rule.background.iter().flat_map(|background| background.steps.clone()).collect();
        rule.scenarios.iter().map(move |scenario| (scenario, rule.tags.clone(), more.clone()))
    });
    let plain = feature.scenarios.iter().map(|scenario| (scenario, Vec::new(), Vec::new()));
    let mut scenarios = Vec::new();
    for (scenario, rule_tags, more) in plain.chain(in_rules) {
        let mut tags: Vec<String> = feature.tags.iter().chain(&rule_tags).chain(&scenario.tags).cloned().collect();
        // A row of examples with a column `binding` is about that binding, as if it were tagged with it.
        let bindings = scenario.examples.iter().filter_map(|examples| examples.table.as_ref()).filter_map(|table| {
            let column = table.rows.first()?.iter().position(|name| name == "binding")?;
            table.rows.get(1)?.get(column).cloned()
        });
        tags.extend(bindings);
        tags.dedup();
        let steps: Vec<_> = background.iter().chain(&more).chain(&scenario.steps).cloned().collect();
        let id = ScenarioId {
            area: source.area.clone(),
            file: source.file.clone(),
            line: scenario.position.line,
            name: scenario.name.clone(),
            binding: None,
        };
        let scenario = Scenario { id, tags, steps, bindings: BTreeSet::new(), defects: BTreeSet::new() };
        lint::steps(&scenario)?;
        scenarios.push(scenario);
    }
    make_unique(&mut scenarios);
    if let Some(line) = source.line {
        scenarios.retain(|scenario| scenario.id.line == line);
        if scenarios.is_empty() {
            return Err(SuiteError::NothingSelected(format!("no scenario begins at {}:{line}", source.file)));
        }
    }
    Ok(scenarios)
}

/// Gives the second scenario of a name a number, and those after it: by its name, a scenario is known from one run to the
/// next.
fn make_unique(scenarios: &mut [Scenario]) {
    let mut seen = BTreeMap::<String, usize>::new();
    for scenario in scenarios {
        let times = seen.entry(scenario.id.name.clone()).or_default();
        *times += 1;
        if *times > 1 {
            scenario.id.name.push_str(&format!(" ({times})"));
        }
    }
}
