//! Layer spec: addresses, bindings and versions.

use gauntlet_wire::Binding;

use super::{Editions, Judge, Rule};
use crate::address::{Authority, Reach, WebUrl, is_uri, reach};
use crate::generate::Break;
use crate::json::Node;
use crate::report::Severity;
use crate::subject::{Interface, Subject};

/// What people write for a binding and mean one that A2A defines.
const MEANT: [(&str, Binding); 12] = [
    ("json-rpc", Binding::JsonRpc),
    ("json_rpc", Binding::JsonRpc),
    ("json rpc", Binding::JsonRpc),
    ("jsonrpc2.0", Binding::JsonRpc),
    ("json-rpc 2.0", Binding::JsonRpc),
    ("rest", Binding::HttpJson),
    ("http", Binding::HttpJson),
    ("http_json", Binding::HttpJson),
    ("http-json", Binding::HttpJson),
    ("http/json", Binding::HttpJson),
    ("httpjson", Binding::HttpJson),
    ("g-rpc", Binding::Grpc),
];

/// What a binding is, where A2A defines it or it is meant to be one of those.
fn binding(interface: &Interface<'_>) -> Option<Binding> {
    let word = interface.binding?.text()?;
    word.parse().ok().or_else(|| meant(word))
}

fn meant(word: &str) -> Option<Binding> {
    let lower = word.trim().to_lowercase();
    let alike = Binding::ALL.into_iter().find(|binding| binding.name().to_lowercase() == lower);
    alike.or_else(|| MEANT.into_iter().find(|(known, _)| *known == lower).map(|(_, binding)| binding))
}

/// Interfaces whose address is a url of the web. The main url of 0.3 without a transport speaks JSON-RPC.
fn over_http<'n>(card: &Subject<'n>) -> impl Iterator<Item = (&'n Node<'n>, &'n str)> {
    let web = card.interfaces.iter().filter(|interface| match binding(interface) {
        Some(binding) => binding != Binding::Grpc,
        None => interface.main && interface.binding.is_none(),
    });
    web.filter_map(addressed)
}

fn over_grpc<'n>(card: &Subject<'n>) -> impl Iterator<Item = (&'n Node<'n>, &'n str)> {
    let grpc = card.interfaces.iter().filter(|interface| binding(interface) == Some(Binding::Grpc));
    grpc.filter_map(addressed)
}

fn addressed<'n>(interface: &Interface<'n>) -> Option<(&'n Node<'n>, &'n str)> {
    let url = interface.url?;
    url.text().filter(|text| !text.trim().is_empty()).map(|text| (url, text))
}

/// The host of an address, whichever way it is written.
fn host(url: &str) -> Option<&str> {
    WebUrl::read(url).map(|url| url.host).ok().or_else(|| Authority::read(url).map(|address| address.host).ok())
}

pub(super) static RULES: &[Rule] = &[
    Rule {
        id: "interface-url-absolute",
        statement: "The url of an interface over HTTP is absolute, with http or https and a host.",
        why: "Callers do not know what a relative address is relative to: the card may come from a registry or a file.",
        fix: "write the whole url, such as https://agents.example.com/a2a",
        source: "spec §4.4.6",
        judge: Judge::Card(|card, tell| {
            for (node, url) in over_http(card) {
                if let Err(why) = WebUrl::read(url) {
                    tell.at(node, format!("`{url}` is no address: {why}")).done();
                }
            }
        }),
        breaks: &[
            Break::edit("relative", |specimen| specimen.at_url("/a2a")),
            Break::edit("host-only", |specimen| specimen.at_url("agents.example.com")),
            Break::edit("other-scheme", |specimen| specimen.at_url("ftp://agents.example.com/a2a")),
            Break::edit("space", |specimen| specimen.at_url("https://agents.example.com/a b")),
        ],
        ..Rule::SPEC
    },
    Rule {
        id: "interface-url-https",
        callers: super::Callers::Ignore,
        statement: "Interfaces are served over https, unless they are on this machine.",
        why: "What is sent over http can be read and changed by everybody on the way, credentials included.",
        fix: "serve https, and write so; for tests use a loopback address",
        source: "spec §7.1, §4.4.6",
        judge: Judge::Card(|card, tell| {
            for (node, url) in over_http(card) {
                if WebUrl::read(url)
                    .is_ok_and(|url| !url.secure && matches!(url.reach(), Reach::Public | Reach::Private))
                {
                    tell.at(node, format!("`{url}` is not encrypted")).done();
                }
            }
        }),
        breaks: &[Break::edit("plain-http", |specimen| specimen.at_url("http://agents.example.com/a2a"))],
        ..Rule::SPEC
    },
    Rule {
        id: "interface-url-userinfo",
        statement: "An address holds no user name and no password.",
        why: "A card is public. And many HTTP clients drop or refuse what stands before the @.",
        fix: "take it out, and declare a security scheme",
        source: "RFC 9110 §4.2.4; hardened: secrets",
        judge: Judge::Card(|card, tell| {
            for (node, url) in over_http(card) {
                if WebUrl::read(url).is_ok_and(|url| url.userinfo) {
                    tell.at(node, "the address holds credentials").done();
                }
            }
        }),
        breaks: &[Break::edit("password", |specimen| specimen.at_url("https://agent:hunter2@agents.example.com/a2a"))],
        ..Rule::SPEC
    },
    Rule {
        id: "interface-url-routable",
        statement: "The address is one that can be called, not one to listen at.",
        why: "0.0.0.0 and [::] mean `every address of this machine` to a server, and nothing to a caller.",
        fix: "write the name that callers reach the agent by",
        source: "field: cards written from the listener's address",
        judge: Judge::Card(|card, tell| {
            for (node, url) in card.interfaces.iter().filter_map(addressed) {
                if host(url).is_some_and(|host| reach(host) == Reach::Unspecified) {
                    tell.at(node, format!("`{url}` is an address to listen at")).done();
                }
            }
        }),
        breaks: &[
            Break::edit("all-of-v4", |specimen| specimen.at_url("https://0.0.0.0:8080/a2a")),
            Break::edit("all-of-v6", |specimen| specimen.at_url("https://[::]:8080/a2a")),
            Break::current("grpc", |specimen| format!("{}/url", specimen.interface("GRPC", "0.0.0.0:50051"))),
        ],
        ..Rule::SPEC
    },
    Rule {
        id: "interface-url-base",
        severity: Severity::Warning,
        statement: "The url of an interface is its base, not the path of one operation.",
        why: "Callers append the paths of operations to it, or post every method to it; an address that ends in \
              `/message:send` serves one of them.",
        fix: "cut the path of the operation off",
        source: "spec §11; field",
        judge: Judge::Card(|card, tell| {
            const OPERATIONS: [&str; 6] =
                ["/message:send", "/message:stream", "/tasks", "/extendedAgentCard", "/agent-card.json", "/agent.json"];
            for (node, url) in over_http(card) {
                let path = WebUrl::read(url).map(|url| url.path.trim_end_matches('/')).unwrap_or_default();
                if OPERATIONS.iter().any(|operation| path.ends_with(operation)) {
                    tell.at(node, format!("`{url}` is the address of one operation")).done();
                }
            }
        }),
        breaks: &[
            Break::edit("send", |specimen| specimen.at_url("https://agents.example.com/v1/message:send")),
            Break::edit("card", |specimen| specimen.at_url("https://agents.example.com/.well-known/agent-card.json")),
        ],
        ..Rule::SPEC
    },
    Rule {
        id: "interface-grpc-authority",
        editions: Editions::Current,
        statement: "The address of a gRPC interface is `host:port`.",
        why: "gRPC channels are opened to a host and a port; a path means nothing to them, and without a port they guess.",
        fix: "write for example grpc.example.com:443",
        source: "spec §4.4.6",
        judge: Judge::Card(|card, tell| {
            for (node, url) in over_grpc(card).filter(|(_, url)| !is_web(url)) {
                if let Err(why) = Authority::read(url) {
                    tell.at(node, format!("`{url}` is not `host:port`: {why}")).done();
                }
            }
        }),
        breaks: &[
            Break::current("no-port", |specimen| format!("{}/url", specimen.interface("GRPC", "grpc.example.com"))),
            Break::current("path", |specimen| {
                format!("{}/url", specimen.interface("GRPC", "grpc.example.com:443/a2a"))
            }),
            Break::current("port-0", |specimen| format!("{}/url", specimen.interface("GRPC", "grpc.example.com:0"))),
            Break::current("resolver", |specimen| {
                format!("{}/url", specimen.interface("GRPC", "dns:///grpc.example.com:443"))
            }),
        ],
        ..Rule::SPEC
    },
    Rule {
        id: "interface-grpc-scheme",
        severity: Severity::Warning,
        editions: Editions::Current,
        statement: "The address of a gRPC interface has no scheme.",
        why: "Version 1.0.0 of the specification showed https urls here, and later ones ask for `host:port`: some SDKs cannot \
              open what has a scheme, one refuses the whole card.",
        fix: "leave the scheme and the path out",
        source: "spec §4.4.6; field",
        judge: Judge::Card(|card, tell| {
            for (node, url) in over_grpc(card).filter(|(_, url)| is_web(url)) {
                tell.at(node, format!("`{url}` is written as a url")).done();
            }
        }),
        breaks: &[Break::current("https", |specimen| {
            format!("{}/url", specimen.interface("GRPC", "https://grpc.example.com:443"))
        })],
        ..Rule::SPEC
    },
    Rule {
        id: "interface-binding-spelling",
        statement: "Bindings that A2A defines are spelt JSONRPC, GRPC and HTTP+JSON.",
        why: "Callers compare the name letter by letter: `jsonrpc` is a binding that nobody speaks.",
        fix: "spell it as A2A does",
        source: "spec §4.4.6, §5",
        judge: Judge::Card(|card, tell| {
            for node in card.interfaces.iter().filter_map(|interface| interface.binding) {
                let Some(word) = node.text().filter(|word| word.parse::<Binding>().is_err()) else { continue };
                if let Some(binding) = meant(word) {
                    let added = tell.at(node, format!("`{word}` is not how A2A spells a binding"));
                    added.help(format!("write `{binding}`")).done();
                }
            }
        }),
        breaks: &[
            Break::current("lower-case", |specimen| {
                let word = specimen.draw.pick(&["jsonrpc", "http+json", "JsonRpc"]);
                format!("{}/protocolBinding", specimen.interface(word, "https://spelling.example.com/a2a"))
            }),
            Break::current("rest", |specimen| {
                let word = specimen.draw.pick(&["REST", "HTTP", "json-rpc"]);
                format!("{}/protocolBinding", specimen.interface(word, "https://spelling.example.com/a2a"))
            }),
            Break::legacy("transport", |specimen| {
                format!("{}/transport", specimen.interface("jsonrpc", "https://spelling.example.com/a2a"))
            }),
        ],
        ..Rule::SPEC
    },
    Rule {
        id: "interface-binding-uri",
        severity: Severity::Warning,
        editions: Editions::Current,
        statement: "A binding that A2A does not define is named by a URI.",
        why: "A bare word may be taken by somebody else for another binding.",
        fix: "name it by a URI that you own, with its version",
        source: "spec §5.8",
        judge: Judge::Card(|card, tell| {
            for node in card.interfaces.iter().filter_map(|interface| interface.binding) {
                let custom = node.text().filter(|word| word.parse::<Binding>().is_err() && meant(word).is_none());
                if let Some(word) = custom.filter(|word| !word.trim().is_empty() && !is_uri(word)) {
                    tell.at(node, format!("`{word}` is neither a binding of A2A nor a URI")).done();
                }
            }
        }),
        breaks: &[Break::current("word", |specimen| {
            format!("{}/protocolBinding", specimen.interface("WEBSOCKET", "wss://custom.example.com/a2a"))
        })],
        ..Rule::SPEC
    },
    Rule {
        id: "interface-duplicate",
        severity: Severity::Warning,
        statement: "No interface is listed twice.",
        why: "The order says which is preferred, and SDKs differ in which of two equals they take.",
        fix: "remove one of them",
        source: "spec §8.3.1; field",
        judge: Judge::Card(|card, tell| {
            let essence = |interface: &Interface<'_>| {
                let text = |node: Option<&Node<'_>>| node.and_then(|node| node.text()).map(str::to_owned);
                [interface.url, interface.binding, interface.version, interface.tenant].map(text)
            };
            let mut seen = std::collections::HashSet::new();
            // In 0.3 the main address is meant to be among the additional ones.
            for interface in card.interfaces.iter().filter(|interface| !interface.main) {
                if !seen.insert(essence(interface)) {
                    tell.at(interface.object, "this interface is listed already").done();
                }
            }
        }),
        breaks: &[
            Break::current("copied", |specimen| {
                let first = specimen.card["supportedInterfaces"][0].clone();
                specimen.push("/supportedInterfaces", first)
            }),
            Break::legacy("copied-additional", |specimen| {
                specimen.interface("JSONRPC", "https://twice.example.com/a2a");
                specimen.interface("JSONRPC", "https://twice.example.com/a2a")
            }),
        ],
        ..Rule::SPEC
    },
    Rule {
        id: "interface-tenant",
        severity: Severity::Warning,
        editions: Editions::Current,
        statement: "A tenant can stand in a path: no slash, and no blanks around it.",
        why: "Over HTTP+JSON the tenant is a segment of the path. What has to be escaped there, callers and servers escape \
              differently.",
        fix: "use letters, digits, `-`, `_` and `.`",
        source: "spec §8.3.2, §11",
        judge: Judge::Card(|card, tell| {
            for node in card.interfaces.iter().filter_map(|interface| interface.tenant) {
                let Some(tenant) = node.text() else { continue };
                if tenant.contains('/') || tenant.chars().any(char::is_control) || tenant.trim() != tenant {
                    tell.at(node, format!("`{}` cannot stand in a path as it is", tenant.escape_debug())).done();
                }
            }
        }),
        breaks: &[Break::current("slash", |specimen| {
            let interface = specimen.interface("HTTP+JSON", "https://tenant.example.com/a2a");
            let tenant = specimen.draw.pick(&["acme/emea", " acme", "acme\n"]);
            specimen.put(&format!("{interface}/tenant"), tenant)
        })],
        ..Rule::SPEC
    },
];

fn is_web(url: &str) -> bool {
    WebUrl::read(url).is_ok()
}
