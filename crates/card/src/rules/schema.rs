//! Layer schema: names and types of members, as the schema bundle has them.

use serde_json::{Value, json};

use super::{Callers, Editions, Rule, named};
use crate::edition::LEGACY_KEYS;
use crate::generate::{Break, Specimen};

pub(crate) static KIND: &Rule = named(RULES, "document-kind");
pub(crate) static TYPE: &Rule = named(RULES, "schema-type");
pub(crate) static EXTRA: &Rule = named(RULES, "schema-extra-key");
static URL: &Rule = named(RULES, "no-top-level-url");
static LEGACY: &Rule = named(RULES, "no-legacy-keys");
static INPUT_SCHEMA: &Rule = named(RULES, "no-input-schema");
pub(crate) static ENUM: &Rule = named(RULES, "schema-enum");
pub(crate) static BYTES: &Rule = named(RULES, "schema-bytes");
pub(crate) static TIME: &Rule = named(RULES, "schema-time");
pub(crate) static FILE: &Rule = named(RULES, "schema-file");

/// The rule that a member breaks which its object does not have.
pub(crate) fn extra_rule(shape: &str, key: &str, legacy: bool) -> &'static Rule {
    match (shape, key) {
        _ if legacy => EXTRA,
        ("AgentCard", "url") => URL,
        ("AgentCard", key) if LEGACY_KEYS.contains(&key) => LEGACY,
        ("AgentCapabilities", "stateTransitionHistory") | ("AgentSkill", "security") => LEGACY,
        ("AgentSkill", "inputSchema" | "outputSchema" | "parameters") => INPUT_SCHEMA,
        _ => EXTRA,
    }
}

/// Whether a rule names what an older or foreign format left behind.
pub(super) fn is_residue(rule: &Rule) -> bool {
    [URL, LEGACY, INPUT_SCHEMA].contains(&rule)
}

/// A type that no member has.
fn other_type(specimen: &mut Specimen<'_, '_>) -> Value {
    specimen.draw.pick(&[0_u8, 1, 2]).into()
}

pub(super) static RULES: &[Rule] = &[
    Rule {
        id: "document-kind",
        statement: "The document is what it is held against.",
        why: "A Task, a list of MCP tools or a catalogue entry fails every check of a card, and the report teaches nothing.",
        fix: "check what was fetched; payloads are validated with `--type Task`, `--type Message`, …",
        source: "seed: card",
        breaks: &[
            Break::edit("task", |specimen| {
                *specimen.card = json!({
                    "id": "task-1", "contextId": "context-1", "status": { "state": "TASK_STATE_WORKING" },
                });
                String::new()
            }),
            Break::edit("mcp-tools", |specimen| {
                *specimen.card = json!({ "tools": [{ "name": "classify", "inputSchema": { "type": "object" } }] });
                String::new()
            }),
            Break::edit("empty", |specimen| {
                *specimen.card = json!({});
                String::new()
            }),
        ],
        ..Rule::SCHEMA
    },
    Rule {
        id: "schema-type",
        statement: "Every member has the JSON type that A2A gives it.",
        why: "Typed callers fail on the whole card, untyped ones somewhere in the middle of the work.",
        fix: "give the member the type that is expected",
        source: "spec §5.5; schema bundle",
        breaks: &[
            Break::edit("name", |specimen| {
                let value = other_type(specimen);
                specimen.put("/name", value)
            }),
            Break::edit("flag-in-quotes", |specimen| specimen.put("/capabilities/streaming", "true")),
            Break::edit("tags-as-text", |specimen| {
                let skill = specimen.skill();
                specimen.put(&format!("{skill}/tags"), "returns")
            }),
            Break::edit("null", |specimen| {
                let skill = specimen.skill();
                specimen.put(&format!("{skill}/examples"), Value::Null)
            }),
            Break::edit("list-of-numbers", |specimen| specimen.push("/defaultOutputModes", 7)),
            Break::edit("map-as-list", |specimen| {
                specimen.remove("/security");
                specimen.remove("/securityRequirements");
                let skills = specimen.card["skills"].as_array_mut().into_iter().flatten();
                for skill in skills.filter_map(Value::as_object_mut) {
                    skill.shift_remove("security");
                    skill.shift_remove("securityRequirements");
                }
                specimen.put("/securitySchemes", json!([]))
            }),
        ],
        ..Rule::SCHEMA
    },
    Rule {
        id: "schema-extra-key",
        callers: Callers::Ignore,
        statement: "Objects have the members that A2A gives them, and no others.",
        why: "A key that nobody defined is a misspelling, or belongs to another format; whoever reads the card does not \
              see it.",
        fix: "remove it; what is specific to a vendor goes into the params of an extension",
        source: "schema bundle; seed: card",
        breaks: &[
            Break::current("vendor", |specimen| specimen.put("/x-vendor", json!({ "tier": 1 }))),
            Break::current("in-skill", |specimen| {
                let skill = specimen.skill();
                specimen.put(&format!("{skill}/category"), "logistics")
            }),
            Break::current("misspelt", |specimen| specimen.put("/capabilities/pushNotification", true)),
            Break::current("in-interface", |specimen| {
                let interface = specimen.interface("JSONRPC", "https://extra.example.com/rpc");
                specimen.put(&format!("{interface}/transport"), "JSONRPC")
            }),
        ],
        ..Rule::SCHEMA
    },
    Rule {
        id: "no-top-level-url",
        callers: Callers::Ignore,
        editions: Editions::Current,
        statement: "A card of 1.0 has no `url` at the top: addresses stand in supportedInterfaces.",
        why: "What is left of 0.3 is a second truth: old callers use it, new ones do not, and they reach different places.",
        fix: "move the address into supportedInterfaces, with its protocolBinding and protocolVersion; `--migrate` does so",
        source: "seed: card; spec §4.4.1",
        breaks: &[Break::current("left-over", |specimen| {
            let url = specimen.card["supportedInterfaces"][0]["url"].clone();
            specimen.put("/url", url)
        })],
        ..Rule::SCHEMA
    },
    Rule {
        id: "no-legacy-keys",
        callers: Callers::Ignore,
        editions: Editions::Current,
        statement: "A card of 1.0 has no members of 0.3: protocolVersion, preferredTransport, additionalInterfaces, security, …",
        why: "Callers of 1.0 skip them, those of 0.3 believe them: the card says two things.",
        fix: "remove it: versions stand in each interface, `security` is securityRequirements, and \
              `supportsAuthenticatedExtendedCard` is capabilities.extendedAgentCard",
        source: "seed: card; spec §4.4.1",
        breaks: &[
            Break::current("protocol-version", |specimen| specimen.put("/protocolVersion", "0.3.0")),
            Break::current("preferred-transport", |specimen| specimen.put("/preferredTransport", "GRPC")),
            Break::current("additional-interfaces", |specimen| specimen.put("/additionalInterfaces", json!([]))),
            Break::current("extended-card", |specimen| specimen.put("/supportsAuthenticatedExtendedCard", true)),
            Break::current("security", |specimen| specimen.put("/security", json!([]))),
            Break::current("history", |specimen| specimen.put("/capabilities/stateTransitionHistory", true)),
        ],
        ..Rule::SCHEMA
    },
    Rule {
        id: "no-input-schema",
        callers: Callers::Ignore,
        editions: Editions::Current,
        statement: "A skill has no inputSchema: that is a tool of MCP.",
        why: "A skill is asked in messages; its hints are examples and media types. Callers that fill in a parameter table \
              send what the agent does not read.",
        fix: "describe the input in `examples` and `inputModes`",
        source: "seed: card",
        breaks: &[Break::current("mcp", |specimen| {
            let skill = specimen.skill();
            specimen.put(&format!("{skill}/inputSchema"), json!({ "type": "object" }))
        })],
        ..Rule::SCHEMA
    },
    Rule {
        id: "schema-enum",
        statement: "A member with a fixed set of values has one of them, spelt as A2A spells it.",
        why: "Callers take an unknown value for `unspecified`, or fail.",
        fix: "use one of the values that A2A defines",
        source: "spec §5.5",
        breaks: &[Break::legacy("scheme-type", |specimen| {
            let scheme = specimen.scheme("httpAuthSecurityScheme", json!({ "scheme": "Bearer" }));
            specimen.put(&format!("{scheme}/type"), "bearer")
        })],
        ..Rule::SCHEMA
    },
    Rule {
        id: "schema-bytes",
        statement: "Bytes are base64 in a string.",
        why: "They cannot be decoded.",
        fix: "encode them as base64 (RFC 4648 §4)",
        source: "ProtoJSON",
        ..Rule::SCHEMA
    },
    Rule {
        id: "schema-time",
        statement: "Points in time are RFC 3339.",
        why: "They cannot be read.",
        fix: "write it as 2026-01-31T12:00:00Z",
        source: "spec §5.6.1",
        ..Rule::SCHEMA
    },
    Rule {
        id: "schema-file",
        statement: "The document satisfies the schema that was given with `--schema`.",
        why: "The pipeline that this schema was taken from will refuse it.",
        fix: "see the keyword at this place of the schema",
        source: "--schema",
        ..Rule::SCHEMA
    },
];
