//! Signatures of cards: JWS (RFC 7515) with the card itself, in canonical form, as the payload (specification §8.4).

mod canonical;
mod jwks;
#[cfg(test)]
mod tests;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;

pub(crate) use canonical::canonical;
pub use canonical::canonical_bytes;
pub(crate) use jwks::{ALGORITHMS, Verdict};
pub use jwks::{Jwks, JwksError};

/// A header as it should be: `{"alg":"ES256","typ":"JOSE","kid":"key-1"}`.
pub(crate) const PROTECTED_SAMPLE: &str = "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpPU0UiLCJraWQiOiJrZXktMSJ9";
/// 64 bytes, as ES256 has them. They sign nothing.
pub(crate) const SIGNATURE_SAMPLE: &str =
    "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0-Pw";

pub(crate) fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

/// What a protected header says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) alg: Option<String>,
    pub(crate) kid: Option<String>,
    pub(crate) jku: Option<String>,
    /// Members that a verifier must understand.
    pub(crate) critical: bool,
}

impl Header {
    /// Decodes one.
    pub(crate) fn read(protected: &str) -> Result<Self, String> {
        let bytes = decode(protected).ok_or("it is not base64url")?;
        let header: Value = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
        if !header.is_object() {
            return Err("it is no object".to_owned());
        }
        let text = |name: &str| header[name].as_str().map(str::to_owned);
        Ok(Self { alg: text("alg"), kid: text("kid"), jku: text("jku"), critical: header.get("crit").is_some() })
    }
}
