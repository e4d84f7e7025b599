//! Valid cards: every member of every message, every member of every oneof, and values that are odd and legal.

use serde_json::{Map, Value, json};

use super::Draw;
use super::words::{HOSTS, MODES, NAMES, PATHS, SCOPES, SENTENCES, TAGS};
use crate::edition::Edition;
use crate::signature::{PROTECTED_SAMPLE, SIGNATURE_SAMPLE};

/// A card that is valid in an edition, [`Edition::V1_0`] or [`Edition::V0_3`], in every layer and without a warning.
pub fn card(edition: Edition, draw: &mut Draw<'_>) -> Value {
    Builder { draw, legacy: !edition.is_current(), serial: 0 }.card()
}

struct Builder<'b, 'd> {
    draw: &'b mut Draw<'d>,
    legacy: bool,
    /// Makes ids and urls differ.
    serial: u32,
}

impl Builder<'_, '_> {
    fn card(&mut self) -> Value {
        let schemes = self.schemes();
        let mut card = Map::new();
        card.insert("name".into(), self.draw.pick(&NAMES).into());
        card.insert("description".into(), self.text().into());
        card.insert("version".into(), self.draw.pick(&["1.0.3", "0.1.0", "2026.11", "v7-beta+build.5", "1"]).into());
        if self.legacy {
            self.legacy_interfaces(&mut card);
        } else {
            card.insert("supportedInterfaces".into(), self.interfaces());
        }
        if self.draw.chance(50) {
            card.insert("provider".into(), json!({ "organization": self.draw.pick(&NAMES), "url": self.link() }));
        }
        for link in ["documentationUrl", "iconUrl"] {
            if self.draw.chance(30) {
                card.insert(link.into(), self.link().into());
            }
        }
        card.insert("capabilities".into(), self.capabilities(!schemes.is_empty()));
        card.insert("defaultInputModes".into(), self.modes().into());
        card.insert("defaultOutputModes".into(), self.modes().into());
        card.insert("skills".into(), self.skills(&schemes));
        if self.legacy && !schemes.is_empty() && self.draw.chance(30) {
            card.insert("supportsAuthenticatedExtendedCard".into(), true.into());
        }
        let name = if self.legacy { "security" } else { "securityRequirements" };
        if let Some(requirements) = self.requirements(&schemes) {
            card.insert(name.into(), requirements);
        }
        if !schemes.is_empty() || self.draw.chance(10) {
            card.insert("securitySchemes".into(), schemes.into());
        }
        if self.draw.chance(25) {
            card.insert("signatures".into(), self.signatures());
        }
        card.into()
    }

    fn text(&mut self) -> String {
        let sentence = self.draw.pick(&SENTENCES);
        // Long texts are legal, and rare.
        if self.draw.chance(2) { sentence.repeat(200) } else { sentence.to_owned() }
    }

    fn link(&mut self) -> String {
        format!("https://{}{}", self.draw.pick(&HOSTS), self.draw.pick(&PATHS))
    }

    fn next(&mut self) -> u32 {
        self.serial += 1;
        self.serial
    }

    /// Several of a list, each once, in the order of the list from anywhere on.
    fn some<'t>(&mut self, of: &'t [&'t str], most: u32) -> Vec<&'t str> {
        let (begin, count) = (self.draw.index(of.len()), self.draw.between(1, most));
        of.iter().cycle().skip(begin).take((count as usize).min(of.len())).copied().collect()
    }

    fn modes(&mut self) -> Vec<&'static str> {
        self.some(&MODES, 4)
    }

    /// An address over HTTP that no other interface of the card has.
    fn web(&mut self) -> String {
        let serial = self.next();
        match self.draw.below(8) {
            6 => format!("http://127.0.0.1:{}/a2a", 40000 + serial),
            7 => format!("http://localhost:{}", 40000 + serial),
            _ => format!("https://{}:{}{}", self.draw.pick(&HOSTS), 8000 + serial, self.draw.pick(&PATHS)),
        }
    }

    fn authority(&mut self) -> String {
        let serial = self.next();
        format!("{}:{}", self.draw.pick(&["grpc.example.com", "127.0.0.1", "[::1]", "localhost"]), 50000 + serial)
    }

    fn interfaces(&mut self) -> Value {
        let count = self.draw.between(1, 4);
        (0..count).map(|_| self.interface()).collect()
    }

    fn interface(&mut self) -> Value {
        let (binding, url) = match self.draw.below(8) {
            0..3 => ("JSONRPC", self.web()),
            3 | 4 => ("HTTP+JSON", self.web()),
            5 | 6 => ("GRPC", self.authority()),
            _ => (
                "https://example.com/bindings/websocket/v1",
                format!("wss://agents.example.com:{}/a2a", 9000 + self.next()),
            ),
        };
        let version = self.draw.pick(&["1.0", "1.0", "1.0", "0.3"]);
        let mut interface = json!({ "url": url, "protocolBinding": binding, "protocolVersion": version });
        if self.draw.chance(25) {
            interface["tenant"] = self.draw.pick(&["acme", "", "t-1_2.3"]).into();
        }
        interface
    }

    fn legacy_interfaces(&mut self, card: &mut Map<String, Value>) {
        let transport = self.draw.pick(&["JSONRPC", "HTTP+JSON", "GRPC"]);
        let url = self.web();
        card.insert("protocolVersion".into(), self.draw.pick(&["0.3.0", "0.3"]).into());
        card.insert("url".into(), url.clone().into());
        card.insert("preferredTransport".into(), transport.into());
        if self.draw.chance(50) {
            let mut interfaces = vec![json!({ "url": url, "transport": transport })];
            for _ in 0..self.draw.below(3) {
                let transport = self.draw.pick(&["JSONRPC", "HTTP+JSON", "GRPC"]);
                interfaces.push(json!({ "url": self.web(), "transport": transport }));
            }
            card.insert("additionalInterfaces".into(), interfaces.into());
        }
    }

    fn capabilities(&mut self, secured: bool) -> Value {
        let mut capabilities = Map::new();
        let mut flags = vec!["streaming", "pushNotifications"];
        flags.extend(self.legacy.then_some("stateTransitionHistory"));
        for flag in flags {
            if self.draw.chance(70) {
                capabilities.insert(flag.into(), self.draw.chance(50).into());
            }
        }
        if !self.legacy && self.draw.chance(40) {
            capabilities.insert("extendedAgentCard".into(), (secured && self.draw.chance(50)).into());
        }
        if self.draw.chance(30) {
            let count = self.draw.below(3);
            capabilities.insert("extensions".into(), (0..count).map(|_| self.extension()).collect());
        }
        capabilities.into()
    }

    fn extension(&mut self) -> Value {
        let serial = self.next();
        let mut extension = json!({ "uri": format!("https://example.com/extensions/{serial}") });
        if self.draw.chance(50) {
            extension["description"] = self.text().into();
        }
        if self.draw.chance(50) {
            extension["required"] = self.draw.chance(30).into();
        }
        if self.draw.chance(50) {
            extension["params"] = self.draw.pick(&[0, 1, 2, 3]).into();
            extension["params"] = match extension["params"].as_i64() {
                Some(1) => json!({ "limit": 5, "ratio": 0.25, "large": 1e300, "below": -7 }),
                Some(2) => json!({ "deep": [[[{ "null": null, "flag": true }]], {}], "": "empty key", "a/b~c": "" }),
                Some(3) => json!({ "snake_case": 1, "url": "not://checked", "ключ": "значение" }),
                _ => json!({}),
            };
        }
        extension
    }

    fn skills(&mut self, schemes: &Map<String, Value>) -> Value {
        let count = self.draw.between(1, 4);
        (0..count).map(|index| self.skill(index, schemes)).collect()
    }

    fn skill(&mut self, index: u32, schemes: &Map<String, Value>) -> Value {
        let mut skill = json!({
            "id": format!("{}-{index}", self.draw.pick(&["skill", "classify", "план", "a/b~c"])),
            "name": self.draw.pick(&NAMES),
            "description": self.text(),
            "tags": self.some(&TAGS, 5),
        });
        if self.draw.chance(50) {
            let count = self.draw.below(4);
            skill["examples"] = (0..count).map(|_| Value::from(self.draw.pick(&SENTENCES))).collect();
        }
        for list in ["inputModes", "outputModes"] {
            if self.draw.chance(30) {
                skill[list] = if self.draw.chance(20) { json!([]) } else { self.modes().into() };
            }
        }
        let name = if self.legacy { "security" } else { "securityRequirements" };
        if let Some(requirements) = self.requirements(schemes) {
            skill[name] = requirements;
        }
        skill
    }

    /// Alternatives of schemes that are declared, with scopes that their flows list.
    fn requirements(&mut self, schemes: &Map<String, Value>) -> Option<Value> {
        if !self.draw.chance(40) {
            return None;
        }
        let alternatives = if schemes.is_empty() { 0 } else { self.draw.below(3) };
        let mut list = Vec::new();
        for _ in 0..alternatives {
            let mut named = Map::new();
            let begin = self.draw.index(schemes.len());
            let count = self.draw.between(1, 2) as usize;
            for (name, scheme) in schemes.iter().skip(begin).take(count) {
                let scopes = scopes_of(scheme);
                let scopes: Vec<&str> = if self.draw.chance(50) { scopes } else { Vec::new() };
                named.insert(name.clone(), if self.legacy { json!(scopes) } else { json!({ "list": scopes }) });
            }
            list.push(if self.legacy { Value::Object(named) } else { json!({ "schemes": named }) });
        }
        Some(list.into())
    }

    fn schemes(&mut self) -> Map<String, Value> {
        let mut schemes = Map::new();
        for _ in 0..self.draw.below(4) {
            let serial = self.next();
            let name = format!("{}{serial}", self.draw.pick(&["scheme", "key/slash~", "ключ"]));
            let scheme = self.scheme();
            schemes.insert(name, scheme);
        }
        schemes
    }

    fn scheme(&mut self) -> Value {
        let description = self.draw.chance(30).then(|| self.text());
        let (member, kind, mut body) = match self.draw.below(7) {
            0 => {
                ("httpAuthSecurityScheme", "http", json!({ "scheme": self.draw.pick(&["Bearer", "bearer", "Basic"]) }))
            }
            1 => ("httpAuthSecurityScheme", "http", json!({ "scheme": "Bearer", "bearerFormat": "JWT" })),
            2 => {
                let place = if self.legacy { "in" } else { "location" };
                let location = self.draw.pick(&["header", "query", "cookie"]);
                ("apiKeySecurityScheme", "apiKey", json!({ place: location, "name": "X-Key" }))
            }
            3 => {
                let url = "https://id.example.com/.well-known/openid-configuration";
                ("openIdConnectSecurityScheme", "openIdConnect", json!({ "openIdConnectUrl": url }))
            }
            4 => ("mtlsSecurityScheme", "mutualTLS", json!({})),
            _ => {
                let mut body = json!({ "flows": self.flows() });
                if self.draw.chance(30) {
                    body["oauth2MetadataUrl"] = "https://id.example.com/.well-known/oauth-authorization-server".into();
                }
                ("oauth2SecurityScheme", "oauth2", body)
            }
        };
        if let Some(description) = description {
            body["description"] = description.into();
        }
        if self.legacy {
            body["type"] = kind.into();
            return body;
        }
        json!({ member: body })
    }

    fn flows(&mut self) -> Value {
        let mut scopes = Map::new();
        if self.draw.chance(60) {
            for scope in self.some(&SCOPES, 3) {
                scopes.insert(scope.to_owned(), self.draw.pick(&["", "What it is good for", "作業"]).into());
            }
        }
        let mut flow = json!({ "scopes": scopes });
        let (authorize, token) = ("https://id.example.com/authorize", "https://id.example.com/token");
        let name = match self.draw.below(5) {
            0 => {
                flow["tokenUrl"] = token.into();
                "clientCredentials"
            }
            1 => {
                flow["authorizationUrl"] = authorize.into();
                flow["tokenUrl"] = token.into();
                if !self.legacy && self.draw.chance(50) {
                    flow["pkceRequired"] = self.draw.chance(70).into();
                }
                "authorizationCode"
            }
            2 if !self.legacy => {
                flow["deviceAuthorizationUrl"] = "https://id.example.com/device".into();
                flow["tokenUrl"] = token.into();
                "deviceCode"
            }
            3 => {
                flow["authorizationUrl"] = authorize.into();
                "implicit"
            }
            _ => {
                flow["tokenUrl"] = token.into();
                "password"
            }
        };
        if self.draw.chance(30) {
            flow["refreshUrl"] = "http://127.0.0.1:8080/refresh".into();
        }
        json!({ name: flow })
    }

    fn signatures(&mut self) -> Value {
        let count = self.draw.below(3);
        let one = |draw: &mut Draw<'_>| {
            let mut signature = json!({ "protected": PROTECTED_SAMPLE, "signature": SIGNATURE_SAMPLE });
            if draw.chance(30) {
                signature["header"] = json!({ "x5c": ["MIIB"], "note": "" });
            }
            signature
        };
        (0..count).map(|_| one(self.draw)).collect()
    }
}

/// The scopes that any flow of a scheme lists.
fn scopes_of(scheme: &Value) -> Vec<&str> {
    let body = scheme.get("oauth2SecurityScheme").unwrap_or(scheme);
    let flows = body["flows"].as_object().into_iter().flat_map(Map::values);
    flows.filter_map(|flow| flow["scopes"].as_object()).flat_map(Map::keys).map(String::as_str).collect()
}
