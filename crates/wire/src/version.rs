//! Protocol versions.

use std::fmt;
use std::str::FromStr;

/// Name of the header, metadata key and request parameter that carries the version (specification §3.6.1).
pub const VERSION_HEADER: &str = "A2A-Version";

/// Name of the header and metadata key that lists the extensions in use (specification §3.2.6).
pub const EXTENSIONS_HEADER: &str = "A2A-Extensions";

/// A protocol version. Patch numbers are accepted and dropped: they change nothing (specification §3.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProtocolVersion {
    /// Versions with different majors do not understand each other.
    pub major: u32,
    /// Minor versions are negotiated one by one.
    pub minor: u32,
}

impl ProtocolVersion {
    /// A2A 1.0.
    pub const V1_0: Self = Self { major: 1, minor: 0 };
    /// A2A 0.3, which a request without a version header means.
    pub const V0_3: Self = Self { major: 0, minor: 3 };
}

impl fmt::Display for ProtocolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl FromStr for ProtocolVersion {
    type Err = MalformedVersion;

    fn from_str(text: &str) -> Result<Self, MalformedVersion> {
        let malformed = || MalformedVersion(text.to_owned());
        let numbers =
            text.split('.').map(|part| part.parse::<u32>().map_err(|_| malformed())).collect::<Result<Vec<_>, _>>()?;
        match numbers[..] {
            [major, minor] | [major, minor, _] => Ok(Self { major, minor }),
            _ => Err(malformed()),
        }
    }
}

/// A version that is not `Major.Minor` with an optional patch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a protocol version: write Major.Minor, such as 1.0")]
pub struct MalformedVersion(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_number_changes_nothing() {
        assert_eq!("1.0.7".parse(), Ok(ProtocolVersion::V1_0));
        assert_eq!("1.0".parse(), Ok(ProtocolVersion::V1_0));
        for wrong in ["", "1", "1.", "v1.0", "1.0.0.0", "1.x"] {
            assert!(wrong.parse::<ProtocolVersion>().is_err(), "{wrong}");
        }
    }
}
