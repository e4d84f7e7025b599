//! Layer spec: members that the specification requires. A row of the table is a rule; it says which members of which
//! shapes it is about, and the shapes look themselves up.

use serde_json::json;

use super::{Callers, Rule};
use crate::generate::{Break, Specimen};

/// The rule that requires a member, `field` of `shape`.
pub(crate) fn for_field(shape: &str, field: &str) -> Option<&'static Rule> {
    let row = TABLE.iter().position(|members| members.iter().any(|(of, name)| *of == shape && *name == field));
    let rule = row.map_or_else(|| RULES.iter().find(|rule| rule.id == PAYLOAD), |row| RULES.get(row));
    // Payloads are not listed one by one.
    rule.filter(|rule| rule.id != PAYLOAD || !CARD_SHAPES.contains(&shape))
}

const PAYLOAD: &str = "required";

/// The shapes that cards are made of: each of their required members has a row.
const CARD_SHAPES: &[&str] = &[
    "AgentCard",
    "AgentInterface",
    "AgentProvider",
    "AgentCapabilities",
    "AgentExtension",
    "AgentSkill",
    "AgentCardSignature",
    "SecurityRequirement",
    "SecurityScheme",
    "APIKeySecurityScheme",
    "HTTPAuthSecurityScheme",
    "OAuth2SecurityScheme",
    "OpenIdConnectSecurityScheme",
    "MutualTlsSecurityScheme",
    "OAuthFlows",
    "AuthorizationCodeOAuthFlow",
    "ClientCredentialsOAuthFlow",
    "ImplicitOAuthFlow",
    "PasswordOAuthFlow",
    "DeviceCodeOAuthFlow",
];

const REQUIRED: Rule = Rule {
    callers: Callers::Refuse,
    why: "The specification requires it, and typed callers refuse cards without it. Empty strings and empty lists count as \
          missing (spec §5.7), though most schema validators let them pass.",
    source: "spec §4.4, §5.7",
    ..Rule::SPEC
};

/// A row: the id, what is required, how to mend it, the members it is about, and how it is broken.
macro_rules! table {
    ($($id:literal $statement:literal $fix:literal [$($shape:literal . $field:literal),+] $breaks:expr;)+) => {
        const TABLE: &[&[(&str, &str)]] = &[$(&[$(($shape, $field)),+]),+];
        pub(super) static RULES: &[Rule] = &[
            $(Rule { id: $id, statement: $statement, fix: $fix, breaks: $breaks, ..REQUIRED },)+
            Rule {
                id: PAYLOAD,
                statement: "A payload has every member that the specification requires, and none of them empty.",
                fix: "add it",
                ..REQUIRED
            },
        ];
    };
}

fn bare(specimen: &mut Specimen<'_, '_>, kind: &str, lacking: &str) -> String {
    let body = match kind {
        "apiKeySecurityScheme" if specimen.legacy => json!({ "in": "header", "name": "X-Key" }),
        "apiKeySecurityScheme" => json!({ "location": "header", "name": "X-Key" }),
        "httpAuthSecurityScheme" => json!({ "scheme": "Bearer" }),
        "openIdConnectSecurityScheme" => {
            json!({ "openIdConnectUrl": "https://id.example.com/.well-known/openid-configuration" })
        }
        _ => json!({ "flows": {} }),
    };
    let scheme = specimen.scheme(kind, body);
    specimen.remove(&format!("{scheme}/{lacking}"))
}

fn flow(specimen: &mut Specimen<'_, '_>, flow: &str, lacking: &str) -> String {
    let mut body = json!({ "tokenUrl": "https://id.example.com/token", "scopes": {} });
    match flow {
        "authorizationCode" => body["authorizationUrl"] = "https://id.example.com/authorize".into(),
        "deviceCode" => body["deviceAuthorizationUrl"] = "https://id.example.com/device".into(),
        _ => {}
    }
    let flow = specimen.flow(flow, body);
    specimen.remove(&format!("{flow}/{lacking}"))
}

fn provider(specimen: &mut Specimen<'_, '_>, lacking: &str) -> String {
    specimen.put("/provider", json!({ "url": "https://example.com", "organization": "Example" }));
    specimen.remove(&format!("/provider/{lacking}"))
}

fn interface(specimen: &mut Specimen<'_, '_>, lacking: &str) -> String {
    let interface = specimen.interface("JSONRPC", "https://lacking.example.com/rpc");
    specimen.remove(&format!("{interface}/{lacking}"))
}

fn of_skill(specimen: &mut Specimen<'_, '_>, member: &str) -> String {
    let skill = specimen.skill();
    specimen.remove(&format!("{skill}/{member}"))
}

fn blank_of_skill(specimen: &mut Specimen<'_, '_>, member: &str) -> String {
    let skill = specimen.skill();
    let blank = specimen.draw.pick(&["", " ", "\t\n"]);
    specimen.put(&format!("{skill}/{member}"), blank)
}

fn signature(specimen: &mut Specimen<'_, '_>, lacking: &str) -> String {
    let signature = specimen.signature(crate::signature::PROTECTED_SAMPLE, crate::signature::SIGNATURE_SAMPLE);
    specimen.remove(&format!("{signature}/{lacking}"))
}

table! {
    "required-name" "A card has a name, and it is not empty." "name the agent" ["AgentCard"."name"] &[
        Break::edit("absent", |specimen| specimen.remove("/name")),
        Break::current("empty", |specimen| specimen.put("/name", "")),
        Break::current("blank", |specimen| specimen.put("/name", "  ")),
    ];
    "required-description" "A card has a description, and it is not empty." "say in a sentence what the agent does"
        ["AgentCard"."description"] &[
        Break::edit("absent", |specimen| specimen.remove("/description")),
        Break::current("empty", |specimen| specimen.put("/description", "")),
    ];
    "required-version" "A card has the agent's own version." "add `version`: the agent's, not the protocol's"
        ["AgentCard"."version"] &[
        Break::edit("absent", |specimen| specimen.remove("/version")),
        Break::current("empty", |specimen| specimen.put("/version", "")),
    ];
    "required-supported-interfaces" "A card of 1.0 lists at least one interface."
        "list each address with its binding and protocol version, the preferred one first" ["AgentCard"."supportedInterfaces"] &[
        Break::current("absent", |specimen| specimen.remove("/supportedInterfaces")),
        Break::current("empty", |specimen| specimen.put("/supportedInterfaces", json!([]))),
    ];
    "required-capabilities" "A card has capabilities, if only `{}`." "add `\"capabilities\": {}` with the flags that hold"
        ["AgentCard"."capabilities"] &[Break::edit("absent", |specimen| specimen.remove("/capabilities"))];
    "required-default-input-modes" "A card lists the media types it takes." "add for example `[\"text/plain\"]`"
        ["AgentCard"."defaultInputModes"] &[
        Break::edit("absent", |specimen| specimen.remove("/defaultInputModes")),
        Break::current("empty", |specimen| specimen.put("/defaultInputModes", json!([]))),
    ];
    "required-default-output-modes" "A card lists the media types it produces." "add for example `[\"text/plain\"]`"
        ["AgentCard"."defaultOutputModes"] &[
        Break::edit("absent", |specimen| specimen.remove("/defaultOutputModes")),
        Break::current("empty", |specimen| specimen.put("/defaultOutputModes", json!([]))),
    ];
    "required-skills" "A card lists at least one skill." "describe at least one thing that the agent can do"
        ["AgentCard"."skills"] &[
        Break::edit("absent", |specimen| specimen.remove("/skills")),
        Break::current("empty", |specimen| specimen.put("/skills", json!([]))),
    ];
    "required-url" "A card of 0.3 has the url of its main interface." "add the main address" ["AgentCard"."url"] &[
        Break::legacy("absent", |specimen| {
            specimen.remove("/additionalInterfaces");
            specimen.remove("/url")
        }),
    ];
    "required-protocol-version" "A card of 0.3 says which version of the protocol it speaks." "add for example `\"0.3.0\"`"
        ["AgentCard"."protocolVersion"] &[Break::legacy("absent", |specimen| {
            // Without any other sign of 0.3 it would be a card of 0.2, which needs none.
            specimen.put("/preferredTransport", "JSONRPC");
            specimen.remove("/additionalInterfaces");
            specimen.remove("/protocolVersion")
        })];
    "required-interface-url" "An interface has an address." "add the address" ["AgentInterface"."url"] &[
        Break::edit("absent", |specimen| interface(specimen, "url")),
    ];
    "required-interface-protocol-binding" "An interface names its binding." "add JSONRPC, GRPC or HTTP+JSON"
        ["AgentInterface"."protocolBinding", "AgentInterface"."transport"] &[
        Break::current("absent", |specimen| interface(specimen, "protocolBinding")),
        Break::legacy("absent-transport", |specimen| interface(specimen, "transport")),
    ];
    "required-interface-protocol-version" "An interface names its version of the protocol." "add for example `\"1.0\"`"
        ["AgentInterface"."protocolVersion"] &[
        Break::current("absent", |specimen| interface(specimen, "protocolVersion")),
    ];
    "required-provider-url" "A provider has a url." "add the provider's website, or leave the provider out"
        ["AgentProvider"."url"] &[Break::edit("absent", |specimen| provider(specimen, "url"))];
    "required-provider-organization" "A provider has a name." "name the organization, or leave the provider out"
        ["AgentProvider"."organization"] &[Break::edit("absent", |specimen| provider(specimen, "organization"))];
    "required-skill-id" "A skill has an id." "give it an id that is unique in the card" ["AgentSkill"."id"] &[
        Break::edit("absent", |specimen| of_skill(specimen, "id")),
        Break::current("blank", |specimen| blank_of_skill(specimen, "id")),
    ];
    "required-skill-name" "A skill has a name." "name it for people" ["AgentSkill"."name"] &[
        Break::edit("absent", |specimen| of_skill(specimen, "name")),
        Break::current("blank", |specimen| blank_of_skill(specimen, "name")),
    ];
    "required-skill-description" "A skill has a description." "say what it does, and what it does not"
        ["AgentSkill"."description"] &[
        Break::edit("absent", |specimen| of_skill(specimen, "description")),
        Break::current("blank", |specimen| blank_of_skill(specimen, "description")),
    ];
    "skills-tags-nonempty" "A skill has at least one tag: it is found by them." "add at least one tag"
        ["AgentSkill"."tags"] &[
        Break::edit("absent", |specimen| of_skill(specimen, "tags")),
        Break::current("empty", |specimen| {
            let skill = specimen.skill();
            specimen.put(&format!("{skill}/tags"), json!([]))
        }),
    ];
    "required-signature-protected" "A signature has its protected header." "add the base64url of the JWS header"
        ["AgentCardSignature"."protected"] &[Break::edit("absent", |specimen| signature(specimen, "protected"))];
    "required-signature-signature" "A signature has its value." "add the base64url of the signature"
        ["AgentCardSignature"."signature"] &[Break::edit("absent", |specimen| signature(specimen, "signature"))];
    "required-api-key-location" "An API key says where it goes." "add header, query or cookie"
        ["APIKeySecurityScheme"."location"] &[
        Break::current("absent", |specimen| bare(specimen, "apiKeySecurityScheme", "location")),
    ];
    "required-api-key-name" "An API key says under which name it goes." "add the name of the header or parameter"
        ["APIKeySecurityScheme"."name"] &[
        Break::current("absent", |specimen| bare(specimen, "apiKeySecurityScheme", "name")),
    ];
    "required-http-auth-scheme" "An HTTP scheme says which." "add for example `\"Bearer\"`"
        ["HTTPAuthSecurityScheme"."scheme"] &[
        Break::current("absent", |specimen| bare(specimen, "httpAuthSecurityScheme", "scheme")),
    ];
    "required-oauth2-flows" "An OAuth 2.0 scheme has flows." "add the flow that the agent's tokens come from"
        ["OAuth2SecurityScheme"."flows"] &[
        Break::current("absent", |specimen| bare(specimen, "oauth2SecurityScheme", "flows")),
    ];
    "required-openid-url" "An OpenID Connect scheme has its discovery url." "add the url of the discovery document"
        ["OpenIdConnectSecurityScheme"."openIdConnectUrl"] &[
        Break::current("absent", |specimen| bare(specimen, "openIdConnectSecurityScheme", "openIdConnectUrl")),
    ];
    "required-oauth2-authorization-url" "The flow says where a person approves." "add authorizationUrl"
        ["AuthorizationCodeOAuthFlow"."authorizationUrl", "ImplicitOAuthFlow"."authorizationUrl"] &[
        Break::edit("absent", |specimen| flow(specimen, "authorizationCode", "authorizationUrl")),
    ];
    "required-oauth2-token-url" "The flow says where tokens come from." "add tokenUrl"
        [
            "AuthorizationCodeOAuthFlow"."tokenUrl", "ClientCredentialsOAuthFlow"."tokenUrl",
            "PasswordOAuthFlow"."tokenUrl", "DeviceCodeOAuthFlow"."tokenUrl"
        ] &[
        Break::edit("absent", |specimen| {
            let kind = specimen.draw.pick(&["authorizationCode", "clientCredentials"]);
            flow(specimen, kind, "tokenUrl")
        }),
    ];
    "required-oauth2-device-url" "The device flow says where a device begins." "add deviceAuthorizationUrl"
        ["DeviceCodeOAuthFlow"."deviceAuthorizationUrl"] &[
        Break::current("absent", |specimen| flow(specimen, "deviceCode", "deviceAuthorizationUrl")),
    ];
    "required-oauth2-scopes" "The flow lists its scopes, if only `{}`." "add `\"scopes\": {}` with what tokens are good for"
        [
            "AuthorizationCodeOAuthFlow"."scopes", "ClientCredentialsOAuthFlow"."scopes", "DeviceCodeOAuthFlow"."scopes",
            "ImplicitOAuthFlow"."scopes", "PasswordOAuthFlow"."scopes"
        ] &[
        Break::edit("absent", |specimen| {
            let kind = specimen.draw.pick(&["authorizationCode", "clientCredentials"]);
            flow(specimen, kind, "scopes")
        }),
    ];
    "required-scheme-type" "A security scheme of 0.3 says of which type it is."
        "add apiKey, http, oauth2, openIdConnect or mutualTLS" ["SecurityScheme"."type"] &[
        Break::legacy("absent", |specimen| {
            let scheme = specimen.scheme("httpAuthSecurityScheme", json!({ "scheme": "Bearer" }));
            specimen.remove(&format!("{scheme}/type"))
        }),
    ];
}
