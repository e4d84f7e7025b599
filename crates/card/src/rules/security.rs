//! Layer capability: security schemes, what asks for them, and where their tokens come from.

use serde_json::json;

use super::{Editions, Judge, Rule};
use crate::address::{Reach, WebUrl};
use crate::generate::Break;
use crate::json::{Data, Node};
use crate::report::Severity;
use crate::subject::{SchemeKind, Subject};

pub(super) static RULES: &[Rule] = &[
    Rule {
        id: "security-scheme-declared",
        statement: "Security requirements name schemes that the card declares.",
        why: "A caller cannot meet a requirement that nothing describes: the agent can be used by nobody.",
        fix: "declare the scheme in securitySchemes, or name one that is there",
        source: "spec §4.5, §7.3",
        judge: Judge::Card(|card, tell| {
            for member in card.requirements().filter(|member| card.scheme(&member.key).is_none()) {
                let declared: Vec<&str> = card.schemes.iter().map(|scheme| scheme.name).collect();
                let help = match declared.is_empty() {
                    true => "declare it in securitySchemes: there are none".to_owned(),
                    false => format!("declare it in securitySchemes, or name one of {}", declared.join(", ")),
                };
                tell.key(member, format!("there is no scheme `{}`", member.key)).help(help).done();
            }
        }),
        breaks: &[
            Break::current("card", |specimen| {
                let requirement =
                    specimen.push("/securityRequirements", json!({ "schemes": { "no-such": { "list": [] } } }));
                format!("{requirement}/schemes/no-such")
            }),
            Break::current("skill", |specimen| {
                let list = format!("{}/securityRequirements", specimen.skill());
                let requirement = specimen.push(&list, json!({ "schemes": { "no-such": {} } }));
                format!("{requirement}/schemes/no-such")
            }),
            Break::legacy("security", |specimen| {
                format!("{}/no-such", specimen.push("/security", json!({ "no-such": [] })))
            }),
        ],
        ..Rule::CAPABILITY
    },
    Rule {
        id: "security-scheme-kind",
        editions: Editions::Current,
        statement: "A security scheme says of which kind it is.",
        why: "What is empty, or written in the style of OpenAPI as in 0.3, tells callers nothing.",
        fix: "put its members below apiKeySecurityScheme, httpAuthSecurityScheme, oauth2SecurityScheme, \
              openIdConnectSecurityScheme or mtlsSecurityScheme",
        source: "spec §4.5.1",
        judge: Judge::Card(|card, tell| {
            for scheme in &card.schemes {
                if scheme.kind.is_none()
                    && scheme.value.members().is_empty()
                    && matches!(scheme.value.data, Data::Object(_))
                {
                    tell.at(scheme.value, format!("the scheme `{}` is of no kind", scheme.name)).done();
                }
            }
        }),
        breaks: &[Break::current("empty", |specimen| {
            specimen.at("/securitySchemes", || json!({}));
            specimen.put("/securitySchemes/of-no-kind", json!({}))
        })],
        ..Rule::CAPABILITY
    },
    Rule {
        id: "security-scheme-members",
        editions: Editions::Legacy,
        statement: "A security scheme of 0.3 has the members of its type.",
        why: "Without them callers do not know how to use it.",
        fix: "add what the type needs: apiKey `in` and `name`, http `scheme`, oauth2 `flows`, openIdConnect `openIdConnectUrl`",
        source: "spec 0.3 §5.5.3",
        judge: Judge::Card(|card, tell| {
            for scheme in &card.schemes {
                let members: &[&str] = match scheme.kind {
                    Some(SchemeKind::ApiKey) => &["in", "name"],
                    Some(SchemeKind::Http) => &["scheme"],
                    Some(SchemeKind::OAuth2) => &["flows"],
                    Some(SchemeKind::OpenId) => &["openIdConnectUrl"],
                    Some(SchemeKind::MutualTls) | None => &[],
                };
                for name in members.iter().filter(|name| scheme.body.key(name).is_none()) {
                    tell.missing(scheme.body, name, format!("the scheme `{}` lacks `{name}`", scheme.name)).done();
                }
            }
        }),
        breaks: &[
            Break::legacy("api-key", |specimen| {
                format!("{}/name", specimen.scheme("apiKeySecurityScheme", json!({ "in": "header" })))
            }),
            Break::legacy("oauth2", |specimen| format!("{}/flows", specimen.scheme("oauth2SecurityScheme", json!({})))),
        ],
        ..Rule::CAPABILITY
    },
    Rule {
        id: "api-key-location",
        editions: Editions::Current,
        statement: "An API key goes into a header, a query parameter or a cookie.",
        why: "Callers know no other place.",
        fix: "write header, query or cookie",
        source: "spec §4.5.2",
        judge: Judge::Card(|card, tell| {
            let keys = card.schemes.iter().filter(|scheme| scheme.kind == Some(SchemeKind::ApiKey));
            for node in keys.filter_map(|scheme| scheme.body.get("location")) {
                let Some(location) = node.text().filter(|location| !location.trim().is_empty()) else { continue };
                if !["header", "query", "cookie"].contains(&location) {
                    tell.at(node, format!("`{location}` is no place for a key")).done();
                }
            }
        }),
        breaks: &[Break::current("body", |specimen| {
            let location = specimen.draw.pick(&["body", "Header", "path"]);
            let scheme = specimen.scheme("apiKeySecurityScheme", json!({ "location": location, "name": "X-Key" }));
            format!("{scheme}/location")
        })],
        ..Rule::CAPABILITY
    },
    Rule {
        id: "oauth2-flow",
        statement: "An OAuth 2.0 scheme has a flow.",
        why: "A caller that is told `oauth2` and nothing else has to guess where tokens come from; two agents that say the \
              same mean different things.",
        fix: "add the flow: authorizationCode, clientCredentials or deviceCode",
        source: "spec §4.5.7; seed: mismatch",
        judge: Judge::Card(|card, tell| {
            let flows = card.schemes.iter().filter(|scheme| scheme.kind == Some(SchemeKind::OAuth2));
            for flows in flows.filter_map(|scheme| scheme.body.get("flows")) {
                // What is there and unknown is told of by the schema.
                if flows.members().is_empty() && matches!(flows.data, Data::Object(_)) {
                    tell.at(flows, "there is no flow").done();
                }
            }
        }),
        breaks: &[Break::edit("none", |specimen| {
            format!("{}/flows", specimen.scheme("oauth2SecurityScheme", json!({ "flows": {} })))
        })],
        ..Rule::CAPABILITY
    },
    Rule {
        id: "oauth2-flow-deprecated",
        severity: Severity::Note,
        editions: Editions::Current,
        statement: "OAuth flows are those that OAuth 2.1 kept.",
        why: "The implicit and the password flow hand tokens and passwords to places that should not see them.",
        fix: "use authorizationCode with PKCE, or deviceCode",
        source: "spec §4.5.7",
        judge: Judge::Card(|card, tell| {
            for (name, flow) in card.flows().filter(|(name, _)| ["implicit", "password"].contains(name)) {
                tell.at(flow, format!("the {name} flow is deprecated")).done();
            }
        }),
        breaks: &[Break::current("implicit", |specimen| {
            specimen.flow("implicit", json!({ "authorizationUrl": "https://id.example.com/authorize", "scopes": {} }))
        })],
        ..Rule::CAPABILITY
    },
    Rule {
        id: "security-url-https",
        statement: "Urls that credentials are sent to are absolute and https, unless they are on this machine.",
        why: "OAuth and OpenID Connect are only as good as TLS: who can change the answer can take the token.",
        fix: "write the whole url, with https://",
        source: "spec §4.5.4–4.5.10; RFC 6749 §3.1",
        judge: Judge::Card(|card, tell| {
            for node in urls(card) {
                let Some(text) = node.text().filter(|text| !text.trim().is_empty()) else { continue };
                match WebUrl::read(text) {
                    Err(why) => tell.at(node, format!("`{text}` is no address: {why}")).done(),
                    Ok(url) if !url.secure && url.reach() != Reach::Loopback => {
                        tell.at(node, format!("`{text}` is not encrypted")).done();
                    }
                    Ok(_) => {}
                }
            }
        }),
        breaks: &[
            Break::edit("token-url", |specimen| {
                let url = specimen.draw.pick(&["http://id.example.com/token", "/token", "id.example.com"]);
                let flow = specimen.flow("clientCredentials", json!({ "tokenUrl": url, "scopes": {} }));
                format!("{flow}/tokenUrl")
            }),
            Break::edit("openid", |specimen| {
                let url = "http://id.example.com/.well-known/openid-configuration";
                let scheme = specimen.scheme("openIdConnectSecurityScheme", json!({ "openIdConnectUrl": url }));
                format!("{scheme}/openIdConnectUrl")
            }),
            Break::edit("refresh-url", |specimen| {
                let flow = json!({ "tokenUrl": "https://id.example.com/token", "refreshUrl": "http://id.example.com/token", "scopes": {} });
                format!("{}/refreshUrl", specimen.flow("clientCredentials", flow))
            }),
        ],
        ..Rule::CAPABILITY
    },
    Rule {
        id: "oauth2-scope-declared",
        severity: Severity::Warning,
        statement: "Scopes that a requirement asks for are among those that the scheme's flows list.",
        why: "Callers ask the token server for scopes that it does not know, and get an error or less than they need.",
        fix: "list the scope in the flow, or take it out of the requirement",
        source: "spec §4.5",
        judge: Judge::Card(|card, tell| {
            for member in card.requirements() {
                let Some(scheme) = card.scheme(&member.key).filter(|scheme| scheme.flows().next().is_some()) else {
                    continue;
                };
                let known = |scope: &str| {
                    scheme.flows().filter_map(|(_, flow)| flow.get("scopes")).any(|scopes| scopes.key(scope).is_some())
                };
                // In 1.0 the scopes stand below `list`.
                let scopes = if card.edition.is_current() { member.value.get("list") } else { Some(&member.value) };
                for node in scopes.into_iter().flat_map(|scopes| scopes.items()) {
                    if let Some(scope) = node.text().filter(|scope| !known(scope)) {
                        tell.at(node, format!("no flow of `{}` lists the scope `{scope}`", member.key)).done();
                    }
                }
            }
        }),
        breaks: &[
            Break::current("unlisted", |specimen| {
                let flow = json!({ "tokenUrl": "https://id.example.com/token", "scopes": { "read": "Read" } });
                specimen.flow("clientCredentials", flow);
                let requirement = specimen
                    .push("/securityRequirements", json!({ "schemes": { "specimen": { "list": ["read", "write"] } } }));
                format!("{requirement}/schemes/specimen/list/1")
            }),
            Break::legacy("unlisted-scope", |specimen| {
                let flow = json!({ "tokenUrl": "https://id.example.com/token", "scopes": {} });
                specimen.flow("clientCredentials", flow);
                format!("{}/specimen/0", specimen.push("/security", json!({ "specimen": ["write"] })))
            }),
        ],
        ..Rule::CAPABILITY
    },
    Rule {
        id: "extended-card-security",
        severity: Severity::Warning,
        statement: "A card that offers an extended card declares how callers authenticate.",
        why: "The extended card is for authenticated callers; without a scheme nobody can become one.",
        fix: "declare a security scheme, or take the flag out",
        source: "spec §3.1.11",
        judge: Judge::Card(|card, tell| {
            let flag = match card.edition.is_current() {
                true => card.get("capabilities").and_then(|capabilities| capabilities.get("extendedAgentCard")),
                false => card.get("supportsAuthenticatedExtendedCard"),
            };
            let undeclared = card
                .get("securitySchemes")
                .is_none_or(|schemes| matches!(schemes.data, Data::Object(_)) && schemes.members().is_empty());
            if let Some(flag) = flag.filter(|flag| flag.flag() == Some(true) && undeclared) {
                tell.at(flag, "an extended card is offered, and no security scheme is declared").done();
            }
        }),
        breaks: &[
            Break::current("no-scheme", |specimen| {
                without_security(specimen);
                specimen.put("/capabilities/extendedAgentCard", true)
            }),
            Break::legacy("no-scheme-at-all", |specimen| {
                without_security(specimen);
                specimen.put("/supportsAuthenticatedExtendedCard", true)
            }),
        ],
        ..Rule::CAPABILITY
    },
];

/// Takes the schemes and all that asks for them away.
fn without_security(specimen: &mut crate::generate::Specimen<'_, '_>) {
    let skills = specimen.card["skills"].as_array().map_or(0, Vec::len);
    let holders = (0..skills).map(|index| format!("/skills/{index}")).chain([String::new()]);
    for holder in holders {
        specimen.remove(&format!("{holder}/security"));
        specimen.remove(&format!("{holder}/securityRequirements"));
    }
    specimen.remove("/securitySchemes");
}

/// Every url of every scheme.
fn urls<'n>(card: &Subject<'n>) -> impl Iterator<Item = &'n Node<'n>> {
    const OF_FLOWS: [&str; 4] = ["authorizationUrl", "tokenUrl", "refreshUrl", "deviceAuthorizationUrl"];
    let of_flows = card.flows().flat_map(|(_, flow)| OF_FLOWS.into_iter().filter_map(|name| flow.get(name)));
    let of_schemes = card.schemes.iter().flat_map(|scheme| {
        ["openIdConnectUrl", "oauth2MetadataUrl"].into_iter().filter_map(|name| scheme.body.get(name))
    });
    of_flows.chain(of_schemes)
}
