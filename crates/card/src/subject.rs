//! A card as rules look at it: the same views whatever the edition.

use crate::edition::Edition;
use crate::json::{Member, Node};
use crate::options::Options;

/// A card under judgement.
pub(crate) struct Subject<'n> {
    pub(crate) root: &'n Node<'n>,
    pub(crate) edition: Edition,
    pub(crate) options: &'n Options,
    pub(crate) interfaces: Vec<Interface<'n>>,
    pub(crate) schemes: Vec<Scheme<'n>>,
}

/// One address.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Interface<'n> {
    /// The object it stands in; for the main url of 0.3, the card.
    pub(crate) object: &'n Node<'n>,
    pub(crate) url: Option<&'n Node<'n>>,
    pub(crate) binding: Option<&'n Node<'n>>,
    pub(crate) version: Option<&'n Node<'n>>,
    pub(crate) tenant: Option<&'n Node<'n>>,
    /// Whether this is `url` at the top of a card of 0.3.
    pub(crate) main: bool,
}

/// One security scheme.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scheme<'n> {
    pub(crate) name: &'n str,
    /// What stands under the name.
    pub(crate) value: &'n Node<'n>,
    pub(crate) kind: Option<SchemeKind>,
    /// Where its members stand: below the member of the oneof in 1.0, beside `type` in 0.3.
    pub(crate) body: &'n Node<'n>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SchemeKind {
    ApiKey,
    Http,
    OAuth2,
    OpenId,
    MutualTls,
}

impl SchemeKind {
    /// The member of the oneof in 1.0, and the type in 0.3.
    pub(crate) const WORDS: [(Self, &'static str, &'static str); 5] = [
        (Self::ApiKey, "apiKeySecurityScheme", "apiKey"),
        (Self::Http, "httpAuthSecurityScheme", "http"),
        (Self::OAuth2, "oauth2SecurityScheme", "oauth2"),
        (Self::OpenId, "openIdConnectSecurityScheme", "openIdConnect"),
        (Self::MutualTls, "mtlsSecurityScheme", "mutualTLS"),
    ];
}

impl<'n> Subject<'n> {
    pub(crate) fn new(root: &'n Node<'n>, edition: Edition, options: &'n Options) -> Self {
        Self { root, edition, options, interfaces: interfaces(root, edition), schemes: schemes(root, edition) }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&'n Node<'n>> {
        self.root.get(name)
    }

    pub(crate) fn text(&self, name: &str) -> Option<&'n str> {
        self.get(name).and_then(|node| node.text())
    }

    /// The elements of a list of the card.
    pub(crate) fn items(&self, name: &str) -> &'n [Node<'n>] {
        self.get(name).map_or(&[], |node| node.items())
    }

    pub(crate) fn skills(&self) -> &'n [Node<'n>] {
        self.items("skills")
    }

    pub(crate) fn extensions(&self) -> &'n [Node<'n>] {
        self.get("capabilities").and_then(|node| node.get("extensions")).map_or(&[], |node| node.items())
    }

    /// Every list of media types: the defaults, and those of skills.
    pub(crate) fn mode_lists(&self) -> impl Iterator<Item = &'n Node<'n>> {
        let defaults = ["defaultInputModes", "defaultOutputModes"].into_iter().filter_map(|name| self.get(name));
        let of = |skill: &'n Node<'n>| ["inputModes", "outputModes"].into_iter().filter_map(|name| skill.get(name));
        defaults.chain(self.skills().iter().flat_map(of))
    }

    /// What security requirements name: the member whose key is a scheme, and the scopes below it.
    pub(crate) fn requirements(&self) -> impl Iterator<Item = &'n Member<'n>> {
        let current = self.edition.is_current();
        let list = if current { "securityRequirements" } else { "security" };
        let holders = std::iter::once(self.root).chain(self.skills());
        let each = holders.filter_map(move |holder| holder.get(list)).flat_map(|list| list.items());
        each.filter_map(move |item| if current { item.get("schemes") } else { Some(item) })
            .flat_map(|schemes| schemes.members())
    }

    pub(crate) fn scheme(&self, name: &str) -> Option<&Scheme<'n>> {
        self.schemes.iter().rev().find(|scheme| scheme.name == name)
    }

    /// The OAuth flows of all schemes: the name of the flow, and the flow.
    pub(crate) fn flows(&self) -> impl Iterator<Item = (&'static str, &'n Node<'n>)> {
        let flows = self.schemes.iter().filter(|scheme| scheme.kind == Some(SchemeKind::OAuth2));
        flows.filter_map(|scheme| scheme.body.get("flows")).flat_map(|flows| flows_of(flows))
    }
}

impl<'n> Scheme<'n> {
    /// Its flows, where it is an OAuth scheme.
    pub(crate) fn flows(&self) -> impl Iterator<Item = (&'static str, &'n Node<'n>)> {
        self.body.get("flows").into_iter().flat_map(|flows| flows_of(flows))
    }
}

fn flows_of<'n>(flows: &'n Node<'n>) -> impl Iterator<Item = (&'static str, &'n Node<'n>)> {
    flows
        .members()
        .iter()
        .filter(|member| !member.value.is_null())
        .filter_map(|member| Some((member.name?, &member.value)))
}

fn interfaces<'n>(root: &'n Node<'n>, edition: Edition) -> Vec<Interface<'n>> {
    if edition.is_current() {
        let entries = root.get("supportedInterfaces").map_or(&[][..], |list| list.items());
        return entries
            .iter()
            .map(|object| Interface {
                object,
                url: object.get("url"),
                binding: object.get("protocolBinding"),
                version: object.get("protocolVersion"),
                tenant: object.get("tenant"),
                main: false,
            })
            .collect();
    }
    let main = Interface {
        object: root,
        url: root.get("url"),
        binding: root.get("preferredTransport"),
        version: root.get("protocolVersion"),
        tenant: None,
        main: true,
    };
    let more = root.get("additionalInterfaces").map_or(&[][..], |list| list.items());
    let more = more.iter().map(|object| Interface {
        object,
        url: object.get("url"),
        binding: object.get("transport"),
        version: None,
        tenant: None,
        main: false,
    });
    std::iter::once(main).chain(more).collect()
}

fn schemes<'n>(root: &'n Node<'n>, edition: Edition) -> Vec<Scheme<'n>> {
    let members = root.get("securitySchemes").map_or(&[][..], |schemes| schemes.members());
    let scheme = |member: &'n Member<'n>| {
        let value = &member.value;
        let found = if edition.is_current() {
            let words = SchemeKind::WORDS.into_iter();
            words.filter_map(|(kind, word, _)| value.get(word).map(|body| (kind, body))).next()
        } else {
            let word = value.get("type").and_then(|word| word.text());
            SchemeKind::WORDS.into_iter().find(|(_, _, known)| Some(*known) == word).map(|(kind, ..)| (kind, value))
        };
        let (kind, body) = found.map_or((None, value), |(kind, body)| (Some(kind), body));
        Scheme { name: &member.key, value, kind, body }
    };
    members.iter().map(scheme).collect()
}
