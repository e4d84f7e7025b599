//! Which interface a request came in on, and which ones an orchestrator may choose from.

use gauntlet_evidence::contract::Delegation;
use gauntlet_evidence::{Exchange, InterfaceState, PeerState, Support};
use gauntlet_scenario::Fact;
use gauntlet_wire::{Binding, ProtocolVersion};

use super::View;

/// An interface: its index in the card and what the card says of it.
pub type Spot<'a> = (usize, &'a InterfaceState);

impl<'a> View<'a> {
    /// What is true of an interface because of the peer's defects.
    pub fn facts_at(&self, peer: &str, (index, interface): Spot<'_>) -> impl Iterator<Item = &'a Fact> + use<'a> {
        self.facts(peer).on(interface.binding, index)
    }

    /// Whether a fact holds on an interface.
    pub fn holds(&self, peer: &str, spot: Spot<'_>, fact: &Fact) -> bool {
        self.facts_at(peer, spot).any(|held| held == fact)
    }

    /// Whether nothing can be done over an interface.
    pub fn unusable(&self, peer: &str, spot: Spot<'_>) -> bool {
        self.facts_at(peer, spot).any(|fact| matches!(fact, Fact::InterfaceUnusable { .. }))
    }

    /// The interface a request came in on. Unset where the
    /// request fits none, such as one to a path that nobody declared.
    pub fn interface(&self, exchange: &Exchange<'_>) -> Option<Spot<'a>> {
        let binding = binding_of(exchange)?;
        let peer = self.evidence().peer(exchange.peer)?;
        let port = self.listeners.get(&exchange.entry.connection).and_then(|listener| port_of(listener));
        let tenant = exchange.request.tenant.as_deref().filter(|tenant| !tenant.is_empty());
        peer.interfaces
            .iter()
            .enumerate()
            .filter(|(_, interface)| interface.binding == binding)
            .filter(|(_, interface)| port.is_none() || port == port_of(authority(&interface.url)))
            .filter(|(_, interface)| binding == Binding::Grpc || below(interface, exchange).is_some())
            // Of several that fit, the deepest path, then the tenant, then the order of the card decide.
            .min_by_key(|(index, interface)| {
                let depth = path_of(&interface.url).len();
                (std::cmp::Reverse(depth), interface.tenant.as_deref() != tenant, *index)
            })
    }

    /// The interfaces of a peer that the orchestrator speaks and the delegation allows, in the order of the card.
    pub fn candidates(&self, delegation: &Delegation, peer: &'a PeerState) -> Vec<Spot<'a>> {
        let allowed = |binding| match &delegation.allowed_bindings {
            Some(allowed) if self.supports(Support::Needs) => allowed.contains(&binding),
            _ => true,
        };
        let interfaces = peer.interfaces.iter().enumerate();
        interfaces.filter(|(_, interface)| self.speaks(interface) && allowed(interface.binding)).collect()
    }

    /// Whether the orchestrator speaks binding and version of an interface; a patch number changes nothing.
    pub fn speaks(&self, interface: &InterfaceState) -> bool {
        let spoken =
            |version: ProtocolVersion| self.hello().speaks.versions.iter().any(|spoken| spoken.parse() == Ok(version));
        self.hello().speaks(interface.binding) && interface.version.parse().is_ok_and(spoken)
    }
}

/// The binding a request was made in: what the peer says, or else what its form shows.
pub fn binding_of(exchange: &Exchange<'_>) -> Option<Binding> {
    let request = exchange.request;
    request.binding.or_else(|| {
        if request.header("content-type").is_some_and(|media| media.starts_with("application/grpc")) {
            return Some(Binding::Grpc);
        }
        let body = request.body.text().filter(|text| !text.is_empty())?;
        let json: serde_json::Value = serde_json::from_str(body).ok()?;
        Some(if json.get("jsonrpc").is_some() { Binding::JsonRpc } else { Binding::HttpJson })
    })
}

/// The path of a request below the path of an interface, query left out; `""` or `/…`.
pub fn below<'x>(interface: &InterfaceState, exchange: &'x Exchange<'_>) -> Option<&'x str> {
    let path = exchange.request.path.split(['?', '#']).next().unwrap_or_default();
    let rest = path.strip_prefix(path_of(&interface.url).trim_end_matches('/'))?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// Host and port of a URL, or of an address without a scheme.
pub fn authority(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

fn path_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find('/').map_or("", |at| &rest[at..]).split(['?', '#']).next().unwrap_or_default()
}

fn port_of(authority: &str) -> Option<u16> {
    authority.rsplit_once(':')?.1.parse().ok()
}
