//! The shapes of A2A 0.3 cards. Those of 0.2 are the same with fewer members.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::rules::required_rule;

use super::{Field, Kind, Shape, ShapeId, Shapes};

/// Name, then members as `name: type`; `!` behind a name marks it as required.
const TABLE: &[(&str, &[&str])] = &[
    (
        "AgentCard",
        &[
            "name!: text",
            "description!: text",
            "version!: text",
            "protocolVersion!: text",
            "url!: text",
            "preferredTransport: text",
            "additionalInterfaces: [AgentInterface]",
            "provider: AgentProvider",
            "iconUrl: text",
            "documentationUrl: text",
            "capabilities!: AgentCapabilities",
            "securitySchemes: {SecurityScheme}",
            "security: [{[text]}]",
            "defaultInputModes!: [text]",
            "defaultOutputModes!: [text]",
            "skills!: [AgentSkill]",
            "supportsAuthenticatedExtendedCard: flag",
            "signatures: [AgentCardSignature]",
        ],
    ),
    ("AgentInterface", &["url!: text", "transport!: text"]),
    ("AgentProvider", &["organization!: text", "url!: text"]),
    (
        "AgentCapabilities",
        &["streaming: flag", "pushNotifications: flag", "stateTransitionHistory: flag", "extensions: [AgentExtension]"],
    ),
    ("AgentExtension", &["uri!: text", "description: text", "required: flag", "params: struct"]),
    (
        "AgentSkill",
        &[
            "id!: text",
            "name!: text",
            "description!: text",
            "tags!: [text]",
            "examples: [text]",
            "inputModes: [text]",
            "outputModes: [text]",
            "security: [{[text]}]",
        ],
    ),
    ("AgentCardSignature", &["protected!: text", "signature!: text", "header: struct"]),
    // One shape for the five kinds: `type` says which it is, and a rule says what each needs.
    (
        "SecurityScheme",
        &[
            "type!: apiKey|http|oauth2|openIdConnect|mutualTLS",
            "description: text",
            "in: query|header|cookie",
            "name: text",
            "scheme: text",
            "bearerFormat: text",
            "flows: OAuthFlows",
            "oauth2MetadataUrl: text",
            "openIdConnectUrl: text",
        ],
    ),
    (
        "OAuthFlows",
        &[
            "authorizationCode: AuthorizationCodeOAuthFlow",
            "clientCredentials: ClientCredentialsOAuthFlow",
            "implicit: ImplicitOAuthFlow",
            "password: PasswordOAuthFlow",
        ],
    ),
    (
        "AuthorizationCodeOAuthFlow",
        &["authorizationUrl!: text", "tokenUrl!: text", "refreshUrl: text", "scopes!: {text}"],
    ),
    ("ClientCredentialsOAuthFlow", &["tokenUrl!: text", "refreshUrl: text", "scopes!: {text}"]),
    ("ImplicitOAuthFlow", &["authorizationUrl!: text", "refreshUrl: text", "scopes!: {text}"]),
    ("PasswordOAuthFlow", &["tokenUrl!: text", "refreshUrl: text", "scopes!: {text}"]),
];

pub(super) static SHAPES: LazyLock<Shapes> = LazyLock::new(|| {
    let ids = TABLE.iter().enumerate().map(|(index, (name, _))| (*name, ShapeId(index))).collect();
    let shape = |(name, members): &(&str, &[&str])| Shape {
        name: (*name).to_owned(),
        fields: members.iter().map(|member| field(name, member, &ids)).collect(),
        oneofs: 0,
    };
    Shapes::new(TABLE.iter().map(shape).collect())
});

fn field(shape: &str, member: &str, ids: &HashMap<&str, ShapeId>) -> Field {
    let (name, kind) = member.split_once(": ").expect("a member has a type");
    let (name, required) = name.strip_suffix('!').map_or((name, false), |name| (name, true));
    Field {
        name: name.to_owned(),
        snake: name.to_owned(),
        kind: self::kind(kind, ids),
        required,
        rule: required_rule(shape, name),
        presence: true,
        oneof: None,
    }
}

fn kind(word: &str, ids: &HashMap<&str, ShapeId>) -> Kind {
    let within = |open, close| word.strip_prefix(open).and_then(|rest: &str| rest.strip_suffix(close));
    if let Some(item) = within('[', ']') {
        return Kind::List(Box::new(kind(item, ids)));
    }
    if let Some(value) = within('{', '}') {
        return Kind::Map(Box::new(kind(value, ids)));
    }
    match word {
        "text" => Kind::Text,
        "flag" => Kind::Flag,
        "struct" => Kind::Struct,
        words if words.contains('|') => Kind::Words(words.split('|').map(str::to_owned).collect()),
        shape => Kind::Object(ids[shape]),
    }
}
