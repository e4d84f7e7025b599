//! `gauntlet.toml`: what `gauntlet run` does in a folder, under names. Flags win over it.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use gauntlet_evidence::Level;
use gauntlet_report::Format;
use gauntlet_scenario::suggest::help_for;
use gauntlet_scenario::{Fields, FileError, Node, NodeKind, Place, words};
use gauntlet_wire::Binding;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::args::{RunArgs, report};
use crate::diagnostics::Failure;

/// The file, in the folder that the command runs in.
const FILE: &str = "gauntlet.toml";
/// The profile that holds where none is asked for.
const DEFAULT: &str = "default";

const KEYS: &[&str] =
    &["command", "env", "cwd", "level", "ruleset", "baseline", "report", "retries", "jobs", "tags", "binding", "out"];

/// What a profile says.
#[derive(Debug, Default, PartialEq)]
struct Profile {
    command: Option<String>,
    env: Vec<(String, String)>,
    cwd: Option<PathBuf>,
    level: Option<Level>,
    ruleset: Option<u32>,
    baseline: Option<PathBuf>,
    report: Vec<(Format, PathBuf)>,
    retries: Option<usize>,
    jobs: Option<usize>,
    tags: Option<String>,
    binding: Vec<Binding>,
    out: Option<PathBuf>,
}

/// Fills what the command line leaves open from the profile that it asks for, or else from `default`.
pub(crate) fn fill(args: &mut RunArgs) -> Result<(), Failure> {
    let wanted = args.profile.as_deref();
    let text = match std::fs::read_to_string(FILE) {
        Ok(text) => text,
        Err(_) if wanted.is_none() && !Path::new(FILE).exists() => return Ok(()),
        Err(error) => return Err(Failure::Usage(format!("{FILE} cannot be read: {error}"))),
    };
    if let Some(profile) = read(FILE, &text, wanted)? {
        profile.apply(args);
    }
    Ok(())
}

impl Profile {
    fn apply(self, args: &mut RunArgs) {
        // Who names another orchestrator wants nothing of how the usual one is started.
        if args.command.is_none() && args.driver.is_empty() && args.flaw.is_none() {
            args.command = self.command;
            let given: Vec<String> = args.env.iter().map(|(name, _)| name.clone()).collect();
            args.env.extend(self.env.into_iter().filter(|(name, _)| !given.contains(name)));
            args.cwd = args.cwd.take().or(self.cwd);
        }
        args.level = args.level.or(self.level);
        args.ruleset = args.ruleset.or(self.ruleset);
        args.baseline = args.baseline.take().or(self.baseline);
        args.retries = args.retries.or(self.retries.filter(|_| args.repeat == 1 && !args.debug));
        args.jobs = args.jobs.or(self.jobs);
        args.tags = args.tags.take().or(self.tags);
        args.out = args.out.take().or(self.out);
        if args.report.is_empty() {
            args.report = self.report;
        }
        if args.binding.is_empty() {
            args.binding = self.binding;
        }
    }
}

/// Reads all profiles, so that a mistake in any shows, and gives the wanted one.
fn read(file: &str, text: &str, wanted: Option<&str>) -> Result<Option<Profile>, FileError> {
    let node = parse(file, text)?;
    let fields = Fields::of(&node, "gauntlet.toml", &["profile"])?;
    let none = Vec::new();
    let profiles = match fields.optional("profile") {
        Some(node) => node.entries()?,
        None => &none,
    };
    let mut found = None;
    for (name, _, node) in profiles {
        let profile = profile(node)?;
        if name == wanted.unwrap_or(DEFAULT) {
            found = Some(profile);
        }
    }
    if let (None, Some(wanted)) = (&found, wanted) {
        let known = profiles.iter().map(|(name, ..)| name.as_str());
        return Err(node.error(format!("there is no profile `{wanted}`")).help(help_for(wanted, known)));
    }
    Ok(found)
}

fn profile(node: &Node) -> Result<Profile, FileError> {
    let fields = Fields::of(node, "a profile", KEYS)?;
    let path = |key| fields.map(key, |node| node.words().map(PathBuf::from));
    let words = |key| fields.map(key, |node| node.words().map(str::to_owned));
    let count = |key, least| {
        let read =
            |node: &Node| node.integer(least, 1_000_000).map(|number| usize::try_from(number).unwrap_or_default());
        fields.map(key, read)
    };
    Ok(Profile {
        command: words("command")?,
        env: fields
            .map("env", |node| {
                let read = |(name, _, value): &(String, Place, Node)| Ok((name.clone(), value.text()?.to_owned()));
                node.entries()?.iter().map(read).collect::<Result<Vec<_>, FileError>>()
            })?
            .unwrap_or_default(),
        cwd: path("cwd")?,
        level: fields.map("level", |node| parsed(node, Level::from_str))?,
        ruleset: count("ruleset", 1)?.and_then(|set| u32::try_from(set).ok()),
        baseline: path("baseline")?,
        report: items(&fields, "report", |node| parsed(node, report))?,
        retries: count("retries", 0)?,
        jobs: count("jobs", 1)?,
        tags: words("tags")?,
        binding: items(&fields, "binding", words::binding)?,
        out: path("out")?,
    })
}

fn parsed<T>(node: &Node, read: impl Fn(&str) -> Result<T, String>) -> Result<T, FileError> {
    read(node.text()?).map_err(|why| node.error(why))
}

fn items<T>(fields: &Fields<'_>, key: &str, read: impl Fn(&Node) -> Result<T, FileError>) -> Result<Vec<T>, FileError> {
    fields.map(key, |node| node.one_or_more().iter().map(read).collect()).map(Option::unwrap_or_default)
}

/// TOML as the tree that knows where everything stands.
fn parse(file: &str, text: &str) -> Result<Node, FileError> {
    let source = Source(Place::whole(file, text));
    match DeTable::parse(text) {
        Ok(table) => source.table(table.get_ref(), table.span()),
        Err(error) => {
            let place = source.place(error.span().unwrap_or(0..0));
            Err(place.error(format!("this is not TOML: {}", error.message())))
        }
    }
}

struct Source(Place);

impl Source {
    fn place(&self, span: std::ops::Range<usize>) -> Place {
        let before = self.0.text.get(..span.start).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Place { span, line, column, ..self.0.clone() }
    }

    fn table(&self, table: &DeTable<'_>, span: std::ops::Range<usize>) -> Result<Node, FileError> {
        let entry = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
            let name: &std::borrow::Cow<'_, str> = key.get_ref();
            Ok((name.clone().into_owned(), self.place(key.span()), self.value(value)?))
        };
        let entries = table.iter().map(entry).collect::<Result<Vec<_>, FileError>>()?;
        Ok(Node { place: self.place(span), kind: NodeKind::Map(entries) })
    }

    fn value(&self, value: &Spanned<DeValue<'_>>) -> Result<Node, FileError> {
        let place = self.place(value.span());
        let kind = match value.get_ref() {
            DeValue::String(text) => NodeKind::Str(text.clone().into_owned()),
            DeValue::Boolean(value) => NodeKind::Bool(*value),
            DeValue::Integer(number) => {
                let parsed = i64::from_str_radix(number.as_str(), number.radix());
                NodeKind::Int(parsed.map_err(|_| place.error("this number is too large"))?)
            }
            DeValue::Array(items) => {
                NodeKind::Seq(items.iter().map(|item| self.value(item)).collect::<Result<Vec<_>, _>>()?)
            }
            DeValue::Table(table) => return self.table(table, value.span()),
            DeValue::Float(_) | DeValue::Datetime(_) => {
                return Err(place.error("this kind of value has no use here").help("is a pair of quotes missing?"));
            }
        };
        Ok(Node { place, kind })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_read_whole() {
        let text = "[profile.ci]\ncommand = \"python3 driver.py\"\nlevel = \"must\"\nbaseline = \"b.yaml\"\n\
                    report = [\"junit=r.xml\", \"json=r.json\"]\nretries = 2\njobs = 4\nbinding = \"GRPC\"\n\
                    [profile.ci.env]\nKEY = \"value\"\n";
        assert_eq!(read("g.toml", text, None).unwrap(), None);
        let profile = read("g.toml", text, Some("ci")).unwrap().unwrap();
        let expected = Profile {
            command: Some("python3 driver.py".to_owned()),
            env: vec![("KEY".to_owned(), "value".to_owned())],
            level: Some(Level::Must),
            baseline: Some("b.yaml".into()),
            report: vec![(Format::Junit, "r.xml".into()), (Format::Json, "r.json".into())],
            retries: Some(2),
            jobs: Some(4),
            binding: vec![Binding::Grpc],
            ..Profile::default()
        };
        assert_eq!(profile, expected);
    }

    #[test]
    fn wrong_files_say_where_and_what_to_do() {
        let wrong = [
            "[profile.ci\n",
            "[profil.ci]\n",
            "[profile.ci]\nlevle = \"must\"\n",
            "[profile.ci]\nlevel = \"strict\"\n",
            "[profile.ci]\nretries = -1\n",
            "[profile.ci]\njobs = 0\n",
            "[profile.ci]\nreport = [\"junit\"]\n",
            "[profile.ci]\nreport = [\"xml=a\"]\n",
            "[profile.ci]\nbinding = [\"SOAP\"]\n",
            "[profile.ci]\ncommand = [\"python3\"]\n",
            "[profile.ci]\nretries = 1.5\n",
            "[profile.main]\nlevel = \"must\"\n",
        ];
        let said = wrong.map(|text| read("g.toml", text, Some("cy")).unwrap_err().to_string());
        insta::assert_snapshot!(said.join("\n"));
    }
}
