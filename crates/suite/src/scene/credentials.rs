//! The caller's credentials, once the fleet has started: where they hold, and where tokens are obtained.

use std::collections::BTreeMap;

use gauntlet_evidence::Support;
use gauntlet_evidence::contract::PeerAddress;
use gauntlet_fleet::Fleet;
use serde_json::{Value, json};

use super::Scene;

impl Scene {
    /// What a delegation is given. Tokens are obtained by the orchestrator where it does that, or else for it.
    pub(super) fn credentials(&self) -> BTreeMap<String, Vec<Value>> {
        let mut credentials = self.work.credentials.clone();
        let Some(fleet) = &self.fleet else { return credentials };
        for (peer, given) in &mut credentials {
            let origins = self.origins(fleet, peer);
            for credential in given {
                credential["origins"] = json!(origins);
                if credential["scheme"] == "oauth2" {
                    self.complete(fleet, peer, credential);
                }
            }
        }
        credentials
    }

    /// Whether the driver takes the kinds of credentials that are given for these peers.
    pub(super) fn takes_credentials(&mut self, peers: &[PeerAddress]) -> bool {
        let given = peers.iter().filter_map(|peer| self.work.credentials.get(&peer.name)).flatten();
        let wanted = given.filter_map(|credential| match credential["scheme"].as_str() {
            // Where it obtains none itself, it is given a token.
            Some("oauth2") if self.setting.hello.supports(Support::OAuth2) => None,
            Some("bearer" | "oauth2") => Some(Support::Bearer),
            Some("apiKey") => Some(Support::ApiKey),
            Some("basic") => Some(Support::Basic),
            _ => None,
        });
        let wanted: Vec<Support> = wanted.collect();
        wanted.into_iter().all(|support| self.require(support))
    }

    fn complete(&self, fleet: &Fleet, peer: &str, credential: &mut Value) {
        let Some(server) =
            self.peers.iter().find(|known| known.name == peer).and_then(|peer| peer.token_server.as_ref())
        else {
            return;
        };
        if self.setting.hello.supports(Support::OAuth2) {
            credential["tokenUrl"] = json!(fleet.token_url(peer));
            credential["clientId"] = json!(server.client_id);
            credential["clientSecret"] = json!(server.client_secret);
        } else {
            let scopes: Vec<String> = serde_json::from_value(credential["scopes"].clone()).unwrap_or_default();
            credential["token"] = json!(fleet.issue_token(peer, &scopes, credential["audience"].as_str()));
        }
    }

    /// Where a peer is.
    fn origins(&self, fleet: &Fleet, peer: &str) -> Vec<String> {
        let card = fleet.addresses().into_iter().find(|address| address.name == peer).map(|address| address.base_url);
        let mut origins: Vec<String> = card.into_iter().collect();
        if self.work.at_card_origin.contains(peer) {
            return origins;
        }
        let states = fleet.states();
        let interfaces = states.iter().filter(|state| state.name == peer).flat_map(|state| &state.interfaces);
        for interface in interfaces {
            let rest = interface.url.split_once("://").map_or(interface.url.as_str(), |(_, rest)| rest);
            let origin = format!("http://{}", rest.split('/').next().unwrap_or(rest));
            if !origins.contains(&origin) {
                origins.push(origin);
            }
        }
        origins
    }
}
