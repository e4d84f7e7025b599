//! Which edition of A2A a card is written in. Each is judged by its own rules.

use std::fmt;

use crate::json::{Data, Node};

/// An edition of the card format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Edition {
    /// 0.2: one `url`, and nothing is said of transports in the early ones.
    V0_2,
    /// 0.3: `url` with `preferredTransport`, and `additionalInterfaces`.
    V0_3,
    /// 1.0: `supportedInterfaces`.
    V1_0,
    /// 1.0 with members of 0.3 left at the top: judged as 1.0.
    Hybrid,
}

/// What only cards before 1.0 have at the top.
pub(crate) const LEGACY_KEYS: [&str; 6] = [
    "url",
    "protocolVersion",
    "preferredTransport",
    "additionalInterfaces",
    "supportsAuthenticatedExtendedCard",
    "security",
];

impl Edition {
    /// The word in reports.
    pub const fn word(self) -> &'static str {
        match self {
            Self::V0_2 => "0.2",
            Self::V0_3 => "0.3",
            Self::V1_0 => "1.0",
            Self::Hybrid => "hybrid",
        }
    }

    /// Whether the shape is that of 1.0.
    pub const fn is_current(self) -> bool {
        matches!(self, Self::V1_0 | Self::Hybrid)
    }

    /// What a document is written in. What shows no sign of either is taken for 1.0.
    pub(crate) fn of(card: &Node<'_>) -> Self {
        let has = |key: &str| card.key(key).is_some();
        let legacy = LEGACY_KEYS.iter().any(|key| has(key));
        if has("supportedInterfaces") || has("supported_interfaces") {
            return if legacy { Self::Hybrid } else { Self::V1_0 };
        }
        if !has("url") && !has("preferredTransport") && !has("additionalInterfaces") {
            return Self::V1_0;
        }
        match card.key("protocolVersion").map(|version| &version.data) {
            Some(Data::Text(version)) if version.starts_with("0.2") => Self::V0_2,
            // Early 0.2 had neither a version nor a word for transports.
            None if !has("preferredTransport") && !has("additionalInterfaces") && !has("signatures") => Self::V0_2,
            _ => Self::V0_3,
        }
    }
}

impl fmt::Display for Edition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// A set of editions, for rules that hold in some only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Editions {
    /// Every edition, and payloads.
    All,
    /// 1.0 and hybrids.
    Current,
    /// 0.3 and 0.2.
    Legacy,
}

impl Editions {
    /// Whether a card of this edition is in the set; `None` stands for payloads, which are of 1.0.
    pub const fn contain(self, edition: Option<Edition>) -> bool {
        match (self, edition) {
            (Self::All, _) | (Self::Current, None) => true,
            (Self::Current, Some(edition)) => edition.is_current(),
            (Self::Legacy, Some(edition)) => !edition.is_current(),
            (Self::Legacy, None) => false,
        }
    }
}
