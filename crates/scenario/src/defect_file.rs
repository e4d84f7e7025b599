//! Defect files: faults put together, with what they make true of a peer.

use std::collections::BTreeSet;

use gauntlet_wire::ProtocolVersion;
use indexmap::IndexMap;

use crate::facts;
use crate::model::{Applies, Defect, FaultCall, Parameter, When};
use crate::node::{FileError, Node, NodeKind};
use crate::read::Fields;
use crate::words;

const DEFECT: &[&str] = &["id", "title", "seen-in", "parameters", "applies", "faults", "facts", "exercises"];
const SOURCES: &[(&str, ())] = &[("seed", ()), ("thread", ()), ("spec", ()), ("note", ())];
const KINDS: &[(&str, Kind)] = &[
    ("operation", Kind::Operation),
    ("binding", Kind::Binding),
    ("integer", Kind::Integer),
    ("number", Kind::Number),
    ("boolean", Kind::Boolean),
    ("string", Kind::String),
    ("pointer", Kind::Pointer),
    ("json", Kind::Json),
];
const NEEDS: &[(&str, &str)] = &[("ask", "ask"), ("artifact", "artifact"), ("auth", "auth")];

#[derive(Debug, Clone, Copy)]
enum Kind {
    Operation,
    Binding,
    Integer,
    Number,
    Boolean,
    String,
    Pointer,
    Json,
}

impl Defect {
    /// Reads a defect; `stem` and `area` are the names of its file and folder.
    ///
    /// # Errors
    /// When keys, parameters, placeholders or facts are unknown, or a parameter is not used.
    pub(crate) fn read(stem: &str, area: &str, node: &Node) -> Result<Self, FileError> {
        let fields = Fields::of(node, "a defect", DEFECT)?;
        let id = fields.required("id")?;
        if id.words()? != stem {
            return Err(id
                .error(format!("the id `{}` is not the name of the file, `{stem}`", id.words()?))
                .help("a defect is found by the name of its file: rename one of them"));
        }
        let list = |key| fields.map(key, Node::list).map(Option::unwrap_or_default);
        let faults = fields.required("faults")?;
        let defect = Self {
            id: stem.to_owned(),
            title: fields.required("title")?.words()?.to_owned(),
            area: area.to_owned(),
            seen_in: list("seen-in")?.iter().map(seen_in).collect::<Result<_, _>>()?,
            parameters: fields.map("parameters", parameters)?.unwrap_or_default(),
            applies: fields.map("applies", applies)?.unwrap_or_default(),
            faults: faults.list()?.iter().map(fault).collect::<Result<_, _>>()?,
            facts: list("facts")?.to_vec(),
            exercises: list("exercises")?
                .iter()
                .map(|item| item.words().map(str::to_owned))
                .collect::<Result<_, _>>()?,
            place: node.place.clone(),
        };
        if defect.faults.is_empty() {
            return Err(faults.error("a defect needs at least one fault"));
        }
        defect.facts.iter().try_for_each(facts::check_name)?;
        defect.check_placeholders(fields.optional("parameters"))?;
        Ok(defect)
    }

    /// Every placeholder has a parameter and every parameter a placeholder.
    fn check_placeholders(&self, parameters: Option<&Node>) -> Result<(), FileError> {
        let mut used = BTreeSet::new();
        let trees = self.faults.iter().map(|fault| &fault.arguments).chain(&self.facts);
        for tree in trees {
            visit(tree, &mut |name, node| {
                if !self.parameters.contains_key(name) {
                    let known = self.parameters.keys().map(String::as_str);
                    return Err(node
                        .error(format!("there is no parameter `{name}`"))
                        .help(crate::suggest::help_for(name, known)));
                }
                used.insert(name.to_owned());
                Ok(())
            })?;
        }
        let entries = parameters.map_or(Ok(&[][..]), Node::entries)?;
        match entries.iter().find(|(name, ..)| !used.contains(name)) {
            Some((name, place, _)) => Err(place
                .error(format!("the parameter `{name}` is not used"))
                .help(format!("write \"{{{name}}}\" where its value belongs, or remove it"))),
            None => Ok(()),
        }
    }
}

/// The parameter that a whole scalar `{name}` stands for.
pub(crate) fn placeholder(node: &Node) -> Option<&str> {
    let NodeKind::Str(text) = &node.kind else { return None };
    let name = text.strip_prefix('{')?.strip_suffix('}')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    (!name.is_empty() && name.chars().all(plain)).then_some(name)
}

fn visit(node: &Node, seen: &mut impl FnMut(&str, &Node) -> Result<(), FileError>) -> Result<(), FileError> {
    match &node.kind {
        NodeKind::Seq(items) => items.iter().try_for_each(|item| visit(item, seen)),
        NodeKind::Map(entries) => entries.iter().try_for_each(|(.., value)| visit(value, seen)),
        _ => placeholder(node).map_or(Ok(()), |name| seen(name, node)),
    }
}

fn seen_in(node: &Node) -> Result<(String, String), FileError> {
    let (kind, place, value) = node.named()?;
    let known = Node { place: place.clone(), kind: NodeKind::Str(kind.to_owned()) };
    known.one_of("a kind of source", SOURCES)?;
    Ok((kind.to_owned(), value.words()?.to_owned()))
}

fn parameters(node: &Node) -> Result<IndexMap<String, Parameter>, FileError> {
    let mut parameters = IndexMap::new();
    for (name, place, value) in node.entries()? {
        if name == "when" {
            return Err(place.error("a parameter cannot be called `when`").help("`when` says when the defect bites"));
        }
        let fields = Fields::of(value, "a parameter", &["type", "default"])?;
        let kind = fields.required("type")?;
        kind.one_of("a type of parameter", KINDS)?;
        let parameter = Parameter { kind: kind.text()?.to_owned(), default: fields.optional("default").cloned() };
        if let Some(default) = &parameter.default {
            parameter.check(default)?;
        }
        parameters.insert(name.clone(), parameter);
    }
    Ok(parameters)
}

impl Parameter {
    /// Whether a value has the parameter's type.
    pub(crate) fn check(&self, value: &Node) -> Result<(), FileError> {
        let kind = KINDS.iter().find(|(name, _)| *name == self.kind).map_or(Kind::Json, |(_, kind)| *kind);
        match kind {
            Kind::Operation => words::operation(value).map(drop),
            Kind::Binding => words::binding(value).map(drop),
            Kind::Integer => value.integer(i64::MIN, i64::MAX).map(drop),
            Kind::Number => value.number().map(drop),
            Kind::Boolean => value.boolean().map(drop),
            Kind::String => value.words().map(drop),
            Kind::Pointer => words::pointer(value).map(drop),
            Kind::Json => Ok(()),
        }
    }
}

fn applies(node: &Node) -> Result<Applies, FileError> {
    const KEYS: &[&str] = &["bindings", "interfaces", "versions", "needs-behaviour", "needs-token-server"];
    let fields = Fields::of(node, "`applies`", KEYS)?;
    Ok(Applies {
        bindings: items(&fields, "bindings", words::binding)?,
        interfaces: items(&fields, "interfaces", words::interface)?.into_iter().collect(),
        versions: items(&fields, "versions", |node| {
            let version = node.text()?.parse::<ProtocolVersion>();
            version.map(|version| version.to_string()).map_err(|error| node.error(error.to_string()))
        })?,
        needs_behaviour: items(&fields, "needs-behaviour", |node| {
            node.one_of("a kind of step", NEEDS).map(str::to_owned)
        })?,
        needs_token_server: fields.map("needs-token-server", Node::boolean)?.unwrap_or_default(),
    })
}

fn items<T>(fields: &Fields<'_>, key: &str, read: impl Fn(&Node) -> Result<T, FileError>) -> Result<Vec<T>, FileError> {
    fields.map(key, |node| node.list()?.iter().map(read).collect()).map(Option::unwrap_or_default)
}

fn fault(node: &Node) -> Result<FaultCall, FileError> {
    let (name, place, mut arguments) = node.named()?;
    let mut when = When::default();
    if let NodeKind::Map(entries) = &mut arguments.kind
        && let Some(index) = entries.iter().position(|(key, ..)| key == "when")
    {
        when = words::when(&entries.remove(index).2)?;
    }
    Ok(FaultCall { name: name.to_owned(), arguments, when, place: place.clone() })
}
