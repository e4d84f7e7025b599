//! Fleet files: peers that are started together.

use std::collections::BTreeSet;

use gauntlet_wire::{Binding, ProtocolVersion};
use indexmap::IndexMap;
use serde_json::Value;

use crate::model::{Behaviour, DefectUse, ErrorTable, FleetFile, InterfaceSpec, PeerSpec, When};
use crate::node::{FileError, Node, NodeKind, Place};
use crate::read::Fields;
use crate::suggest::help_for;
use crate::token_server::TokenServerSpec;
use crate::{words, yaml};

const PEER: &[&str] = &[
    "name",
    "protocol",
    "interfaces",
    "card",
    "extendedCard",
    "accepts",
    "tokenServer",
    "skills",
    "behaviour",
    "defects",
    "errors",
];

impl FleetFile {
    /// Reads a fleet; `id` is its name.
    ///
    /// # Errors
    /// When it has unknown keys or values, no peers, or two peers of one name.
    pub(crate) fn read(id: &str, node: &Node) -> Result<Self, FileError> {
        let fields = Fields::of(node, "a fleet", &["title", "peers"])?;
        let list = fields.required("peers")?;
        let mut names = BTreeSet::new();
        let mut peers = Vec::new();
        for item in list.list()? {
            let peer = peer(item)?;
            if !names.insert(peer.name.clone()) {
                return Err(item.error(format!("there are two peers named `{}`", peer.name)));
            }
            peers.push(peer);
        }
        if peers.is_empty() {
            return Err(list.error("a fleet needs at least one peer"));
        }
        let title = fields.map("title", |node| node.words().map(str::to_owned))?.unwrap_or_default();
        Ok(Self { id: id.to_owned(), title, peers })
    }
}

fn peer(node: &Node) -> Result<PeerSpec, FileError> {
    let fields = Fields::of(node, "a peer", PEER)?;
    let list = fields.required("interfaces")?;
    let mut interfaces: Vec<InterfaceSpec> = Vec::new();
    for item in list.list()? {
        let interface = interface(item)?;
        if interfaces.contains(&interface) {
            return Err(item
                .error(format!("this {} interface is listed twice", interface.binding))
                .help("give one of them another path, tenant or port"));
        }
        interfaces.push(interface);
    }
    if interfaces.is_empty() {
        return Err(list.error("a peer needs at least one interface"));
    }
    let errors = fields.map("errors", |node| {
        node.one_of("an error table", &[("1.0.1", ErrorTable::V1_0_1), ("1.0.0", ErrorTable::V1_0_0)])
    })?;
    let name = fields.required("name")?.words()?.to_owned();
    Ok(PeerSpec {
        protocol: fields.map("protocol", protocol)?.unwrap_or_else(|| ProtocolVersion::V1_0.to_string()),
        interfaces,
        card: fields.map("card", object)?.unwrap_or_else(|| Value::Object(serde_json::Map::new())),
        extended_card: fields.map("extendedCard", object)?,
        accepts: fields.map("accepts", |node| accepts(node, fields.optional("card")))?.unwrap_or_default(),
        token_server: fields.map("tokenServer", |node| TokenServerSpec::read(node, &name))?,
        skills: fields
            .map("skills", |node| node.list()?.iter().map(skill).collect::<Result<Vec<_>, _>>())?
            .unwrap_or_default(),
        behaviour: fields.map("behaviour", Behaviour::read)?.unwrap_or_default(),
        defects: fields
            .map("defects", |node| node.list()?.iter().map(DefectUse::read).collect::<Result<Vec<_>, _>>())?
            .unwrap_or_default(),
        errors: errors.unwrap_or_default(),
        name,
    })
}

fn protocol(node: &Node) -> Result<String, FileError> {
    let text = node.text()?;
    match text.parse::<ProtocolVersion>() {
        Ok(version) if version.to_string() == text => Ok(text.to_owned()),
        _ => Err(node.error(format!("`{text}` is not a protocol version")).help("write Major.Minor, such as \"1.0\"")),
    }
}

fn object(node: &Node) -> Result<Value, FileError> {
    node.entries().map(|_| node.json())
}

/// Credentials by security scheme; every scheme is one that the card declares.
fn accepts(node: &Node, card: Option<&Node>) -> Result<IndexMap<String, Vec<String>>, FileError> {
    let schemes = card.and_then(|card| card.get("securitySchemes")).map(Node::entries).transpose()?.unwrap_or_default();
    let read = |(name, place, value): &(String, Place, Node)| {
        if !schemes.iter().any(|(scheme, ..)| scheme == name) {
            let known = schemes.iter().map(|(scheme, ..)| scheme.as_str());
            return Err(place
                .error(format!("the card's `securitySchemes` do not declare `{name}`"))
                .help(help_for(name, known)));
        }
        let credentials = value.list()?.iter().map(|credential| credential.words().map(str::to_owned));
        Ok((name.clone(), credentials.collect::<Result<_, FileError>>()?))
    };
    node.entries()?.iter().map(read).collect()
}

fn skill(node: &Node) -> Result<Value, FileError> {
    match node.get("id") {
        Some(id) => id.words().and_then(|_| object(node)),
        None => node.entries().and_then(|_| Err(node.error("a skill needs an `id`"))),
    }
}

fn interface(node: &Node) -> Result<InterfaceSpec, FileError> {
    if matches!(node.kind, NodeKind::Str(_)) {
        return words::binding(node).map(InterfaceSpec::new);
    }
    let fields = Fields::of(node, "an interface", &["binding", "path", "tenant", "port", "ownListener"])?;
    let binding = words::binding(fields.required("binding")?)?;
    let path = fields.map("path", |node| match node.text()? {
        _ if binding == Binding::Grpc => {
            Err(node.error("a gRPC interface has no path").help("its methods have paths of their own"))
        }
        path if path.starts_with('/') && !path.ends_with('/') && !path.contains(['?', '#', ' ']) => Ok(path.to_owned()),
        path => Err(node
            .error(format!("`{path}` is not a path below the origin"))
            .help("write it with a slash in front and none behind, such as /rpc; leave it out for the root")),
    })?;
    Ok(InterfaceSpec {
        path: path.unwrap_or_default(),
        tenant: fields.map("tenant", |node| node.words().map(str::to_owned))?,
        port: fields.map("port", |node| {
            let port = node.integer(1, u16::MAX.into())?;
            Ok(u16::try_from(port).unwrap_or(u16::MAX))
        })?,
        own_listener: fields.map("ownListener", Node::boolean)?.unwrap_or_default(),
        binding,
    })
}

impl DefectUse {
    /// Reads `id`, or `id: { argument: value, when: { … } }`.
    ///
    /// # Errors
    /// When it is something else, or has unknown conditions.
    pub fn read(node: &Node) -> Result<Self, FileError> {
        let (id, place, value) = node.named()?;
        let mut defect = Self { id: id.to_owned(), arguments: Vec::new(), when: When::default(), place: place.clone() };
        defect.take(&value)?;
        Ok(defect)
    }

    /// A defect switched on outside a fleet file, such as by a step. `arguments_yaml` is a mapping, which may hold
    /// `when`, `when_yaml` the conditions alone; errors in them are reported at `place`, where the use stands.
    ///
    /// # Errors
    /// When either is not YAML, not a mapping, or has unknown conditions.
    pub fn parse(
        id: &str,
        arguments_yaml: Option<&str>,
        when_yaml: Option<&str>,
        place: Place,
    ) -> Result<Self, FileError> {
        let read = |yaml: &str| match yaml::parse(&place.file, yaml) {
            Ok(node) => Ok(node.moved_to(&place)),
            Err(error) => Err(FileError { place: place.clone(), ..error }),
        };
        let arguments = arguments_yaml.map(read).transpose()?;
        let when = when_yaml.map(read).transpose()?;
        let mut used = Self { id: id.to_owned(), arguments: Vec::new(), when: When::default(), place };
        if let Some(node) = arguments {
            used.take(&node)?;
        }
        if let Some(node) = when {
            used.when = words::when(&node)?;
        }
        Ok(used)
    }

    /// Takes arguments, and `when` among them.
    fn take(&mut self, mapping: &Node) -> Result<(), FileError> {
        for (key, _, value) in mapping.entries()? {
            match key.as_str() {
                "when" => self.when = words::when(value)?,
                _ => self.arguments.push((key.clone(), value.clone())),
            }
        }
        Ok(())
    }
}

impl Node {
    /// The same tree, all of it standing at `place`.
    fn moved_to(self, place: &Place) -> Self {
        let kind = match self.kind {
            NodeKind::Seq(items) => NodeKind::Seq(items.into_iter().map(|item| item.moved_to(place)).collect()),
            NodeKind::Map(entries) => NodeKind::Map(
                entries.into_iter().map(|(key, _, value)| (key, place.clone(), value.moved_to(place))).collect(),
            ),
            scalar => scalar,
        };
        Self { place: place.clone(), kind }
    }
}
