//! The words that generated cards are made of: plain ones first, then what breaks careless readers.

pub(super) const NAMES: [&str; 12] = [
    "Returns Specialist",
    "Route Planner",
    "Invoice Reader",
    "Translator",
    "Über-Agent für Straßen",
    "配送エージェント",
    "Агент по возвратам",
    "وكيل الإرجاع",
    "Agent \"Quote\"",
    "🤖 Dispatcher 👩‍🚀",
    "a",
    "back\\slash/slash",
];

pub(super) const SENTENCES: [&str; 10] = [
    "Classifies return requests.",
    "Plans routes, and avoids tolls.",
    "Reads invoices.\nThen sums them up.",
    "Übersetzt zwischen zwölf Sprachen.",
    "注文を分類します。",
    "Escapes: \" \\ / \u{8} \u{c} \t \u{1}.",
    "Zero\u{200b}width and e\u{301} combining.",
    "Ends with an emoji 🏁",
    "Beyond the BMP: 𝒜𝔤𝔢𝔫𝔱 𐍈",
    "x",
];

pub(super) const TAGS: [&str; 10] =
    ["returns", "routing", "invoices", "translation", "größe", "配送", "with space", "UPPER", "a", "🏷"];

pub(super) const MODES: [&str; 12] = [
    "text/plain",
    "application/json",
    "image/png",
    "text/html; charset=utf-8",
    "application/vnd.geo+json",
    "audio/wav",
    "application/pdf",
    "video/mp4",
    "text/csv",
    "image/svg+xml",
    "application/octet-stream",
    "application/x-ndjson",
];

pub(super) const HOSTS: [&str; 6] = [
    "agents.example.com",
    "returns.example.org",
    "a.b.c.example.net",
    "xn--bcher-kva.example.com",
    "8.8.8.8",
    "[2001:db8::1]",
];

pub(super) const PATHS: [&str; 7] =
    ["/a2a", "", "/", "/a2a/v1", "/agents/returns%20desk", "/a2a?tenant=acme", "/~agent/rpc"];

pub(super) const SCOPES: [&str; 5] = ["read", "write", "openid", "https://example.com/scopes/work", "a:b.c"];
