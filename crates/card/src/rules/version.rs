//! Layer spec: protocol versions, which are not the versions of agents.

use gauntlet_wire::ProtocolVersion;

use super::{Editions, Judge, Rule};
use crate::generate::Break;
use crate::report::Severity;
use crate::subject::Subject;

/// Versions of the protocol that were published.
const PUBLISHED: [ProtocolVersion; 4] = [
    ProtocolVersion { major: 0, minor: 1 },
    ProtocolVersion { major: 0, minor: 2 },
    ProtocolVersion::V0_3,
    ProtocolVersion::V1_0,
];

fn version_is_of_the_agent(card: &Subject<'_>, version: &str) -> bool {
    let published = version.parse().is_ok_and(|version| PUBLISHED.contains(&version));
    card.text("version") == Some(version) && (!published || version.split('.').count() > 2)
}

pub(super) static RULES: &[Rule] = &[
    Rule {
        id: "interface-version-of-agent",
        editions: Editions::Current,
        statement: "protocolVersion is the protocol's version, not the agent's own.",
        why: "Both are called version. Callers look for a version they speak, find none, and make no call.",
        fix: "write the protocol's, for example \"1.0\"; the agent's own stands in `version` at the top",
        source: "seed: card; spec §4.4.6",
        judge: Judge::Card(|card, tell| {
            for node in card.interfaces.iter().filter_map(|interface| interface.version) {
                if let Some(version) = node.text().filter(|version| version_is_of_the_agent(card, version)) {
                    tell.at(node, format!("`{version}` is the version of the agent")).done();
                }
            }
        }),
        breaks: &[Break::current("copied", |specimen| {
            specimen.put("/version", "4.11.2");
            let interface = specimen.interface("JSONRPC", "https://version.example.com/a2a");
            specimen.put(&format!("{interface}/protocolVersion"), "4.11.2")
        })],
        ..Rule::SPEC
    },
    Rule {
        id: "interface-version-format",
        statement: "protocolVersion is Major.Minor.",
        why: "Versions are compared by these two numbers; what does not have them matches nothing.",
        fix: "write for example \"1.0\"",
        source: "spec §3.6",
        judge: Judge::Card(|card, tell| {
            for node in card.interfaces.iter().filter_map(|interface| interface.version) {
                let Some(version) = node.text().filter(|version| !version.trim().is_empty()) else { continue };
                if version.parse::<ProtocolVersion>().is_err() && !version_is_of_the_agent(card, version) {
                    tell.at(node, format!("`{version}` is not Major.Minor")).done();
                }
            }
        }),
        breaks: &[
            Break::current("major-only", |specimen| {
                specimen.put("/version", "2026.1");
                let interface = specimen.interface("JSONRPC", "https://version.example.com/a2a");
                let version = specimen.draw.pick(&["1", "v1.0", "1.x", "latest", "1.0-beta"]);
                specimen.put(&format!("{interface}/protocolVersion"), version)
            }),
            Break::legacy("top", |specimen| specimen.put("/protocolVersion", "v0.3")),
        ],
        ..Rule::SPEC
    },
    Rule {
        id: "interface-version-patch",
        severity: Severity::Warning,
        editions: Editions::Current,
        statement: "protocolVersion has no patch number.",
        why: "Patches change nothing between caller and agent, and callers that compare strings find no match.",
        fix: "leave the third number out",
        source: "spec §3.6",
        judge: Judge::Card(|card, tell| {
            for node in card.interfaces.iter().filter_map(|interface| interface.version) {
                let Some(version) = node.text().filter(|version| !version_is_of_the_agent(card, version)) else {
                    continue;
                };
                if version.parse::<ProtocolVersion>().is_ok() && version.split('.').count() > 2 {
                    tell.at(node, format!("`{version}` has a patch number")).done();
                }
            }
        }),
        breaks: &[Break::current("patch", |specimen| {
            // An agent of the same version would have given its own.
            specimen.put("/version", "2026.1");
            let interface = specimen.interface("JSONRPC", "https://version.example.com/a2a");
            let version = specimen.draw.pick(&["1.0.0", "1.0.1", "0.3.0"]);
            specimen.put(&format!("{interface}/protocolVersion"), version)
        })],
        ..Rule::SPEC
    },
    Rule {
        id: "interface-version-known",
        severity: Severity::Warning,
        statement: "protocolVersion is one that A2A published.",
        why: "No caller speaks a version that does not exist.",
        fix: "use 1.0, or 0.3",
        source: "spec §3.6",
        judge: Judge::Card(|card, tell| {
            for node in card.interfaces.iter().filter_map(|interface| interface.version) {
                let Some(version) = node.text().filter(|version| !version_is_of_the_agent(card, version)) else {
                    continue;
                };
                if version.parse().is_ok_and(|version: ProtocolVersion| !PUBLISHED.contains(&version)) {
                    tell.at(node, format!("A2A has no version {version}")).done();
                }
            }
        }),
        breaks: &[Break::current("future", |specimen| {
            specimen.put("/version", "2026.1");
            let interface = specimen.interface("JSONRPC", "https://version.example.com/a2a");
            let version = specimen.draw.pick(&["2.0", "1.7", "0.9"]);
            specimen.put(&format!("{interface}/protocolVersion"), version)
        })],
        ..Rule::SPEC
    },
];
